//! The language server and projects: the same findings as `hipshift lint`, settings, pulls, several folders, progress.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::folder::{Folder, check, hipshift};
use crate::common::lsp::{Server, capabilities, offset, uri};
use serde_json::{Value, json};

/// A finding: rule, severity, first and last byte, message with notes, fingerprint with labels.
type Known = (String, String, usize, usize, String, String);

/// What the server says about a text.
fn from_server(text: &str, finding: &Value) -> Known {
    let severity = match finding["severity"].as_u64().unwrap() {
        1 => "error",
        2 => "warning",
        3 => "info",
        _ => "hint",
    };
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let at = |end: &str| offset(text, &finding["range"][end]);
    let labels = finding["relatedInformation"].as_array().into_iter().flatten();
    let labels = labels.flat_map(|label| ["\nlabel: ".to_owned(), word(&label["message"])]).collect::<String>();
    let fingerprint = word(&finding["data"]["fingerprint"]) + &labels;
    (word(&finding["code"]), severity.to_owned(), at("start"), at("end"), word(&finding["message"]), fingerprint)
}

/// What `lint --format json` says.
fn from_lint(text: &str, finding: &Value) -> Known {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let at = |end: &str| {
        let (line, column) = (finding[end]["line"].as_u64().unwrap(), finding[end]["column"].as_u64().unwrap());
        let start: usize = text.split_inclusive('\n').take(usize::try_from(line).unwrap() - 1).map(str::len).sum();
        let chars = text[start..].char_indices().map(|(at, _)| start + at);
        chars.chain([text.len()]).nth(usize::try_from(column).unwrap() - 1).unwrap()
    };
    let notes = finding["notes"].as_array().into_iter().flatten();
    let notes = notes.flat_map(|note| ["\nnote: ".to_owned(), word(note)]);
    let message = word(&finding["message"]) + &notes.collect::<String>();
    let labels = finding["labels"].as_array().into_iter().flatten();
    let labels = labels.flat_map(|label| ["\nlabel: ".to_owned(), word(&label["message"])]).collect::<String>();
    let fingerprint = word(&finding["fingerprint"]) + &labels;
    (word(&finding["code"]), word(&finding["severity"]), at("start"), at("end"), message, fingerprint)
}

/// Opens all files of a folder that lint has, and compares. How many findings there were.
#[track_caller]
fn check_same(folder: &Path, arguments: &[&str], options: &Value) -> usize {
    let command = [&["lint", ".", "--format", "json"], arguments].concat();
    let output = common::folder::command(folder, &command).output().unwrap();
    let lint = common::json(&output);
    let mut server = Server::start_with(&[folder], &capabilities(), options);
    let mut count = 0;
    for file in lint["files"].as_array().unwrap() {
        let path = folder.join(file["path"].as_str().unwrap());
        // An editor sends text; what is none by itself has another encoding there.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.starts_with('\u{feff}') || text.replace("\r\n", "").contains('\r') || file["status"] == "failed" {
            continue;
        }
        let uri = uri(&path);
        server.open(&uri, "cuda-cpp", &text);
        let found = server.findings(&uri, 1);
        let found: Vec<Known> = found.iter().map(|finding| from_server(&text, finding)).collect();
        let expected = file["findings"].as_array().unwrap();
        let expected: Vec<Known> = expected.iter().map(|finding| from_lint(&text, finding)).collect();
        assert_eq!(found, expected, "{}", path.display());
        count += found.len();
        server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(server.stop(), Some(0));
    count
}

#[test]
fn fixtures_have_the_findings_of_lint() {
    let root = common::root().join("fixtures/rules");
    for directory in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        // A copy, as settings of this repository may stand above the fixtures.
        let folder = Folder::new(&[]);
        for path in common::files_below(directory.to_str().unwrap(), &["cu", "cuh", "h", "hip", "cpp"]) {
            let inside = path.strip_prefix(&directory).unwrap().to_str().unwrap().to_owned();
            folder.write(&inside, &std::fs::read(&path).unwrap());
        }
        assert!(check_same(folder.0.path(), &[], &Value::Null) > 0, "{}", directory.display());
    }
}

#[test]
fn the_corpus_has_the_findings_of_lint() {
    if common::corpus().is_none() {
        return;
    }
    let corpus = std::fs::canonicalize(common::root().join("target/corpus")).unwrap();
    let mut count = 0;
    for directory in std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        count += check_same(&directory, &[], &Value::Null);
    }
    assert!(count > 1000, "{count}");
}

const LANES: &str = "__device__ int lane() { return threadIdx.x & 31; }\n";
const COUNTS: &str = "void f(int* p) { cudaMallocManaged(&p, 4); cudaUnknown(p); }\n";

#[test]
fn what_a_project_decides_is_respected() {
    let config = "wave-policy = \"native\"\narch = [\"gfx90a\"]\nignore = [\"A005\"]\n[severity]\nK006 = \"error\"\n";
    let folder = Folder::new(&[
        ("hipshift.toml", config),
        ("sub/a.cu", COUNTS),
        (
            "sub/b.cu",
            "void f(int* p) { cudaMallocManaged(&p, 4); cudaUnknown(p); }\nvoid g(int* p) { cudaMallocManaged(&p, 4); } // hipshift: ignore[K006] fine\n",
        ),
        ("c.cu", "#include \"own.h\"\nvoid h() { cudaMine(); cudaOther(); }\n"),
        ("own.h", "void cudaMine();\ninline void cudaMine() {}\n"),
    ]);
    assert!(check_same(folder.0.path(), &[], &Value::Null) > 1);
    let options = json!({ "targets": ["gfx1100"], "wavePolicy": "logical32", "lint": { "ignore": ["K006"] } });
    check_same(folder.0.path(), &["--arch", "gfx1100", "--wave-policy", "logical32", "--ignore", "K006"], &options);
    check_same(folder.0.path(), &["--select", "W"], &json!({ "lint": { "select": ["W"] } }));
    check(&folder, &["lint", ".", "--write-baseline", "known.json"], 0, "written to known.json");
    folder.write("sub/a.cu", format!("{COUNTS}void g() {{ cudaGraphConditionalHandle h; }}\n").as_bytes());
    let options = json!({ "lint": { "baseline": "known.json" } });
    assert!(check_same(folder.0.path(), &["--baseline", "known.json"], &options) > 0);
}

#[test]
fn what_was_rejected_in_review_stays_away() {
    let text = "#include <hip/hip_runtime.h>\nvoid f(int* p) {\n    cudaFree(p);\n    cudaFree(p + 1);\n}\n";
    let folder = Folder::new(&[("a.hip", text)]);
    assert_eq!(check_same(folder.0.path(), &[], &Value::Null), 2);
    let decision = "schema = 1\n[[decision]]\nfile = \"a.hip\"\ndecision = \"reject\"\nfixes = [{ rule = \"renamed-name\", \
                    at = \"cudaFree\", line = \"cudaFree(p);\" }]\nbefore = \"    cudaFree(p);\\n\"\nafter = \"    hipFree(p);\\n\"\n";
    folder.write(".hipshift/decisions.toml", decision.as_bytes());
    assert_eq!(check_same(folder.0.path(), &[], &Value::Null), 1);
}

/// The findings of one document, asked for.
fn pull(server: &mut Server, uri: &str, previous: Option<&str>) -> Value {
    let params = json!({ "textDocument": { "uri": uri }, "identifier": "hipshift", "previousResultId": previous });
    server.request("textDocument/diagnostic", params)
}

fn pulling() -> Value {
    let mut capabilities = capabilities();
    capabilities["textDocument"] = json!({ "diagnostic": { "dynamicRegistration": false } });
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    capabilities
}

#[test]
fn who_asks_for_findings_gets_the_same_and_none_are_pushed() {
    let folder = Folder::new(&[("a.cu", COUNTS), ("b.cu", LANES), ("note.txt", "cudaFree")]);
    let mut server = Server::start_with(&[folder.0.path()], &pulling(), &Value::Null);
    let a = server.open_file(&folder.path("a.cu"));
    let full = pull(&mut server, &a, None);
    assert_eq!(full["kind"], "full");
    let lint = common::json(&hipshift(&folder, &["lint", ".", "--format", "json"]));
    let count = |path: &str| {
        let files = lint["files"].as_array().unwrap();
        files.iter().find(|file| file["path"] == path).unwrap()["findings"].as_array().unwrap().len()
    };
    assert_eq!(full["items"].as_array().unwrap().len(), count("a.cu"));
    let id = full["resultId"].as_str().unwrap();
    assert_eq!(pull(&mut server, &a, Some(id))["kind"], "unchanged");
    // What another file says changes the width of warps, so the result may be another one.
    let b = server.open_file(&folder.path("b.cu"));
    server.change(&b, 2, json!([{ "text": "__device__ int lanes() { return warpSize; }\n" }]));
    pull(&mut server, &b, None);
    server.wait_for("workspace/diagnostic/refresh");
    assert_eq!(pull(&mut server, &a, Some(id))["kind"], "full");
    assert!(server.published.is_empty());
}

#[test]
fn who_asks_once_more_when_a_document_was_closed_gets_what_the_file_has() {
    let folder = Folder::new(&[("a.cu", COUNTS), ("note.txt", "cudaFree")]);
    let mut server = Server::start_with(&[folder.0.path()], &pulling(), &Value::Null);
    let a = server.open_file(&folder.path("a.cu"));
    let full = pull(&mut server, &a, None);
    server.change(&a, 2, json!([{ "text": format!("{COUNTS}void more() {{ cudaGrumble(); }}\n") }]));
    let typed = pull(&mut server, &a, full["resultId"].as_str());
    assert!(typed["items"].to_string().contains("cudaGrumble"), "{typed}");
    server.notify("textDocument/didClose", json!({ "textDocument": { "uri": a } }));
    let closed = pull(&mut server, &a, typed["resultId"].as_str());
    assert_eq!((&closed["kind"], &closed["items"]), (&full["kind"], &full["items"]));
    for other in [uri(&folder.path("note.txt")), uri(&folder.path("gone.cu")), "untitled:Untitled-1".to_owned()] {
        assert_eq!(pull(&mut server, &other, None), json!({ "kind": "full", "items": [] }), "{other}");
    }
}

#[test]
fn all_files_are_told_with_progress_whether_open_or_not() {
    let folder = Folder::new(&[
        ("a.cu", COUNTS),
        ("sub/b.cu", LANES),
        ("build/c.cu", COUNTS),
        (".gitignore", "build\n"),
        (".git/HEAD", ""),
    ]);
    let mut server = Server::start_with(&[folder.0.path()], &pulling(), &Value::Null);
    let b = server.open_file(&folder.path("sub/b.cu"));
    server.change(&b, 2, json!([{ "text": COUNTS }]));
    let params = json!({ "previousResultIds": [], "workDoneToken": "mine" });
    let all = server.request("workspace/diagnostic", params);
    let items = all["items"].as_array().unwrap();
    let name = |item: &Value| item["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let found: BTreeMap<String, (usize, Value)> = items
        .iter()
        .map(|item| (name(item), (item["items"].as_array().unwrap().len(), item["version"].clone())))
        .collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a.cu", "b.cu"]);
    assert!(found["a.cu"].0 > 0 && found["a.cu"].0 == found["b.cu"].0, "{found:?}");
    assert_eq!((&found["a.cu"].1, &found["b.cu"].1), (&Value::Null, &json!(2)));
    let kinds: Vec<_> = server.seen.iter().filter(|message| message["params"]["token"] == "mine").collect();
    let kinds: Vec<_> = kinds.iter().map(|message| message["params"]["value"]["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"begin"), Some(&"end")), "{kinds:?}");
    let known = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect::<Vec<_>>();
    let again = server.request("workspace/diagnostic", json!({ "previousResultIds": known }));
    assert!(again["items"].as_array().unwrap().iter().all(|item| item["kind"] == "unchanged"), "{again}");
}

const REGISTERS: &str = "set(flags -maxrregcount=64)\n";

#[test]
fn build_files_have_the_findings_of_lint() {
    let folder = Folder::new(&[("a.cu", LANES), ("CMakeLists.txt", REGISTERS), ("skipped/CMakeLists.txt", REGISTERS)]);
    folder.write("hipshift.toml", b"exclude = [\"skipped\"]\n");
    for (select, count) in [("B", 1), ("A", 0)] {
        let lint = common::json(&hipshift(&folder, &["lint", ".", "--select", select, "--format", "json"]));
        let files = lint["files"].as_array().unwrap().iter();
        assert_eq!(files.flat_map(|file| file["findings"].as_array().unwrap()).count(), count, "{lint:#}");
        let options = json!({ "lint": { "select": [select] } });
        let mut server = Server::start_with(&[folder.0.path()], &pulling(), &options);
        let build = server.open_file(&folder.path("CMakeLists.txt"));
        let items = pull(&mut server, &build, None)["items"].clone();
        let codes: Vec<&Value> = items.as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
        assert_eq!(codes, vec!["B001"; count]);
    }
    let mut server = Server::start_with(&[folder.0.path()], &pulling(), &Value::Null);
    let excluded = server.open_file(&folder.path("skipped/CMakeLists.txt"));
    assert_eq!(pull(&mut server, &excluded, None)["items"], json!([]));
    let found = |server: &mut Server| -> BTreeMap<String, usize> {
        let all = server.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
        let items = all["items"].as_array().unwrap().iter();
        let name = |item: &Value| item["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        items.map(|item| (name(item), item["items"].as_array().unwrap().len())).collect()
    };
    assert_eq!(found(&mut server).get("CMakeLists.txt"), Some(&1));
    folder.write("more.cmake", REGISTERS.as_bytes());
    std::fs::remove_file(folder.path("CMakeLists.txt")).unwrap();
    let change = |name: &str, kind: i32| json!({ "uri": uri(&folder.path(name)), "type": kind });
    let changes = json!({ "changes": [change("more.cmake", 1), change("CMakeLists.txt", 3)] });
    server.notify("workspace/didChangeWatchedFiles", changes);
    let found = found(&mut server);
    assert_eq!((found.get("more.cmake"), found.get("CMakeLists.txt")), (Some(&1), None));
}

#[test]
fn an_edit_that_waits_for_its_check_counts_for_all_files() {
    let long = COUNTS.repeat(2000);
    let folder = Folder::new(&[("a.cu", COUNTS), ("b.cu", LANES), ("long.cu", &long)]);
    let mut server = Server::start_with(&[folder.0.path()], &pulling(), &Value::Null);
    // Documents are checked one after the other, so the edit waits until this one is done.
    server.open_file(&folder.path("long.cu"));
    let b = server.open_file(&folder.path("b.cu"));
    server.change(&b, 2, json!([{ "text": "__device__ int lanes() { return warpSize; }\n" }]));
    let all = server.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let items = all["items"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    let known = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect::<Vec<_>>();
    let again = server.request("workspace/diagnostic", json!({ "previousResultIds": known }));
    assert!(again["items"].as_array().unwrap().iter().all(|item| item["kind"] == "unchanged"), "{again}");
}

#[test]
fn settings_are_read_again_when_they_change() {
    let folder = Folder::new(&[("a.cu", "void f(int* p) { cudaMallocManaged(&p, 4); }\n")]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    let has = |code: &'static str| {
        move |params: &Value| params["diagnostics"].as_array().unwrap().iter().any(|finding| finding["code"] == code)
    };
    server.findings_where(&uri, has("K006"));
    let registered = server.wait_for("client/registerCapability").to_string();
    assert!(registered.contains("**/hipshift.toml"), "{registered}");
    folder.write("hipshift.toml", b"ignore = [\"K006\"]\n");
    let changed = json!({ "changes": [{ "uri": common::lsp::uri(&folder.path("hipshift.toml")), "type": 1 }] });
    server.notify("workspace/didChangeWatchedFiles", changed.clone());
    server.findings_where(&uri, |params| params["diagnostics"] == json!([]));
    // The editor's settings go before the file.
    server.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "hipshift": { "lint": { "select": ["A"] } } } }),
    );
    folder.write("hipshift.toml", b"");
    server.notify("workspace/didChangeWatchedFiles", changed.clone());
    server.notify("workspace/didChangeConfiguration", json!({ "settings": { "hipshift": {} } }));
    server.findings_where(&uri, has("K006"));
    // What cannot be used is told, and the defaults hold.
    folder.write("hipshift.toml", b"rocm = 7\n");
    server.notify("workspace/didChangeWatchedFiles", changed);
    let told = server.wait_for("window/showMessage").to_string();
    assert!(told.contains("hipshift.toml"), "{told}");
    let status = server.request("hipshift/status", json!({ "textDocument": { "uri": uri } }));
    assert_eq!((&status["rocm"], &status["targets"]), (&json!("7.2"), &json!(["gfx90a", "gfx942", "gfx1100"])));
}

#[test]
fn a_client_that_is_asked_for_settings_gives_them() {
    let folder = Folder::new(&[("a.cu", LANES)]);
    let mut capabilities = capabilities();
    capabilities["workspace"]["configuration"] = json!(true);
    let mut server = Server::spawn(&[]);
    server.settings = json!({ "targets": ["gfx1201"], "rocm": "6.4" });
    let mut server = server.initialized(&[folder.0.path()], &capabilities, &Value::Null);
    server.wait_for("workspace/configuration");
    let status = loop {
        let status = server.request("hipshift/status", json!({}));
        // The answer to the server's question may be on its way.
        if status["rocm"] == "6.4" {
            break status;
        }
    };
    assert_eq!(status["targets"], json!(["gfx1201"]));
    assert_eq!(status["wavePolicy"], "logical32");
    assert!(status["wavePolicyReason"].as_str().unwrap().contains("32 is counted on: a.cu:1"), "{status}");
    server.settings = Value::Null;
    server.seen.clear();
    server.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    server.wait_for("workspace/configuration");
    assert_eq!(server.request("hipshift/status", json!({}))["rocm"], "6.4");
}

#[test]
fn each_folder_is_a_project_and_a_configuration_begins_another() {
    let one = Folder::new(&[
        ("a.cu", "__device__ int lanes() { return warpSize; }\n"),
        ("sub/hipshift.toml", "rocm = \"5.7\"\n"),
        ("sub/b.cu", LANES),
    ]);
    let other = Folder::new(&[("c.cu", LANES)]);
    let mut server = Server::start_with(&[one.0.path(), other.0.path()], &capabilities(), &Value::Null);
    let mut status = |path: &Path| server.request("hipshift/status", json!({ "textDocument": { "uri": uri(path) } }));
    assert_eq!(status(&other.path("c.cu"))["wavePolicy"], "logical32");
    let nested = status(&one.path("sub/b.cu"));
    assert_eq!((&nested["rocm"], &nested["wavePolicy"]), (&json!("5.7"), &json!("logical32")));
    // A walk of the outer project takes the inner files, too, as `lint` does.
    assert_eq!(status(&one.path("a.cu"))["wavePolicy"], "logical32");
    let lone = Folder::new(&[("d.cu", LANES), ("hipshift.toml", "wave-policy = \"native\"\n")]);
    assert_eq!(status(&lone.path("d.cu"))["wavePolicy"], "native");
    let removed = json!({ "event": { "added": [], "removed": [{ "uri": uri(other.0.path()), "name": "x" }] } });
    server.notify("workspace/didChangeWorkspaceFolders", removed);
    let c = server.open_file(&other.path("c.cu"));
    server.findings(&c, 1);
    let status = server.request("hipshift/status", json!({ "textDocument": { "uri": c } }));
    assert!(status["root"].as_str().unwrap().ends_with("c.cu"), "{status}");
}

#[test]
fn a_document_without_a_file_is_a_project_by_itself() {
    let folder = Folder::new(&[]);
    let mut server = Server::start(folder.0.path());
    server.open("untitled:Untitled-1", "cuda-cpp", "__global__ void k() { malloc(1); cudaFree(0); }\n");
    assert!(!server.findings("untitled:Untitled-1", 1).is_empty());
}

#[test]
fn files_that_change_on_disk_count() {
    let folder = Folder::new(&[("run.cu", "void run(int* x) { k<<<1, 512>>>(x); }\n")]);
    let mut server = Server::start(folder.0.path());
    let uri_of_run = server.open_file(&folder.path("run.cu"));
    assert_eq!(server.findings(&uri_of_run, 1), [] as [Value; 0]);
    folder.write("k.cuh", b"__global__ void __launch_bounds__(256) k(int* x);\n");
    let event = |kind: u32| json!({ "changes": [{ "uri": uri(&folder.path("k.cuh")), "type": kind }] });
    server.notify("workspace/didChangeWatchedFiles", event(1));
    server.findings_where(&uri_of_run, |params| params["diagnostics"] != json!([]));
    std::fs::remove_file(folder.path("k.cuh")).unwrap();
    server.notify("workspace/didChangeWatchedFiles", event(3));
    server.findings_where(&uri_of_run, |params| params["diagnostics"] == json!([]));
}
