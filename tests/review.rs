//! `hipshift review` in a real terminal.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]
#![cfg(unix)]

mod common;

use common::folder::Folder;
use common::terminal::Session;

const CUDA: &str = "\
#include <cuda_runtime.h>

__global__ void k(float* x);

void f(float* x, cudaStream_t stream) {
    cudaMalloc(&x, 4);
    k<<<dim3(1), 2, 0, stream>>>(x);
    first();
    cudaFree(x);
}
";

#[test]
fn look() {
    let folder = Folder::new(&[("src/a.cu", CUDA)]);
    let session = Session::start(folder.0.path(), &["review", "src"], &[]);
    session.wait_for("q quit");
    eprintln!("{}", session.screen());
    session.press_for("y", "hunk 2 of");
    eprintln!("{}", session.screen());
    session.press_for(" ", "above");
    eprintln!("{}", session.screen());
    session.press_for("q", "next:");
    let (code, screen) = session.end();
    eprintln!("{code:?} {screen}\n{}", folder.read(".hipshift/decisions.toml"));
}
