//! Converts the uses, and reads which of them have findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use hipshift::mapping::RocmVersion;
use serde::Deserialize;

use super::fact::Library;
use super::uses::facts_of_lines;

/// The part of hipshift's JSON report that is asked for.
#[derive(Deserialize)]
struct Report {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: PathBuf,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    severity: String,
    applied: bool,
    start: Place,
}

#[derive(Deserialize)]
struct Place {
    line: usize,
}

/// Where findings are still open.
pub(super) struct Told {
    /// The facts with one at their use, in order.
    pub(super) facts: Vec<usize>,
    /// Whether one stands in front of all uses, where the headers are included.
    pub(super) headers: bool,
}

/// Converts `home/cuda` into `home/hip`.
pub(super) fn convert(
    (program, release): (&Path, RocmVersion),
    home: &Path,
    libraries: &[Library],
) -> Result<Vec<Told>> {
    let (cuda, hip) = (home.join("cuda"), home.join("hip"));
    if hip.exists() {
        fs::remove_dir_all(&hip).with_context(|| format!("removing `{}`", hip.display()))?;
    }
    let mut command = Command::new(program);
    command.arg("convert").arg(&cuda).arg("-o").arg(&hip);
    command.args(["--format", "json", "--rocm", &release.to_string()]);
    let output = command.stdin(Stdio::null()).output().context("starting hipshift")?;
    // 1 says that findings remain.
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(matches!(output.status.code(), Some(0 | 1)), "hipshift ended with {}: {words}", output.status);
    let report: Report = serde_json::from_slice(&output.stdout).context("reading hipshift's report")?;
    libraries.iter().map(|library| told(library, &cuda, &report)).collect()
}

/// The facts of a library whose lines have a finding of severity warning or error that is still open.
fn told(library: &Library, cuda: &Path, report: &Report) -> Result<Told> {
    let name = format!("{}.cu", library.name);
    let text = fs::read_to_string(cuda.join(&name)).with_context(|| format!("reading `{name}`"))?;
    let facts = facts_of_lines(&text);
    let files = report.files.iter().filter(|file| file.path.ends_with(&name));
    let open = files.flat_map(|file| &file.findings).filter(|finding| !finding.applied && finding.severity != "hint");
    let places: Vec<Option<usize>> = open.map(|finding| *facts.get(finding.start.line.checked_sub(1)?)?).collect();
    let mut told: Vec<usize> = places.iter().copied().flatten().collect();
    told.sort_unstable();
    told.dedup();
    Ok(Told { facts: told, headers: places.contains(&None) })
}
