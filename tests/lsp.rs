//! The language server as an editor sees it: documents, findings, fixes, conversions, hover, completion.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

use crate::common;

use std::fs;
use std::path::Path;

use crate::common::folder::{Folder, check, hipshift};
use crate::common::lsp::{Server, capabilities, edited, position, range_of, uri};
use serde_json::{Value, json};

/// The codes of findings.
fn codes(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// The actions of a kind for a range.
fn actions(server: &mut Server, uri: &str, range: &Value, only: &str) -> Vec<Value> {
    let context = json!({ "diagnostics": [], "only": [only] });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
    server.request("textDocument/codeAction", params).as_array().unwrap().clone()
}

/// The action with a title.
#[track_caller]
fn titled<'a>(actions: &'a [Value], title: &str) -> &'a Value {
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    actions.iter().find(|action| action["title"] == title).unwrap_or_else(|| panic!("no `{title}` in {titles:?}"))
}

/// The text edits of a change of one document.
fn edits(edit: &Value) -> Vec<Value> {
    let changes = edit["documentChanges"].as_array().unwrap();
    let edits = changes.iter().filter_map(|change| change["edits"].as_array());
    edits.flatten().cloned().collect()
}

/// `old -> new` of the renames in an edit.
fn renames(edit: &Value) -> Vec<(String, String)> {
    let changes = edit["documentChanges"].as_array().unwrap();
    let name = |uri: &Value| uri.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let renames = changes.iter().filter(|change| change["kind"] == "rename");
    renames.map(|change| (name(&change["oldUri"]), name(&change["newUri"]))).collect()
}

const LANES: &str = "__global__ void k(int* p) { p[1] = threadIdx.x & 31; }\nvoid f(int* p) { cudaMallocManaged(&p, 4); } // hipshift: ignore[W008] why\n";

#[test]
fn findings_are_published_with_rule_link_places_and_fingerprint() {
    let folder = Folder::new(&[("hipshift.toml", "wave-policy = \"native\"\n"), ("a.cu", LANES)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    let findings = server.findings(&uri, 1);
    let output = hipshift(&folder, &["lint", ".", "--format", "json"]);
    let lint = common::json(&output);
    let expected = lint["files"][0]["findings"].as_array().unwrap();
    assert!(!expected.is_empty() && expected.len() == findings.len(), "{expected:#?}");
    for (finding, expected) in findings.iter().zip(expected) {
        assert_eq!(finding["code"], expected["code"]);
        assert_eq!(finding["source"], "hipshift");
        let page = format!("hipshift:/rules/{}.md", expected["code"].as_str().unwrap());
        assert_eq!(finding["codeDescription"]["href"], json!(page));
        assert_eq!(finding["data"]["fingerprint"], expected["fingerprint"]);
        assert_eq!(
            finding["range"]["start"]["line"].as_u64().unwrap() + 1,
            expected["start"]["line"].as_u64().unwrap()
        );
        let message = finding["message"].as_str().unwrap();
        assert!(message.starts_with(expected["message"].as_str().unwrap()), "{message}");
    }
    assert_eq!(codes(&findings), ["W032", "K006", "X001"]);
    assert_eq!((&findings[1]["tags"], &findings[2]["tags"]), (&Value::Null, &json!([1])));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn what_is_edited_counts_before_it_is_saved() {
    let folder =
        Folder::new(&[("a.cu", "int* p;\n"), ("k.cuh", "__global__ void __launch_bounds__(256) k(int* x);\n")]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    assert_eq!(server.findings(&uri, 1), [] as [Value; 0]);
    // Another file of the project has the bound.
    let launch = "void run(int* x) { k<<<1, 512>>>(x); }\n";
    server.change(&uri, 2, json!([{ "range": range_of("int* p;\n", "int* p;\n"), "text": launch }]));
    let findings = server.findings(&uri, 2);
    assert_eq!(codes(&findings), ["L009"], "{findings:#?}");
    // What another file that is open says counts as soon as it is typed.
    let header = server.open_file(&folder.path("k.cuh"));
    let text = folder.read("k.cuh");
    server.change(&header, 2, json!([{ "range": range_of(&text, "256"), "text": "1024" }]));
    let findings = server.findings_where(&uri, |params| params["diagnostics"] == json!([]));
    assert_eq!(findings.len(), 0);
    // What is closed is as it is on disk.
    server.notify("textDocument/didClose", json!({ "textDocument": { "uri": header } }));
    let findings = server.findings_where(&uri, |params| params["diagnostics"] != json!([]));
    assert_eq!(codes(&findings), ["L009"]);
    assert_eq!(folder.read("a.cu"), "int* p;\n");
}

#[test]
fn files_that_lint_leaves_out_have_no_findings() {
    let broken = "__global__ void k() { cudaMalloc(0, 1); }\n";
    let files = [".gitignore", "old/\n"].map(str::to_owned);
    let folder = Folder::new(&[(&files[0], &files[1]), (".git/HEAD", ""), ("a.cu", broken), ("old/b.cu", broken)]);
    let mut server = Server::start(folder.0.path());
    let (used, ignored) = (server.open_file(&folder.path("a.cu")), server.open_file(&folder.path("old/b.cu")));
    assert!(!server.findings(&used, 1).is_empty());
    assert_eq!(server.findings(&ignored, 1), [] as [Value; 0]);
    let new = uri(&folder.path("old/new.cu"));
    server.open(&new, "cuda-cpp", broken);
    assert_eq!(server.findings(&new, 1), [] as [Value; 0]);
}

#[test]
fn a_finding_brings_its_fix_a_suppression_and_its_page() {
    let text = "#include <hip/hip_runtime.h>\nvoid f(int* p) {\n    cudaFree(p); hipFree(p);\n    cudaFree(p);\n}\n";
    let folder = Folder::new(&[("a.hip", text)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    assert_eq!(codes(&server.findings(&uri, 1)), ["A001", "A001"]);
    let found = actions(&mut server, &uri, &range_of(text, "cudaFree"), "quickfix");
    let fix = titled(&found, "Rename to `hipFree`");
    assert_eq!((&fix["isPreferred"], &fix["diagnostics"][0]["code"]), (&json!(true), &json!("A001")));
    assert_eq!(edited(text, &edits(&fix["edit"])), text.replacen("cudaFree", "hipFree", 1));
    let all = titled(&found, "Fix all A001 in this file");
    assert_eq!(edited(text, &edits(&all["edit"])), text.replace("cudaFree", "hipFree"));
    let page = titled(&found, "Open the page of A001");
    assert_eq!(page["command"]["command"], "hipshift.openRule");

    let suppressed = edited(text, &edits(&titled(&found, "Suppress A001 with a reason")["edit"]));
    assert!(suppressed.contains("hipFree(p); // hipshift: ignore[A001] reason\n"), "{suppressed}");
    server.change(&uri, 2, json!([{ "text": suppressed }]));
    assert_eq!(codes(&server.findings(&uri, 2)), ["A001"]);

    let found = actions(&mut server, &uri, &range_of(text, "void"), "source.fixAll");
    let fixed = edited(&suppressed, &edits(&titled(&found, "Make all safe fixes of hipshift")["edit"]));
    folder.write("a.hip", suppressed.as_bytes());
    check(&folder, &["lint", "--fix", "."], 0, "");
    assert_eq!(fixed, folder.read("a.hip"));
}

#[test]
fn a_suppression_in_a_macro_leaves_the_macro_whole() {
    let text = "#include <hip/hip_runtime.h>\n#define FREE(p) \\\n    cudaFree(p); \\\n    p = 0\nvoid f(int* p) { FREE(p); }\n";
    let folder = Folder::new(&[("a.hip", text)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    assert_eq!(codes(&server.findings(&uri, 1)), ["A001"]);
    let found = actions(&mut server, &uri, &range_of(text, "cudaFree"), "quickfix");
    let suppressed = edited(text, &edits(&titled(&found, "Suppress A001 with a reason")["edit"]));
    assert!(suppressed.contains("cudaFree(p); /* hipshift: ignore[A001] reason */ \\\n"), "{suppressed}");
    server.change(&uri, 2, json!([{ "text": suppressed }]));
    assert_eq!(server.findings(&uri, 2), [] as [Value; 0]);
}

#[test]
fn a_suppression_in_a_build_file_is_a_comment_of_that_file() {
    let cmake =
        "project(a CXX)\nadd_compile_options(-maxrregcount=32)\nset(CMAKE_CUDA_FLAGS \"-maxrregcount=48\n  -O2\")\n";
    let make = "FLAGS = -maxrregcount=32\nMORE = -maxrregcount=64 \\\n  -O2\na.o: a.cu\n\tnvcc $(FLAGS) -maxrregcount=16 -c a.cu\n";
    let script = "nvcc -maxrregcount=32 -c a.cu\nnvcc -maxrregcount=64 \\\n  -c b.cu\n";
    let folder = Folder::new(&[("CMakeLists.txt", cmake), ("Makefile", make), ("build.sh", script)]);
    for (name, text) in [("CMakeLists.txt", cmake), ("Makefile", make), ("build.sh", script)] {
        let mut server = Server::start(folder.0.path());
        let uri = server.open_file(&folder.path(name));
        let mut suppressed = 0;
        for (at, _) in text.match_indices("-maxrregcount=") {
            let found = actions(&mut server, &uri, &range_of(text, &text[at..at + 16]), "quickfix");
            let offered = found.iter().find(|action| action["title"].as_str().unwrap().starts_with("Suppress"));
            let is_open =
                text[at..].lines().next().unwrap().ends_with('\\') || text[at..].starts_with("-maxrregcount=48\n  -O2");
            assert_eq!(offered.is_none(), is_open, "{name} {}", &text[at..]);
            let Some(offered) = offered else { continue };
            let line_end = at + text[at..].find('\n').unwrap();
            let code = offered["title"].as_str().unwrap().split(' ').nth(1).unwrap();
            let expected = format!("{} # hipshift: ignore[{code}] reason{}", &text[..line_end], &text[line_end..]);
            assert_eq!(edited(text, &edits(&offered["edit"])), expected);
            folder.write(name, expected.as_bytes());
            let report = common::json(&hipshift(&folder, &["lint", name, "--format", "json"]));
            assert_eq!(report["summary"]["unlisted"]["suppressed"], 1, "{report}");
            folder.write(name, text.as_bytes());
            suppressed += 1;
        }
        assert!(suppressed > 0, "{name}");
    }
}

const PROGRAM: &str = "#include <cuda_runtime.h>\n#include \"k.cuh\"\nvoid run(int* x) {\n    cudaMalloc(&x, 4);\n    k<<<1, 64>>>(x);\n    cudaFree(x);\n}\n";

#[test]
fn a_file_is_converted_as_by_the_command_line_and_gets_its_name() {
    let header = "#pragma once\n__global__ void k(int* x) { *x = threadIdx.x; }\n";
    let config = "ext = \"hip\"\n";
    let folder = Folder::new(&[("hipshift.toml", config), ("run.cu", PROGRAM), ("k.cuh", header)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("run.cu"));
    let found = actions(&mut server, &uri, &range_of(PROGRAM, "run"), "source.convert");
    let convert = &titled(&found, "Convert file to HIP")["edit"];
    assert_eq!(renames(convert), [("run.cu".to_owned(), "run.hip".to_owned())]);
    let preview = server.request("hipshift/openConverted", json!({ "textDocument": { "uri": uri } }));
    assert!(preview["uri"].as_str().unwrap().ends_with("/run.hip"), "{preview}");
    assert_eq!(preview["languageId"], "hip");

    server.request("workspace/executeCommand", json!({ "command": "hipshift.convertWorkspace" }));
    let all = server.wait_for("workspace/applyEdit");
    assert_eq!(
        renames(&all["params"]["edit"]),
        [("k.cuh".to_owned(), "k.hip.h".to_owned()), ("run.cu".to_owned(), "run.hip".to_owned())]
    );

    check(&folder, &["convert", "--in-place", "."], 0, "converted in place");
    let expected = folder.read("run.hip");
    assert_eq!(edited(PROGRAM, &edits(convert)), expected);
    assert_eq!(preview["text"], json!(expected));
    for pair in preview["map"].as_array().unwrap() {
        let part = |text: &str, range: &Value| {
            text[common::lsp::offset(text, &range["start"])..common::lsp::offset(text, &range["end"])].to_owned()
        };
        assert_eq!(part(PROGRAM, &pair["source"]), part(&expected, &pair["converted"]));
    }
    let documents = all["params"]["edit"]["documentChanges"].as_array().unwrap();
    let own = documents.iter().find(|change| change["textDocument"]["uri"] == json!(uri)).unwrap();
    assert_eq!(edited(PROGRAM, own["edits"].as_array().unwrap()), expected);
}

#[test]
fn a_selection_is_converted_by_itself() {
    let folder = Folder::new(&[("a.cu", PROGRAM)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    let range = range_of(PROGRAM, "cudaMalloc(&x, 4);\n    k<<<1, 64>>>(x);");
    let expected = "cudaMalloc(&x, 4);\n    k<<<1, 64>>>(x);";
    let converted = "hipMalloc(&x, 4);\n    hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, x);";
    let expected = PROGRAM.replace(expected, converted);
    let found = actions(&mut server, &uri, &range, "refactor.rewrite");
    assert_eq!(edited(PROGRAM, &edits(&titled(&found, "Convert selection to HIP")["edit"])), expected);
    let arguments = json!({ "command": "hipshift.convertSelection", "arguments": [{ "uri": uri, "range": range }] });
    server.request("workspace/executeCommand", arguments);
    let edit = server.wait_for("workspace/applyEdit");
    assert_eq!(edited(PROGRAM, &edits(&edit["params"]["edit"])), expected);
}

#[track_caller]
fn check_hover(server: &mut Server, uri: &str, (text, part): (&str, &str), expected: &[&str]) {
    let params = json!({ "textDocument": { "uri": uri }, "position": range_of(text, part)["start"] });
    let hover = server.request("textDocument/hover", params);
    let page = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(!expected.is_empty() || hover.is_null(), "{page}");
    for expected in expected {
        assert!(page.contains(expected), "no `{expected}` in: {page}");
    }
}

#[test]
fn hover_tells_the_form_releases_differences_and_rule() {
    let text = "#include <cublas_v2.h>\n// cudaFree\n__global__ void __launch_bounds__(256, 2) k(int* p) {}\nvoid f(void* p) {\n    cudaFree(p);\n    cudaStreamAttachMemAsync(0, 0);\n    cudaGraphConditionalHandleCreate(0, 0);\n    own(p);\n}\n";
    let folder = Folder::new(&[("a.cu", text)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    check_hover(
        &mut server,
        &uri,
        (text, "cudaFree(p)"),
        &["`cudaFree` → `hipFree`", "[A001 renamed-name](hipshift:/rules/A001.md)", "function of runtime"],
    );
    check_hover(&mut server, &uri, (text, "cublas_v2.h"), &["`cublas_v2.h` → `hipblas/hipblas.h`", "header"]);
    check_hover(
        &mut server,
        &uri,
        (text, "__launch_bounds__"),
        &["L005", "gfx90a, gfx942: ceil(2 * ceil(256 / 64) / 4) = 2", "gfx1100: ceil(2 * ceil(256 / 32) / 4) = 4"],
    );
    check_hover(&mut server, &uri, (text, "cudaFree\n"), &[]);
    check_hover(&mut server, &uri, (text, "own"), &[]);
}

#[test]
fn hover_shows_what_a_validated_kernel_needs() {
    let text = "template <int N> __global__ void k(float* p) {\n    __shared__ float own[N];\n    own[threadIdx.x] = p[threadIdx.x];\n    __syncthreads();\n    p[threadIdx.x] = own[N - 1 - threadIdx.x];\n}\nvoid f(float* p) {\n    k<64><<<1, 64>>>(p);\n    k<128><<<1, 128>>>(p);\n}\n#include <library.h>\nnamespace { __global__ void hidden(float* p) { *p = 1; } }\nvoid g(float* p) { hidden<<<1, 1>>>(p); }\n";
    let folder = Folder::new(&[("a.cu", text)]);
    let library = Folder::new(&[("library.h", "__global__ void other(float* p) { *p = 2; }\n")]);
    let cache = Folder::new(&[]);
    let path = folder.path("a.cu");
    let include = format!("-I{}", library.0.path().display());
    let validate = ["--stage=device", "--arch=gfx90a,gfx1100", &include, path.to_str().unwrap()];
    let Some(mut validate) = common::validate_command(&validate) else { return };
    let cache = cache.0.path().to_str().unwrap();
    let output = validate.env("XDG_CACHE_HOME", cache).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut server =
        Server::spawn(&[("XDG_CACHE_HOME", cache)]).initialized(&[folder.0.path()], &capabilities(), &Value::Null);
    let uri = server.open_file(&path);
    let rows = [
        "Compiled by `hipshift validate`:\n\n| kernel | target | VGPR |",
        "| --- | --- | ---: |",
        "| `k<128>` | gfx1100 |",
        "| `k<128>` | gfx90a |",
        " | 512 | 0 | 0 | 0 | ",
        "| `k<64>` | gfx1100 |",
        " | 256 | 0 | 0 | 0 | ",
    ];
    check_hover(&mut server, &uri, (text, "k(float"), &rows);
    check_hover(&mut server, &uri, (text, "own[N]"), &[]);
    check_hover(&mut server, &uri, (text, "hidden(float"), &["| `(anonymous namespace)::hidden` | gfx90a |"]);
    assert_eq!(fs::read_dir(Path::new(cache).join("hipshift/kernels")).unwrap().count(), 1, "of the user's file only");
    server.change(&uri, 2, json!([{ "text": format!("{text}\n") }]));
    check_hover(&mut server, &uri, (text, "k<128>"), &["`hipshift validate`, before the file was changed:"]);
}

#[test]
fn hints_are_off_until_they_are_wanted() {
    let text = "__global__ void __launch_bounds__(256, 2) k(int* p) {}\nvoid f(void* p) { cudaFree(p); }\n";
    let folder = Folder::new(&[("a.cu", text)]);
    let labels = |options: Value| {
        let mut server = Server::start_with(&[folder.0.path()], &capabilities(), &options);
        let uri = server.open_file(&folder.path("a.cu"));
        let range = json!({ "start": position(text, 0), "end": position(text, text.len()) });
        let hints = server.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
        hints
            .as_array()
            .unwrap()
            .iter()
            .map(|hint| (hint["position"].clone(), hint["label"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(Value::Null), []);
    let expected = [
        (range_of(text, "cudaFree")["end"].clone(), json!("hipFree")),
        (range_of(text, "__launch_bounds__(256, 2)")["end"].clone(), json!("gfx90a, gfx942: 2; gfx1100: 4")),
    ];
    assert_eq!(labels(json!({ "inlayHints": { "enable": true } })), expected);
}

#[test]
fn hip_names_are_completed_in_hip_sources_only() {
    let text =
        "#include <hip/hip_runtime.h>\nvoid f() {\n    hipMallocMan\n    cudaMallocMan\n    // hipMallocMan!\n}\n";
    let folder = Folder::new(&[("a.hip", text), ("a.cu", "void f() { hipMallocMan }\n")]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.hip"));
    let mut complete = |uri: &str, text: &str, part: &str| {
        let params = json!({ "textDocument": { "uri": uri }, "position": range_of(text, part)["end"] });
        let list = server.request("textDocument/completion", params);
        list["items"].as_array().unwrap().clone()
    };
    for part in ["hipMallocMan", "cudaMallocMan"] {
        let items = complete(&uri, text, part);
        let item =
            items.iter().find(|item| item["label"] == "hipMallocManaged").unwrap_or_else(|| panic!("{items:#?}"));
        assert!(item["detail"].as_str().unwrap().starts_with("cudaMallocManaged in CUDA, runtime"), "{item}");
        assert_eq!(edited(text, &[item["textEdit"].clone()]), text.replacen(part, "hipMallocManaged", 1));
    }
    assert_eq!(complete(&uri, text, "// hipMallocMan"), [] as [Value; 0]);
    let cuda = server.open_file(&folder.path("a.cu"));
    let params = json!({ "textDocument": { "uri": cuda }, "position": position("void f() { hipMallocMan }\n", 23) });
    assert_eq!(server.request("textDocument/completion", params)["items"], json!([]));
}

#[test]
fn rules_in_suppressions_link_to_their_pages() {
    let text = "void f(void* p) { cudaFree(p); } // hipshift: ignore[A001, no-such-rule] because\n";
    let folder = Folder::new(&[("a.cu", text)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    let links = server.request("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
    let links = links.as_array().unwrap();
    assert_eq!(links.len(), 1, "{links:#?}");
    assert_eq!((&links[0]["range"], &links[0]["target"]), (&range_of(text, "A001"), &json!("hipshift:/rules/A001.md")));
    let page = server.request("workspace/textDocumentContent", json!({ "uri": "hipshift:/rules/A001.md" }));
    let explained = String::from_utf8(hipshift(&folder, &["explain", "A001"]).stdout).unwrap();
    assert_eq!(page["text"], json!(explained));
    let command = |command: &str| json!({ "command": command, "arguments": [{ "code": "A001" }] });
    assert_eq!(server.request("workspace/executeCommand", command("hipshift.explain")), json!(explained));
    let opened = server.request("workspace/executeCommand", command("hipshift.openRule"));
    assert_eq!((&opened["markdown"], &opened["uri"]), (&json!(explained), &json!("hipshift:/rules/A001.md")));
    assert_eq!(server.wait_for("window/showDocument")["params"]["uri"], "hipshift:/rules/A001.md");
}

#[test]
fn the_counterpart_of_a_place_is_found_both_ways() {
    let folder = Folder::new(&[("src/a.cu", PROGRAM)]);
    check(&folder, &["convert", "src", "-o", "out", "--ext", "hip"], 0, "converted to out");
    let (source, result) = (folder.path("src/a.cu"), folder.path("out/a.hip"));
    let mut server = Server::start(folder.0.path());
    let mut find = |path: &Path, at: &Value| {
        server.request("hipshift/counterpart", json!({ "textDocument": { "uri": uri(path) }, "position": at }))
    };
    let converted = folder.read("out/a.hip");
    let (here, there) = (range_of(PROGRAM, "(&x, 4)"), range_of(&converted, "(&x, 4)"));
    let found = find(&source, &here["start"]);
    assert_eq!((&found["uri"], &found["range"]["start"]), (&json!(uri(&result)), &there["start"]));
    let back = find(&result, &there["start"]);
    assert_eq!((&back["uri"], &back["range"]["start"]), (&json!(uri(&source)), &here["start"]));
    // Lines that a person added are passed over.
    folder.write("out/a.hip", format!("// ported\n\n{converted}").as_bytes());
    let found = find(&source, &here["start"]);
    assert_eq!(found["range"]["start"]["line"], json!(there["start"]["line"].as_u64().unwrap() + 2));
    assert_eq!(find(&folder.path("src/none.cu"), &here["start"]), Value::Null);
}

#[test]
fn a_shown_conversion_is_told_when_it_changes() {
    let folder = Folder::new(&[("a.cu", PROGRAM)]);
    let mut server = Server::start(folder.0.path());
    let uri = server.open_file(&folder.path("a.cu"));
    server.request("hipshift/openConverted", json!({ "textDocument": { "uri": uri } }));
    server.change(&uri, 2, json!([{ "text": "int* p;\n" }]));
    assert_eq!(server.wait_for("hipshift/convertedChanged")["params"]["uri"], json!(uri));
    let preview = server.request("hipshift/openConverted", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(preview["text"], "int* p;\n");
    // What was not saved is gone when the document is opened again.
    server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    server.open_file(&folder.path("a.cu"));
    assert_eq!(server.wait_for("hipshift/convertedChanged")["params"]["uri"], json!(uri));
    let preview = server.request("hipshift/openConverted", json!({ "textDocument": { "uri": uri } }));
    assert!(preview["text"].as_str().unwrap().len() > 8, "{preview}");
}
