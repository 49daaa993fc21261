//! The language server and what goes wrong: messages that are none, requests nobody knows, bugs, large files, many edits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::folder::{Folder, tree};
use crate::common::lsp::{Server, capabilities, position, range_of, uri};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

const FREE: &str = "#include <hip/hip_runtime.h>\nvoid f(int* p) { cudaFree(p); }\n";

fn hover_at(uri: &str, position: &Value) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position })
}

#[test]
fn messages_that_cannot_be_read_do_not_end_the_server() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let mut server = Server::start(folder.0.path());
    server.write(b"Content-Length: 9\r\n\r\n{\"jsonrpc");
    let answer = server.receive_answer_without_id();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    server.write(b"not a header\r\n\r\n");
    assert_eq!(server.receive_answer_without_id()["error"]["code"], -32700);
    server.write(b"Content-Length: 123456789012345\r\n\r\n");
    assert_eq!(server.receive_answer_without_id()["error"]["code"], -32700);
    let uri = server.open_file(&folder.path("a.hip"));
    assert_eq!(server.findings(&uri, 1).len(), 1);
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn requests_that_cannot_be_answered_have_an_error() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    let mut code = |method: &str, params: Value| {
        let id = server.ask(method, params);
        server.answer(id)["error"]["code"].as_i64()
    };
    assert_eq!(code("textDocument/rename", json!({})), Some(-32601));
    assert_eq!(code("textDocument/hover", json!({ "textDocument": 7 })), Some(-32602));
    assert_eq!(
        code("textDocument/hover", hover_at("file:///not/open.cu", &json!({ "line": 0, "character": 0 }))),
        Some(-32602)
    );
    assert_eq!(code("workspace/executeCommand", json!({ "command": "rm" })), Some(-32602));
    assert_eq!(code("initialize", json!({ "capabilities": {} })), Some(-32600));
    // Places that are not there are no error.
    assert_eq!(code("textDocument/hover", hover_at(&uri, &json!({ "line": 99, "character": 99 }))), None);
    server.notify("nobody/knows", json!([1]));
    server.notify("textDocument/didChange", json!({}));
    assert!(server.wait_for("window/logMessage").to_string().contains("textDocument/didChange"));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn the_order_of_start_and_end_is_kept() {
    let mut server = Server::spawn(&[]);
    let id = server.ask("hipshift/status", json!({}));
    assert_eq!(server.answer(id)["error"]["code"], -32002);
    let mut server = server.initialized(&[], &capabilities(), &Value::Null);
    server.request("shutdown", Value::Null);
    let id = server.ask("hipshift/status", json!({}));
    assert_eq!(server.answer(id)["error"]["code"], -32600);
    let server = Server::spawn(&[]).initialized(&[], &capabilities(), &Value::Null);
    // A client that is gone leaves no server behind.
    assert_eq!(server.hang_up(), Some(1));
}

#[test]
fn a_bug_in_one_request_leaves_the_server_alive() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let server = Server::spawn(&[("HIPSHIFT_TEST_PANIC", "textDocument/hover")]);
    let mut server = server.initialized(&[folder.0.path()], &capabilities(), &Value::Null);
    let uri = server.open_file(&folder.path("a.hip"));
    for _ in 0..3 {
        let id = server.ask("textDocument/hover", hover_at(&uri, &json!({ "line": 1, "character": 19 })));
        let error = server.answer(id)["error"].clone();
        assert_eq!(error["code"], -32603);
        assert!(error["message"].as_str().unwrap().contains("please report it: asked to fail"), "{error}");
    }
    let links = server.request("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(links, json!([]));
    assert_eq!(server.findings(&uri, 1).len(), 1);
}

#[test]
fn changes_out_of_order_are_left_out_and_told() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    let insert =
        |text: &str| json!([{ "range": { "start": position(FREE, 0), "end": position(FREE, 0) }, "text": text }]);
    server.change(&uri, 5, insert("// one\n"));
    server.change(&uri, 4, insert("// two\nvoid g() { cudaFree(0); }\n"));
    server.change(&uri, 6, insert("// three\n"));
    let findings = server.findings(&uri, 6);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0]["range"]["start"]["line"], 3);
    assert!(server.wait_for("window/logMessage").to_string().contains("version 4 was left out"));
}

#[test]
fn versions_may_begin_again() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    server.change(&uri, 9, json!([{ "text": FREE }]));
    server.findings(&uri, 9);
    // Opened once more without having been closed, and a whole text under a lower number.
    server.open(&uri, "hip", "void f();\n");
    assert_eq!(server.findings(&uri, 1), [] as [Value; 0]);
    server.change(&uri, 0, json!([{ "text": FREE }]));
    assert_eq!(server.findings(&uri, 0).len(), 1);
}

#[test]
fn a_request_that_nobody_wants_any_more_is_told_so() {
    let many: Vec<(String, String)> = (0..300).map(|n| (format!("f{n}.cu"), FREE.repeat(20))).collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = Folder::new(&files);
    let mut server = Server::start(folder.0.path());
    server.request("hipshift/status", json!({}));
    // The first holds the thread for long work while the second is cancelled.
    let first = server.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let second = server.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
    server.notify("$/cancelRequest", json!({ "id": second }));
    assert!(server.answer(first)["result"]["items"].as_array().unwrap().len() == 300);
    assert_eq!(server.answer(second)["error"]["code"], -32800);
    // Nobody waits for it.
    server.notify("$/cancelRequest", json!({ "id": 12345 }));
}

#[test]
fn a_very_large_file_does_not_hold_up_others() {
    let folder = Folder::new(&[("a.hip", FREE)]);
    let mut server = Server::start(folder.0.path());
    let large = uri(&folder.path("large.hip"));
    // 100 MB, half of it comments.
    let text = format!("{FREE}// {}\n", "x".repeat(80)).repeat(100_000_000 / 150);
    let begun = Instant::now();
    server.open(&large, "hip", &text);
    assert!(server.wait_for("window/showMessage").to_string().contains("is large"));
    let uri = server.open_file(&folder.path("a.hip"));
    assert_eq!(server.findings(&uri, 1).len(), 1);
    let hover = server.request("textDocument/hover", hover_at(&uri, &range_of(FREE, "cudaFree")["start"]));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("hipFree"));
    assert!(!server.published.contains_key(&large), "found in {:?}, before the small one", begun.elapsed());
    server.notify("textDocument/didClose", json!({ "textDocument": { "uri": large } }));
    // A queue that goes on for minutes must not hold up the end.
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn nothing_is_written_without_the_editor() {
    let folder = Folder::new(&[("hipshift.toml", "ext = \"hip\"\n"), ("a.cu", FREE), ("b.cuh", "#pragma once\n")]);
    let before: BTreeMap<PathBuf, Vec<u8>> = tree(folder.0.path());
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    server.request("hipshift/openConverted", json!({ "textDocument": { "uri": uri } }));
    for command in ["convertFile", "convertWorkspace", "fixAll"] {
        let command = format!("hipshift.{command}");
        server.request("workspace/executeCommand", json!({ "command": command, "arguments": [{ "uri": uri }] }));
        server.wait_for("workspace/applyEdit");
    }
    assert_eq!(server.stop(), Some(0));
    assert_eq!(tree(folder.0.path()), before);
    assert!(!folder.path(".hipshift").exists());
}

/// What is typed: names, brackets, comments that begin and end, line ends, characters of several units.
const PARTS: &[&str] = &[
    "cudaFree(p);",
    "cudaMalloc(&p, 4);",
    "__global__ void k(int* x) {",
    "}",
    "{",
    "k<<<1, 64>>>(p);",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\"",
    "__shfl_sync(0xffffffff, x, 1)",
    "warpSize",
    "threadIdx.x & 31",
    " ",
    "\u{e9}",
    "\u{1f600}",
    "#if 0\n",
    "#endif\n",
    "// hipshift: ignore[A001] why\n",
    "#include <cuda_runtime.h>\n",
    "cudaUnknown()",
    "\\\n",
    "",
    "__launch_bounds__(128, 4)",
];

#[test]
fn many_edits_leave_what_the_whole_text_gives() {
    const EDITS: usize = 10_000;
    const AT_ONCE: usize = 50;
    let folder = Folder::new(&[]);
    let (mut server, mut fresh) = (Server::start(folder.0.path()), Server::start(folder.0.path()));
    let edited = uri(&folder.path("a.cu"));
    let mut runner = TestRunner::new(Config { source_file: Some(file!()), ..Config::default() });
    let edit = (any::<prop::sample::Index>(), 0_usize..40, prop::sample::select(PARTS));
    let mut text: Vec<char> = FREE.repeat(3).chars().collect();
    server.open(&edited, "cuda-cpp", &text.iter().collect::<String>());
    let mut version = 1;
    for round in 0..EDITS / AT_ONCE {
        for _ in 0..AT_ONCE {
            let (at, len, new) = edit.new_tree(&mut runner).unwrap().current();
            let longest = if text.len() > 3000 { 400 } else { len };
            let start = at.index(text.len() + 1);
            // Between `\r` and `\n` is no place that an editor can name.
            let whole_end = |at: usize| at + usize::from(at > 0 && text[at - 1] == '\r' && text.get(at) == Some(&'\n'));
            let (start, end) = (whole_end(start), whole_end((start + longest).min(text.len())));
            let whole: String = text.iter().collect();
            let byte = |chars: usize| text[..chars].iter().map(|c| c.len_utf8()).sum::<usize>();
            let range = json!({ "start": position(&whole, byte(start)), "end": position(&whole, byte(end)) });
            version += 1;
            server.change(&edited, version, json!([{ "range": range, "text": new }]));
            text.splice(start..end, new.chars());
        }
        let whole: String = text.iter().collect();
        // The same document for a server that has seen nothing before.
        fresh.open(&edited, "cuda-cpp", &whole);
        let expected = fresh.findings(&edited, 1);
        assert_eq!(server.findings(&edited, version), expected, "round {round}: {whole}");
        let hash = |server: &mut Server| {
            server.request("hipshift/openConverted", json!({ "textDocument": { "uri": edited } }))["text"].clone()
        };
        assert_eq!(hash(&mut server), hash(&mut fresh), "round {round}: {whole}");
        fresh.notify("textDocument/didClose", json!({ "textDocument": { "uri": edited } }));
        fresh.findings_where(&edited, |params| params.get("version").is_none());
        fresh.published.clear();
    }
}
