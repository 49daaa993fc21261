//! Libraries, packages and folders of CUDA's.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds libraries of CUDA's in build files: packages and imported targets of `CMake`, variables of `FindCUDA`, `-lcublas`,
    /// `libcublas.so`, what `find_library` and `find_path` look for, and the folder where CUDA is installed.
    ///
    /// ## Why is this bad?
    /// The libraries are not there; ROCm has others in their place.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// find_package(CUDAToolkit REQUIRED)
    /// target_link_libraries(app PRIVATE CUDA::cudart CUDA::cublas)
    /// ```
    /// Use instead:
    /// ```cmake
    /// find_package(hip REQUIRED)
    /// find_package(hipblas REQUIRED)
    /// target_link_libraries(app PRIVATE hip::host roc::hipblas)
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Variables for the folder of CUDA, such as `CUDA_HOME`, become `ROCM_PATH`; who sets them from outside has to use the new
    /// name. Source: ROCm documentation, "Using `CMake`".
    CudaLibrary { code: "B004", name: "cuda-library", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for CudaLibrary {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Library, cx);
    }
}
