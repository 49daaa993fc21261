//! The binary in place of hipify-clang and hipify-perl: options, defaults and files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_hipshift");
const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
const HIP: &str = "#include <hip/hip_runtime.h>\nvoid f(void* p) { hipFree(p); }\n";

/// A folder that is removed in the end.
struct Folder(tempfile::TempDir);

/// What a run left.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// All files, sorted, with blanks between.
    fn names(&self) -> String {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    }

    fn call(&self, program: &Path, arguments: &str) -> Done {
        let output =
            Command::new(program).current_dir(self.0.path()).args(arguments.split_whitespace()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Done { code: output.status.code().unwrap(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    fn clang(&self, arguments: &str) -> Done {
        self.call(Path::new(BINARY), &format!("hipify {arguments}"))
    }

    fn perl(&self, arguments: &str) -> Done {
        self.call(Path::new(BINARY), &format!("hipify --as perl {arguments}"))
    }
}

#[test]
fn clang_writes_beside_the_source_and_perl_to_standard_output() {
    let folder = Folder::with(&[("src/a.cu", CUDA)]);
    assert_eq!(folder.clang("src/a.cu -- -std=c++17 -I include").code, 0);
    assert_eq!(folder.read("src/a.cu.hip"), HIP);
    let done = folder.perl("src/a.cu");
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, HIP, ""));
}

#[test]
#[cfg(unix)]
fn the_name_of_the_program_chooses_the_tool() {
    let folder = Folder::with(&[("a.cu", CUDA)]);
    for name in ["hipify-clang", "hipify-perl", "hipify-clang.bin"] {
        std::os::unix::fs::symlink(BINARY, folder.path(name)).unwrap();
    }
    assert_eq!(folder.call(&folder.path("hipify-perl"), "a.cu").stdout, HIP);
    assert_eq!(folder.call(&folder.path("hipify-clang"), "-o=c.hip a.cu").code, 0);
    assert_eq!(folder.call(&folder.path("hipify-clang.bin"), "a.cu").code, 0);
    assert_eq!((folder.read("c.hip").as_str(), folder.read("a.cu.hip").as_str()), (HIP, HIP));
    assert!(folder.call(&folder.path("hipify-clang"), "-version").stdout.contains("hipify-clang"));
}

#[test]
fn output_goes_where_the_options_say() {
    let folder = Folder::with(&[("a.cu", CUDA), ("sub/b.cuh", CUDA)]);
    assert_eq!(folder.clang("a.cu sub/b.cuh --o-dir=out").code, 0);
    assert_eq!((folder.read("out/a.cu.hip").as_str(), folder.read("out/b.cuh.hip").as_str()), (HIP, HIP));
    assert_eq!(folder.clang("a.cu --o-dir out -o c.cpp").code, 0);
    assert_eq!(folder.read("out/c.cpp"), HIP);
    assert_eq!(folder.perl("a.cu sub/b.cuh -o both").code, 0);
    assert_eq!(folder.read("both"), format!("{HIP}{HIP}"));
    assert_eq!(folder.clang("a.cu --no-output").code, 0);
    assert_eq!(folder.clang("a.cu -o -").stdout, HIP);
    assert_eq!(folder.names(), "a.cu both out sub");
}

#[test]
fn a_result_takes_the_place_of_an_earlier_one_but_not_of_a_source() {
    let tools: [fn(&Folder, &str) -> Done; 2] = [Folder::clang, Folder::perl];
    for run in tools {
        let folder = Folder::with(&[("a.cu", CUDA)]);
        for _ in 0..2 {
            let done = run(&folder, "-o out.cpp a.cu");
            assert_eq!((done.code, folder.read("out.cpp").as_str()), (0, HIP), "{}", done.stderr);
        }
        let done = run(&folder, "-o ./a.cu a.cu");
        assert!(done.code != 0 && done.stderr.contains("`--inplace` converts it"), "{}", done.stderr);
        assert_eq!(folder.read("a.cu"), CUDA);
    }
}

#[test]
fn contradictions_are_refused() {
    let folder = Folder::with(&[("a.cu", CUDA), ("b.cu", CUDA), ("sub/a.cu", CUDA)]);
    let refused = [
        "a.cu b.cu -o out",
        "-inplace -o out a.cu",
        "--inplace --o-dir out a.cu",
        "--inplace --no-output a.cu",
        "a.cu sub/a.cu --o-dir out",
        "--no-such-option a.cu",
        "--md a.cu",
        "--perl",
        "--local-headers a.cu",
        "--rocm 3.5 a.cu",
        "--hipdnn a.cu",
        "",
    ];
    for arguments in refused {
        let done = folder.clang(arguments);
        assert_eq!(done.code, 1, "{arguments}");
        assert!(done.stderr.starts_with("error: ") && done.stdout.is_empty(), "{arguments}: {}", done.stderr);
    }
    assert_eq!(folder.names(), "a.cu b.cu sub");
    assert!(folder.clang("--md").stderr.contains("hipshift map --json"));
    assert_eq!(folder.clang("--hipdnn --rocm 6.3 a.cu").code, 0);
}

#[test]
fn originals_stay_when_converting_in_place() {
    let folder = Folder::with(&[("a.cu", CUDA)]);
    assert_eq!(folder.clang("-inplace a.cu").code, 0);
    assert_eq!((folder.read("a.cu").as_str(), folder.read("a.cu.prehip").as_str()), (HIP, CUDA));
    // hipify-clang keeps the first original and reads the source, hipify-perl reads the original.
    fs::write(folder.path("a.cu"), "int changed = cudaSuccess;\n").unwrap();
    assert_eq!(folder.clang("-inplace a.cu").code, 0);
    assert_eq!(folder.read("a.cu.prehip"), CUDA);
    assert!(folder.read("a.cu").contains("changed = hipSuccess"));
    assert_eq!(folder.perl("-inplace a.cu").code, 0);
    assert_eq!((folder.read("a.cu").as_str(), folder.read("a.cu.prehip").as_str()), (HIP, CUDA));
}

#[test]
fn no_original_stays_without_backup() {
    let folder = Folder::with(&[("a.cu", CUDA)]);
    assert_eq!(folder.clang("--inplace --no-backup a.cu").code, 0);
    assert_eq!((folder.read("a.cu").as_str(), folder.names().as_str()), (HIP, "a.cu"));
}

#[test]
fn sources_come_from_the_compilation_database() {
    let folder = Folder::with(&[("src/a.cu", CUDA), ("src/b.cu", CUDA)]);
    let directory = folder.path("src").to_str().unwrap().to_owned();
    let commands = serde_json::json!([{ "directory": directory, "file": "a.cu", "command": "nvcc -c a.cu" }]);
    fs::create_dir(folder.path("build")).unwrap();
    fs::write(folder.path("build/compile_commands.json"), commands.to_string()).unwrap();
    assert_eq!(folder.clang("-p build").code, 0);
    assert_eq!(folder.read("src/a.cu.hip"), HIP);
    assert!(!folder.path("src/b.cu.hip").exists());
    assert_eq!(folder.clang("-p nowhere").code, 1);
}

#[test]
fn perl_leaves_out_what_its_lists_name() {
    let folder = Folder::with(&[("a.cu", CUDA), ("old/b.cu", CUDA), ("c.cu", CUDA)]);
    let done = folder.perl("a.cu old/b.cu c.cu -exclude-dirs old,older -exclude-files=c.cu -whitelist cudaFree");
    assert_eq!(done.stdout, HIP.replace("hipFree", "cudaFree"));
}

#[test]
fn perl_passes_over_unknown_options_and_missing_files() {
    let folder = Folder::with(&[("a.cu", "int n = cudaNoSuchThing();\n")]);
    let done = folder.perl("-no-such-option a.cu");
    assert_eq!((done.code, done.stdout.as_str()), (0, "int n = cudaNoSuchThing();\n"));
    assert!(done.stderr.contains("-no-such-option") && done.stderr.contains("a.cu:1:9: warning:"), "{}", done.stderr);
    assert_eq!(folder.perl("-quiet-warnings a.cu").stderr, "");
    let done = folder.perl("missing.cu a.cu");
    assert_eq!((done.code, done.stdout.as_str()), (1, "int n = cudaNoSuchThing();\n"));
    assert!(done.stderr.contains("missing.cu"), "{}", done.stderr);
}

#[test]
fn statistics_count_references() {
    let text = format!("{CUDA}void g() {{ cuProfilerInitialize(0, 0, 0); }}\n");
    let folder = Folder::with(&[("a.cu", text.as_str()), ("b.cu", CUDA)]);
    let done = folder.clang("--examine a.cu b.cu");
    assert_eq!((done.code, folder.names().as_str()), (0, "a.cu b.cu"));
    let lines: Vec<&str> = done.stdout.lines().map(str::trim).filter(|line| !line.starts_with("time")).collect();
    insta::assert_snapshot!(lines.join("\n"));
    let done = folder.perl("-print-stats b.cu");
    assert_eq!(done.stdout, HIP);
    assert!(done.stderr.contains("converted references   2"), "{}", done.stderr);
}

#[test]
fn statistics_go_to_a_file() {
    let folder = Folder::with(&[("a.cu", CUDA)]);
    assert_eq!(folder.clang("--print-stats-csv --o-stats=stats.csv a.cu").stdout, "");
    assert!(folder.read("stats.csv").contains("a.cu,name,cudaFree,1,0\n"), "{}", folder.read("stats.csv"));
    assert!(folder.clang("--print-stats-csv a.cu").stdout.contains("a.cu,references,,2,0\n"));
}

#[test]
fn help_lists_the_options() {
    let folder = Folder::with(&[]);
    insta::assert_snapshot!("help_clang", folder.clang("--help").stdout);
    insta::assert_snapshot!("help_perl", folder.perl("-help").stdout);
    assert!(folder.clang("--versions").stdout.contains("ROCm"));
}
