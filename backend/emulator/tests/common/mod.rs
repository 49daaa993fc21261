//! What the tests share: the compiler, and kernels that it made.

pub(crate) mod elements;
pub(crate) mod machine;
pub(crate) mod small_floats;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder that `./test` fills, or `None` with a note.
pub(crate) fn toolchain() -> Option<PathBuf> {
    let folder = std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| root().join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() && folder.join("hip-7.2/usr").exists() {
        return Some(folder);
    }
    let how = "no compiler for AMD GPUs found, `./test` fetches it";
    assert!(std::env::var_os("HIPSHIFT_REQUIRE_TOOLCHAIN").is_none(), "{how}");
    eprintln!("not tested: {how}");
    None
}

/// Compiles a file for one processor and returns the code object.
pub(crate) fn compile(source: &Path, processor: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let toolchain = toolchain()?;
    let path = output_path("co");
    let hip = toolchain.join("hip-7.2/usr");
    let mut command = Command::new(toolchain.join("bin/clang++-22"));
    command.args(["-x", "hip", "-w", "--cuda-device-only", "--no-gpu-bundle-output", "-c"]).args(flags);
    command.arg(format!("--offload-arch={processor}"));
    command.arg(format!("--rocm-path={}", hip.display()));
    let bitcode = hip.join("lib/llvm-22/lib/clang/22/amdgcn/bitcode");
    command.arg(format!("--rocm-device-lib-path={}", bitcode.display()));
    let output = command.arg(source).arg("-o").arg(&path).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {message}", source.display());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    Some(bytes)
}

/// A fresh path for a file of this process.
pub(crate) fn output_path(extension: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}.{extension}", std::process::id()))
}

/// A kernel file of these tests.
pub(crate) fn kernels(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(name)
}

/// A program of the toolchain's compiler.
pub(crate) fn llvm(program: &str) -> Option<Command> {
    let folder = toolchain()?.join("llvm/usr");
    let libraries = [folder.join("lib/x86_64-linux-gnu"), folder.join("lib/llvm-22/lib")];
    let mut command = Command::new(folder.join("lib/llvm-22/bin").join(program));
    command.env("LD_LIBRARY_PATH", std::env::join_paths(libraries).unwrap());
    Some(command)
}

/// What kernels printed.
#[derive(Default)]
pub(crate) struct Printed(pub(crate) std::sync::Mutex<(Vec<u8>, Vec<u8>)>);

impl hipshift_emulator::HostServices for Printed {
    fn print(&self, stream: hipshift_emulator::Stream, text: &[u8]) {
        let mut printed = self.0.lock().unwrap();
        match stream {
            hipshift_emulator::Stream::Output => printed.0.extend_from_slice(text),
            hipshift_emulator::Stream::Error => printed.1.extend_from_slice(text),
        }
    }

    /// The kernels of these tests are correct: a finding is a false alarm.
    #[allow(clippy::panic, reason = "a test that cannot go on fails")]
    fn report(&self, finding: &hipshift_emulator::Fault, _: bool) {
        panic!("{finding}");
    }
}
