//! Options of nvcc that clang has under another name.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds options of nvcc in `CMake` files, makefiles and scripts, and puts clang's in their place: `-gencode` and `-arch`
    /// become `--offload-arch` of the configured targets, `-Xcompiler a,b` becomes `a b`, `-rdc=true` becomes `-fgpu-rdc`,
    /// `--expt-…` goes. In `CMake` the targets stand in `CMAKE_HIP_ARCHITECTURES` only. Commands of makefiles and scripts that
    /// compile with nvcc and name no GPU, by no variable of the file either, get the targets, too.
    ///
    /// ## Why is this bad?
    /// clang and hipcc stop at the option. Where GPUs are named, clang is told to compile as nvcc does, too: an
    /// `int*` and a `float*` may lead to one place, numbers that do not fit become the bounds of an integer, and numbers in braces may be narrowed. Without `--offload-arch` hipcc compiles for the GPU of the machine that builds, and
    /// stops where there is none.
    ///
    /// ## Example
    /// In a makefile:
    /// ```make
    /// NVCCFLAGS = -O3 -gencode arch=compute_80,code=sm_80 -Xcompiler -Wall,-fPIC
    /// ```
    /// Use instead:
    /// ```make
    /// NVCCFLAGS = -O3 --offload-arch=gfx90a --offload-arch=gfx942 --offload-arch=gfx1100 -Wno-c++11-narrowing -Xarch_device -fno-strict-float-cast-overflow -fno-strict-aliasing -Wall -fPIC
    /// ```
    ///
    /// ## Fix safety
    /// Safe. `--use_fast_math` becomes the three options of clang that it stands for, and not `-ffast-math`, which would also let sums be
    /// reordered and NaN be ignored.
    /// Source: NVIDIA, "CUDA Compiler Driver NVCC", "NVCC Command Options"; Clang documentation, "HIP Support".
    NvccOption { code: "B002", name: "nvcc-option", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NvccOption {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Option, cx);
    }
}
