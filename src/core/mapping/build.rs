//! Names of CUDA's in build files, and what stands in their place.

use std::sync::LazyLock;

use serde::Deserialize;

use super::load::{MappingError, toml_table};

/// A library.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildLibrary {
    /// CUDA's name for it.
    pub cuda: String,
    /// What stands behind `-l` in its place, if something does; empty if nothing is needed.
    pub link: Option<String>,
    /// The imported target of CMake in its place; empty if nothing is needed.
    #[serde(default)]
    pub target: String,
    /// The package that has the target; empty if none is needed.
    #[serde(default)]
    pub package: String,
    /// Libraries that it consists of, for those that link only some.
    #[serde(default)]
    parts: Vec<String>,
    /// What to do where nothing takes its place.
    pub advice: Option<String>,
}

/// A package of CMake.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildPackage {
    cuda: String,
    /// The package in its place.
    pub package: String,
    /// Whether it also made CMake compile CUDA.
    #[serde(default)]
    pub language: bool,
}

/// A name, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildName {
    cuda: String,
    /// The name in its place.
    pub hip: Option<String>,
    /// The library that a command links.
    pub link: Option<String>,
    /// What to do where no name takes its place.
    pub advice: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    library: Vec<BuildLibrary>,
    package: Vec<BuildPackage>,
    variable: Vec<BuildName>,
    command: Vec<BuildName>,
    folder: Vec<String>,
    tool: Vec<BuildName>,
}

static TABLE: LazyLock<File> = LazyLock::new(|| {
    // A test reads the table, so an error here cannot reach a release.
    read().unwrap_or_default()
});

fn read() -> Result<File, MappingError> {
    toml_table("build.toml", include_str!("../../../mappings/build.toml"))
}

/// The library of this name, shared or static, or the one that has it as a part: `cudnn_ops_static`.
pub fn build_library(name: &str) -> Option<&'static BuildLibrary> {
    let shared = name.strip_suffix("_static").or_else(|| name.strip_suffix("_static_nocallback")).unwrap_or(name);
    TABLE.library.iter().find(|library| library.cuda == shared || library.parts.iter().any(|part| part == shared))
}

/// The library that a variable of FindCUDA, such as `CUDA_cufft_LIBRARY` or `CUDA_CUFFT_LIBRARIES`, holds.
pub fn library_of_variable(variable: &str) -> Option<&'static BuildLibrary> {
    if variable == "CUDA_LIBRARIES" {
        return build_library("cudart");
    }
    let name = variable.strip_prefix("CUDA_")?;
    let name = name.strip_suffix("_LIBRARY").or_else(|| name.strip_suffix("_LIBRARIES"))?;
    TABLE.library.iter().find(|library| library.cuda.eq_ignore_ascii_case(name))
}

/// The package of CMake of this name.
pub fn build_package(name: &str) -> Option<&'static BuildPackage> {
    TABLE.package.iter().find(|package| package.cuda == name)
}

/// What takes the place of a variable or property of CMake.
pub fn build_variable(name: &str) -> Option<&'static BuildName> {
    TABLE.variable.iter().find(|variable| variable.cuda == name)
}

/// What takes the place of a command of `FindCUDA`, whose name is written in any case.
pub fn build_command(name: &str) -> Option<&'static BuildName> {
    TABLE.command.iter().find(|command| command.cuda.eq_ignore_ascii_case(name))
}

/// Whether a variable names the folder of CUDA.
pub fn is_cuda_folder(variable: &str) -> bool {
    TABLE.folder.iter().any(|folder| folder == variable)
}

/// What to do about a program of CUDA's.
pub fn build_tool(name: &str) -> Option<&'static str> {
    TABLE.tool.iter().find(|tool| tool.cuda == name).and_then(|tool| tool.advice.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_every_row_says_what_to_do() {
        let table = read().unwrap();
        for library in &table.library {
            assert_eq!(library.link.is_none(), library.advice.is_some(), "{}", library.cuda);
        }
        for name in table.variable.iter().chain(&table.command).chain(&table.tool) {
            assert!(name.hip.is_some() || name.link.is_some() || name.advice.is_some(), "{}", name.cuda);
            assert!(name.link.as_deref().is_none_or(|link| build_library(link).is_some()), "{}", name.cuda);
        }
    }

    #[test]
    fn static_libraries_and_parts_are_those_of_the_whole() {
        let link = |name| build_library(name).and_then(|library| library.link.as_deref());
        assert_eq!(link("cublas_static"), Some("hipblas"));
        assert_eq!(link("cufft_static_nocallback"), Some("hipfft"));
        assert_eq!([link("cudnn_ops_infer"), link("cudnn_graph_static")], [Some("MIOpen"); 2]);
        assert_eq!([link("cudnn_mine"), link("_static")], [None; 2]);
    }

    #[test]
    fn variables_of_find_cuda_name_libraries() {
        let target = |variable| library_of_variable(variable).map(|library| library.target.as_str());
        assert_eq!(target("CUDA_LIBRARIES"), Some("hip::host"));
        assert_eq!(target("CUDA_CUBLAS_LIBRARIES"), Some("roc::hipblas"));
        assert_eq!(target("CUDA_cufft_LIBRARY"), Some("hip::hipfft"));
        assert_eq!(target("CUDA_MY_LIBRARY"), None);
    }
}
