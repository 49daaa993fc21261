//! `--emit compat-header`: CUDA sources compile as HIP without a change, and what a header cannot do is told.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder::{Folder, check, hipshift};

const HEADER: &str = "compat/hipshift_compat.h";

/// A folder with a header for `files`, which all lie in `src`.
#[track_caller]
fn with_header(files: &[(&str, &str)], options: &[&str], code: i32) -> (Folder, String) {
    let folder = Folder::new(files);
    let arguments = [&["convert", "src", "--emit", "compat-header", "-o", "compat", "-v"], options].concat();
    let output = hipshift(&folder, &arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{text}");
    (folder, text)
}

fn fixture() -> Vec<(&'static str, String)> {
    let read = |path: &str| fs::read_to_string(common::root().join("fixtures/compat").join(path)).unwrap();
    ["src/main.cu", "src/util/api.h"].map(|path| (path, read(path))).to_vec()
}

#[track_caller]
fn fixture_with_header(options: &[&str]) -> Folder {
    let files = fixture();
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let (folder, text) = with_header(&files, options, 0);
    assert!(text.contains("2 files read, none changed"), "{text}");
    for (path, text) in files {
        assert_eq!(folder.read(path), text);
    }
    folder
}

/// Starts the compiler for AMD GPUs on a file of `folder`, behind the header. Redefined macros are errors.
fn compile(folder: &Folder, toolchain: &Path, release: &str, options: &[&str]) -> Output {
    let mut command = common::device_compiler(toolchain, release, 64);
    command.current_dir(folder.0.path()).args(["-I", "compat", "-include", "hipshift_compat.h"]);
    command.args(options).output().unwrap()
}

#[track_caller]
fn check_compiles(folder: &Folder, toolchain: &Path, release: &str, options: &[&str]) {
    let output = compile(folder, toolchain, release, options);
    assert!(output.status.success(), "ROCm {release}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_header_has_the_names_that_the_project_uses() {
    let folder = fixture_with_header(&[]);
    let text = folder.read(HEADER).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!("header", text);
    let forwarding = folder.read("compat/cub/block/block_reduce.cuh");
    assert!(forwarding.contains("#include \"../../hipshift_compat.h\"\n"), "{forwarding}");
    let expected =
        ["cub/block/block_reduce.cuh", "cuda_runtime.h", "cuda_runtime_api.h", "hipshift_compat.h"].map(str::to_owned);
    assert_eq!(folder.names("compat"), expected);
}

#[test]
fn a_second_run_writes_the_same_and_takes_no_header_for_a_source() {
    let folder = fixture_with_header(&[]);
    let all = |folder: &Folder| -> Vec<String> {
        folder.names("compat").iter().map(|name| folder.read(&format!("compat/{name}"))).collect()
    };
    let first = all(&folder);
    let place = ["src", "--emit", "compat-header", "-o", "src/compat"];
    let again = [&["convert"], &place[..]].concat();
    check(&folder, &again, 0, "2 files read, none changed");
    check(&folder, &again, 0, "2 files read, none changed");
    check(&folder, &["convert", "src", "--emit", "compat-header", "-o", "compat"], 0, "compile for HIP with");
    assert_eq!(all(&folder).len(), first.len());
    assert_eq!(folder.read("src/compat/hipshift_compat.h"), folder.read(HEADER));
}

#[test]
fn sources_compile_as_they_are_for_both_sizes_of_waves() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = fixture_with_header(&[]);
    let both = ["--offload-arch=gfx90a", "--offload-arch=gfx1100", "-fsyntax-only", "src/main.cu"];
    check_compiles(&folder, &toolchain, "7.2", &both);
    // Without the header nothing does.
    let mut bare = common::device_compiler(&toolchain, "7.2", 64);
    assert!(!bare.current_dir(folder.0.path()).args(both).output().unwrap().status.success());
}

#[test]
fn a_header_for_one_release_serves_those_that_spell_the_names_otherwise() {
    let Some(toolchain) = common::toolchain() else { return };
    let text = "#include <cuda_runtime.h>\nint* f() {\n    void* p = nullptr;\n    cudaHostAlloc(&p, 8, cudaHostAllocMapped);\n    return (int*)p;\n}\n";
    let (folder, _) = with_header(&[("src/a.cu", text)], &["--rocm", "6.4"], 0);
    let header = folder.read(HEADER);
    let expected = "#if HIP_VERSION < 60300000\n#define cudaHostAlloc hipHostMalloc\n#endif\n\
                    #if HIP_VERSION >= 60300000\n#define cudaHostAlloc hipHostAlloc\n#endif\n";
    assert!(header.contains(expected), "{header}");
    for release in common::RELEASES {
        check_compiles(&folder, &toolchain, release, &["--offload-arch=gfx90a", "-fsyntax-only", "src/a.cu"]);
    }
}

#[test]
fn names_that_a_release_lacks_are_told_and_not_in_its_header() {
    let text = "#include <cuda_runtime.h>\nvoid f(cudaLaunchConfig_t* c) { cudaFree(c); }\n";
    let (folder, told) = with_header(&[("src/a.cu", text)], &["--rocm", "6.4"], 1);
    let header = folder.read(HEADER);
    assert!(!header.contains("cudaLaunchConfig_t") && header.contains("#define cudaFree hipFree\n"), "{header}");
    assert!(told.contains("other-release-name"), "{told}");
    let (folder, _) = with_header(&[("src/a.cu", text)], &["--rocm", "7.2"], 0);
    assert!(folder.read(HEADER).contains("#define cudaLaunchConfig_t hipLaunchConfig_t\n"));
}

#[test]
fn the_program_computes_the_same_on_the_emulator() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = fixture_with_header(&[]);
    let runtime = common::runtime();
    fs::create_dir_all(folder.path("lib")).unwrap();
    for name in ["libamdhip64.so", "libamdhip64.so.7"] {
        fs::copy(&runtime, folder.path("lib").join(name)).unwrap();
    }
    let both = ["--offload-arch=gfx90a", "--offload-arch=gfx1100", "-O1", "src/main.cu", "-o", "program"];
    let link = ["-Llib", "-lamdhip64", "-pthread"];
    check_compiles(&folder, &toolchain, "7.2", &[&both[..], &link].concat());
    for target in ["gfx90a", "gfx1100"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        run.env("HIPSHIFT_RUNTIME", &runtime).env("XDG_CACHE_HOME", folder.path("cache"));
        let output = run.current_dir(folder.0.path()).args(["run", "--arch", target, "./program"]).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert_eq!((text.as_str(), output.status.code()), ("128 ffffffff ffffffff 1\n", Some(0)), "{target}");
    }
}

/// Converts one source, and looks for a line of the header and for what is told.
#[track_caller]
fn check_header(source: &str, (has, lacks): (&str, &str), code: i32, told: &str) {
    let text = format!("#include <cuda_runtime.h>\n{source}");
    let (folder, output) = with_header(&[("src/a.cu", &text)], &[], code);
    let header = folder.read(HEADER);
    assert!(header.contains(has), "no `{has}` in {header}");
    assert!(lacks.is_empty() || !header.contains(lacks), "`{lacks}` in {header}");
    assert!(output.contains(told), "no `{told}` in {output}");
}

#[test]
fn names_that_the_project_has_itself_are_left_alone() {
    let own = "cudaError_t cudaMemset(void* p, int value, size_t size) { return cudaSuccess; }\n";
    let user = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaMemset(p, 0, 4); cudaFree(p); }\n";
    let left_alone = |header: &str| !header.contains("cudaMemset") && header.contains("#define cudaFree hipFree\n");
    let (folder, told) = with_header(&[("src/own.cu", own), ("src/a.cu", user)], &[], 1);
    assert!(left_alone(&folder.read(HEADER)), "{}", folder.read(HEADER));
    assert!(told.contains("undecided-name"), "{told}");
    let declared = "#include <cuda_runtime.h>\ncudaError_t cudaMemset(void* p, int value, size_t size);\n";
    let files = [("src/own.h", declared), ("src/own.cu", own), ("src/a.cu", user)];
    let (folder, _) = with_header(&files, &[], 0);
    assert!(left_alone(&folder.read(HEADER)), "{}", folder.read(HEADER));
    // A macro would rename an overload, too.
    let overload = "cudaError_t cudaMemset(void* p) { return cudaSuccess; }\n";
    let (folder, told) = with_header(&[("src/own.cu", overload), ("src/a.cu", user)], &[], 1);
    assert!(left_alone(&folder.read(HEADER)), "{}", folder.read(HEADER));
    assert!(told.contains("since the project declares one like it"), "{told}");
}

#[test]
fn macros_with_parameters_leave_members_alone() {
    // A macro without parameters renames a member everywhere, which does no harm.
    let member = "struct S { int cudaFree; };\nint f(S s) { return s.cudaFree; }\n";
    let free = "#include <cuda_runtime.h>\nvoid g(void* p) { cudaFree(p); }\n";
    let (folder, _) = with_header(&[("src/s.cu", member), ("src/a.cu", free)], &[], 0);
    assert!(folder.read(HEADER).contains("#define cudaFree hipFree\n"));
    let call = "__constant__ int c;\nvoid f(S s, int* p) { cudaMemcpyToSymbol(c, p, 4); s.cudaMemcpyToSymbol(p); }\n";
    check_header(call, ("", "define cudaMemcpyToSymbol"), 1, "since it is also a member");
}

#[test]
fn calls_that_a_macro_would_split_are_told() {
    let call = "void f() { cudaFuncSetAttribute(kernel<1, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 4); }\n";
    let define =
        "#define cudaFuncSetAttribute(a0, a1, a2) hipFuncSetAttribute(reinterpret_cast<const void*>(a0), a1, a2)\n";
    check_header(call, (define, ""), 1, "split at each comma outside of parentheses");
    let in_parentheses = call.replace("kernel<1, 2>", "(kernel<1, 2>)");
    check_header(&in_parentheses, (define, ""), 0, "");
    let bare = "void f(int* p) { auto get = cudaFuncSetAttribute; cudaFuncSetAttribute(g, a, 4); }\n";
    check_header(bare, (define, ""), 1, "takes its arguments in parentheses");
}

#[test]
fn several_numbers_of_arguments_have_a_macro_each() {
    let calls = "void f(cudaEvent_t* e) { cudaEventCreate(e); cudaEventCreate(e, 0); }\n";
    let define = "#define hipshift_cudaEventCreate_1(a0) hipEventCreate(a0)\n\
                  #define hipshift_cudaEventCreate_2(a0, a1) hipEventCreateWithFlags(a0, a1)\n\
                  #define cudaEventCreate(...) HIPSHIFT_PICK(__VA_ARGS__, hipshift_cudaEventCreate_2, hipshift_cudaEventCreate_1, none)(__VA_ARGS__)\n";
    check_header(calls, (define, ""), 0, "");
}

#[test]
fn names_whose_fix_is_not_applied_are_left_alone() {
    let calls = "void f(cudaGraph_t g) { cudaGraphAddDependencies(g, 0, 0, 0, 1); cudaGraphAddDependencies(g, 0, 0, edges, 1); }\n";
    check_header(calls, ("", "define cudaGraphAddDependencies"), 1, "since the fix of another place is not applied");
}

#[test]
fn what_no_header_can_do_is_told() {
    let header = "#define cudaFree hipFree\n";
    for (source, rule) in [
        ("__global__ void __launch_bounds__(256, 2) k() {}\n", "launch-bounds-units"),
        (
            "__device__ int lane() { return __shfl_sync(~0u, 1, 0) + threadIdx.x % warpSize + (threadIdx.x & 31); }\n",
            "wave-size",
        ),
        ("__device__ int sum(int v) { return __shfl_xor(v, 16) + (threadIdx.x & 31); }\n", "wave-wide-function"),
        ("__global__ void k(int* p) { asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(*p)); }\n", "ptx"),
    ] {
        let source = format!("{source}void f(void* p) {{ cudaFree(p); }}\n");
        check_header(&source, (header, "warpSize"), 1, rule);
        check_header(&source, (header, "define __shfl_xor "), 1, "no header can do this");
    }
}

#[test]
fn macros_of_the_project_are_told() {
    let source = "#define cudaFree(p) traced(p)\nvoid f(void* p) { cudaFree(p); }\n";
    let files = [("src/a.cu", source), ("src/b.cu", "#include <cuda_runtime.h>\nvoid g(void* p) { cudaFree(p); }\n")];
    let (folder, told) = with_header(&files, &[], 0);
    assert!(folder.read(HEADER).contains("#define cudaFree hipFree\n"));
    assert!(told.contains("has macros of these names itself, which count from their lines on: `cudaFree`"), "{told}");
}

#[test]
fn files_of_others_stay() {
    let source = [("src/a.cu", "#include <cuda_runtime.h>\nvoid f() { cudaDeviceSynchronize(); }\n")];
    let folder = Folder::new(&source);
    folder.write("compat/cuda_runtime.h", b"// mine\n");
    let arguments = ["convert", "src", "--emit", "compat-header", "-o", "compat"];
    check(&folder, &arguments, 2, "hipshift did not write it");
    assert_eq!(folder.names("compat"), ["cuda_runtime.h"]);
    assert_eq!(folder.read("compat/cuda_runtime.h"), "// mine\n");
}

#[test]
fn what_a_header_cannot_be_is_refused() {
    let folder = Folder::new(&[("a.cu", "void f() { cudaDeviceSynchronize(); }\n"), ("file", "")]);
    let convert = |more: &[&'static str]| [&["convert", "a.cu", "--emit", "compat-header"], more].concat();
    check(&folder, &convert(&["--in-place"]), 2, "leaves sources alone");
    check(&folder, &["convert", "-", "--emit", "compat-header"], 2, "leaves sources alone");
    check(&folder, &convert(&["--export-fixes", "a.yaml"]), 2, "writes headers only");
    check(&folder, &convert(&["--ext", "hip", "-o", "out"]), 2, "add `--ext keep`");
    check(&folder, &convert(&["-o", "file"]), 2, "name a folder");
    check(&folder, &convert(&[]), 2, "name the folder for the headers");
    check(&folder, &convert(&["--dry-run"]), 0, "dry run, nothing written");
    assert_eq!(folder.names(""), ["a.cu", "file"]);
}
