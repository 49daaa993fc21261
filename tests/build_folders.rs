//! Build files in folders: `update` of them, and those that only their place or their content tells.

use crate::common;

use crate::common::folder::{Folder, check, hipshift};

#[test]
fn an_update_keeps_what_was_edited_in_a_build_file() {
    let before = "NVCC = nvcc\nA = 1\nB = 2\nC = 3\n";
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/Makefile", before)]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    folder.write("out/Makefile", b"NVCC = hipcc\nA = 1\nB = 2\nC = mine\n");
    folder.write("p/Makefile", b"NVCC = nvcc -w\nA = 1\nB = 2\nC = 3\n");
    check(&folder, &["update", "-o", "out"], 0, "");
    assert_eq!(folder.read("out/Makefile"), "NVCC = hipcc -w\nA = 1\nB = 2\nC = mine\n");
}

#[test]
fn an_update_merges_a_source_and_its_build_file_with_what_was_edited_in_both() {
    let source = "void f() {\n    cudaFree(0);\n}\n\nvoid g() {\n    cudaDeviceReset();\n}\n";
    let cmake = |more: &str, libraries: &str| {
        let start = "project(a LANGUAGES CXX CUDA)\nset(A 1)\nset(B 2)\nset(C 3)\n";
        let rest = "set(D 4)\nset(E 5)\n";
        format!("{start}add_library(a STATIC a.cu{more})\n{rest}target_link_libraries(a PRIVATE {libraries})\n")
    };
    let before = cmake("", "CUDA::cudart");
    let folder = Folder::new(&[("p/a.cu", source), ("p/CMakeLists.txt", before.as_str())]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let edit = |path: &str, from: &str, to: &str| {
        let text = folder.read(path);
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        folder.write(path, text.replace(from, to).as_bytes());
    };
    // By hand: a line of the source, and one of the build file.
    edit("out/a.cu", "    hipFree(0);", "    (void)hipFree(0);  // by hand");
    edit("out/CMakeLists.txt", "set(A 1)", "set(A mine)");
    // Upstream: one more file, and a call of a library with the library.
    folder.write("p/b.cu", b"void h() { cudaDeviceSynchronize(); }\n");
    edit("p/a.cu", "    cudaDeviceReset();\n", "    cudaDeviceReset();\n    cudaGetLastError();\n");
    folder.write("p/CMakeLists.txt", cmake(" b.cu", "CUDA::cudart CUDA::cublas").as_bytes());
    check(&folder, &["update", "-o", "out"], 0, "2 merged");
    let text = folder.read("out/a.cu");
    assert!(text.contains("(void)hipFree(0);  // by hand") && text.contains("hipGetLastError();"), "{text}");
    assert!(folder.read("out/b.cu").contains("hipDeviceSynchronize"));
    let text = folder.read("out/CMakeLists.txt");
    let linked = "PRIVATE hip::host roc::hipblas";
    for line in ["set(A mine)", "a.cu b.cu PROPERTIES LANGUAGE HIP", linked, "find_package(hipblas REQUIRED)"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("CUDA"), "{text}");
    check(&folder, &["update", "-o", "out"], 0, "3 unchanged");
}

#[test]
fn what_makefiles_say_of_folders_streams_and_linking_is_known_in_other_files() {
    let make = "include config.mk\na: a.cu main.c\n\t$(NVCC) -rdc=true $(STREAMS) -c a.cu\n\tgcc -I$(TOOLKIT)/include -c main.c\n\tgcc -o a a.o main.o -L$(TOOLKIT)/lib64 -lcudart\n";
    let config =
        "TOOLKIT := /usr/local/cuda-12.4/\nNVCC = $(TOOLKIT)/bin/nvcc\nSTREAMS = --default-stream per-thread\n";
    let source = "static __constant__ int a;\n__global__ void k(int *p) { *p = a; }\nvoid set(int v) { cudaMemcpyToSymbol(a, &v, 4); }\n";
    let folder = Folder::new(&[
        ("p/Makefile", make),
        ("p/config.mk", config),
        ("p/a.cu", source),
        ("p/main.c", "int main(void) { return 0; }\n"),
    ]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/Makefile");
    assert!(
        text.contains("gcc -I$(TOOLKIT)/include -D__HIP_PLATFORM_AMD__ -c") && text.contains("-L$(TOOLKIT)/lib -l"),
        "{text}"
    );
    assert!(folder.read("out/config.mk").starts_with("TOOLKIT := /opt/rocm/\n"));
    let text = folder.read("out/a.cu");
    assert!(text.contains("hipshift_address_of_a() { return &a; }"), "{text}");
    assert!(text.contains("hipMemcpyToSymbol((const void *)&a, &v, 4)"), "{text}");
    // Without these options neither is needed.
    folder.write("q/CMakeLists.txt", b"set_target_properties(a PROPERTIES CUDA_SEPARABLE_COMPILATION OFF)\n");
    folder.write("q/a.cu", source.as_bytes());
    folder.write("q/Makefile", b"a: a.cu\n\tnvcc -o a a.cu\n");
    check(&folder, &["convert", "q", "-o", "plain"], 0, "converted");
    let text = folder.read("plain/a.cu");
    assert!(!text.contains("hipshift_address_of") && text.contains("HIP_SYMBOL(a)"), "{text}");
}

#[test]
fn sources_for_the_host_stay_so_where_code_asks_for_nvcc() {
    let header = "#ifndef __CUDACC__\nvoid host_only();\n#endif\n";
    let make = "SOURCES = a.cpp b.cu\nall: app tool both listed\na.o: a.cpp a.h\n\t$(NVCC) -dc $< -o $@\n.cc.o:\n\t$(NVCC) -c -o $@ $<\ntool:\n\tnvcc \"src dir/a.cpp\" b.cc b.o -o $@\nboth:\n\tnvcc a.cpp b.cu -o $@\nlisted:\n\tnvcc $(SOURCES) -o $@\nb.o: b.cu\n\tnvcc -c $< -o $@\n";
    let script = "mkdir x && nvcc -o app \"$SRC\"/a.cpp -lm 2>&1 | tee log.cpp\n";
    let files = |header: &str, extra: &str| {
        let make = format!("{make}{extra}");
        Folder::new(&[("p/a.h", header), ("p/a.cu", "int a;\n"), ("p/Makefile", &make), ("p/build.sh", script)])
    };
    let folder = files(header, "");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/Makefile");
    let options = "-x c++ -I$(or $(ROCM_PATH),/opt/rocm)/include -D__HIP_PLATFORM_AMD__";
    for line in [
        &format!("-fgpu-rdc -c {options} $< -o $@"),
        &format!("-c -o $@ {options} $<\n"),
        &format!("{options} \"src dir/a.cpp\" b.cc -x none b.o -o $@"),
        " a.cpp b.cu -o $@",
        " $(SOURCES) -o $@",
        " -c $< -o $@\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    check(&folder, &["lint", "p"], 0, "C++ of `a.cpp` as the host's compiler does, hipcc as HIP");
    check(&folder, &["lint", "p"], 0, "C++ of `$(SOURCES)` as the host's compiler does, hipcc as HIP");
    let options = "-x c++ -I${ROCM_PATH:-/opt/rocm}/include -D__HIP_PLATFORM_AMD__";
    assert!(folder.read("out/build.sh").contains(&format!("-o app {options} \"$SRC\"/a.cpp -x none -lm 2>&1 | tee")));
    // Nothing asks, or the build may name a language for all commands.
    for folder in [files("void f();\n// __CUDACC__\n", ""), files(header, "c.o: FLAGS = -x cu\n")] {
        check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
        assert!(!folder.read("out/Makefile").contains("-x c++"));
    }
}

#[test]
fn a_command_that_names_its_language_speaks_for_itself() {
    let make = "include config.mk\nALL = $(AS_CUDA) -O2\na:\n\tnvcc -x cu -c a.cpp\nb:\n\tnvcc $(ALL) -c b.cpp\nc:\n\tnvcc -O2 -c c.cpp\nd:\n\t$(NVCC) -c d.cpp\n";
    let files = [
        ("p/a.h", "#ifdef __CUDACC__\n#endif\n"),
        ("p/Makefile", make),
        ("p/config.mk", "AS_CUDA = -x cu\nNVCC := nvcc -xcu\n"),
    ];
    let folder = Folder::new(&files);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/Makefile");
    let host: Vec<&str> = text.lines().filter(|line| line.contains("-x c++")).collect();
    assert!(host.len() == 1 && host[0].contains("-O2 -c -x c++") && host[0].ends_with(" c.cpp"), "{text}");
}

#[test]
fn a_variable_of_another_file_may_name_a_language() {
    let make = "include flags.mk\nOWN = -O2 -I$(DIR)\nALL = $(OWN) $(NVFLAGS)\na:\n\tnvcc $(NVFLAGS) -c a.cpp\nb:\n\tnvcc $(ALL) -c b.cpp\nc:\n\tnvcc $(OWN) -I$(DIR) -c c.cpp\nd:\n\tnvcc --x=cu -c d.cpp\n";
    let files = |language: &str| {
        Folder::new(&[
            ("p/a.h", "#ifdef __CUDACC__\n#endif\n"),
            ("p/Makefile", make),
            ("p/flags.mk", "NVFLAGS = $(LANGF)\n"),
            ("p/lang.mk", language),
        ])
    };
    let folder = files("LANGF = -x cu\n");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let host = |text: &str| {
        let lines = text.lines().filter(|line| line.contains("-x c++"));
        lines.filter_map(|line| line.split_whitespace().last().map(ToOwned::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(host(&folder.read("out/Makefile")), ["c.cpp"]);
    for name in ["a.cpp", "b.cpp"] {
        check(&folder, &["lint", "p"], 0, &format!("C++ of `{name}` as the host's compiler does, hipcc as HIP"));
    }
    // No variable of the project names a language.
    let folder = files("LANGF = -O3\n");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    assert_eq!(host(&folder.read("out/Makefile")), ["a.cpp", "b.cpp", "c.cpp"]);
}

#[test]
fn options_for_host_sources_stand_around_whole_arguments() {
    let make = "SRC = a.cpp\nSRC += b.cu\na:\n\tnvcc $(SRC) -o a\nb: a.cpp k.o\n\tnvcc $^ -o $@\nc:\n\tnvcc a\u{3000}\"a.cpp\" -o c\nd:\n\tnvcc -c `pwd`/a.cpp\ne:\n\tnvcc $(wildcard *.cpp) -o e\nf:\n\tnvcc --output-file a.cpp a.o\ng:\n\tnvcc -DS=\"a;b\" a.cpp -o g\nh:\n\t(cd . && nvcc a.cpp -o h)\ni:\n\tI=$$(nvcc a.cpp -o i)\n$(OBJECTS): %.o: %.cpp | x.h\n\tnvcc -c $< -o $@\n";
    let folder = Folder::new(&[("p/a.h", "#if defined(__NVCC__)\n#endif\n"), ("p/Makefile", make)]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/Makefile");
    let text = text.replace(" -I$(or $(ROCM_PATH),/opt/rocm)/include -D__HIP_PLATFORM_AMD__", "");
    for line in [
        " $(SRC) -o a\n",
        " $^ -o $@\n",
        "-x c++ a\u{3000}\"a.cpp\" -x none -o c\n",
        " -c -x c++ `pwd`/a.cpp\n",
        "-x c++ $(wildcard *.cpp) -x none -o e\n",
        " -o a.cpp a.o\n",
        "-DS=\"a;b\" -x c++ a.cpp -x none -o g\n",
        "-x c++ a.cpp -x none -o h)\n",
        "a.cpp -o i)\n",
        " -c -x c++ $< -o $@\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert_eq!(text.matches("-x c++").count(), 6, "{text}");
    check(&folder, &["convert", "out", "-o", "again"], 0, "");
    assert_eq!(folder.read("again/Makefile"), folder.read("out/Makefile"));
}

#[test]
fn commands_link_roctx_where_a_source_includes_nvtx() {
    let make = "LIBS = -lcudart -lm\napp: a.o\n\t$(NVCC) -o $@ $^\nother: a.o\n\tg++ -o $@ \"$^\" $(LIBS)\nrun: a.o\n\t@nvcc a.o -o a >log && ./a\nplain: b.o\n\tg++ -o $@ b.o -lm\na.o: a.cu\n\t$(NVCC) -c -o $@ $<\n";
    let files = |include: &str, make: &str| {
        let source = format!("#include <{include}>\nint a;\n");
        Folder::new(&[("p/a.cu", source.as_str()), ("p/Makefile", make)])
    };
    let folder = files("nvtx3/nvToolsExt.h", make);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/Makefile");
    for line in [
        " -o $@ $^ -lroctx64\n",
        "\"$^\" $(LIBS) -lroctx64\n",
        " a.o -o a -lroctx64 >log && ./a\n",
        "b.o -lm\n",
        " -c -o $@ $<\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    // A file that names NVIDIA's library has it replaced.
    let named = make.replace("-lm", "-lnvToolsExt");
    for folder in [files("nvToolsExt.h", &named), files("cuda_runtime.h", make)] {
        check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
        assert!(!folder.read("out/Makefile").contains("$^ -lroctx64"));
    }
}

#[test]
fn targets_link_roctx_where_a_source_includes_nvtx() {
    let cmake = "project(a LANGUAGES CXX CUDA)\nset(LIST b.cu)\nadd_executable(app a.cu main.cpp)\ntarget_link_libraries(app m)\nadd_library(lib ${LIST})\nadd_library(dynamic SHARED ${LIST})\nadd_library(empty STATIC)\ntarget_sources(empty PRIVATE a.cu)\nadd_executable(linked main.cpp)\ntarget_link_libraries(linked PRIVATE CUDA::cudart)\nadd_executable(plain main.cpp)\nadd_library(head INTERFACE)\nadd_library(parts OBJECT a.cu)\n";
    let files = |include: &str, cmake: &str| {
        let source = format!("#include <{include}>\nint a;\n");
        Folder::new(&[("p/a.cu", source.as_str()), ("p/CMakeLists.txt", cmake)])
    };
    // What takes the objects of `parts` has to be linked by hand.
    let folder = files("nvtx3/nvToolsExt.h", cmake);
    check(&folder, &["convert", "p", "-o", "out"], 1, "unconverted-build");
    let text = folder.read("out/CMakeLists.txt");
    let links: Vec<&str> = text.lines().filter(|line| line.contains("roctx64")).collect();
    let line =
        |target: &str, property: &str| format!("set_property(TARGET {target} APPEND PROPERTY {property} roctx64)");
    let of_archive =
        |target: &str| ["LINK_LIBRARIES", "INTERFACE_LINK_LIBRARIES"].map(|property| line(target, property));
    let [[lib, lib_users], [empty, empty_users]] = ["lib", "empty"].map(of_archive);
    let [app, dynamic, linked] = ["app", "dynamic", "linked"].map(|target| line(target, "LINK_LIBRARIES"));
    assert_eq!(links, [&app, &lib, &lib_users, &dynamic, &empty, &empty_users, &linked], "{text}");
    // Each line stands behind what makes the target, where other lines stand as well.
    assert!(text.contains(&format!("PROPERTIES LANGUAGE HIP)\n{app}\ntarget_link_libraries(app m)")), "{text}");
    let named = cmake.replace("CUDA::cudart", "CUDA::nvtx3");
    for folder in [files("nvtx3/nvToolsExt.h", &named), files("cuda_runtime.h", cmake)] {
        check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
        assert!(!folder.read("out/CMakeLists.txt").contains("set_property"));
    }
    check(&folder, &["lint", "p"], 1, "target_link_libraries(parts INTERFACE roctx64)");
    let own = "project(a LANGUAGES CXX CUDA)\nadd_module(app a.cu)\n";
    check(&files("nvtx3/nvToolsExt.h", own), &["convert", "p", "-o", "out"], 1, "unconverted-build");
}

#[test]
fn the_standard_is_raised_where_a_source_includes_what_needs_it() {
    let cmake = "project(a LANGUAGES CXX CUDA)\nset(CMAKE_CUDA_STANDARD 14)\nset(CMAKE_CXX_STANDARD 14)\nadd_library(a a.cu)\nset_target_properties(a PROPERTIES CUDA_STANDARD 11)\ntarget_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++14>)\n";
    let make = "FLAGS = -std=gnu++11 -std=c11\na: a.cu\n\tnvcc $(FLAGS) -std=c++14 -c a.cu\n";
    let files = |source: &str| Folder::new(&[("p/CMakeLists.txt", cmake), ("p/Makefile", make), ("p/a.cu", source)]);
    let folder = files("#include <cub/cub.cuh>\n");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    check(&folder, &["convert", "p", "-o", "old", "--rocm", "6.4"], 0, "converted");
    let text = folder.read("out/CMakeLists.txt");
    for line in ["CMAKE_HIP_STANDARD 17", "CMAKE_CXX_STANDARD 14", "HIP_STANDARD 17)", ":-std=c++17>"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let text = folder.read("out/Makefile");
    assert!(text.starts_with("FLAGS = -std=gnu++17 -std=c11\n") && text.contains(" -std=c++17 -c"), "{text}");
    assert!(folder.read("old/Makefile").starts_with("FLAGS = -std=gnu++11"));
    let folder = files("#include <cuda_runtime.h>\n");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    assert!(folder.read("out/CMakeLists.txt").contains("CMAKE_HIP_STANDARD 14"));
}

#[test]
fn workflows_and_other_files_that_only_their_folder_tells_are_listed() {
    let workflow = "# cuda\njobs:\n  build:\n    container: nvidia/cuda:12.2.0-devel-ubuntu22.04\n";
    let files = [("a.cu", "int a;\n"), (".github/workflows/ci.yml", workflow), ("data.yml", "cuda: 1\n")];
    let folder = Folder::new(&files);
    let told = ".github/workflows/ci.yml:4:16: info B007 unconverted-build";
    check(&folder, &["lint", ".", "--format=concise"], 0, told);
    check(&folder, &["convert", ".", "-o", "out"], 0, "");
    assert_eq!(folder.read("out/.github/workflows/ci.yml"), workflow);
    assert_eq!(folder.read("out/data.yml"), "cuda: 1\n");
}

#[test]
fn python_that_compiles_while_it_runs_is_listed_and_other_python_is_not() {
    let raw = "import cupy\n\nadd = cupy.RawKernel(SOURCE, \"add\")\n";
    let files = [("a.cu", "int a;\n"), ("raw.py", raw), ("use.py", "import torch\nx = torch.zeros(1).cuda()\n")];
    let folder = Folder::new(&files);
    check(&folder, &["lint", ".", "--format=concise"], 1, "raw.py:3:12: warning B007 unconverted-build");
    let output = common::folder::hipshift(&folder, &["lint", ".", "--format=concise"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("use.py"), "{output:?}");
}

#[test]
fn what_a_makefile_includes_is_converted_or_told() {
    let make =
        "MACHINE = titan\ninclude config/make.inc.$(MACHINE)\ninclude config/$(MACHINE).conf\n-include a.d\nall: a.o\n";
    let files = [
        ("p/a.cu", "int a;\n"),
        ("p/Makefile", make),
        ("p/config/make.inc.titan", "NVCC = nvcc -arch=sm_80\n"),
        ("p/config/titan.conf", "NVCC = nvcc\n"),
        ("p/config/none.conf", "CC = gcc\n"),
        ("p/other/titan.conf", "NVCC = nvcc\n"),
        ("p/a.d", "a.o: /usr/local/cuda/include/cuda.h\n"),
    ];
    let folder = Folder::new(&files);
    let output = hipshift(&folder, &["convert", "p", "-o", "out"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), told.matches("is read by").count()), (Some(1), 1), "{told}");
    assert!(told.contains("`p/config/titan.conf` is read by `p/Makefile`"), "{told}");
    assert!(folder.read("out/config/make.inc.titan").contains("NVCC = hipcc --offload-arch=gfx90a"));
    assert_eq!(folder.read("out/config/titan.conf"), "NVCC = nvcc\n");
}

#[test]
fn a_script_without_an_extension_is_known_by_its_first_line() {
    let script = "#!/usr/bin/env bash\nnvcc -O3 -arch=sm_80 a.cu -o a\n";
    let files = [("p/a.cu", "int a;\n"), ("p/compile", script), ("p/notes", "nvcc a.cu\n"), ("p/bin.txt", script)];
    let folder = Folder::new(&files);
    check(&folder, &["convert", "p", "-o", "out"], 0, "1 of 2 files converted");
    assert!(folder.read("out/compile").contains("\nhipcc -O3 --offload-arch=gfx90a"));
    assert_eq!(folder.read("out/notes"), "nvcc a.cu\n");
    assert_eq!(folder.read("out/bin.txt"), script);
}

#[test]
fn what_is_compiled_apart_is_linked_by_hip_in_other_files_too() {
    let top = "project(p LANGUAGES C CXX CUDA)\nadd_subdirectory(lib)\nadd_subdirectory(app)\n";
    let lib = "add_library(k STATIC k.cu)\nset_target_properties(k PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n";
    let app =
        "add_executable(a a.c)\ntarget_link_libraries(a k)\nset_target_properties(a PROPERTIES LINKER_LANGUAGE CXX)\n";
    let files = [("p/CMakeLists.txt", top), ("p/lib/CMakeLists.txt", lib), ("p/app/CMakeLists.txt", app)];
    let folder = Folder::new(&files);
    folder.write("p/lib/k.cu", b"int k;\n");
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    assert_eq!(folder.read("out/app/CMakeLists.txt"), app.replace("LINKER_LANGUAGE CXX", "LINKER_LANGUAGE HIP"));
    // Where nothing is compiled apart, any compiler links.
    folder.write("p/lib/CMakeLists.txt", b"add_library(k STATIC k.cu)\n");
    check(&folder, &["convert", "p", "-o", "other"], 0, "converted");
    assert_eq!(folder.read("other/app/CMakeLists.txt"), app);
}

#[test]
fn device_code_that_another_makefile_compiles_apart_is_linked() {
    let rule = "include flags.mk\napp: a.o\n\t$(NVCC) $(ARCH) $^ -o $@\na.o: a.cu\n\t$(NVCC) $(FLAGS) -c $< -o $@\n";
    let files = [
        ("p/a.cu", "int a;\n"),
        ("p/Makefile", rule),
        ("p/flags.mk", "NVCC = nvcc\nARCH = -arch=sm_70\nFLAGS = $(ARCH) -rdc=true\n"),
        ("q/a.cu", "int a;\n"),
        ("q/Makefile", rule),
        ("q/flags.mk", "NVCC = nvcc\nARCH = -arch=sm_70\nFLAGS = $(ARCH)\n"),
    ];
    let folder = Folder::new(&files);
    for project in ["p", "q"] {
        let out = format!("out-{project}");
        check(&folder, &["convert", project, "-o", &out, "--arch", "gfx90a"], 0, "converted");
        let text = folder.read(&format!("{out}/Makefile"));
        assert_eq!(text.contains("$(NVCC) -fgpu-rdc $(ARCH) $^"), project == "p", "{text}");
        // What was converted stays as it is.
        check(&folder, &["convert", &out, "-o", "again", "--arch", "gfx90a"], 0, "");
        assert_eq!(folder.read("again/Makefile"), text);
        std::fs::remove_dir_all(folder.path("again")).unwrap();
    }
}

#[test]
fn headers_that_a_file_named_alone_includes_are_told() {
    let files = [
        ("p/a.cu", "#include \"helper_cuda.h\"\n#include \"plain.h\"\nint main() { cudaFree(0); }\n"),
        ("p/helper_cuda.h", "inline void check() { cudaGetLastError(); }\n"),
        ("p/plain.h", "#include \"deep/k.h\"\n"),
        ("p/deep/k.h", "__global__ void k() { __syncthreads(); }\n#include \"../a.cu\"\n"),
        ("p/other.h", "void other() { cudaFree(0); }\n"),
    ];
    let folder = Folder::new(&files);
    let told = |paths: &[&str], out: &str| {
        let output = hipshift(&folder, &[&["convert"], paths, &["-o", out]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("H002"), "{said}");
        (output.status.code(), said.lines().filter(|line| line.contains("was not named")).count(), said)
    };
    let (code, count, said) = told(&["p/a.cu"], "one");
    assert_eq!((code, count), (Some(1), 2), "{said}");
    assert!(said.contains("`p/helper_cuda.h` is included") && said.contains("`p/deep/k.h` is included"), "{said}");
    assert_eq!(told(&["p/a.cu", "p/helper_cuda.h", "p/deep/k.h"], "all").1, 0);
    assert_eq!(told(&["p"], "whole").0, Some(0));
}

#[test]
fn sources_that_a_list_brings_from_another_folder_are_told_where_the_target_is_made() {
    let root = "project(x LANGUAGES CXX CUDA)\nset(SRCS ${CMAKE_CURRENT_SOURCE_DIR}/k.cu)\nset(OTHERS b.cpp)\nadd_subdirectory(app)\n\
                add_subdirectory(lib)\nadd_library(made STATIC)\nadd_executable(up ${UP} ${SRCS})\n";
    let lib = "set(here k.cu)\nforeach(f IN LISTS here)\n  list(APPEND abs ${CMAKE_CURRENT_SOURCE_DIR}/${f})\nendforeach()\n\
               target_sources(made PRIVATE ${abs})\nset(OWN ${SRCS} main.cpp)\nadd_executable(own ${OWN})\n";
    let files = [
        ("p/k.cu", "int k;\n"),
        ("p/CMakeLists.txt", root),
        (
            "p/app/CMakeLists.txt",
            "add_executable(a main.cpp ${SRCS} ${OTHERS})\nset(USED_HIP ON)\nadd_executable(b ${SRCS})\n",
        ),
        (
            "p/app/deep/CMakeLists.txt",
            "set(SRCS main.cpp)\nforeach(x IN LISTS SRCS)\nadd_executable(c_${x} ${x} ${SRCS})\nendforeach()\n",
        ),
        ("p/app/more/CMakeLists.txt", "set(DEEP k.cu PARENT_SCOPE)\n"),
        ("p/lib/CMakeLists.txt", lib),
        ("p/up/k/CMakeLists.txt", "set(INNER ${CMAKE_CURRENT_SOURCE_DIR}/k.cu PARENT_SCOPE)\n"),
        ("p/up/CMakeLists.txt", "set(UP ${INNER} PARENT_SCOPE)\n"),
    ];
    let folder = Folder::new(&files);
    check(&folder, &["convert", "p", "-o", "out", "--arch", "gfx90a"], 0, "converted");
    let told = |path: &str| {
        let text = folder.read(path);
        let lines = text.lines().filter(|line| line.contains("PROPERTIES LANGUAGE HIP"));
        lines.map(|line| line.trim_start_matches("set_source_files_properties(").to_owned()).collect::<Vec<_>>()
    };
    let is = |list: &str, scope: &str| format!("${{{list}_HIP}}{scope} PROPERTIES LANGUAGE HIP)");
    assert_eq!(told("out/app/CMakeLists.txt"), [is("SRCS", ""), is("SRCS", "")]);
    assert_eq!(told("out/app/deep/CMakeLists.txt"), Vec::<String>::new());
    assert_eq!(told("out/CMakeLists.txt")[1..], [is("UP", "")]);
    assert_eq!(told("out/lib/CMakeLists.txt")[1..], [is("abs", " TARGET_DIRECTORY made"), is("OWN", "")]);
    check(&folder, &["convert", "out", "-o", "again", "--arch", "gfx90a"], 0, "");
    for (path, _) in files.iter().filter(|(path, _)| path.ends_with("CMakeLists.txt")) {
        let path = path.trim_start_matches("p/");
        assert_eq!(folder.read(&format!("again/{path}")), folder.read(&format!("out/{path}")), "{path}");
    }
}

#[test]
fn headers_outside_of_a_folder_are_told() {
    let kernel = "__global__ void k() { __syncthreads(); }\n";
    let files = [
        ("p/src/a.cu", "#include \"../../common/k.cuh\"\n#include \"../in.h\"\nint main() { cudaFree(0); }\n"),
        (
            "p/src/b.cu",
            "#include \"timer.h\"\n#include \"far/own.h\"\n#include \"plain.h\"\nint b() { return cudaFree(0); }\n",
        ),
        ("p/in.h", kernel),
        ("p/include/far/own.h", kernel),
        ("p/src/Makefile", "b.o: b.cu\n\tnvcc -c -I../include -I../../common b.cu\n"),
        ("common/k.cuh", "#include \"more.h\"\n"),
        ("common/more.h", kernel),
        ("common/timer.h", "inline void wait() { cudaDeviceSynchronize(); }\n"),
        ("common/plain.h", "int plain;\n"),
        ("common/own.h", kernel),
        ("common/far/own.h", kernel),
    ];
    let folder = Folder::new(&files);
    let output = hipshift(&folder, &["convert", "p", "-o", "out", "--arch", "gfx90a"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = said.lines().filter(|line| line.contains("was not named"));
    let told: Vec<&str> = told.filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(told, ["common/more.h", "common/timer.h"], "{said}");
    assert_eq!(output.status.code(), Some(1));
    let output = hipshift(&folder, &["convert", ".", "-o", "../all", "--arch", "gfx90a"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("was not named"));
}

#[test]
fn gpus_are_named_where_variables_of_other_makefiles_name_none() {
    let make = "include common.mk\na.o: a.cu\n\t$(NVCC) $(NVCCFLAGS) -L$(CUDA_LIBRARIES) -c $< -o $@\n";
    let found = |common: &str| {
        let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/Makefile", make), ("p/common.mk", common)]);
        let output = hipshift(&folder, &["convert", "p", "-o", "out", "--arch", "gfx90a", "-v"]);
        let told = String::from_utf8_lossy(&output.stdout).contains("names no GPU");
        (folder.read("out/Makefile").contains("-fno-strict-aliasing $(NVCCFLAGS)"), told)
    };
    assert_eq!(found("NVCC = nvcc\nOPT = -O3\nNVCCFLAGS = $(OPT)\n"), (true, false));
    assert_eq!(found("NVCC = nvcc\nSM = -arch=sm_70\nNVCCFLAGS = $(SM)\n"), (false, false));
    // Somebody else may.
    assert_eq!(found("NVCC = nvcc\nNVCCFLAGS = $(USER_FLAGS)\n"), (false, true));
    assert_eq!(found("NVCC = nvcc\n"), (false, true));
}

/// Shuffles lose their masks, so that variables for these are not read any more.
#[test]
fn masks_that_are_gone_are_no_error_where_warnings_are() {
    let source = "#include <cuda_runtime.h>\nnamespace {\nconstexpr unsigned kFull = 0xffffffffu;\nconstexpr unsigned kVotes = 0xffffffffu;\n}\n\
        __device__ float both(unsigned mask, float x) {\n  const unsigned all = kFull, more = 1;\n  x += __shfl_xor_sync(mask, x, 16);\n  \
        return x + __shfl_down_sync(mask, x, 8) + __shfl_sync(all, x, 0);\n}\n\
        __device__ float one(float x) {\n  const unsigned all = 0xffffffff;\n  if (__any_sync(kVotes, x > 0)) x += __shfl_sync(kVotes, x, 1);\n  \
        return x + __shfl_sync(all, x, 0);\n}\n\
        template <unsigned Mask> __device__ float named(float x) { return __shfl_sync(Mask, x, 0); }\n";
    let folder = Folder::new(&[("p/a.cu", source), ("p/Makefile", "NVCCFLAGS = -Xcompiler -Wall,-Wextra,-Werror\n")]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/a.cu");
    let kept = "__attribute__((unused)) ";
    assert!(text.contains(&format!("both({kept}unsigned mask, float x)")), "{text}");
    assert!(text.contains(&format!("  {kept}const unsigned all = 0xffffffff;")), "{text}");
    // Those two and `all` in `both`; all others are read, or no variables.
    assert_eq!(text.matches(kept).count(), 3, "{text}");
    folder.write("p/Makefile", b"NVCCFLAGS = -Xcompiler -Wall\n");
    check(&folder, &["convert", "p", "-o", "other"], 0, "converted");
    assert!(!folder.read("other/a.cu").contains(kept));
}

/// HIP's errors have to be looked at, and CUDA's need not.
#[test]
fn results_that_are_dropped_are_no_error_where_warnings_are() {
    let source = "#include <cuda_runtime.h>\n#define RELEASE(p) do { cudaFree(p); } while (0)\n\
        int f(float* p, bool done, cudaError_t e) {\n  cudaMemset(p, 0, 4);\n  if (done) ::cudaFree(p);\n  else cudaDeviceReset();\n  \
        (void)cudaGetLastError();\n  e = cudaFree(p);\n  if (cudaFree(p) != cudaSuccess) return cudaFree(p);\n  RELEASE(p);\n  \
        cublasHandle_t h; cublasDestroy(h);\n  \
        e = ({ cudaFree(p); });\n  e =\n#ifdef A\n  cudaFree(p);\n#else\n  cudaDeviceReset();\n#endif\n  printf(\"%s\", cudaGetErrorString(e));\n  return e;\n}\n";
    let folder = Folder::new(&[("p/a.cu", source), ("p/CMakeLists.txt", "add_compile_options(-Wall -Werror)\n")]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    let text = folder.read("out/a.cu");
    for dropped in [
        "do { (void)hipFree(p); }",
        "\n  (void)hipMemset(p, 0, 4);",
        "if (done) (void)::hipFree(p);",
        "else (void)hipDeviceReset();",
    ] {
        assert!(text.contains(dropped), "{dropped}: {text}");
    }
    // That one was there.
    assert_eq!(text.matches("(void)").count(), 5, "{text}");
    let some = "check_cxx_compiler_flag(-Werror HAS)\nadd_compile_options(-Werror=return-type)\n";
    folder.write("p/CMakeLists.txt", some.as_bytes());
    check(&folder, &["convert", "p", "-o", "other"], 0, "converted");
    assert_eq!(folder.read("other/a.cu").matches("(void)").count(), 1);
}

#[test]
fn what_headers_of_cub_need_is_asked_for_in_each_form() {
    let makefile = "STANDARD = c++14\nNVCCFLAGS := --std c++14 -arch=sm_70\nOTHER = -std c++11\n\
        a: a.cu\n\tnvcc $(NVCCFLAGS) -o $@ $<\nb: a.cu\n\tnvcc -std=$(STANDARD) -arch=sm_70 -o $@ $<\n";
    let cmake = "project(p LANGUAGES CXX CUDA)\nset(CMAKE_CXX_STANDARD 14)\nadd_executable(a a.cu)\n\
        set_target_properties(a PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON)\n";
    let source = "#include <thrust/sort.h>\nint a;\n";
    let folder = Folder::new(&[("p/a.cu", source), ("p/Makefile", makefile), ("p/c/CMakeLists.txt", cmake)]);
    check(&folder, &["convert", "p", "-o", "out", "--arch", "gfx90a"], 0, "converted");
    let (makefile, cmake) = (folder.read("out/Makefile"), folder.read("out/c/CMakeLists.txt"));
    for now in ["STANDARD = c++17\n", ":= -std=c++17 ", "OTHER = -std c++17\n", "-std=$(STANDARD)"] {
        assert!(makefile.contains(now), "{now}: {makefile}");
    }
    for now in [
        "set(CMAKE_CXX_STANDARD 14)\nset(CMAKE_HIP_STANDARD 17)\n",
        "CXX_STANDARD 11 HIP_STANDARD 17 CXX_STANDARD_REQUIRED",
    ] {
        assert!(cmake.contains(now), "{now}: {cmake}");
    }
    // The folder above, and a library without CUDA.
    let scoped = "project(p CUDA)\nset(CMAKE_CXX_STANDARD 14 PARENT_SCOPE)\n";
    folder.write("p/c/CMakeLists.txt", scoped.as_bytes());
    folder.write("p/d/CMakeLists.txt", b"project(d CXX)\nset(CMAKE_CXX_STANDARD 14)\n");
    check(&folder, &["convert", "p", "-o", "scoped", "--arch", "gfx90a"], 0, "converted");
    assert!(folder.read("scoped/c/CMakeLists.txt").contains("set(CMAKE_HIP_STANDARD 17 PARENT_SCOPE)"));
    assert!(!folder.read("scoped/d/CMakeLists.txt").contains("HIP_STANDARD"));
    // What becomes another variable as a whole.
    let older = "find_package(CUDA REQUIRED)\nset(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS} -std=c++11 -O3\")\ncuda_add_executable(a a.cu)\n";
    folder.write("p/c/CMakeLists.txt", older.as_bytes());
    check(&folder, &["convert", "p", "-o", "older", "--arch", "gfx90a"], 0, "converted");
    let text = folder.read("older/c/CMakeLists.txt");
    assert!(text.contains("set(CMAKE_HIP_FLAGS \"${CMAKE_HIP_FLAGS} -std=c++17 "), "{text}");
    // No header needs it.
    folder.write("p/a.cu", b"int a;\n");
    check(&folder, &["convert", "p", "-o", "other", "--arch", "gfx90a"], 0, "converted");
    assert!(!folder.read("other/Makefile").contains("c++17"));
    assert!(!folder.read("other/c/CMakeLists.txt").contains("HIP_STANDARD"));
}

#[test]
fn options_between_commas_are_known_from_other_makefiles() {
    let rule = |flags: &str| format!("include make.inc\na.o: a.cu\n\tnvcc -Xcompiler \"{flags}\" -c -o $@ $<\n");
    let before = rule("$(HOST)");
    let settings = "HOST = -O3,-Wall\nRPATH = -Wl,-rpath,-x\n";
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/Makefile", &before), ("p/make.inc", settings)]);
    check(&folder, &["convert", "p", "-o", "out", "--arch", "gfx90a"], 0, "converted");
    let converted = "-fno-strict-aliasing $(subst $(strip ,), ,$(HOST)) -c -o";
    assert!(folder.read("out/Makefile").contains(converted), "{}", folder.read("out/Makefile"));
    assert_eq!(folder.read("out/make.inc"), settings);
    // What has commas of its own, or none, stands for itself.
    for (variable, value) in [("RPATH", settings), ("HOST", "HOST = -O3 -Wall\n")] {
        folder.write("p/Makefile", rule(&format!("$({variable})")).as_bytes());
        folder.write("p/make.inc", value.as_bytes());
        check(&folder, &["convert", "p", "-o", variable, "--arch", "gfx90a"], 0, "converted");
        assert!(
            folder.read(&format!("{variable}/Makefile")).contains(&format!("-fno-strict-aliasing $({variable}) -c"))
        );
    }
}

#[test]
fn make_takes_the_function_for_what_it_is_meant_for() {
    let folder = Folder::new(&[("Makefile", "HOST = -O3,-Wall\nall:\n\t@echo $(subst $(strip ,), ,$(HOST)) end\n")]);
    let Ok(output) = std::process::Command::new("make").current_dir(folder.0.path()).output() else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-O3 -Wall end\n");
}

#[test]
fn lists_of_libraries_are_known_from_other_scripts() {
    let lists = "# settings\ndeclare -A NEEDS=(\n    [a]=\"cufft curand\"\n)\nNAMES=(cublas)\n";
    let script =
        "#!/bin/bash\n. ./config.sh\nfor l in ${NEEDS[a]}; do libs+=(\"-l$l\"); done\nnvcc a.cu \"${libs[@]}\"\n";
    let folder = Folder::new(&[("p/a.cu", "int a;\n"), ("p/build.sh", script), ("p/config.sh", lists)]);
    check(&folder, &["convert", "p", "-o", "out"], 0, "converted");
    assert_eq!(folder.read("out/config.sh"), lists.replace("cufft curand", "hipfft hiprand"));
}
