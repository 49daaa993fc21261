//! `--build-mode option`: one build file of CMake that builds for CUDA as before, and for HIP where `USE_HIP` is set.

use crate::common;

use std::fmt::Write as _;

use crate::build_files::PIECES;
use crate::common::folder::{Folder, check, hipshift};
use hipshift::analysis::SwitchRole;
use hipshift::build::{Token, TokenKind, blocks, commands, tokens};
use hipshift::diagnostic::Severity;
use hipshift::engine::switched;
use hipshift::settings::{BuildMode, ExtensionStyle, Settings};
use hipshift::source::{Patch, SourceFile};
use hipshift::syntax::Document;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What declares the variable.
const OPTION: &str = "option(USE_HIP \"Build for AMD GPUs with HIP\" OFF)\nif(USE_HIP)\n  add_compile_definitions(__HIP_PLATFORM_AMD__)\nendif()\n";

fn role(declares: bool) -> SwitchRole {
    SwitchRole { declares, ..SwitchRole::default() }
}

fn settings() -> Settings {
    Settings { build_mode: BuildMode::Option, ..Settings::default() }
}

fn converted(name: &str, text: &str) -> (Document, Patch) {
    let document = Document::new(SourceFile::from_text(name, text));
    let patch = common::convert(&document, &settings()).patch;
    (document, patch)
}

/// The text with both forms.
fn both(name: &str, text: &str, declares: bool) -> Option<String> {
    let (document, patch) = converted(name, text);
    switched(&document, &patch, role(declares))
}

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let found = both("CMakeLists.txt", text, false).unwrap();
    assert_eq!(found, expected);
    assert_eq!(side(&found, false), text);
    assert_eq!(both("CMakeLists.txt", &found, false).as_deref(), Some(expected), "a second time");
}

/// What is left of a text when only what stands in `if(USE_HIP)` is chosen, line by line.
fn side(text: &str, hip: bool) -> String {
    let (mark, text) = text.split_at(if text.starts_with('\u{feff}') { 3 } else { 0 });
    let mut out = mark.to_owned();
    // For each open `if`: whether its first part is read, and whether the one is that stands there now.
    let mut open: Vec<Option<(bool, bool)>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        let name = code.split(['(', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        let read = open.iter().flatten().all(|(_, read)| *read);
        let is_switch = match name.as_str() {
            "if" => {
                let choice = match code {
                    "if(USE_HIP)" | "if(\"@USE_HIP@\")" => Some(hip),
                    "if(NOT USE_HIP)" | "if(NOT \"@USE_HIP@\")" => Some(!hip),
                    _ => None,
                };
                let choice = choice.map(|first| (first, first));
                open.push(choice);
                choice.is_some()
            }
            "else" | "elseif" => {
                let choice = open.last_mut().and_then(Option::as_mut);
                choice.map(|(first, read)| *read = !*first).is_some()
            }
            "endif" => open.pop().flatten().is_some(),
            _ => false,
        };
        if read && !is_switch {
            out.push_str(line);
        }
    }
    out
}

#[test]
fn fixtures_keep_both_forms() {
    insta::glob!("../fixtures/build_option", "*/*", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let document = Document::new(SourceFile::from_text(name, &text));
        let outcome = common::convert(&document, &settings());
        let is_cmake = name != "Makefile";
        let mut shown = if is_cmake {
            let declares = name == "CMakeLists.txt";
            let found = switched(&document, &outcome.patch, role(declares)).unwrap();
            let without = found.replace(OPTION, "");
            assert_eq!(without.len() < found.len(), declares);
            assert_eq!(side(&without, false), text);
            assert_eq!(side(&without, true), outcome.patch.apply(&text));
            assert_eq!(both(name, &found, declares).as_ref(), Some(&found), "a second time");
            found
        } else {
            outcome.patch.apply(&text)
        };
        shown.push_str("----\n");
        for finding in common::findings(&outcome).iter().filter(|finding| finding.severity > Severity::Hint) {
            let line = document.position(finding.range.start()).line;
            writeln!(shown, "{line}: {} {}: {}", finding.severity.as_str(), finding.rule.name, finding.message)
                .unwrap();
        }
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(shown);
        });
    });
}

#[test]
fn without_the_variable_projects_are_built_as_before() {
    let mut files = common::files_below("fixtures/projects", &["txt", "cmake"]);
    files.retain(|path| path.ends_with("CMakeLists.txt") || path.extension().is_some_and(|ending| ending == "cmake"));
    assert!(files.len() > 6, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        for declares in [false, true] {
            let found = both(name, &text, declares).unwrap();
            assert_eq!(side(&found.replace(OPTION, ""), false), text, "{}", path.display());
        }
    }
}

#[test]
fn what_one_side_lacks_has_no_other_branch() {
    becomes("set(CMAKE_CUDA_HOST_COMPILER g++)\n", "if(NOT USE_HIP)\nset(CMAKE_CUDA_HOST_COMPILER g++)\nendif()\n");
    becomes(
        "add_library(a a.cu)\n",
        "add_library(a a.cu)\nif(USE_HIP)\nset_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)\nendif()\n",
    );
}

#[test]
fn a_condition_takes_its_block_with_it() {
    becomes(
        "#[[ a\nif(X)\n]]\nif(CMAKE_CUDA_COMPILER)\nendif()\n",
        "#[[ a\nif(X)\n]]\nif(USE_HIP)\nif(CMAKE_HIP_COMPILER)\nendif()\nelse()\nif(CMAKE_CUDA_COMPILER)\nendif()\nendif()\n",
    );
    becomes(
        "if(X)\n  if(CMAKE_CUDA_COMPILER)\n    a()\n  endif()\nendif()\n",
        "if(X)\n  if(USE_HIP)\n  if(CMAKE_HIP_COMPILER)\n    a()\n  endif()\n  else()\n  if(CMAKE_CUDA_COMPILER)\n    a()\n  endif()\n  endif()\nendif()\n",
    );
}

#[test]
fn line_ends_marks_and_a_file_without_an_end_stay() {
    let found = both("CMakeLists.txt", "\u{feff}project(a CUDA)\r\nset(CMAKE_CUDA_STANDARD 17)", true).unwrap();
    assert!(found.starts_with("\u{feff}option(USE_HIP"), "{found:?}");
    assert!(!found.replace("\r\n", "").contains('\n'), "{found:?}");
    let without = found.replace(&OPTION.replace('\n', "\r\n"), "");
    assert_eq!(side(&without, false), "\u{feff}project(a CUDA)\r\nset(CMAKE_CUDA_STANDARD 17)\r\n");
}

#[test]
fn the_option_stands_in_no_comment() {
    let text = "#[[ a\n]]project(a CUDA)\n";
    assert!(both("CMakeLists.txt", text, true).unwrap().starts_with(&format!("{OPTION}if(USE_HIP)\n#[[ a\n")));
    let text = "cmake_minimum_required(VERSION 3.21) #[[ a\n]]\nproject(a CXX)\n";
    assert_eq!(both("CMakeLists.txt", text, true).unwrap(), format!("{OPTION}{text}"));
}

/// What tells sources that they are built for HIP, without the option.
fn platform() -> &'static str {
    OPTION.split_once('\n').unwrap().1
}

#[test]
fn a_variable_of_the_project_counts() {
    let text = "project(a CXX)\noption(USE_HIP \"mine\" ON)\nif(USE_HIP)\nenable_language(HIP)\nelse()\nenable_language(CUDA)\nendif()\n";
    let more = format!("{text}set(CMAKE_CUDA_STANDARD 17)\n");
    let told = text.replace(" ON)\n", &format!(" ON)\n{}", platform()));
    let expected =
        format!("{told}if(USE_HIP)\nset(CMAKE_HIP_STANDARD 17)\nelse()\nset(CMAKE_CUDA_STANDARD 17)\nendif()\n");
    assert_eq!(both("CMakeLists.txt", &more, true).as_ref(), Some(&expected));
    assert_eq!(both("CMakeLists.txt", &expected, true).as_ref(), Some(&expected), "a second time");
    // Within what differs there is no place for what both sides read.
    let text = "project(a CUDA)\noption(USE_HIP \"mine\")\nset(CMAKE_CUDA_STANDARD 17)\n";
    let found = both("CMakeLists.txt", text, true).unwrap();
    assert!(found.contains(&format!("option(USE_HIP \"mine\")\n{}if(USE_HIP)\nset(", platform())), "{found}");
}

/// CMake takes the newest release that a file is known to work with for its policies, and refuses files that ask for very old ones.
#[test]
fn the_release_that_is_asked_for_stands_on_each_side() {
    for (old, new) in [
        ("VERSION 3.18...3.31 FATAL_ERROR", "VERSION 3.21...3.31 FATAL_ERROR"),
        ("VERSION 2.8.12 FATAL_ERROR", "VERSION 3.21 FATAL_ERROR"),
    ] {
        let text = format!("cmake_minimum_required({old})\nproject(a CXX)\nenable_language(CUDA)\n");
        let found = both("CMakeLists.txt", &text, true).unwrap();
        let asked = format!(
            "{OPTION}if(USE_HIP)\ncmake_minimum_required({new})\nelse()\ncmake_minimum_required({old})\nendif()\nproject(a CXX)\n"
        );
        assert!(found.starts_with(&asked), "{found}");
    }
}

#[test]
fn a_file_whose_blocks_do_not_close_is_told_and_left_alone() {
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/CMakeLists.txt", "if(X)\nproject(a CUDA)\n")]);
    let arguments = ["convert", "p", "-o", "out", "--build-mode", "option"];
    check(&folder, &arguments, 2, "no place for `if(USE_HIP)` is found");
}

const A: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

#[test]
fn the_outermost_file_declares_the_variable_whether_it_speaks_of_cuda_or_not() {
    let folder = Folder::new(&[
        ("p/CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(p CXX)\nadd_subdirectory(lib)\n"),
        ("p/lib/CMakeLists.txt", "project(lib CUDA)\nadd_library(a a.cu)\n"),
        ("p/other/CMakeLists.txt", "project(other CXX)\n"),
        ("p/lib/a.cu", A),
    ]);
    let next = "next: `cmake -S out -B out/build -DUSE_HIP=ON && cmake --build out/build`";
    check(&folder, &["convert", "p", "-o", "out", "--build-mode", "option"], 0, next);
    check(&folder, &["convert", "p", "--dry-run", "--build-mode", "option"], 0, "3 of 4 files converted");
    let expected = format!("cmake_minimum_required(VERSION 3.18)\n{OPTION}project(p CXX)\nadd_subdirectory(lib)\n");
    assert_eq!(folder.read("out/CMakeLists.txt"), expected);
    assert!(!folder.read("out/lib/CMakeLists.txt").contains("option("));
    assert_eq!(folder.read("out/other/CMakeLists.txt"), "project(other CXX)\n");
    let source = folder.read("out/lib/a.cu");
    assert!(source.contains("cudaFree") && source.contains("hipFree"), "{source}");
}

/// Converts `p` into `out`, and gives what is said about it; the exit code is 1 with warnings, and 0 without.
#[track_caller]
fn said(folder: &Folder, code: i32) -> String {
    let output = hipshift(folder, &["convert", "p", "-o", "out", "--build-mode", "option", "-v"]);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

/// Users of an installed package do not know how it was built, unless CMake fills that in.
#[test]
fn files_that_users_of_the_package_read_know_how_it_was_built() {
    let find = "find_dependency(CUDAToolkit)\n";
    let build = "cmake_minimum_required(VERSION 3.21)\nproject(p CXX)\nadd_subdirectory(cmake)\ninclude(cmake/OwnConfig.cmake)\n";
    let more = "configure_file(${CMAKE_CURRENT_SOURCE_DIR}/filled.cmake pConfig.cmake @ONLY)\nconfigure_file(copied.cmake c.cmake COPYONLY)\ninstall(FILES plain.cmake DESTINATION lib/cmake)\n";
    let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", build), ("p/cmake/CMakeLists.txt", more)]);
    for name in ["pConfig.in.cmake", "filled.cmake", "copied.cmake", "plain.cmake", "q-config.cmake", "OwnConfig.cmake"]
    {
        folder.write(&format!("p/cmake/{name}"), find.as_bytes());
    }
    let said = said(&folder, 1);
    let says = |name: &str, condition: &str| {
        let text = folder.read(&format!("out/cmake/{name}"));
        assert!(
            text.starts_with(&format!("if({condition})\n")) && text.contains("find_dependency(hip"),
            "{name}: {text}"
        );
    };
    for name in ["pConfig.in.cmake", "filled.cmake"] {
        says(name, "\"@USE_HIP@\"");
    }
    for name in ["copied.cmake", "plain.cmake", "q-config.cmake", "OwnConfig.cmake"] {
        says(name, "USE_HIP");
    }
    let told = said.lines().filter(|line| line.contains("users of the installed package read this file"));
    let told: Vec<&str> = told.collect();
    assert_eq!(told.len(), 2, "{said}");
    assert!(["plain.cmake", "q-config.cmake"].iter().all(|name| said.contains(name)), "{said}");
}

#[test]
fn a_variable_that_another_file_sets_is_not_declared_again() {
    for set in ["option(USE_HIP \"mine\" ON)\n", "cmake_dependent_option(USE_HIP \"mine\" ON \"X\" OFF)\n"] {
        let build = "cmake_minimum_required(VERSION 3.21)\ninclude(options.cmake)\nproject(p LANGUAGES CXX)\nenable_language(CUDA)\n";
        let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", build), ("p/options.cmake", set)]);
        let said = said(&folder, 1);
        let found = folder.read("out/CMakeLists.txt");
        assert!(found.contains("if(USE_HIP)\n") && !found.contains("option("), "{found}");
        assert_eq!(side(&found, false), build);
        assert_eq!(folder.read("out/options.cmake"), set);
        assert!(said.contains("`USE_HIP` is the project's own") && said.contains("options.cmake"), "{said}");
        folder.write("p/options.cmake", format!("{set}{}", platform()).as_bytes());
        check(&folder, &["convert", "p", "--dry-run", "--build-mode", "option"], 0, "converted");
    }
}

#[test]
fn nothing_is_declared_where_no_file_is_parted() {
    let build = "project(p CXX)\nif(X)\nenable_language(CUDA)\nelse()\nenable_language(HIP)\nendif()\n";
    let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", build)]);
    let said = said(&folder, 0);
    assert_eq!(folder.read("out/CMakeLists.txt"), build);
    assert!(!said.contains("USE_HIP"), "{said}");
}

#[test]
fn other_variables_of_the_name_are_told() {
    let told = |text: &str, message: &str| {
        let document = Document::new(SourceFile::from_text("CMakeLists.txt", text));
        let outcome = common::convert(&document, &settings());
        let mut findings = common::findings(&outcome).into_iter();
        findings.any(|finding| finding.message.contains(message) && finding.severity == Severity::Warning)
    };
    let hidden = "is a variable of this block's own";
    assert!(told("function(f name USE_HIP)\nadd_library(${name} a.cu)\nendfunction()\n", hidden));
    assert!(told("foreach(USE_HIP a b)\nset(CMAKE_CUDA_STANDARD 17)\nendforeach()\n", hidden));
    assert!(told("foreach(a USE_HIP IN ZIP_LISTS b c)\nset(CMAKE_CUDA_STANDARD 17)\nendforeach()\n", hidden));
    assert!(!told("foreach(a USE_HIP)\nset(CMAKE_CUDA_STANDARD 17)\nendforeach()\n", hidden));
    assert!(!told("macro(f USE_HIP)\nset(CMAKE_CUDA_STANDARD 17)\nendmacro()\n", hidden));
    let late = "is set here, behind commands that depend on it";
    assert!(told("project(a CUDA)\noption(USE_HIP \"mine\" ON)\n", late));
    assert!(!told("project(a CUDA)\noption(USE_HIP \"mine\" OFF)\n", late));
    assert!(told("project(a CUDA)\nset(USE_HIP OFF)\n", late));
    assert!(!told("project(a CUDA)\nset(USE_HIP OFF CACHE BOOL \"mine\")\n", late));
    assert!(!told("option(USE_HIP \"mine\" ON)\nproject(a CUDA)\n", late));
}

#[test]
fn both_forms_are_shown_changed_back_and_changed_once() {
    let build = "project(a CUDA)\nadd_library(a a.cu)\n";
    let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", build)]);
    let arguments = ["convert", "p", "--in-place", "--build-mode", "option"];
    check(&folder, &arguments, 0, "2 of 2 files converted");
    let (once, source) = (folder.read("p/CMakeLists.txt"), folder.read("p/a.cu"));
    assert!(once.starts_with(OPTION), "{once}");
    check(&folder, &arguments, 0, "0 of 2 files converted");
    check(&folder, &["convert", "p", "--in-place"], 0, "0 of 2 files converted");
    check(&folder, &["diff", "p"], 0, "");
    assert_eq!((folder.read("p/CMakeLists.txt"), folder.read("p/a.cu")), (once, source));
    check(&folder, &["undo", "p"], 0, "");
    assert_eq!((folder.read("p/CMakeLists.txt").as_str(), folder.read("p/a.cu").as_str()), (build, A));
}

#[test]
fn an_update_keeps_the_mode() {
    for configured in [false, true] {
        let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", "project(a CUDA)\nadd_library(a a.cu)\n")]);
        let mut arguments = vec!["convert", "p", "-o", "out"];
        if configured {
            folder.write("p/hipshift.toml", b"build-mode = \"option\"\n");
        } else {
            arguments.extend(["--build-mode", "option"]);
        }
        check(&folder, &arguments, 0, "2 of 2 files converted");
        folder.write("p/b.cu", A.as_bytes());
        folder.write("p/CMakeLists.txt", b"project(a CUDA)\nadd_library(a a.cu)\nadd_library(b b.cu)\n");
        check(&folder, &["update", "-o", "out"], 0, "");
        let build = folder.read("out/CMakeLists.txt");
        assert!(build.starts_with(OPTION) && build.contains("else()\nproject(a CUDA)\nendif()\n"), "{build}");
        assert!(
            build.ends_with("if(USE_HIP)\nset_source_files_properties(b.cu PROPERTIES LANGUAGE HIP)\nendif()\n"),
            "{build}"
        );
        assert!(folder.read("out/b.cu").contains("#else\n"), "{}", folder.read("out/b.cu"));
    }
}

#[test]
fn a_review_decides_for_the_part_for_hip() {
    let folder = Folder::new(&[
        ("p/a.cu", A),
        ("p/CMakeLists.txt", "project(a CUDA) # hipshift: ignore[B003] mine\nadd_library(a a.cu)\n"),
    ]);
    check(&folder, &["convert", "p", "-o", "out", "--build-mode", "option"], 0, "converted");
    let build = folder.read("out/CMakeLists.txt");
    let line = "project(a CUDA) # hipshift: ignore[B003] mine\n";
    assert!(build.starts_with(&format!("{OPTION}{line}add_library(a a.cu)\nif(USE_HIP)\n")), "{build}");
}

/// A quote takes what is declared into an argument, so that nobody reads it, and a bracket ends a command elsewhere.
#[test]
fn what_cmake_cannot_read_is_refused() {
    for text in [
        "cmake_minimum_required(VERSION 3.20)x = \"y\n",
        "project(a CUDA) --maxrregcount 64\n",
        "project(a CUDA)\n) x\n",
    ] {
        assert_eq!(both("CMakeLists.txt", text, true), None, "{text}");
    }
    assert!(both("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\n", true).is_some());
    assert!(both("a.cmake.in", "@PACKAGE_INIT@\nenable_language(CUDA) # a\n", true).is_some());
}

#[test]
fn what_cannot_serve_both_compilers_is_refused() {
    let folder = Folder::new(&[("p/a.cu", A), ("p/CMakeLists.txt", "project(a CUDA)\n")]);
    let refused = |more: &[&str], message: &str| {
        let arguments = [&["convert", "p", "--build-mode", "option"], more].concat();
        check(&folder, &arguments, 2, message);
    };
    refused(&["-o", "out", "--emit", "hip"], "needs sources for both compilers: `--emit guarded`");
    refused(&["-o", "out", "--ext", "hip"], "add `--ext keep`");
    refused(&["-o", "out", "--emit", "compat-header"], "changes no build file");
    refused(&["-o", "out", "--no-build-files"], "cannot be used with");
    refused(&["--export-fixes", "a.yaml"], "edits of `--emit hip`");
    assert!(!folder.path("out").exists());
    folder.write("p/hipshift.toml", b"build-mode = \"option\"\n");
    check(&folder, &["convert", "p", "-o", "out", "--build-mode", "replace"], 0, "2 of 2 files converted");
    assert!(!folder.read("out/CMakeLists.txt").contains("USE_HIP"));
}

#[test]
fn make_and_shells_stay_for_cuda_and_are_told_once() {
    let make = "NVCC = nvcc\nFLAGS = -maxrregcount=64\na: a.cu\n\t$(NVCC) -o a a.cu\n";
    let folder =
        Folder::new(&[("p/a.cu", A), ("p/Makefile", make), ("p/b.sh", "nvcc a.cu\n"), ("p/plain.mk", "A = 1\n")]);
    let output = hipshift(&folder, &["convert", "p", "-o", "out", "--build-mode", "option", "-v"]);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(folder.read("out/Makefile"), make);
    assert_eq!(folder.read("out/b.sh"), "nvcc a.cu\n");
    assert_eq!(said.matches("that speaks of CUDA is not converted").count(), 2, "{said}");
    assert!(!said.contains("B001"), "{said}");
}

#[test]
fn sources_with_other_names_have_no_option() {
    let settings = Settings { extension: ExtensionStyle::Hip, ..settings() };
    let document = Document::new(SourceFile::from_text("CMakeLists.txt", "add_library(a a.cu)\n"));
    let patch = common::convert(&document, &settings).patch;
    // Other callers may ask for it; each side then names its own file.
    let expected = "if(USE_HIP)\nadd_library(a a.hip)\nelse()\nadd_library(a a.cu)\nendif()\n";
    assert_eq!(switched(&document, &patch, role(false)).as_deref(), Some(expected));
}

/// Whole commands, which files with blocks are made of.
const COMMANDS: &[&str] = &[
    "if(X)\n",
    "if(CUDA_FOUND)\n",
    "  if(CMAKE_CUDA_COMPILER)\n",
    "elseif(CMAKE_CUDA_STANDARD)\n",
    "else()\n",
    "else()\n",
    "endif()\n",
    "endif()\n",
    "endif()\n",
    "if(USE_HIP)\n",
    "foreach(f a.cu b.cu)\n",
    "endforeach()\n",
    "function(f)\n",
    "endfunction()\n",
    "cmake_minimum_required(VERSION 3.10)\n",
    "project(a CUDA)\n",
    "project(a\n  LANGUAGES CUDA) # it\n",
    "set(CMAKE_CUDA_HOST_COMPILER g++)\n",
    "set(CMAKE_CUDA_STANDARD 17)\r\n",
    "set_property(TARGET a PROPERTY CUDA_SEPARABLE_COMPILATION ON)\n",
    "  add_library(a a.cu)\n",
    "cuda_add_executable(a a.cu OPTIONS -arch=sm_80)\n",
    "target_link_libraries(a CUDA::cudart\n  CUDA::cublas)\n",
    "set(A \"x\n${CUDA_LIBRARIES}\")\n",
    "#[[ a\n set(CMAKE_CUDA_STANDARD 17)\n]]\n",
    "# set(CMAKE_CUDA_STANDARD 17)\n",
    "\n",
    "message(STATUS a)\n",
];

/// Whether CMake can read a text: it is made of commands, and their blocks close.
fn is_readable(text: &str) -> bool {
    let tokens = tokens(text);
    let commands = commands(text, &tokens);
    let says = |token: &&Token| !matches!(token.kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment);
    let is_held = |token: &Token| commands.iter().any(|command| command.range.contains_range(token.range));
    tokens.iter().filter(says).all(is_held) && blocks(text, &commands).is_some()
}

/// Both sides are there, and a second conversion changes nothing, wherever CMake could read the file.
fn check_sides(text: &str) -> Result<(), TestCaseError> {
    let (document, patch) = converted("CMakeLists.txt", text);
    let new = patch.apply(text);
    let replaced = common::convert(&document, &Settings::default()).patch.apply(text);
    prop_assert_eq!(&new, &replaced, "what `replace` writes: {:?}", text);
    for declares in [false, true] {
        let Some(found) = switched(&document, &patch, role(declares)) else {
            prop_assert!(!is_readable(text) || !is_readable(&new), "{:?} {:?}", text, new);
            return Ok(());
        };
        prop_assert_eq!(&both("CMakeLists.txt", &found, declares), &Some(found.clone()), "a second time: {:?}", text);
        // Whoever reads line by line does not see what a literal or comment holds.
        if ["\"", "[[", "[=", "\\"].iter().any(|sign| text.contains(sign)) {
            continue;
        }
        let ends = |text: &str| text.trim_end_matches(['\r', '\n']).to_owned();
        let without = found.replace(OPTION, "").replace(&OPTION.replace('\n', "\r\n"), "");
        prop_assert_eq!(ends(&side(&without, false)), ends(&side(text, false)), "{:?}", text);
        prop_assert_eq!(ends(&side(&without, true)), ends(&side(&new, true)), "{:?}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(12),
        cases: 3000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_sides_of_commands_are_there(pieces in prop::collection::vec(prop::sample::select(COMMANDS), 0..16)) {
        check_sides(&pieces.concat())?;
    }

    #[test]
    fn both_sides_of_pieces_are_there(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        check_sides(&pieces.concat())?;
    }
}
