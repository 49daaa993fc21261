//! Which files say how a project is built.

use camino::Utf8Path;

/// What a build file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuildKind {
    /// `CMakeLists.txt` and modules of CMake.
    CMake,
    /// Makefiles and what they include.
    Make,
    /// Scripts of a shell.
    Shell,
    /// `setup.py`.
    Python,
    /// Meson.
    Meson,
    /// Bazel.
    Bazel,
    /// xmake.
    Xmake,
    /// A build script of Cargo.
    Cargo,
}

impl BuildKind {
    /// Whether such files are read further than for words of CUDA's.
    pub fn is_read(self) -> bool {
        matches!(self, BuildKind::CMake | BuildKind::Make | BuildKind::Shell)
    }

    /// What such files are called in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            BuildKind::CMake => "CMake",
            BuildKind::Make => "make",
            BuildKind::Shell => "a shell",
            BuildKind::Python => "Python",
            BuildKind::Meson => "Meson",
            BuildKind::Bazel => "Bazel",
            BuildKind::Xmake => "xmake",
            BuildKind::Cargo => "Cargo",
        }
    }
}

/// Names of files that say how a project is built.
pub const BUILD_FILE_NAMES: &[&str] = &[
    "CMakeLists.txt",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "make.inc",
    "meson.build",
    "setup.py",
    "BUILD",
    "build.rs",
    "xmake.lua",
];

/// Extensions of files that say how a project is built.
pub const BUILD_FILE_EXTENSIONS: &[&str] = &["cmake", "mk", "make", "bazel", "bzl", "sh"];

/// What a file is written for, if its name says that it is a build file.
pub fn build_kind(path: &Utf8Path) -> Option<BuildKind> {
    let name = path.file_name()?;
    let kind = match name {
        "CMakeLists.txt" => BuildKind::CMake,
        "meson.build" => BuildKind::Meson,
        "setup.py" => BuildKind::Python,
        "BUILD" => BuildKind::Bazel,
        "build.rs" => BuildKind::Cargo,
        "xmake.lua" => BuildKind::Xmake,
        _ if BUILD_FILE_NAMES.contains(&name) => BuildKind::Make,
        // `Makefile.linux`
        _ if name.starts_with("Makefile.") && !matches!(path.extension(), Some("am" | "in")) => BuildKind::Make,
        _ => match path.extension()? {
            "cmake" => BuildKind::CMake,
            "mk" | "make" => BuildKind::Make,
            "bazel" | "bzl" => BuildKind::Bazel,
            "sh" => BuildKind::Shell,
            _ => return None,
        },
    };
    Some(kind)
}

/// Whether a file says how a project is built, by its name.
pub fn is_build_file(path: &Utf8Path) -> bool {
    build_kind(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_and_extension_has_a_kind() {
        assert!(BUILD_FILE_NAMES.iter().all(|name| is_build_file((*name).into())));
        assert!(BUILD_FILE_EXTENSIONS.iter().all(|extension| is_build_file(format!("a.{extension}").as_str().into())));
        assert_eq!(build_kind("a/Makefile.linux".into()), Some(BuildKind::Make));
        assert_eq!(build_kind("a/Makefile.in".into()), None);
        assert_eq!(build_kind("a/main.cu".into()), None);
    }
}
