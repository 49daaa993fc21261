//! What `hipshift lint` knows of a project as a whole: how many lanes warps have, and kernels of other files.

use crate::common::folder::{Folder, check, commit, git, hipshift};

fn text_of(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8(hipshift(folder, arguments).stdout).unwrap()
}

#[test]
fn bounds_and_launches_are_known_across_files() {
    let launch = "#include \"k.cuh\"\nvoid run(int* x) { k<<<1, 512>>>(x); }\n";
    let folder =
        Folder::new(&[("k.cuh", "__global__ void __launch_bounds__(256) k(int* x) { *x = 1; }\n"), ("run.cu", launch)]);
    check(&folder, &["lint", "."], 1, "the block has 512 threads, but the kernel is bound to 256");
    check(&folder, &["lint", "."], 1, "the bound stands at k.cuh:1");
    check(&folder, &["lint", "--wave-policy", "native", "."], 1, "the bound stands at k.cuh:1");
    check(&folder, &["lint", "run.cu"], 0, "no findings in 1 file");
    // Near miss: another kernel of that name may be the one.
    folder.write("other.cu", b"__global__ void k(long* x) { *x = 1; }\n");
    check(&folder, &["lint", "."], 0, "no findings in 3 files");

    let folder = Folder::new(&[("k.cu", "__global__ void k(int* x) { *x = 1; }\n"), ("run.cu", launch)]);
    check(&folder, &["convert", ".", "--dry-run", "--format", "json"], 0, "`k` runs in blocks of 512 threads");
    folder.write("more.cu", b"void more(int* x, int n) { k<<<1, n>>>(x); }\n");
    let out = text_of(&folder, &["convert", ".", "--dry-run", "--format", "json"]);
    assert!(!out.contains("runs in blocks"), "{out}");
}

#[test]
fn options_of_build_files_are_told_with_the_kernels_that_they_touch() {
    let bound = "__global__ void __launch_bounds__(256) bound(int* x) { *x = 1; }\n";
    let open = "__global__ void open(int* x) { *x = 1; }\n__global__ void wide(int* x) { *x = 1; }\n";
    let folder = Folder::new(&[("a.cu", bound), ("Makefile", "NVCCFLAGS = -maxrregcount=32\n")]);
    let out = text_of(&folder, &["lint", "."]);
    assert!(out.contains("no `-maxrregcount`") && !out.contains("no bound is known"), "{out}");
    folder.write("b.cu", open.as_bytes());
    check(&folder, &["lint", "."], 1, "kernels of which no bound is known: `open`, `wide`\n");

    let sums = "__global__ void add(float* sum) { atomicAdd(sum, 1.0f); }\n\
                void run(float* sum) { cudaMallocManaged(&sum, 4); add<<<1, 32>>>(sum); }\n";
    let folder = Folder::new(&[("a.cu", sums), ("Makefile", "# -munsafe-fp-atomics\nHIPFLAGS = -O3\n")]);
    check(&folder, &["lint", "--select", "K034", "."], 0, "info[K034]");
    folder.write("Makefile", b"HIPFLAGS = -O3 -munsafe-fp-atomics\n");
    check(&folder, &["lint", "--select", "K034", "."], 1, "warning[K034]");
    check(&folder, &["lint", "--select", "K034", "."], 1, "Makefile sets `-munsafe-fp-atomics`; take it out");
    // Near miss: atomics on memory of the GPU.
    folder.write("a.cu", sums.replace("cudaMallocManaged", "cudaMalloc").as_bytes());
    check(&folder, &["lint", "--select", "K034", "."], 0, "no findings");
}

const WAVES: &str = "__device__ int lanes() { return warpSize; }\n";
const COUNTS: &str = "__device__ int lane() { return threadIdx.x & 31; }\n";

#[test]
fn the_width_of_warps_is_told_with_findings_about_them() {
    let folder = Folder::new(&[("a.cu", WAVES)]);
    check(
        &folder,
        &["lint", "."],
        0,
        "wave policy: logical32, warps keep 32 lanes, as CUDA's have; `warpSize` is used",
    );
    folder.write("b.cu", COUNTS.as_bytes());
    check(&folder, &["lint", "."], 0, "warps keep 32 lanes, as CUDA's have; 32 is counted on: b.cu:1");
    check(&folder, &["lint", "--format", "concise", "."], 0, "wave policy: logical32");
    check(&folder, &["lint", "--wave-policy", "native", "."], 1, "native, a warp is a whole wave, as asked");
    let folder = Folder::new(&[("a.cu", "int* p;\n")]);
    let out = text_of(&folder, &["lint", "."]);
    assert!(!out.contains("wave policy"), "{out}");
}

#[test]
fn masks_are_followed_through_any_number_of_files_and_functions() {
    let last = "__device__ unsigned m20(int p) { return __ballot_sync(0xffffffff, p); }\n".to_owned();
    let through = |number: usize| format!("__device__ unsigned m{number}(int p) {{ return m{}(p); }}\n", number + 1);
    let mut files = vec![("f20.cu".to_owned(), last.clone())];
    files.extend((0..20).map(|number| (format!("f{number}.cu"), through(number))));
    let apart: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let together = (0..20).map(through).collect::<String>() + &last;
    let reversed = last.clone() + &(0..20).rev().map(through).collect::<String>();
    for files in [apart, vec![("a.cu", &*together)], vec![("a.cu", &*reversed)]] {
        let folder = Folder::new(&files);
        text_of(&folder, &["convert", ".", "-o", "out", "--wave-policy", "native", "--ignore", "W032"]);
        let wide = |number: usize| format!("unsigned long long m{number}(");
        let found: String = files.iter().map(|(path, _)| folder.read(&format!("out/{path}"))).collect();
        let narrow: Vec<usize> = (0..=20).filter(|number| !found.contains(&wide(*number))).collect();
        assert!(narrow.is_empty(), "{narrow:?} stay narrow in {} files", files.len());
    }
}

#[test]
fn staged_files_are_of_the_width_of_the_whole_repository() {
    let folder = Folder::new(&[("b.cu", COUNTS)]);
    git(&folder, &["init", "-q"]);
    commit(&folder);
    folder.write("a.cu", WAVES.as_bytes());
    git(&folder, &["add", "a.cu"]);
    check(&folder, &["lint", "--staged"], 0, "warps keep 32 lanes, as CUDA's have; 32 is counted on: b.cu:1");
    // What is staged counts in place of what is on disk.
    folder.write("b.cu", b"int none;\n");
    git(&folder, &["add", "b.cu"]);
    folder.write("b.cu", COUNTS.as_bytes());
    check(&folder, &["lint", "--staged"], 0, "see `hipshift lint --wave-policy native`: a.cu:1");
}

/// Functions for which lanes come together, in headers.
const LANES: &[(&str, &str)] = &[
    (
        "first.cuh",
        "#define ALL 0xffffffffu\n#define PICK(v) __shfl_sync(ALL, v, 1)\n\
         __device__ int first(int v) { return __shfl_sync(ALL, v, 0); }\n\
         __device__ int of(unsigned mask, int v) { return __shfl_sync(mask, v, 0); }\n\
         struct Sum { __device__ int operator()(int v) const { return __reduce_add_sync(ALL, v); } };\n\
         struct Box { int v; __device__ int get() const { return __shfl_sync(ALL, v, 0); } };\n",
    ),
    (
        "by_way.cuh",
        "#include \"first.cuh\"\n__device__ int by_way(int v) { return first(v) + 1; }\n\
         template <class F> __device__ int apply(F f, int v) { return f(v); }\n",
    ),
    ("own.cu", "static __device__ int hidden(int v) { return __shfl_sync(0xffffffffu, v, 0); }\n"),
];

/// What is found in a kernel that calls `one` where the number of the lane is odd, and else `other`.
fn found_in_branches(files: &[(&str, &str)], one: &str, other: &str) -> String {
    let kernel = format!(
        "#include \"by_way.cuh\"\n__global__ void k(int* out) {{\n    int v = threadIdx.x, r;\n    \
         if (threadIdx.x & 1) r = {one};\n    else r = {other};\n    out[v] = r;\n}}\n"
    );
    let folder = Folder::new(files);
    folder.write("k.cu", kernel.as_bytes());
    text_of(&folder, &["lint", "--format", "concise", "--select", "W037", "."])
}

#[test]
fn lanes_come_together_by_way_of_other_files() {
    for (one, other) in [
        ("first(v)", "first(v + 1)"),
        ("by_way(v)", "first(v)"),
        ("PICK(v)", "PICK(v + 1)"),
        ("of(0xffffffffu, v)", "of(-1, v + 1)"),
        ("apply(Sum(), v)", "apply(Sum{}, v + 1)"),
        ("apply(first, v)", "first(v)"),
        ("by_way(v)", "__shfl_sync(0xffffffffu, v, 0)"),
    ] {
        let found = found_in_branches(LANES, one, other);
        assert!(found.contains("k.cu:5:"), "{one} and {other}:\n{found}");
    }
    // The kernel stands in front of what it calls, in the order of the files.
    let found = found_in_branches(&LANES[..1], "first(v)", "first(v)");
    assert!(found.contains("k.cu:5:"), "{found}");
}

#[test]
fn other_names_of_other_files_bring_no_lanes_together() {
    for (one, other) in [
        // A source keeps these to itself, members belong to classes, and masks that differ name other lanes.
        ("hidden(v)", "hidden(v + 1)"),
        ("box.get()", "box.get()"),
        ("of(0xaaaaaaaau, v)", "of(0x55555555u, v)"),
        ("first(v)", "v"),
        ("apply(twice, v)", "apply(twice, v + 1)"),
        ("box.first(v)", "box.first(v)"),
    ] {
        let found = found_in_branches(LANES, one, other);
        assert!(!found.contains("W037"), "{one} and {other}:\n{found}");
    }
    // What the file defines itself is meant.
    let own = "__device__ int first(int v) { return v; }\n";
    let folder = Folder::new(LANES);
    let kernel = "__global__ void k(int* out) {\n    int v = threadIdx.x, r;\n    if (threadIdx.x & 1) r = first(v);\n    \
                  else r = first(v + 1);\n    out[v] = r;\n}\n";
    folder.write("k.cu", format!("{own}{kernel}").as_bytes());
    let found = text_of(&folder, &["lint", "--format", "concise", "--select", "W037", "."]);
    assert!(!found.contains("W037"), "{found}");
}

#[test]
fn lanes_that_a_header_gives_a_name_are_known_to_those_who_include_it() {
    let header = "#pragma once\n#define W 32\nconstexpr int kGroup = W;\nenum { HALF = kGroup / 2 };\n";
    let kernel = "#include <hip/hip_runtime.h>\n#include \"common.h\"\n__global__ void k(int* p) {\n\
                  int v = p[threadIdx.x], l = threadIdx.x % kGroup;\n\
                  for (int d = HALF; d > 0; d /= 2) v += __shfl_down(v, d);\n\
                  if (l == 0) p[threadIdx.x / W] = v;\n}\n";
    let found = |files: &[(&str, &str)]| -> Vec<String> {
        let report = text_of(&Folder::new(files), &["lint", ".", "--wave-policy", "native", "--select", "W008"]);
        let heads = report.lines().filter_map(|line| line.split_once("W008]: ").map(|(_, head)| head));
        heads.filter_map(|head| head.split('`').nth(1).map(str::to_owned)).collect()
    };
    let files = [("common.h", header), ("k.hip", kernel)];
    assert_eq!(found(&files), ["kGroup", "HALF", "W"]);
    // By way of another header.
    let other = kernel.replace("common.h", "more.h");
    assert_eq!(found(&[files[0], ("more.h", "#include \"common.h\"\n"), ("k.hip", &other)]), ["kGroup", "HALF", "W"]);

    // Near misses: a header that is not included, names of the file's own, and two headers that do not agree.
    let none: [&str; 0] = [];
    assert_eq!(found(&[files[0], ("k.hip", &kernel.replace("\"common.h\"", "<vector>"))]), none);
    let own = kernel.replace("(int* p)", "(int* p, int W, int kGroup, int HALF)");
    assert_eq!(found(&[files[0], ("k.hip", &own)]), none);
    let two = kernel.replace("common.h\"", "common.h\"\n#include \"more.h\"");
    let more = "#define W 16 // of 32\n#define X 32\n";
    assert_eq!(found(&[files[0], ("more.h", more), ("k.hip", &two)]), ["kGroup", "HALF"]);
}
