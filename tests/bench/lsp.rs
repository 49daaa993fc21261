//! How long an editor waits: edits of a file of 10,000 lines, hover, and memory with 200 open files, through the real
//! protocol and the real process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../common/lsp.rs"]
mod lsp;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lsp::{Server, position, uri};
use serde_json::{Value, json};

const LINES: usize = 10_000;
const EDITS: usize = 400;
const HOVERS: usize = 400;
const OPEN: usize = 200;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    println!("| what | lines | p50 | p95 | worst | goal |\n|---|---:|---:|---:|---:|---:|");
    for (name, files) in
        [("corpus", sources(&root.join("target/corpus"))), ("fixtures", sources(&root.join("fixtures/rules")))]
    {
        if files.is_empty() {
            println!("| {name}: not there | | | | | |");
            continue;
        }
        measure(name, &text_of(&files));
        memory(name, &files);
    }
}

/// All CUDA files below a folder, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::canonicalize(folder) else { return Vec::new() };
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let is_cuda = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh");
    let files = entries.map(walkdir::DirEntry::into_path).filter(is_cuda);
    files.filter(|path| std::fs::read_to_string(path).is_ok()).collect()
}

/// Whole files one behind the other, 10,000 lines in all.
fn text_of(files: &[PathBuf]) -> String {
    let mut text = String::new();
    // Every tenth, so that the lines come from many projects.
    let order = (0..10).flat_map(|first| files.iter().skip(first).step_by(10)).cycle();
    for file in order {
        text.push_str(&std::fs::read_to_string(file).unwrap());
        text.push('\n');
        if text.lines().count() >= LINES {
            break;
        }
    }
    text.split_inclusive('\n').take(LINES).collect()
}

/// Types a call letter by letter at places all over the file, and waits for the findings each time.
fn measure(name: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.cu");
    std::fs::write(&path, text).unwrap();
    let mut server = Server::start(folder.path());
    let uri = server.open_file(&path);
    server.findings(&uri, 1);
    let typed = "cudaMalloc(&p, 4);\n";
    let mut version = 1;
    let mut edits = Vec::new();
    let mut hovers = Vec::new();
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for at in (0..EDITS.div_ceil(typed.len())).map(|place| starts[place * starts.len() / (EDITS / typed.len() + 1)]) {
        let line = position(text, at);
        for (column, letter) in typed.chars().enumerate() {
            let mut place = line.clone();
            place["character"] = json!(column);
            version += 1;
            let begun = Instant::now();
            server.change(
                &uri,
                version,
                json!([{ "range": { "start": place, "end": place }, "text": letter.to_string() }]),
            );
            server.findings(&uri, version);
            edits.push(begun.elapsed());
        }
        // Back to the text as it was, so that places stay.
        version += 1;
        let end = json!({ "line": line["line"].as_u64().unwrap() + 1, "character": 0 });
        server.change(&uri, version, json!([{ "range": { "start": line, "end": end }, "text": "" }]));
        server.findings(&uri, version);
    }
    let names: Vec<usize> = text.match_indices("cuda").map(|(at, _)| at).collect();
    for at in (0..HOVERS).map(|number| names[number * names.len() / HOVERS]) {
        let params = json!({ "textDocument": { "uri": uri }, "position": position(text, at) });
        let begun = Instant::now();
        server.request("textDocument/hover", params);
        hovers.push(begun.elapsed());
    }
    row(&format!("{name}: findings after an edit"), text, &mut edits, "50 ms");
    row(&format!("{name}: hover"), text, &mut hovers, "5 ms");
    server.stop();
}

fn row(what: &str, text: &str, times: &mut [Duration], goal: &str) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!(
        "| {what} | {} | {:.1} ms | {:.1} ms | {:.1} ms | {goal} |",
        text.lines().count(),
        at(50),
        at(95),
        at(100)
    );
}

/// Opens 200 files and edits each.
fn memory(name: &str, files: &[PathBuf]) {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    let (mut lines, mut open) = (0, Vec::new());
    for (number, file) in files.iter().cycle().take(OPEN).enumerate() {
        let path = folder.path().join(format!("{number}.cu"));
        std::fs::copy(file, &path).unwrap();
        lines += std::fs::read_to_string(&path).unwrap().lines().count();
        open.push(path);
    }
    let uris: Vec<String> = open.iter().map(|path| server.open_file(path)).collect();
    for uri in &uris {
        let start = json!({ "line": 0, "character": 0 });
        server.change(uri, 2, json!([{ "range": { "start": start, "end": start }, "text": "// edited\n" }]));
    }
    for uri in &uris {
        server.findings(uri, 2);
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        let kilobytes: f64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
        format!("{:.0} MB", kilobytes / 1000.0)
    };
    println!(
        "| {name}: memory with {OPEN} open files, now and at the peak | {lines} | {} | | {} | 200 MB |",
        of("VmRSS"),
        of("VmHWM")
    );
    assert_eq!(uri(&open[0]), uris[0]);
    server.request("shutdown", Value::Null);
}
