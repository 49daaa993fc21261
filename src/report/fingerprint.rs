//! A name for a finding that stays when lines move.

use crate::project::{FileReport, Finding};
use crate::source::digest;

/// 32 hexadecimal digits made of the file's path, the rule, the text of the line, and the number of
/// the finding among those that share all this.
pub(super) fn fingerprint(report: &FileReport, finding: &Finding) -> String {
    let path = report.path.as_str().replace('\\', "/");
    let number = finding.occurrence.to_string();
    let parts = [path.trim_start_matches("./"), finding.diagnostic.rule.code, &finding.line_key, &number];
    let mut digits = digest(parts.join("\0").as_bytes());
    digits.truncate(32);
    digits
}
