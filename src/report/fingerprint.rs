//! A name for a finding that stays when lines move.

use sha2::{Digest as _, Sha256};

use crate::project::{FileReport, Finding};

/// 32 hexadecimal digits made of the file's path, the rule, the text of the line, and the number of
/// the finding among those that share all this.
pub fn fingerprint(report: &FileReport, finding: &Finding) -> String {
    let path = report.path.as_str().replace('\\', "/");
    let number = finding.occurrence.to_string();
    let parts = [path.trim_start_matches("./"), finding.diagnostic.rule.code, &finding.line_key, &number];
    let digest = Sha256::digest(parts.join("\0").as_bytes());
    let half = digest.iter().take(16).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{half:032x}")
}
