//! What `hipshift project` finds out about a project, from each of its sources of knowledge.

use crate::common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// What the command prints, with the folder's name taken out.
#[track_caller]
fn project(folder: &Path, more: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    let ended = command.current_dir(folder).args(["project", "."]).args(more).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{said}{}", String::from_utf8_lossy(&ended.stdout));
    let resolved = folder.canonicalize().unwrap();
    String::from_utf8(ended.stdout).unwrap().replace(&format!("{}/", resolved.display()), "DIR/")
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("AT_ROOT", folder.path().canonicalize().unwrap().to_str().unwrap())).unwrap();
    }
    folder
}

const MAIN: &str = "int main() { return 0; }\n";

#[test]
fn projects_of_all_kinds_are_read() {
    for name in [
        "modern_cmake",
        "find_cuda",
        "recursive_make",
        "included_sources",
        "mixed",
        "header_only",
        "libraries",
        "torch_extension",
    ] {
        let folder = common::root().join("fixtures/projects").join(name);
        // What Python says of a build is not read, which is told.
        insta::assert_snapshot!(name, project(&folder, &[], i32::from(name == "torch_extension")));
    }
}

#[test]
fn machines_read_json() {
    let folder = common::root().join("fixtures/projects/find_cuda");
    let text = project(&folder, &["--format", "json"], 0);
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["origin"], "build files");
    assert_eq!(read["targets"][1]["libraries"][0]["own"], true);
    assert_eq!(read["targets"][0]["definitions"][0], "SCALE=2");
    insta::assert_snapshot!("json", text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn cmake_is_followed() {
    let top = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\n\
        option(WITH_X \"x\" ON)\noption(WITH_Y \"y\")\nfind_package(Threads QUIET)\n\
        function(add_sample NAME)\n  cmake_parse_arguments(S \"FAST\" \"OUT\" \"SOURCES\" ${ARGN})\n\
        \x20 add_executable(${NAME} ${S_SOURCES})\n  target_link_libraries(${NAME} PRIVATE p::core)\n\
        \x20 if(S_FAST)\n    target_compile_options(${NAME} PRIVATE \"$<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math;-lineinfo>\")\n  endif()\nendfunction()\n\
        file(GLOB_RECURSE CORE CONFIGURE_DEPENDS core/*.cu core/*.cpp)\nlist(FILTER CORE EXCLUDE REGEX \"_old\\\\.cu$\")\n\
        add_library(core STATIC ${CORE})\nadd_library(p::core ALIAS core)\nadd_library(flags INTERFACE)\n\
        target_compile_definitions(flags INTERFACE USES_FLAGS)\n\
        target_include_directories(core PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)\n\
        target_link_libraries(core PUBLIC flags PRIVATE CUDA::cublas)\ntarget_compile_definitions(core PRIVATE OWN=1 PUBLIC SHARED)\n\
        if(WITH_X AND NOT (WIN32 OR WITH_Y))\n  add_sample(fast FAST SOURCES apps/fast.cu)\nelse()\n  add_sample(never SOURCES apps/never.cu)\nendif()\n\
        foreach(name IN ITEMS a b)\n  string(TOUPPER ${name} upper)\n  add_sample(${name} SOURCES apps/${name}.cu)\n  target_compile_definitions(${name} PRIVATE NAME_${upper})\nendforeach()\n\
        add_custom_command(OUTPUT made.cpp COMMAND tool)\nadd_executable(gen apps/fast.cu made.cpp)\n\
        if(EXISTS ${CMAKE_BINARY_DIR}/x)\nendif()\nfrobnicate(gen)\nadd_subdirectory(missing)\n";
    let folder = folder(&[
        ("CMakeLists.txt", top),
        ("core/a.cu", ""),
        ("core/deep/b.cpp", ""),
        ("core/a_old.cu", ""),
        ("apps/fast.cu", MAIN),
        ("apps/never.cu", MAIN),
        ("apps/a.cu", MAIN),
        ("apps/b.cu", MAIN),
    ]);
    insta::assert_snapshot!("cmake", project(folder.path(), &[], 1));
}

#[test]
fn make_is_followed() {
    let makefile = "BUILD ?= release\nifeq ($(BUILD),debug)\nFLAGS = -g\nelse\nFLAGS = -O3\nendif\n\
        VPATH = src:gen\nCU := $(wildcard src/*.cu)\nCU_OBJS := $(patsubst src/%.cu,obj/%.o,$(CU))\n\
        define compile\nnvcc $(FLAGS) $(1) -c $< -o $@\nendef\n\
        all: app lib tools\n$(CU_OBJS): obj/%.o: src/%.cu\n\t$(call compile,-DPART=$*)\n\
        app: LDLIBS += -lcufft\napp: $(CU_OBJS) host.o libk.a\n\t@$(NVCC) -o $@ $^ $(LDLIBS) -L. -lk\n\
        libk.a: k.o\n\t$(AR) rcs $@ $^\n\
        tools:\n\tfor d in one two; do $(MAKE) -C $$d all MODE=fast; done\n\
        VERSION := $(shell git describe)\nclean:\n\trm -f *.o\nNVCC = nvcc\nCPPFLAGS = -Iinclude\n";
    let sub = "all: tool\ntool: tool.cu\n\tnvcc -DMODE_$(MODE) $< -o $@\n";
    let folder = folder(&[
        ("Makefile", makefile),
        ("src/a.cu", MAIN),
        ("src/b.cu", ""),
        ("src/host.cpp", ""),
        ("k.c", ""),
        ("one/Makefile", sub),
        ("one/tool.cu", MAIN),
        ("two/Makefile", sub),
        ("two/tool.cu", MAIN),
    ]);
    insta::assert_snapshot!("make", project(folder.path(), &[], 1));
}

#[test]
fn scripts_are_followed() {
    let script = "#!/bin/sh\nset -e\nOUT=${OUT:-bin}\nFLAGS=\"-O2 -I include\"\nfor name in a b; do\n  \
        nvcc $FLAGS \"src/$name.cu\" src/common.cu -o $OUT/$name -lcurand\ndone\ncd sub && g++ x.cpp -o x\nnvcc -ptx src/a.cu\n";
    let folder = folder(&[
        ("build.sh", script),
        ("src/a.cu", MAIN),
        ("src/b.cu", MAIN),
        ("src/common.cu", ""),
        ("sub/x.cpp", MAIN),
    ]);
    insta::assert_snapshot!("script", project(folder.path(), &[], 1));
}

#[test]
fn sources_alone_tell_programs() {
    let folder = folder(&[
        ("setup.py", "from setuptools import setup\n"),
        ("one/main.cu", &format!("#include <lib/x.cuh>\n#include \"part.cu\"\n{MAIN}")),
        ("one/part.cu", ""),
        ("one/more.cu", ""),
        ("two/main.cu", "void main_loop();\nint main(int, char**)\n{\n}\n"),
        ("include/lib/x.cuh", ""),
        ("three.cu", "int main();\n"),
    ]);
    insta::assert_snapshot!("sources", project(folder.path(), &[], 1));
}

#[test]
fn a_build_folder_tells_more_than_build_files() {
    let cmake = "project(p CUDA)\nadd_library(k STATIC k.cu)\nadd_executable(app app.cu ${MADE})\ntarget_link_libraries(app k cufft)\nadd_executable(off off.cu)\n";
    let database = r#"[
        {"directory": "AT_ROOT/build", "file": "AT_ROOT/k.cu", "command": "nvcc -DBUILT=1 -IAT_ROOT/inc -O3 -c AT_ROOT/k.cu -o CMakeFiles/k.dir/k.cu.o"},
        {"directory": "AT_ROOT/build", "file": "AT_ROOT/app.cu", "command": "nvcc -O3 -c AT_ROOT/app.cu -o CMakeFiles/app.dir/app.cu.o"},
        {"directory": "AT_ROOT/build", "file": "AT_ROOT/made.cpp", "command": "g++ -O1 -c AT_ROOT/made.cpp -o CMakeFiles/app.dir/made.cpp.o"}]"#;
    let files = [
        ("CMakeLists.txt", cmake),
        ("k.cu", ""),
        ("app.cu", MAIN),
        ("made.cpp", ""),
        ("off.cu", MAIN),
        ("build/compile_commands.json", database),
    ];
    let folder = folder(&files);
    insta::assert_snapshot!("database", project(folder.path(), &[], 1));
    // A database without names of targets: the build files tell these.
    let plain =
        r#"[{"directory": "AT_ROOT", "file": "k.cu", "arguments": ["nvcc", "-DOTHER", "-c", "k.cu", "-o", "k.o"]}]"#;
    let plain = plain.replace("AT_ROOT", folder.path().canonicalize().unwrap().to_str().unwrap());
    fs::write(folder.path().join("commands.json"), plain).unwrap();
    let shown = project(folder.path(), &["--compile-commands", "commands.json"], 0);
    assert!(shown.contains("from compile_commands.json") && shown.contains("define   OTHER"), "{shown}");
    fs::write(folder.path().join("build/compile_commands.json"), "[{]").unwrap();
    let shown = project(folder.path(), &[], 1);
    assert!(shown.contains("from build files") && shown.contains("compile_commands.json: "), "{shown}");
}

#[test]
fn the_file_api_is_read() {
    let reply = "build/.cmake/api/v1/reply";
    let index = r#"{"objects": [{"kind": "cache", "jsonFile": "cache.json"}, {"kind": "codemodel", "jsonFile": "model.json"}]}"#;
    let model = r#"{"configurations": [{"name": "", "targets": [{"jsonFile": "app.json"}, {"jsonFile": "app.json"}, {"jsonFile": "k.json"}, {"jsonFile": "run.json"}]}]}"#;
    let app = r#"{"id": "app::1", "name": "app", "type": "EXECUTABLE", "sources": [{"path": "app.cu", "compileGroupIndex": 0},
        {"path": "app.h"}, {"path": "build/made.cpp", "compileGroupIndex": 0}],
        "compileGroups": [{"language": "CUDA", "includes": [{"path": "AT_ROOT/inc"}], "defines": [{"define": "N=4"}],
            "compileCommandFragments": [{"fragment": "-O3 -std=c++17"}]}],
        "dependencies": [{"id": "k::1"}, {"id": "run::1"}],
        "link": {"commandFragments": [{"fragment": "-O3", "role": "flags"}, {"fragment": "libk.a", "role": "libraries"},
            {"fragment": "/usr/local/cuda/lib64/libcufft.so", "role": "libraries"}, {"fragment": "-lrt", "role": "libraries"}]}}"#;
    let k = r#"{"id": "k::1", "name": "k", "type": "STATIC_LIBRARY", "nameOnDisk": "libk.a", "sources": [{"path": "k.cu"}]}"#;
    let run = r#"{"id": "run::1", "name": "run", "type": "UTILITY"}"#;
    let at = |name: &str| format!("{reply}/{name}");
    let (index_1, index_2) = (at("index-2026-01.json"), at("index-2026-02.json"));
    let folder = folder(&[
        ("CMakeLists.txt", "add_executable(other app.cu)\n"),
        ("app.cu", MAIN),
        ("k.cu", ""),
        (&index_1, "{"),
        (&index_2, index),
        (&at("model.json"), model),
        (&at("app.json"), app),
        (&at("k.json"), k),
        (&at("run.json"), run),
    ]);
    insta::assert_snapshot!("file_api", project(folder.path(), &[], 1));
    // A reply that leads elsewhere is not followed.
    fs::write(folder.path().join(at("model.json")), model.replace("app.json", "../../app.json")).unwrap();
    let shown = project(folder.path(), &[], 1);
    assert!(shown.contains("lies elsewhere") && shown.contains("from build files"), "{shown}");
    // Nor is one that is a link out of the project: what is wrong with its text would be shown.
    let outside = self::folder(&[("model.json", "[\"secret\"]")]);
    fs::remove_file(folder.path().join(at("model.json"))).unwrap();
    symlink(outside.path().join("model.json"), folder.path().join(at("model.json"))).unwrap();
    let shown = project(folder.path(), &[], 1);
    assert!(shown.contains("outside of the project") && !shown.contains("secret"), "{shown}");
}

#[test]
fn what_is_not_followed_is_told() {
    let cmake = "project(p CUDA)\nadd_executable(a a.cu)\nset_property(TARGET a PROPERTY CXX_STANDARD 17)\n\
                 find_library(blas NAMES openblas)\nmath(EXPR half \"${n} / 2\")\nget_target_property(found a SOURCES)\n";
    let folder = folder(&[("CMakeLists.txt", cmake), ("a.cu", "int main() {}\n")]);
    let text = project(folder.path(), &[], 1);
    for (line, command) in [(3, "set_property"), (4, "find_library"), (5, "math"), (6, "get_target_property")] {
        let told = text.lines().any(|row| row.contains(&format!("CMakeLists.txt:{line}")) && row.contains(command));
        assert!(told, "{command}\n{text}");
    }
}

#[test]
fn nothing_is_executed_and_nothing_goes_on_for_ever() {
    let folder = folder(&[
        (
            "CMakeLists.txt",
            "macro(again)\n  again()\nendmacro()\nagain()\nexecute_process(COMMAND touch ran)\nforeach(i RANGE 999999999)\n  foreach(j RANGE 999999999)\n    set(x ${x}${x}y)\n  endforeach()\nendforeach()\nadd_subdirectory(.)\n",
        ),
        (
            "make/Makefile",
            "include Makefile\nA = $(A)$(A)\nB := $(shell touch ran)\nx: x\n\ttouch ran; $(MAKE) x; $(A)\n$(A): $(A)\n",
        ),
        (
            "run.sh",
            "touch ran\nfor a in 1 2 3; do for b in 1 2 3; do nvcc $(touch ran) x.cu; done; done\nwhile true; do :; done\n",
        ),
    ]);
    project(folder.path(), &[], 1);
    assert!(!folder.path().join("ran").exists() && !folder.path().join("make/ran").exists());
}
