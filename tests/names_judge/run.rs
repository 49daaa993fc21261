//! Writes programs, lets hipshift convert them, and judges what came out.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::programs::{Place, Program, Snippet};
use crate::verdict::{Compared, Fate, Finding, Severity, compare, pieces, source};

const INCLUDES: &str = "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cublas_v2.h>\n#include <cusparse.h>\n\
    #include <cufft.h>\n#include <curand.h>\n#include <curand_kernel.h>\n#include <cusolverDn.h>\n\
    #include <cuComplex.h>\n#include <vector>\n";

/// What is wrong with a snippet.
#[derive(Clone)]
pub(crate) struct Failure {
    what: String,
    source: String,
    output: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n--- source\n{}--- output\n{}", self.what, self.source, self.output)
    }
}

/// The verdict on one snippet of one program.
pub(crate) struct Judged {
    pub(crate) program: usize,
    pub(crate) snippet: usize,
    pub(crate) failure: Option<Failure>,
    pub(crate) told: usize,
    /// A warning or an error about a line that holds nothing of CUDA's.
    pub(crate) noise: Option<String>,
}

/// A part of a snippet in a file.
struct Section {
    file: String,
    snippet: usize,
    part: usize,
    line: usize,
}

fn file_of(number: usize, place: Place) -> String {
    match place {
        Place::Header => format!("p{number:05}/p{number:05}.h"),
        Place::Second => format!("p{number:05}/b{number:05}.cu"),
        Place::First | Place::Anywhere => format!("p{number:05}/a{number:05}.cu"),
    }
}

/// Whether the lines of a program end as on Windows.
fn with_crlf(number: usize) -> bool {
    number % 10 == 7
}

/// The text of a file with plain line ends; empty where its line ends are mixed.
fn read(file: &Path, crlf: bool) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let (all, with_return) = (text.matches('\n').count(), text.matches("\r\n").count());
    match (crlf, with_return) {
        (true, _) if with_return == all => text.replace("\r\n", "\n"),
        (false, 0) => text,
        _ => String::new(),
    }
}

/// Writes the files of a program; says where the parts of its snippets stand.
fn write(program: &Program, folder: &Path) -> Vec<Section> {
    let number = program.number;
    let mut sections = Vec::new();
    fs::create_dir_all(folder.join(format!("p{number:05}"))).unwrap();
    let holds = |snippet: &Snippet, place: Place| snippet.parts.iter().any(|(at, _)| *at == place);
    let used = |place: Place| program.snippets.iter().any(|snippet| holds(snippet, place));
    for place in [Place::Header, Place::First, Place::Second].into_iter().filter(|place| used(*place)) {
        let file = file_of(number, place);
        let mut text = match place {
            Place::Header => format!("#pragma once\n{INCLUDES}"),
            _ if used(Place::Header) => format!("{INCLUDES}#include \"p{number:05}.h\"\n"),
            _ => INCLUDES.to_owned(),
        };
        for (index, snippet) in program.snippets.iter().enumerate() {
            for (part, (_, body)) in snippet.parts.iter().enumerate().filter(|(_, (at, _))| *at == place) {
                let _ = writeln!(text, "//~ {index} {part}");
                let line = text.matches('\n').count() + 1;
                sections.push(Section { file: file.clone(), snippet: index, part, line });
                text.push_str(&source(&pieces(body)));
            }
        }
        text.push_str("//~ end\n");
        let text = if with_crlf(number) { text.replace('\n', "\r\n") } else { text };
        fs::write(folder.join(&file), text).unwrap();
    }
    sections
}

/// The parts of a converted file by their heads, and what is wrong outside of them.
fn split(text: &str) -> (BTreeMap<&str, &str>, Option<String>) {
    let mut found = BTreeMap::new();
    let mut outside = None;
    for (index, block) in text.split("//~ ").enumerate() {
        let (head, body) = if index == 0 { ("", block) } else { block.split_once('\n').unwrap_or((block, "")) };
        if matches!(head, "" | "end") {
            let odd = |line: &&str| !line.is_empty() && !line.starts_with("#include") && *line != "#pragma once";
            outside = outside.or_else(|| body.lines().find(odd).map(str::to_owned));
        } else {
            found.insert(head, body);
        }
    }
    (found, outside)
}

/// Converts a folder and gives the findings of each file.
pub(crate) fn convert(from: &Path, to: &Path) -> BTreeMap<String, Vec<Finding>> {
    let _ = fs::remove_dir_all(to);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command
        .args(["convert", "--sources-only", "--no-build-files", "--format", "json", "--no-manifest", "-o"])
        .arg(to)
        .arg(".")
        .current_dir(from);
    let output = command.output().unwrap();
    let read: Result<Value, _> = serde_json::from_slice(&output.stdout);
    let Ok(report) = read else {
        panic!("no report: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    };
    let files = report["files"].as_array().unwrap().iter();
    files.map(|file| (file["path"].as_str().unwrap().trim_start_matches("./").to_owned(), findings_of(file))).collect()
}

/// The findings of a file that stand for something not done.
fn findings_of(file: &Value) -> Vec<Finding> {
    let place = |finding: &Value, end: &str| {
        let number = |key: &str| usize::try_from(finding[end][key].as_u64().unwrap()).unwrap();
        (number("line"), number("column"))
    };
    let open = |finding: &&Value| finding["applied"] != Value::Bool(true);
    let severity = |finding: &Value| match finding["severity"].as_str() {
        Some("warning" | "error") => Severity::Warning,
        Some("info") => Severity::Info,
        _ => Severity::Hint,
    };
    let all = file["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let read = |finding: &Value| Finding {
        severity: severity(finding),
        start: place(finding, "start"),
        end: place(finding, "end"),
        message: finding["message"].as_str().unwrap_or_default().to_owned(),
    };
    all.iter().filter(open).map(read).collect()
}

/// The texts of a converted file, after one conversion and after two.
struct Converted {
    once: String,
    twice: String,
}

/// Converts programs twice and judges each snippet.
pub(crate) fn judge(programs: &[Program], folder: &Path) -> Vec<Judged> {
    let [from, once, twice] = ["in", "once", "twice"].map(|name| folder.join(name));
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(&from).unwrap();
    let sections: Vec<Vec<Section>> = programs.iter().map(|program| write(program, &from)).collect();
    let findings = convert(&from, &once);
    convert(&once, &twice);
    let mut judged = Vec::new();
    for (program, sections) in sections.iter().enumerate() {
        let converted = |place: Place| {
            let file = file_of(programs[program].number, place);
            let crlf = with_crlf(programs[program].number);
            let text = |folder: &Path| read(&folder.join(&file), crlf);
            (file.clone(), Converted { once: text(&once), twice: text(&twice) })
        };
        let texts: BTreeMap<_, _> = [Place::Header, Place::First, Place::Second].map(converted).into_iter().collect();
        for (index, snippet) in programs[program].snippets.iter().enumerate() {
            let own: Vec<&Section> = sections.iter().filter(|section| section.snippet == index).collect();
            let mut verdict = judge_snippet(snippet, &own, &texts, &findings);
            (verdict.program, verdict.snippet) = (program, index);
            judged.push(verdict);
        }
    }
    judged
}

/// The verdict on a snippet from all its parts.
fn judge_snippet(
    snippet: &Snippet,
    sections: &[&Section],
    texts: &BTreeMap<String, Converted>,
    findings: &BTreeMap<String, Vec<Finding>>,
) -> Judged {
    let mut verdict = Judged { program: 0, snippet: 0, failure: None, told: 0, noise: None };
    let (mut what, mut source_text, mut output_text) = (None, String::new(), String::new());
    let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
    for section in sections {
        let (all, text) = (findings.get(&section.file).map(Vec::as_slice).unwrap_or_default(), &texts[&section.file]);
        let body = pieces(&snippet.parts[section.part].1);
        let head = format!("{} {}", section.snippet, section.part);
        let (first, outside) = split(&text.once);
        let (second, _) = split(&text.twice);
        let output = first.get(head.as_str()).copied().unwrap_or_default();
        let compared = compare(&body, output, section.line, all);
        verdict.told += compared.told;
        let lines = source(&body).matches('\n').count();
        verdict.noise = verdict.noise.or_else(|| noise(&compared, section.line..section.line + lines, all));
        what = what.or(compared.wrong).or(outside.map(|line| format!("a line outside of all snippets: `{line}`")));
        if what.is_none() && second.get(head.as_str()).copied() != Some(output) {
            let changed = second.get(head.as_str()).copied().unwrap_or_default();
            what = Some(format!("a second run changes the result to:\n{changed}---"));
        }
        for (name, fate) in compared.fates {
            if *fates.entry(name.clone()).or_insert(fate) != fate {
                what = what.or(Some(format!("`{name}` is renamed in one place and kept in another")));
            }
        }
        source_text.push_str(&snippet.parts[section.part].1);
        output_text.push_str(output);
    }
    verdict.failure = what.map(|what| Failure { what, source: source_text, output: output_text });
    verdict
}

/// A finding in `lines` that speaks of a line without a name of CUDA's.
fn noise(compared: &Compared, lines: std::ops::Range<usize>, findings: &[Finding]) -> Option<String> {
    let idle = |finding: &&Finding| lines.contains(&finding.start.0) && !compared.spoken.contains(&finding.start.0);
    findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
        .find(idle)
        .map(|finding| finding.message.clone())
}
