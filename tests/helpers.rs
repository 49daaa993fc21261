//! `--helpers`: definitions for warps of 32 lanes in one header of a project.

use crate::common;

use crate::common::folder::{Folder, assert_same, check, command, commit, git, hipshift};

const MAIN: &str = r#"#include <cstdio>
#include <cuda_runtime.h>
#include "sub/votes.cuh"
__global__ void count(unsigned* out) {
    const unsigned lane = threadIdx.x % 32;
    out[threadIdx.x] = votes(lane < 11) + (__any_sync(0xffffffffu, threadIdx.x >= 64) ? 100 : 0);
}
int main() {
    unsigned *out, got[128], sum = 0;
    cudaMalloc(&out, sizeof got);
    count<<<1, 128>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned value : got) sum += value;
    // Eleven lanes of each warp vote, and the last two of four warps see a thread from 64 on.
    if (sum != 128 * 11 + 64 * 100) return 1;
    std::printf("PASS\n");
}
"#;

const VOTES: &str = "#pragma once\n#include <cuda_runtime.h>\n\
    __device__ inline unsigned votes(int p) { return __popc(__ballot_sync(0xffffffffu, p)); }\n";

const PLAIN: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

const HEADER: &str = "hipshift_warp.h";

fn project() -> Folder {
    Folder::new(&[("p/main.cu", MAIN), ("p/sub/votes.cuh", VOTES), ("p/plain.cu", PLAIN)])
}

#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> String {
    let output = hipshift(folder, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
    text
}

#[test]
fn files_include_one_header_in_place_of_definitions() {
    let folder = project();
    let text = run(&folder, &["convert", "p", "-o", "out", "--helpers", "header"]);
    assert!(text.contains("definitions for warps of 32 lanes are in out/hipshift_warp.h"), "{text}");
    assert_eq!(folder.names("out"), [HEADER, "main.cu", "plain.cu", "sub/votes.cuh"]);
    assert!(folder.read("out/main.cu").contains("#include \"hipshift_warp.h\"\n__global__"));
    assert!(folder.read("out/sub/votes.cuh").contains("#include \"../hipshift_warp.h\"\n__device__"));
    assert!(!folder.read("out/plain.cu").contains(HEADER));
    let defined = |file: &str| folder.read(file).contains("__forceinline__");
    assert!(!defined("out/main.cu") && !defined("out/sub/votes.cuh") && defined("out/hipshift_warp.h"));
    insta::assert_snapshot!(
        "warp_header",
        folder.read("out/hipshift_warp.h").replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
    // What is as it should be has no findings.
    check(&folder, &["lint", "out"], 0, "no findings");
}

#[test]
fn nothing_is_written_where_no_file_needs_it() {
    let folder = Folder::new(&[("p/plain.cu", PLAIN), ("one.cu", VOTES)]);
    run(&folder, &["convert", "p", "-o", "out", "--helpers", "header"]);
    assert_eq!(folder.names("out"), ["plain.cu"]);
    // A file that goes to a file has no folder for a header.
    run(&folder, &["convert", "one.cu", "-o", "one.hip", "--helpers", "header"]);
    assert!(folder.read("one.hip").contains("__forceinline__ unsigned hipshift_ballot("));
    // One that goes to a folder has it there only if that was asked for.
    run(&folder, &["convert", "one.cu", "-o", "two/"]);
    assert_eq!(folder.names("two"), ["one.cu"]);
    run(&folder, &["convert", "one.cu", "-o", "three/", "--helpers", "header"]);
    assert_eq!(folder.names("three"), [HEADER, "one.cu"]);
}

#[test]
fn a_second_run_changes_nothing_and_undo_takes_the_header_away() {
    let folder = project();
    let place = ["convert", "p", "--in-place"];
    run(&folder, &place);
    let first = crate::common::folder::tree(&folder.path("p"));
    assert!(folder.path("p/hipshift_warp.h").exists());
    run(&folder, &place);
    assert_eq!(crate::common::folder::tree(&folder.path("p")), first);
    run(&folder, &["convert", "p", "-o", "again", "--helpers", "header"]);
    assert_same(&folder.path("again"), &folder.path("p"), "converted again");
    run(&folder, &["undo", "p"]);
    assert_same(&folder.path("p"), &project().path("p"), "undone");
}

#[test]
fn shards_write_what_the_whole_writes() {
    let folder = project();
    run(&folder, &["convert", "p", "-o", "whole", "--helpers", "header"]);
    for number in 1..=4 {
        run(&folder, &["convert", "p", "-o", "parts", "--shard", &format!("{number}/4")]);
    }
    assert_same(&folder.path("parts"), &folder.path("whole"), "four shards");
}

#[test]
fn an_update_renews_the_header_and_keeps_what_was_edited() {
    let folder = project();
    run(&folder, &["convert", "p", "-o", "out", "--helpers", "header", "--helpers-header", "warp.hpp"]);
    let header = folder.read("out/warp.hpp");
    folder.write("out/warp.hpp", format!("{header}// mine\n").as_bytes());
    folder.write("p/more.cu", VOTES.as_bytes());
    run(&folder, &["update", "-o", "out"]);
    assert!(folder.read("out/more.cu").contains("#include \"warp.hpp\"\n"));
    assert!(folder.read("out/warp.hpp").ends_with("// mine\n"));
    // Where no file needs it any more, it goes as other results do.
    folder.write("out/warp.hpp", header.as_bytes());
    for file in ["p/main.cu", "p/more.cu", "p/sub/votes.cuh"] {
        folder.write(file, PLAIN.as_bytes());
    }
    let text = run(&folder, &["update", "-o", "out"]);
    assert!(text.contains("out/warp.hpp") && !folder.path("out/warp.hpp").exists(), "{text}");
}

#[test]
fn an_update_keeps_the_form_of_the_conversion() {
    let folder = project();
    run(&folder, &["convert", "p", "-o", "new"]);
    run(&folder, &["convert", "p", "-o", "old", "--helpers", "inline"]);
    // Earlier versions knew no headers, and noted nothing.
    let noted = folder.read("old/.hipshift/manifest.json").replace(r#""helpers": "inline""#, "");
    let mut manifest: serde_json::Value = serde_json::from_str(&folder.read("old/.hipshift/manifest.json")).unwrap();
    manifest["options"] = serde_json::json!({});
    assert!(noted.len() < folder.read("old/.hipshift/manifest.json").len(), "{noted}");
    folder.write("old/.hipshift/manifest.json", manifest.to_string().as_bytes());
    folder.write("p/main.cu", format!("// more\n{MAIN}").as_bytes());
    for (results, names) in [
        ("new", &[HEADER, "main.cu", "plain.cu", "sub/votes.cuh"][..]),
        ("old", &["main.cu", "plain.cu", "sub/votes.cuh"]),
    ] {
        run(&folder, &["update", "-o", results]);
        assert_eq!(folder.names(results), names, "{results}");
        assert!(folder.read(&format!("{results}/main.cu")).contains("// more"), "{results}");
        // Once more: what an update notes says the same.
        folder.write("p/plain.cu", format!("// {results}\n{PLAIN}").as_bytes());
        run(&folder, &["update", "-o", results]);
        assert_eq!(folder.names(results), names, "{results}");
    }
}

#[test]
fn patches_bring_the_header() {
    let folder = project();
    git(&folder, &["init", "-q"]);
    commit(&folder);
    run(&folder, &["convert", "p", "-o", "wanted", "--no-manifest"]);
    let diff = |more: &[&str]| hipshift(&folder, &[&["diff", "p"], more].concat());
    assert_eq!(diff(&["--patch", "all.patch"]).status.code(), Some(1));
    git(&folder, &["apply", "all.patch"]);
    assert_same(&folder.path("p"), &folder.path("wanted"), "one patch");
    git(&folder, &["checkout", "-q", "p"]);
    std::fs::remove_file(folder.path("p/hipshift_warp.h")).unwrap();
    for (split, number) in [("rule", 1), ("file", 2), ("directory", 3)] {
        let series = format!("series{number}");
        assert_eq!(diff(&["--split-by", split, "-o", &series]).status.code(), Some(1));
        git(&folder, &["branch", &series]);
        git(&folder, &["checkout", "-q", &series]);
        let mut patches = folder.names(&series);
        patches.sort();
        for patch in patches {
            git(&folder, &["am", "-q", &format!("{series}/{patch}")]);
        }
        assert_same(&folder.path("p"), &folder.path("wanted"), split);
        git(&folder, &["checkout", "-q", "-"]);
    }
    let json = diff(&["--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let is_header = |file: &&serde_json::Value| file["new_path"] == "p/hipshift_warp.h";
    assert!(json["files"].as_array().unwrap().iter().any(|file| is_header(&file)), "{json}");
}

#[test]
fn a_file_of_somebody_else_is_no_header_of_ours() {
    let mine = "#pragma once\n";
    let folder = Folder::new(&[("p/votes.cuh", VOTES), ("p/hipshift_warp.h", mine)]);
    for place in [&["-o", "out"][..], &["--in-place"]] {
        let arguments = [&["convert", "p", "--helpers", "header"], place].concat();
        check(&folder, &arguments, 2, "hipshift did not write it");
    }
    assert_eq!(folder.read("p/hipshift_warp.h"), mine);
    assert_eq!(folder.read("p/votes.cuh"), VOTES);
    run(&folder, &["convert", "p", "-o", "out", "--helpers", "header", "--helpers-header", "lanes.h"]);
    assert_eq!(folder.names("out"), ["hipshift_warp.h", "lanes.h", "votes.cuh"]);
    for name in ["../up.h", "a/b.h", "warp", ".h", "a\".h", "-o.h"] {
        let option = format!("--helpers-header={name}");
        check(&folder, &["convert", "p", "-o", "out", "--helpers", "header", &option], 2, "is no name for a header");
    }
    check(&folder, &["convert", "p", "-o", "out", "--helpers", "header", "--export-fixes", "x.yaml"], 2, "inline");
}

#[test]
fn folders_get_a_header_and_files_that_are_named_alone_do_not() {
    let folder = project();
    run(&folder, &["convert", "p", "-o", "out"]);
    assert_eq!(folder.names("out"), [HEADER, "main.cu", "plain.cu", "sub/votes.cuh"]);
    run(&folder, &["convert", "p/main.cu", "p/sub/votes.cuh", "-o", "alone"]);
    assert_eq!(folder.names("alone"), ["main.cu", "votes.cuh"]);
    assert!(folder.read("alone/votes.cuh").contains("__forceinline__"));
    // The folder has it, the file has its own.
    run(&folder, &["convert", "p/main.cu", "p/sub", "-o", "mixed"]);
    assert_eq!(folder.names("mixed"), [HEADER, "main.cu", "votes.cuh"]);
    assert!(folder.read("mixed/main.cu").contains("__forceinline__"));
    assert!(folder.read("mixed/votes.cuh").contains("#include \"hipshift_warp.h\"\n"));
    // Edits for another tool and text on standard output stand alone.
    run(&folder, &["convert", "p", "--export-fixes", "fixes.yaml"]);
    assert!(!folder.read("fixes.yaml").contains(HEADER) && folder.read("fixes.yaml").contains("__forceinline__"));
    assert!(!folder.path("p/hipshift_warp.h").exists());
}

#[test]
fn fixes_of_lint_bring_the_header_and_undo_takes_it_away() {
    let folder = project();
    for place in ["p", "."] {
        let at = folder.path(if place == "." { "p" } else { "." });
        let fix = |arguments: &[&str]| {
            let output = command(&at, arguments).output().unwrap();
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
        };
        let text = fix(&["lint", place, "--fix", "--allow-dirty"]);
        assert!(text.contains("hipshift_warp.h"), "{text}");
        assert!(folder.read("p/main.cu").contains("#include \"hipshift_warp.h\"\n"), "{text}");
        assert!(folder.read("p/sub/votes.cuh").contains("#include \"../hipshift_warp.h\"\n"));
        assert!(folder.read("p/hipshift_warp.h").contains("hipshift_ballot_sync"));
        let first = common::folder::tree(&folder.path("p"));
        fix(&["lint", place, "--fix", "--allow-dirty"]);
        assert_eq!(common::folder::tree(&folder.path("p")), first);
        fix(&["undo", place]);
        assert_same(&folder.path("p"), &project().path("p"), "undone");
    }
    // One file has no folder that was named.
    hipshift(&folder, &["lint", "p/sub/votes.cuh", "--fix", "--allow-dirty"]);
    assert!(
        folder.read("p/sub/votes.cuh").contains("__forceinline__") && !folder.path("p/sub/hipshift_warp.h").exists()
    );
    folder.write("p/hipshift_warp.h", b"#pragma once\n");
    let text = folder.read("p/main.cu");
    check(&folder, &["lint", "p", "--fix", "--allow-dirty"], 2, "hipshift did not write it");
    assert_eq!((folder.read("p/main.cu"), folder.read("p/hipshift_warp.h").as_str()), (text, "#pragma once\n"));
}

#[test]
fn folders_of_one_project_that_are_converted_by_runs_of_their_own_do_not_clash() {
    let main = MAIN.replace("\"sub/votes.cuh\"", "\"../lib/votes.cuh\"");
    let folder = Folder::new(&[("p/app/main.cu", main.as_str()), ("p/lib/votes.cuh", VOTES), ("p/lib/more.cu", VOTES)]);
    check(&folder, &["convert", "p/app", "--in-place"], 1, "`p/lib/votes.cuh` is included and has CUDA");
    run(&folder, &["convert", "p/lib", "--in-place"]);
    assert!(folder.path("p/app/hipshift_warp.h").exists() && folder.path("p/lib/hipshift_warp.h").exists());
    // A header of another release lacks what this one has.
    let other = folder.read("p/app/hipshift_warp.h");
    let (head, _) = other.split_once("#ifndef").unwrap();
    folder.write("p/app/hipshift_warp.h", format!("{head}#endif\n").as_bytes());
    folder.write(
        "p/app/main.cu",
        main.replace("__any_sync(0xffffffffu, threadIdx.x >= 64)", "(threadIdx.x >= 64)").as_bytes(),
    );
    let Some(toolchain) = common::toolchain() else { return };
    folder.write(
        "p/app/both.hip",
        b"#include \"hipshift_warp.h\"\n#include \"../lib/votes.cuh\"\n#include \"../lib/more.cu\"\n",
    );
    folder.write("p/lib/more.cu", folder.read("p/lib/votes.cuh").replace("votes(", "more(").as_bytes());
    let mut command = common::device_compiler(&toolchain, "7.2", 64);
    command.current_dir(folder.path("p/app")).args(["--offload-arch=gfx90a", "-fsyntax-only", "both.hip"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_configuration_says_where_definitions_go() {
    let folder = project();
    folder.write("p/hipshift.toml", b"helpers-header = \"lanes.h\"\n");
    run(&folder, &["convert", "p", "-o", "out"]);
    assert!(folder.path("out/lanes.h").exists());
    run(&folder, &["convert", "p", "-o", "inline", "--helpers", "inline"]);
    assert!(!folder.path("inline/lanes.h").exists());
    folder.write("p/hipshift.toml", b"helpers = \"inline\"\n");
    run(&folder, &["convert", "p", "-o", "configured"]);
    assert!(!folder.path("configured/hipshift_warp.h").exists());
    run(&folder, &["convert", "p", "-o", "asked", "--helpers", "header"]);
    assert!(folder.path("asked/hipshift_warp.h").exists());
    folder.write("p/hipshift.toml", b"helpers-header = \"lanes.h\"\n");
    // Where nothing is written, each file stands for itself.
    let output = hipshift(&folder, &["convert", "p", "--emit", "guarded", "--in-place", "--allow-dirty"]);
    assert_eq!(output.status.code(), Some(0));
    let text = folder.read("p/sub/votes.cuh");
    assert!(text.contains("#include \"../lanes.h\"\n") && text.contains("#include <cuda_runtime.h>\n"), "{text}");
}

#[test]
fn the_program_computes_on_both_sizes_of_waves_what_cuda_computes() {
    let folder = project();
    run(&folder, &["convert", "p", "-o", "out", "--helpers", "header"]);
    let out = folder.path("out");
    let Some(output) = common::validate(&[out.to_str().unwrap(), "--arch=gfx90a,gfx1100"]) else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("2 well, 0 failed"), "{text}");
}

#[test]
fn the_header_compiles_for_each_release() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = project();
    run(&folder, &["convert", "p", "-o", "out", "--helpers", "header"]);
    let text =
        "#include \"hipshift_warp.h\"\n__global__ void k(unsigned* p) { *p = hipshift_reduce_or_sync(*p, 1u); }\n";
    folder.write("out/use.hip", text.as_bytes());
    for release in ["7.2", "6.4", "5.7"] {
        let mut command = common::device_compiler(&toolchain, release, 64);
        command.current_dir(folder.path("out")).args(["--offload-arch=gfx90a", "-fsyntax-only", "use.hip"]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "ROCm {release}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Host code may include it, too.
    let mut host = common::device_compiler(&toolchain, "7.2", 64);
    host.current_dir(folder.path("out")).args(["-x", "c++", "-D__HIP_PLATFORM_AMD__", "-fsyntax-only"]);
    let include = format!("-I{}", toolchain.join("hip-7.2/usr/include").display());
    let output = host.args([include.as_str(), "hipshift_warp.h"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
