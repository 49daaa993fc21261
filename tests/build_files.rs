//! Build files: what they become for HIP, and what is told about them.

use crate::common;

use std::fmt::Write as _;

use crate::common::folder::{Folder, check, commit, git, hipshift};
use hipshift::build::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES, make_lines, shell_lines, tokens};
use hipshift::diagnostic::Severity;
use hipshift::engine::Outcome;
use hipshift::settings::{ExtensionStyle, Settings};
use hipshift::source::SourceFile;
use hipshift::syntax::Document;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn convert(name: &str, text: &str, settings: &Settings) -> (Document, Outcome) {
    let document = Document::new(SourceFile::from_text(name, text));
    let outcome = common::convert(&document, settings);
    (document, outcome)
}

/// The text after conversion.
fn after(name: &str, text: &str, settings: &Settings) -> String {
    convert(name, text, settings).1.patch.apply(text)
}

/// `line rule` of all findings above hints.
fn findings(name: &str, text: &str, settings: &Settings) -> Vec<String> {
    let (document, outcome) = convert(name, text, settings);
    let all = common::findings(&outcome).into_iter().filter(|finding| finding.severity > Severity::Hint);
    all.map(|finding| format!("{} {}", document.position(finding.range.start()).line, finding.rule.name)).collect()
}

#[track_caller]
fn becomes(name: &str, text: &str, expected: &str) {
    assert_eq!(after(name, text, &Settings::default()), expected, "{name}");
    assert_eq!(after(name, expected, &Settings::default()), expected, "{name}, a second time");
}

#[test]
fn fixtures() {
    insta::glob!("../fixtures/build", "*/*", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (document, outcome) = convert(name, &text, &Settings::default());
        let mut shown = outcome.patch.apply(&text);
        assert_eq!(after(name, &shown, &Settings::default()), shown, "a second time");
        shown.push_str("----\n");
        for finding in common::findings(&outcome).iter().filter(|finding| finding.severity > Severity::Hint) {
            let line = document.position(finding.range.start()).line;
            let done = if outcome.applied.iter().any(|applied| applied == *finding) { " (done)" } else { "" };
            writeln!(shown, "{line}: {} {}: {}{done}", finding.severity.as_str(), finding.rule.name, finding.message)
                .unwrap();
        }
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(shown);
        });
    });
}

#[test]
fn options_without_counterpart_are_found_in_build_files() {
    let found = |name: &str, text: &str| findings(name, text, &Settings::default());
    let cmake = "project(app HIP)\nadd_compile_options(--maxrregcount=64)\n";
    assert_eq!(found("CMakeLists.txt", cmake), ["2 unsupported-option"]);
    let make = "NVCCFLAGS = -O3 -maxrregcount 32\nHIPFLAGS = -mwavefrontsize64\n";
    assert_eq!(found("flags.mk", make), ["1 unsupported-option", "2 unsupported-option"]);
    assert_eq!(found("setup.py", "flags = ['-maxrregcount=3']"), ["1 unsupported-option"]);
    assert!(found("setup.py", "flags = ['-O3']").is_empty());
}

#[test]
fn device_code_is_optimised_unless_the_file_says_how() {
    let line = "string(PREPEND CMAKE_HIP_FLAGS \"-Xarch_device -O3 \")";
    let converted = |more: &str| after("CMakeLists.txt", &format!("project(a CUDA)\n{more}"), &Settings::default());
    // What is said of one target leaves the others as they are.
    let of_target = "target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-O2;-g>)\n";
    let of_host = "set(CMAKE_CXX_FLAGS \"-O2\")\n";
    for more in ["", of_host, "if(CMAKE_BUILD_TYPE STREQUAL Debug)\nendif()\n", of_target] {
        assert!(converted(more).contains(line), "{more}");
    }
    let untyped = ";-fno-strict-aliasing>\")\n";
    for more in ["", "set(CMAKE_CUDA_FLAGS -O2)\n", "set(CMAKE_BUILD_TYPE Release)\n"] {
        assert!(converted(more).contains(untyped), "{more}");
    }
    for more in [
        "set(CMAKE_BUILD_TYPE Release)\n",
        "set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -O3\")\n",
        "add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-O2;-g>)\n",
    ] {
        assert!(!converted(more).contains(line), "{more}");
    }
}

#[test]
fn files_of_a_project_tell_each_other_of_libraries() {
    let root = "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES CXX CUDA)\nfind_package(CUDAToolkit REQUIRED)\n\
                add_subdirectory(third/nccl)\nadd_library(app app.cu)\n\
                target_link_libraries(app PRIVATE nccl cuda CUDA::cublas CUDA::curand)\n";
    let library = "add_library(nccl STATIC nccl.cpp)\n";
    let package = "include(CMakeFindDependencyMacro)\nfind_dependency(CUDAToolkit)\n";
    let folder = Folder::new(&[
        ("p/CMakeLists.txt", root),
        ("p/third/nccl/CMakeLists.txt", library),
        ("p/third/nccl/nccl.cpp", "int n;\n"),
        ("p/appConfig.cmake", package),
        ("p/app.cu", "__global__ void k() {}\n"),
    ]);
    hipshift(&folder, &["convert", "p", "--in-place"]);
    let text = folder.read("p/CMakeLists.txt");
    assert!(text.contains("PRIVATE nccl hip::host roc::hipblas hip::hiprand)") && !text.contains("rccl"), "{text}");
    let package = folder.read("p/appConfig.cmake");
    assert!(
        package.contains("find_dependency(hip)\nfind_dependency(hipblas)\nfind_dependency(hiprand)\n"),
        "{package}"
    );
}

#[test]
fn packages_are_found_where_their_targets_are_known_to_all_who_link_them() {
    let root = "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES CXX CUDA)\nfind_package(CUDAToolkit REQUIRED)\n\
                add_subdirectory(lib)\nadd_subdirectory(app)\n";
    let cached = "set(FFT_LIBS CUDA::cufft CACHE INTERNAL \"for all\")\n";
    let folder = Folder::new(&[
        ("p/CMakeLists.txt", root),
        (
            "p/lib/CMakeLists.txt",
            "set(LIBS ${CUDA_CUBLAS_LIBRARIES} PARENT_SCOPE)\nset(OWN CUDA::curand)\nadd_library(l k.cu)\n",
        ),
        ("p/app/CMakeLists.txt", &format!("{cached}add_executable(a m.cpp)\ntarget_link_libraries(a l ${{LIBS}})\n")),
        ("p/lib/k.cu", "__global__ void k() {}\n"),
        ("q/CMakeLists.txt", &root.replace("find_package(CUDAToolkit REQUIRED)\n", "add_compile_definitions(A)\n")),
        ("q/lib/CMakeLists.txt", "find_package(CUDA REQUIRED)\nset(LIBS ${CUDA_CUBLAS_LIBRARIES} PARENT_SCOPE)\n"),
    ]);
    hipshift(&folder, &["convert", "p", "--in-place"]);
    hipshift(&folder, &["convert", "q", "--in-place"]);
    let text = folder.read("p/CMakeLists.txt");
    let found =
        "find_package(hip REQUIRED)\nfind_package(hipblas QUIET)\nfind_package(hipfft QUIET)\nadd_subdirectory(lib)\n";
    assert!(text.contains(found) && !text.contains("hiprand"), "{text}");
    let text = folder.read("q/CMakeLists.txt");
    assert!(text.contains("(A)\nfind_package(hipblas QUIET)\nadd_subdirectory(lib)"), "{text}");
}

#[test]
fn comments_are_left_alone() {
    let text = "add_compile_options(\n  # -mwavefrontsize64 for CUDA\n)\n#[[ -maxrregcount=3 ]]\n";
    becomes("CMakeLists.txt", text, text);
    assert!(findings("CMakeLists.txt", text, &Settings::default()).is_empty());
    let text = "A = 1 # nvcc -maxrregcount=64\n# CUDA\na:\n\techo # nvcc\n";
    becomes("Makefile", text, text);
    assert!(findings("Makefile", text, &Settings::default()).is_empty());
    assert!(findings("build.rs", "// cuda\n", &Settings::default()).is_empty());
}

#[test]
fn findings_can_be_switched_off_by_comments() {
    let text = "A = -maxrregcount=64 # hipshift: ignore[B001] measured\n";
    let found = findings("Makefile", text, &Settings::default());
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(after("Makefile", text, &Settings::default()), text);
}

#[test]
fn the_rules_can_be_switched_off() {
    let text = "x: -maxrregcount=64";
    let mut settings = Settings::default();
    settings.rules.ignore.push("B001".to_owned());
    assert!(findings("Makefile", text, &settings).is_empty());
    let mut settings = Settings::default();
    settings.rules.select.push("W".to_owned());
    assert!(findings("Makefile", text, &settings).is_empty());
    for chosen in ["B", "unsupported-option", "all"] {
        settings.rules.select = vec![chosen.to_owned()];
        assert_eq!(findings("Makefile", text, &settings).len(), 1, "{chosen}");
    }
}

#[test]
fn options_of_nvcc_become_those_of_clang() {
    let targets = "--offload-arch=gfx90a --offload-arch=gfx942 --offload-arch=gfx1100 -Wno-c++11-narrowing -Xarch_device -fno-strict-float-cast-overflow -fno-strict-aliasing";
    becomes(
        "Makefile",
        "NVCCFLAGS = -arch=sm_80 -gencode arch=compute_90,code=sm_90 -O3\n",
        &format!("NVCCFLAGS = {targets} -O3\n"),
    );
    let cases = [
        ("-Xcompiler -Wall,-fPIC -g", "-Wall -fPIC -g"),
        ("-Xcompiler \"-Wall -O2\" -g", "-Wall -O2 -g"),
        (
            "-rdc=true --use_fast_math -ftz=true",
            "-fgpu-rdc -fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero -fno-hip-fp32-correctly-rounded-divide-sqrt -fgpu-flush-denormals-to-zero",
        ),
        ("-g -ccbin g++ --expt-extended-lambda", "-g"),
        ("-lineinfo --default-stream per-thread", "-Xarch_device -gline-tables-only -fgpu-default-stream=per-thread"),
        ("-x cu -Xptxas -v -w -Xlinker -a,-b", "-x hip -w -Wl,-a,-b"),
    ];
    for (nvcc, clang) in cases {
        becomes("Makefile", &format!("NVCCFLAGS := {nvcc}\n"), &format!("NVCCFLAGS := {clang}\n"));
        if nvcc.contains('"') {
            continue;
        }
        becomes(
            "a.cmake",
            &format!("set(CMAKE_CUDA_FLAGS \"{nvcc}\")\n"),
            &format!("set(CMAKE_HIP_FLAGS \"{clang}\")\n"),
        );
    }
    // Options that others have, too, are nvcc's only where nvcc is called.
    becomes("Makefile", "CFLAGS = -G -w -arch x86_64\n", "CFLAGS = -G -w -arch x86_64\n");
    becomes("build.sh", "cmake -G Ninja .\n", "cmake -G Ninja .\n");
}

#[test]
fn files_get_their_new_names() {
    let settings = Settings { extension: ExtensionStyle::Hip, ..Settings::default() };
    let make = "SRC = a.cu $(wildcard src/*.cu)\n%.o: %.cu\nOBJ = $(SRC:.cu=.o)\n";
    let expected = "SRC = a.hip $(wildcard src/*.hip)\n%.o: %.hip\nOBJ = $(SRC:.hip=.o)\n";
    assert_eq!(after("Makefile", make, &settings), expected);
    let cmake = "add_executable(a m.cpp ${D}/a.cu \"b.cu\")\nfile(GLOB S *.cu)\n";
    let expected = "add_executable(a m.cpp ${D}/a.hip \"b.hip\")\nfile(GLOB S *.hip)\n";
    assert_eq!(after("CMakeLists.txt", cmake, &settings), expected);
    let settings = Settings { extension: ExtensionStyle::HipCpp, ..settings };
    let expected = "add_library(a a.hip.cpp)\nset_source_files_properties(a.hip.cpp PROPERTIES LANGUAGE HIP)\n";
    assert_eq!(after("CMakeLists.txt", "add_library(a a.cu)\n", &settings), expected);
}

#[test]
fn a_file_with_parts_for_both_is_left_alone() {
    let text = "project(a CXX)\nif(USE_HIP)\nenable_language(HIP)\nelse()\nenable_language(CUDA)\nendif()\n";
    becomes("CMakeLists.txt", text, text);
    assert_eq!(findings("CMakeLists.txt", text, &Settings::default()), ["5 unconverted-build"]);
}

#[test]
fn names_that_a_file_gives_itself_stay() {
    let find = "find_path(NCCL_INCLUDE_DIR nccl.h)\nset(NCCL_LIBRARIES x)\nset(NCCL_FOUND 1)\n";
    becomes("FindNCCL.cmake", find, find);
    becomes("a.cmake", "set(CUDA_cublas_LIBRARY x)\n", "set(CUDA_cublas_LIBRARY x)\n");
    let changed = "list(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND -real)\n";
    becomes("a.cmake", changed, changed);
    assert_eq!(findings("a.cmake", changed, &Settings::default()), ["1 unconverted-build"]);
    becomes(
        "a.cmake",
        "list(APPEND CMAKE_CUDA_ARCHITECTURES 80-real)\nlink_directories(/usr/local/cuda/lib64)\n",
        "list(APPEND CMAKE_HIP_ARCHITECTURES gfx90a gfx942 gfx1100)\nlink_directories(/opt/rocm/lib)\n",
    );
    becomes(
        "a.cmake",
        "execute_process(COMMAND nvcc -Xcompiler \"-dumpversion -v\")\n",
        "execute_process(COMMAND hipcc -dumpversion -v)\n",
    );
}

#[test]
fn libraries_are_linked_by_their_new_names() {
    becomes(
        "CMakeLists.txt",
        "target_link_libraries(a PRIVATE cublas nccl m nvToolsExt mine)\n",
        "find_package(hipblas REQUIRED)\nfind_package(rccl REQUIRED)\ntarget_link_libraries(a PRIVATE roc::hipblas roc::rccl m roctx64 mine)\n",
    );
    becomes("Makefile", "L = -lcublas -lnccl -lm -lcudadevrt\n", "L = -lhipblas -lrccl -lm\n");
}

/// Lines that speak of CUDA outside of comments, as a reader with no knowledge of CMake or make sees them.
fn speaking(text: &str) -> Vec<usize> {
    let speaks = |line: &str| {
        let code = line.split('#').next().unwrap_or_default().to_ascii_lowercase();
        ["cuda_", "cuda::", "nvcc", "-gencode", "-lcu"].iter().any(|word| code.contains(word))
    };
    (1..).zip(text.lines()).filter(|(_, line)| speaks(line)).map(|(number, _)| number).collect()
}

/// Files of CMake, of make and of shells, by their names alone.
fn build_files_of_the_corpus() -> Vec<std::path::PathBuf> {
    let is_read = |name: &str| {
        let endings = [".cmake", ".cmake.in", ".mk", ".mak", ".make", ".sh", ".bash"];
        let is_makefile = name.to_ascii_lowercase().contains("makefile") && name.strip_suffix(".in").is_none();
        is_makefile || name == "CMakeLists.txt" || endings.iter().any(|ending| name.ends_with(ending))
    };
    let Ok(start) = std::fs::canonicalize(common::root().join("target/corpus")) else { return Vec::new() };
    let files = walkdir::WalkDir::new(start).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_file());
    files.filter(|entry| entry.file_name().to_str().is_some_and(is_read)).map(walkdir::DirEntry::into_path).collect()
}

#[test]
fn every_line_of_the_corpus_that_speaks_of_cuda_is_changed_or_listed() {
    let Some(_) = common::corpus() else { return };
    let mut wrong = String::new();
    let mut read = 0;
    for path in build_files_of_the_corpus() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if speaking(&text).is_empty() {
            continue;
        }
        read += 1;
        let (document, outcome) = convert(name, &text, &Settings::default());
        let found = common::findings(&outcome);
        let line = |at| document.position(at).line as usize;
        if found.iter().any(|finding| finding.message.contains("parts for CUDA beside parts for HIP")) {
            continue;
        }
        let mut told: Vec<_> =
            found.iter().map(|finding| line(finding.range.start())..=line(finding.range.end())).collect();
        told.extend(outcome.patch.ranges().map(|range| line(range.start())..=line(range.end())));
        for number in speaking(&text).into_iter().filter(|number| !told.iter().any(|lines| lines.contains(number))) {
            writeln!(wrong, "{}:{number}: {}", common::shown(&path), text.lines().nth(number - 1).unwrap()).unwrap();
        }
        let once = outcome.patch.apply(&text);
        assert_eq!(after(name, &once, &Settings::default()), once, "{}", path.display());
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(read > 10, "{read}");
}

#[test]
fn a_build_file_that_is_named_is_linted() {
    let folder = Folder::new(&[("Makefile", "x: -maxrregcount=64\n")]);
    check(&folder, &["lint", "Makefile", "--format=concise"], 1, "Makefile:1:4: warning B001 unsupported-option");
}

#[test]
fn projects_are_converted_with_their_build_files_and_all_else() {
    let files = [("p/a.cu", "void f() { cudaFree(0); }\n"), ("p/Makefile", "NVCC = nvcc\n"), ("p/LICENSE", "free\n")];
    let folder = Folder::new(&[&files[..], &[("p/.gitignore", "build\n"), ("p/build/x.txt", "x")]].concat());
    check(&folder, &["convert", "p", "-o", "out"], 0, "2 of 2 files converted");
    assert_eq!(folder.read("out/Makefile"), "NVCC = hipcc\n");
    assert_eq!(folder.read("out/LICENSE"), "free\n");
    assert!(!folder.path("out/build").exists());
    check(&folder, &["convert", "p", "-o", "few", "--sources-only"], 0, "converted");
    assert!(folder.path("few/Makefile").exists() && !folder.path("few/LICENSE").exists());
    check(&folder, &["convert", "p", "-o", "same", "--no-build-files"], 0, "1 of 1 file converted");
    assert_eq!(folder.read("same/Makefile"), "NVCC = nvcc\n");
    folder.write("p/hipshift.toml", b"build-files = false\n");
    check(&folder, &["convert", "p", "-o", "set"], 0, "1 of 1 file converted");
    assert_eq!(folder.read("set/Makefile"), "NVCC = nvcc\n");
}

#[test]
fn a_build_file_has_one_form() {
    let folder = Folder::new(&[("p/a.cu", "void f() { cudaFree(0); }\n"), ("p/Makefile", "NVCC = nvcc\n")]);
    check(&folder, &["convert", "p", "-o", "out", "--emit", "guarded"], 0, "1 of 1 file converted");
    assert_eq!(folder.read("out/Makefile"), "NVCC = nvcc\n");
}

#[test]
fn the_next_step_is_the_command_of_the_project() {
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/Makefile", "NVCC = nvcc\n")]);
    check(&folder, &["convert", "p", "-o", "my out"], 0, "next: `make -C 'my out'`");
    folder.write("p/CMakeLists.txt", b"project(a CUDA)\n");
    std::fs::remove_file(folder.path("p/Makefile")).unwrap();
    let next = "next: `cmake -S out -B out/build && cmake --build out/build`";
    check(&folder, &["convert", "p", "-o", "out"], 0, next);
    // The makefile at the top calls the one that speaks of CUDA.
    let files =
        [("p/lib/a.cu", "int a;\n"), ("p/lib/Makefile", "NVCC = nvcc\n"), ("p/Makefile", "all:\n\t$(MAKE) -C lib\n")];
    let folder =
        Folder::new(&[&files[..], &[("q/lib/a.cu", "int a;\n"), ("q/lib/Makefile", "NVCC = nvcc\n")]].concat());
    check(&folder, &["convert", "p", "-o", "out"], 0, "next: `make -C out`");
    check(&folder, &["convert", "q", "-o", "apart"], 0, "next: `make -C apart/lib`");
}

#[test]
fn build_files_are_shown_changed_and_changed_back_like_sources() {
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/Makefile", "NVCC = nvcc\n")]);
    check(&folder, &["diff", "p"], 1, "+NVCC = hipcc");
    check(&folder, &["convert", "p", "--in-place"], 0, "1 of 2 files converted");
    assert_eq!(folder.read("p/Makefile"), "NVCC = hipcc\n");
    check(&folder, &["undo", "p"], 0, "");
    assert_eq!(folder.read("p/Makefile"), "NVCC = nvcc\n");
}

#[test]
fn findings_in_build_files_are_known_by_baselines_and_changes_like_all_others() {
    let folder = Folder::new(&[("a.cu", "int a;\n"), ("Makefile", "x: -maxrregcount=64\n")]);
    check(&folder, &["lint", ".", "--write-baseline", "known.json"], 0, "1 finding written");
    check(&folder, &["lint", ".", "--baseline", "known.json"], 0, "1 known from the baseline");
    let output = hipshift(&folder, &["lint", ".", "--format=json"]);
    let files = common::json(&output)["files"].clone();
    let fingerprint = files.as_array().unwrap().iter().find_map(|file| file["findings"][0]["fingerprint"].as_str());
    assert_eq!(fingerprint.map(str::len), Some(32), "{files}");
    git(&folder, &["init", "-q"]);
    commit(&folder);
    check(&folder, &["lint", ".", "--since", "HEAD"], 0, "no findings");
    folder.write("Makefile", b"x: -maxrregcount=64\ny: -maxrregcount=32\n");
    check(&folder, &["lint", ".", "--since", "HEAD"], 1, "Makefile:2:4");
}

#[test]
fn the_extension_for_vs_code_sends_all_build_files() {
    let options = std::fs::read_to_string(common::root().join("editors/vscode/src/server/options.ts")).unwrap();
    let (_, glob) = options.split_once("\"**/{").unwrap();
    let names: Vec<&str> = glob.split_once('}').unwrap().0.split(',').collect();
    let endings: Vec<String> = BUILD_FILE_EXTENSIONS.iter().map(|extension| format!("*.{extension}")).collect();
    let expected: Vec<&str> = BUILD_FILE_NAMES.iter().copied().chain(endings.iter().map(String::as_str)).collect();
    assert_eq!(names, expected);
}

/// Pieces that build files are made of, and some that break them.
pub(crate) const PIECES: &[&str] = &[
    " ",
    " ",
    "\n",
    "\n",
    "\n\t",
    "\\\n",
    "\r\n",
    "(",
    ")",
    "\"",
    "'",
    "#",
    "# nvcc -G",
    "#[[",
    "]]",
    "[==[",
    "]==]",
    ";",
    "$(",
    "${",
    "}",
    "$<",
    ">",
    ":",
    "=",
    " := ",
    "+=",
    "ä",
    "\u{feff}",
    "project(a CUDA)",
    "enable_language(CUDA)\n",
    "find_package(CUDAToolkit REQUIRED)\n",
    "find_package(CUDA)\n",
    "set(CMAKE_CUDA_FLAGS \"",
    "set(CUDA_NVCC_FLAGS ",
    "list(APPEND CUDA_NVCC_FLAGS ",
    "cuda_add_executable(a ",
    "add_executable(a ",
    "a.cu",
    "${X}.cu",
    "CUDA::cudart",
    "CUDA::cublas",
    "CUDA::cudadevrt",
    "${CUDA_LIBRARIES}",
    "target_link_libraries(a ",
    "$<$<COMPILE_LANGUAGE:CUDA>:",
    "PROPERTIES ",
    "set_target_properties(a ",
    "CUDA_SEPARABLE_COMPILATION ON",
    "CUDA_ARCHITECTURES \"70;80\"",
    "OPTIONS ",
    "-arch=sm_80",
    "-gencode",
    "arch=compute_80,code=sm_80",
    "-Xcompiler",
    "-Wall,-g",
    "-maxrregcount",
    "64",
    "-rdc=true",
    "-dc",
    "-dlink",
    "--use_fast_math",
    "-lcudart",
    "-lcudadevrt",
    "-lcublas",
    "nvcc",
    "$(NVCC)",
    "NVCC = ",
    "NVCCFLAGS += ",
    "CUDA_HOME ?= ",
    "CUDA_PATH = ",
    "$(CUDA_HOME)",
    "$(CUDA_PATH)",
    "/usr/local/cuda",
    "/include",
    "/lib64",
    "-I",
    "-L",
    "$(foreach s,1 2,",
    "file(GLOB S *.cu *.cpp)\n",
    "-o x",
    "app: a.o\n\t",
    "%.o: %.cu\n\t",
    "ifeq ($(A),1)\n",
    "endif\n",
    "export ",
    "find_library(A NAMES cublas)\n",
    "find_path(A cuda_runtime.h)\n",
    "find_dependency(CUDAToolkit)\n",
    "add_custom_command(OUTPUT x COMMAND nvcc ",
    "execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE V)\n",
    "if(CUDA_VERSION VERSION_LESS 11)\n",
    "libcublas.so",
    "libcudadevrt.a",
    "$(CUDNN_DIR)",
    "-ptx",
    "-c ",
    " a.cu ",
    "nvcc -V",
    "$(shell nvcc --version | cut -d. -f1)",
    "NVCC=${NVCC:-nvcc}\n",
    "\"$NVCC\" ",
    "include x.mk\n",
    "; ",
    " && ",
    "@echo ",
];

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(11),
        cases: 2000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn reading_covers_every_byte(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let text = pieces.concat();
        let covered: String = tokens(&text).iter().map(|token| &text[token.range]).collect();
        prop_assert_eq!(&covered, &text);
        for lines in [make_lines(&text), shell_lines(&text)] {
            let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
            for line in &lines {
                let between = &text[at..usize::from(line.range.start())];
                prop_assert!(matches!(between, "" | "\n" | "\r\n"), "{:?}", between);
                prop_assert!(line.range.contains_range(line.code) && line.comment.is_none_or(|comment| line.range.contains_range(comment)));
                at = line.range.end().into();
            }
            prop_assert!(matches!(&text[at..], "" | "\n" | "\r\n"));
        }
    }

    #[test]
    fn converting_twice_changes_nothing(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        let text = pieces.concat();
        for name in ["CMakeLists.txt", "Makefile", "a.sh", "setup.py", "Makefile.in", "aConfig.cmake.in"] {
            let once = after(name, &text, &Settings::default());
            let twice = after(name, &once, &Settings::default());
            prop_assert_eq!(&twice, &once, "{} {:?}", name, text);
        }
    }

    #[test]
    fn what_does_not_speak_of_cuda_stays(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        let speaks = |piece: &&str| ["cu", "CU", "NV", "nv", "-g", "-X", "-m", "-r", "-d", "--", "-arch", "file(", "_80", "VERSION"].iter().any(|word| piece.contains(word));
        let text: String = pieces.into_iter().filter(|piece| !speaks(piece)).collect();
        for name in ["CMakeLists.txt", "Makefile", "a.sh", "setup.py"] {
            let (_, outcome) = convert(name, &text, &Settings::default());
            prop_assert!(outcome.patch.is_empty() && outcome.remaining.is_empty(), "{} {:?} {:?}", name, text, outcome.remaining);
        }
    }
}
