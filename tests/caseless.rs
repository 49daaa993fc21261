//! A file system that takes two names for one, as it knows no case: NTFS in a file, where the system lets the test mount it.
#![cfg(unix)]

use std::process::{Command, Output};

use crate::common::folder::Folder;
use crate::common::tree::tree;

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

/// `src` is on a file system that tells case, `mounted` is one that does not.
struct Caseless {
    folder: Folder,
}

impl Caseless {
    /// Nothing where there are no tools for it, or no rights.
    fn new() -> Option<Caseless> {
        let folder = Folder::new(&[("src/B.cu", CUDA), ("mounted/x", "")]);
        std::fs::remove_file(folder.path("mounted/x")).unwrap();
        let [image, mounted] = ["image", "mounted"].map(|name| folder.path(name).to_str().unwrap().to_owned());
        std::fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
        let works = |program: &str, arguments: &[&str]| {
            Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
        };
        let is_made = works("mkntfs", &["-F", "-Q", "-q", &image]);
        if !is_made || !works("lowntfs-3g", &["-o", "ignore_case", &image, &mounted]) {
            eprintln!("not tested: no file system without case can be mounted here (`ntfs-3g`, as the superuser)");
            return None;
        }
        Some(Caseless { folder })
    }

    fn write(&self, path: &str, word: &str) {
        self.folder.write(path, format!("{CUDA}// {word}\n").as_bytes());
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(self.folder.path("src")).args(arguments).env("XDG_STATE_HOME", self.folder.path("state"));
        command.output().unwrap()
    }

    #[track_caller]
    fn says(&self, arguments: &[&str], code: i32, message: &str) {
        let output = self.run(arguments);
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(message), "{arguments:?}: no `{message}` in {text}");
    }
}

impl Drop for Caseless {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path("mounted")).status();
    }
}

#[test]
fn of_two_results_with_one_name_none_is_lost_in_silence() {
    let Some(caseless) = Caseless::new() else { return };
    caseless.write("src/A.cu", "first");
    caseless.write("src/a.cu", "second");
    for arguments in [
        &["convert", ".", "-o", "../mounted/out"][..],
        &["convert", ".", "-o", "../mounted/out", "--no-manifest"],
        &["hipify", "-o-dir", "../mounted/out", "A.cu", "a.cu"],
    ] {
        let code = if arguments[0] == "hipify" { 1 } else { 2 };
        caseless.says(arguments, code, "on this file system it is another name of");
        let left = tree(&caseless.folder.path("mounted"));
        assert!(left.keys().all(|path| path == "out"), "{arguments:?}: {left:?}");
    }
}

#[test]
fn an_input_that_changes_its_case_keeps_its_result() {
    let Some(caseless) = Caseless::new() else { return };
    caseless.write("src/A.cu", "same");
    caseless.says(&["convert", ".", "-o", "../mounted/out", "-q"], 0, "");
    let before = tree(&caseless.folder.path("mounted"));
    assert_eq!(before.len(), 2);
    std::fs::rename(caseless.folder.path("src/A.cu"), caseless.folder.path("src/a.cu")).unwrap();
    caseless.says(&["update", "-o", "../mounted/out"], 0, "unchanged");
    assert_eq!(tree(&caseless.folder.path("mounted")), before);
    // With another content it is not known for the same: a person decides, and finds both.
    std::fs::rename(caseless.folder.path("src/B.cu"), caseless.folder.path("src/b.cu")).unwrap();
    caseless.write("src/b.cu", "quite another text\nint x;\nint y;\nint z;");
    caseless.says(&["update", "-o", "../mounted/out"], 1, "1 conflict");
    assert!(caseless.folder.read("mounted/out/b.cu").contains("quite another text"));
    caseless.says(&["undo", "../mounted/out"], 0, "");
    assert_eq!(tree(&caseless.folder.path("mounted")), before);
}
