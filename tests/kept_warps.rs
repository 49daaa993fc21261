//! `--wave-policy native`: kernels in which something about whole waves is open keep 32 lanes, through the real process.

use std::fs::File;

use crate::common::folder::{Folder, command, hipshift};
use serde_json::Value;

const NATIVE: &[&str] = &["convert", "src", "-o", "out", "--wave-policy", "native", "--no-manifest"];

/// Converts a project for whole waves; the report.
fn convert(folder: &Folder, more: &[&str]) -> Value {
    let output = hipshift(folder, &[NATIVE, &["--format", "json"], more].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The line of a result that holds a text.
#[track_caller]
fn line(folder: &Folder, file: &str, holds: &str) -> String {
    let text = folder.read(file);
    text.lines()
        .find(|line| line.contains(holds))
        .unwrap_or_else(|| panic!("{file}: no `{holds}` in\n{text}"))
        .to_owned()
}

const HEADER: &str = "\
#pragma once
#include <cuda_runtime.h>
static __device__ int first(int v) { return __shfl_sync(0xffffffffu, v, 0); }
static __device__ int swapped(int v) { return __shfl_xor_sync(0xffffffffu, v, 1); }
";

const OPEN: &str = "\
#include \"lanes.cuh\"
__global__ void uses_both(int* x) { x[threadIdx.x] = first(x[0]) + swapped(x[1]); }
";

const CLOSED: &str = "\
#include \"other.cuh\"
__global__ void exchanges(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[0], 2); }
__global__ void exchanges_more(int* x) { x[threadIdx.x] = turned(x[0]); }
";

const OTHER: &str = "\
#pragma once
#include <cuda_runtime.h>
static __device__ int turned(int v) { return __shfl_xor_sync(0xffffffffu, v, 4); }
";

#[test]
fn what_is_open_in_a_header_keeps_the_kernels_of_other_files() {
    let files = [("src/lanes.cuh", HEADER), ("src/open.cu", OPEN), ("src/closed.cu", CLOSED), ("src/other.cuh", OTHER)];
    let folder = Folder::new(&files);
    let report = convert(&folder, &[]);
    assert!(line(&folder, "out/lanes.cuh", "first(").contains("__shfl(v, 0, 32)"));
    // It is called beside the other, and values go from one to the other.
    assert!(line(&folder, "out/lanes.cuh", "swapped(").contains("__shfl_xor(v, 1, 32)"));
    assert!(line(&folder, "out/closed.cu", "exchanges(").contains("__shfl_xor(x[0], 2)"));
    assert!(line(&folder, "out/other.cuh", "turned(").contains("__shfl_xor(v, 4)"));
    let reason = report["wave_policy"]["reason"].as_str().unwrap();
    assert!(reason.contains("1 of 3 kernels that use lanes keep 32") && reason.contains("`uses_both`"), "{reason}");
    let text = report.to_string();
    assert!(text.contains("therefore `uses_both` keeps warps of 32 lanes"), "{text}");
}

#[test]
fn each_file_alone_decides_the_same() {
    for (name, text, expected) in [("a.cu", OPEN, "swapped"), ("b.cu", CLOSED, "__shfl_xor(x[0], 2)")] {
        let folder = Folder::new(&[(&format!("src/{name}"), text)]);
        convert(&folder, &[]);
        assert!(folder.read(&format!("out/{name}")).contains(expected));
    }
    let folder = Folder::new(&[("src/a.cu", &[HEADER, OPEN].concat().replace("#include \"lanes.cuh\"\n", ""))]);
    convert(&folder, &[]);
    let converted = folder.read("out/a.cu");
    let mut command = command(folder.0.path(), &["convert", "-", "--wave-policy", "native"]);
    let output = command.stdin(File::open(folder.path("src/a.cu")).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), converted);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("1 of 1 kernels that use lanes keep 32"), "{said}");
}

const CONSTANT: &str = "\
#include <cuda_runtime.h>
#define WARP_SIZE 32
__global__ void k(int* x) { x[threadIdx.x / WARP_SIZE] = __shfl_xor_sync(0xffffffffu, x[0], 1); }
";

/// The project, and what was decided about its constant.
fn decided(verdict: Option<&str>) -> Folder {
    let folder = Folder::new(&[("src/a.cu", CONSTANT)]);
    if let Some(verdict) = verdict {
        let decision = format!(
            "schema = 1\n[[decision]]\nfile = \"src/a.cu\"\ndecision = \"{verdict}\"\nfixes = [{{ rule = \"fixed-warp-size\", \
             at = '32', line = '#define WARP_SIZE 32', number = 1 }}]\nbefore = '''\n#define WARP_SIZE 32\n'''\nafter = '''\n\
             #define WARP_SIZE warpSize\n'''\n"
        );
        folder.write(".hipshift/decisions.toml", decision.as_bytes());
    }
    folder
}

#[test]
fn a_decision_settles_what_is_open() {
    let cases = [
        (None, "#define WARP_SIZE 32", "__shfl_xor(x[0], 1, 32)"),
        (Some("accept"), "#define WARP_SIZE warpSize", "__shfl_xor(x[0], 1)"),
        (Some("reject"), "#define WARP_SIZE 32", "__shfl_xor(x[0], 1)"),
    ];
    for (verdict, constant, shuffle) in cases {
        let folder = decided(verdict);
        convert(&folder, &["--ignore", "W032"]);
        let text = folder.read("out/a.cu");
        assert!(text.contains(constant) && text.contains(shuffle), "{verdict:?}\n{text}");
    }
}

#[test]
fn unsafe_fixes_settle_what_is_open() {
    let folder = decided(None);
    convert(&folder, &["--ignore", "W032", "--unsafe-fixes"]);
    let text = folder.read("out/a.cu");
    assert!(text.contains("#define WARP_SIZE warpSize") && text.contains("__shfl_xor(x[0], 1)"), "{text}");
}

#[test]
fn lint_tells_what_keeps_32_lanes() {
    let folder = decided(None);
    let output = hipshift(&folder, &["lint", "src", "--wave-policy", "native", "--ignore", "W032"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("therefore `k` keeps warps of 32 lanes"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}
