//! CUDA as a language of `CMake`.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds CUDA as a language of `CMake`: in `project` and `enable_language`, in variables, properties and generator
    /// expressions, and the commands of `FindCUDA`.
    ///
    /// ## Why is this bad?
    /// `CMake` looks for nvcc, and compiles nothing as HIP.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// project(app LANGUAGES CXX CUDA)
    /// set(CMAKE_CUDA_STANDARD 17)
    /// ```
    /// Use instead:
    /// ```cmake
    /// if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
    ///   set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942 gfx1100)
    /// endif()
    /// project(app LANGUAGES CXX HIP)
    /// set(CMAKE_HIP_STANDARD 17)
    /// ```
    ///
    /// ## Fix safety
    /// Safe. `CMake` knows HIP from 3.21 on, so `cmake_minimum_required` asks for that at least. Source: `CMake` documentation,
    /// `enable_language`, `CMAKE_HIP_ARCHITECTURES`.
    CudaLanguage { code: "B003", name: "cuda-language", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for CudaLanguage {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Language, cx);
    }
}
