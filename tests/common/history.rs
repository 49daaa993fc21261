//! Sources and their results over some time, with what git would make of them.

use std::process::Command;

use super::folder::{Folder, check, hipshift};

/// A source with some places to be edited.
pub(crate) const FILE: &str = "\
#include <cuda_runtime.h>

void release(void* pointer) {
    cudaFree(pointer);
}

void wait() {
    cudaDeviceSynchronize();
}

__global__ void scale(float* values, float factor) {
    values[threadIdx.x] *= factor;
}

void run(float* values) {
    scale<<<1, 32>>>(values, 2.0f);
}
";

/// A file that `git merge-file` merges as an update does, with the same words behind the markers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) text: String,
    pub(crate) conflicts: usize,
}

pub(crate) fn git_merge(name: &str, [ours, base, theirs]: [&str; 3]) -> Merged {
    let folder = Folder::new(&[("ours", ours), ("base", base), ("theirs", theirs)]);
    let mut command = Command::new("git");
    command.current_dir(folder.0.path()).args(["merge-file", "-p", "--zdiff3"]);
    for state in ["edited here", "converted last time", "converted now"] {
        command.args(["-L", &format!("{name} as {state}")]);
    }
    let output = command.args(["ours", "base", "theirs"]).output().unwrap();
    let conflicts = usize::try_from(output.status.code().unwrap()).unwrap();
    assert!(conflicts < 128, "{output:?}");
    Merged { text: String::from_utf8(output.stdout).unwrap(), conflicts }
}

/// Sources in `cuda`, results in `hip`.
pub(crate) struct History {
    pub(crate) folder: Folder,
    options: Vec<&'static str>,
}

impl History {
    pub(crate) fn new(files: &[(&str, &str)], options: &[&'static str]) -> History {
        let folder = Folder::new(&[]);
        for (path, text) in files {
            folder.write(&format!("cuda/{path}"), text.as_bytes());
        }
        let history = History { folder, options: options.to_vec() };
        history.convert("hip", &[]);
        history
    }

    /// Converts the sources as they are now.
    pub(crate) fn convert(&self, to: &str, more: &[&str]) {
        let arguments = [&["convert", "cuda", "-o", to, "-q"], self.options.as_slice(), more].concat();
        let output = hipshift(&self.folder, &arguments);
        assert!(output.status.code().unwrap() < 2, "{output:?}");
    }

    /// Replaces a part of a file, which is there once.
    pub(crate) fn edit(&self, path: &str, part: &str, new: &str) {
        let text = self.folder.read(path);
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
        self.folder.write(path, text.replace(part, new).as_bytes());
    }

    /// Updates, and checks a file that has the same name before and after against `git merge-file`.
    #[track_caller]
    pub(crate) fn update(&self, path: &str, code: i32, message: &str) -> Merged {
        let base = self.conversion_of_last_time(path);
        let ours = self.folder.read(&format!("hip/{path}"));
        self.convert("theirs", &["--no-manifest"]);
        let expected = git_merge(path, [&ours, &base, &self.folder.read(&format!("theirs/{path}"))]);
        check(&self.folder, &["update", "-o", "hip"], code, message);
        assert_eq!(self.folder.read(&format!("hip/{path}")), expected.text);
        expected
    }

    fn conversion_of_last_time(&self, path: &str) -> String {
        let manifest: serde_json::Value =
            serde_json::from_str(&self.folder.read("hip/.hipshift/manifest.json")).unwrap();
        let digest = manifest["files"][path]["output_sha256"].as_str().unwrap();
        let packed = self.folder.path(&format!("hip/.hipshift/base/{}/{}.gz", &digest[..2], &digest[2..]));
        let output = Command::new("gzip").arg("-dc").arg(packed).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }
}
