//! Which files say how a project is built.

use camino::Utf8Path;

/// Names with which Python compiles CUDA, or calls what does.
pub const COMPILING_NAMES: &[&str] = &[
    "CUDAExtension",
    "BuildExtension",
    "load_inline",
    "cpp_extension",
    "RawKernel",
    "RawModule",
    "ElementwiseKernel",
    "ReductionKernel",
    "SourceModule",
    "extra_cuda_cflags",
    "cuda_sources",
    "nvcc",
    "nvrtc",
    "CUDA_HOME",
];

/// What a build file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuildKind {
    /// `CMakeLists.txt`, modules of CMake, and what it makes modules from.
    CMake,
    /// Makefiles and what they include.
    Make,
    /// Scripts of a shell.
    Shell,
    /// `setup.py` and `setup.cfg`.
    Python,
    /// Meson.
    Meson,
    /// Bazel.
    Bazel,
    /// xmake.
    Xmake,
    /// A build script of Cargo.
    Cargo,
    /// `SCons`.
    Scons,
    /// qmake.
    Qmake,
    /// A project of Visual Studio.
    VisualStudio,
    /// Scripts of Windows.
    Batch,
    /// What autoconf and automake make makefiles and `configure` from.
    Autotools,
    /// Presets of CMake.
    Presets,
    /// pkg-config, and what a build makes such files from.
    PkgConfig,
    /// What a package needs: of Python, of conda.
    Package,
    /// Images of containers.
    Container,
    /// Services that build and test.
    Workflow,
    /// Python that may compile CUDA while it runs.
    Script,
    /// Scripts of shells whose language is not that of `sh`.
    OtherShell,
    /// Perl.
    Perl,
    /// What runs the tasks of a project.
    Tasks,
    /// Ninja.
    Ninja,
    /// Premake.
    Premake,
}

impl BuildKind {
    /// Whether such files are read further than for words of CUDA's.
    pub fn is_read(self) -> bool {
        matches!(self, BuildKind::CMake | BuildKind::Make | BuildKind::Shell)
    }

    /// Whether such files name programs and libraries with their sources.
    pub fn names_targets(self) -> bool {
        let others = [
            BuildKind::Python,
            BuildKind::Meson,
            BuildKind::Bazel,
            BuildKind::Xmake,
            BuildKind::Cargo,
            BuildKind::Scons,
            BuildKind::Qmake,
            BuildKind::VisualStudio,
            BuildKind::Ninja,
            BuildKind::Premake,
        ];
        self.is_read() || others.contains(&self)
    }

    /// What such files are called in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            BuildKind::CMake => "CMake",
            BuildKind::Make => "make",
            BuildKind::Shell => "a shell",
            BuildKind::Python | BuildKind::Script => "Python",
            BuildKind::Meson => "Meson",
            BuildKind::Bazel => "Bazel",
            BuildKind::Xmake => "xmake",
            BuildKind::Cargo => "Cargo",
            BuildKind::Scons => "SCons",
            BuildKind::Qmake => "qmake",
            BuildKind::VisualStudio => "Visual Studio",
            BuildKind::Batch => "Windows",
            BuildKind::Autotools => "autotools",
            BuildKind::Presets => "presets of CMake",
            BuildKind::PkgConfig => "pkg-config",
            BuildKind::Package => "a package",
            BuildKind::Container => "a container",
            BuildKind::Workflow => "a service that builds",
            BuildKind::OtherShell => "another shell",
            BuildKind::Perl => "Perl",
            BuildKind::Tasks => "a runner of tasks",
            BuildKind::Ninja => "Ninja",
            BuildKind::Premake => "Premake",
        }
    }

    /// With what comments begin, for files that are not read further.
    pub fn comments(self) -> &'static [&'static str] {
        match self {
            BuildKind::Cargo => &["//"],
            BuildKind::Xmake | BuildKind::Premake => &["--"],
            BuildKind::VisualStudio => &["<!--"],
            BuildKind::Batch => &["rem ", "::", "#"],
            BuildKind::Autotools => &["#", "dnl"],
            BuildKind::Presets => &[],
            _ => &["#"],
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
    "Make.inc",
    "make.def",
    "Make.def",
    "make.defs",
    "Make.defs",
    "make.rules",
    "Make.rules",
    "make.config",
    "Make.config",
    "make.common",
    "Make.common",
    "meson.build",
    "meson_options.txt",
    "meson.options",
    "setup.py",
    "BUILD",
    "WORKSPACE",
    ".bazelrc",
    "build.rs",
    "xmake.lua",
    "SConstruct",
    "SConscript",
    "configure.ac",
    "configure.in",
    "Makefile.am",
    "Makefile.in",
    "CMakePresets.json",
    "CMakeUserPresets.json",
    "pyproject.toml",
    "setup.cfg",
    "environment.yml",
    "environment.yaml",
    "meta.yaml",
    "Dockerfile",
    "Containerfile",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    ".travis.yml",
    "azure-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".woodpecker.yml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "Earthfile",
    "devcontainer.json",
    ".devcontainer.json",
    "Singularity",
    "Apptainer",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    "build.ninja",
    "premake4.lua",
    "premake5.lua",
    ".envrc",
    "conanfile.py",
    "conanfile.txt",
    "vcpkg.json",
    "shell.nix",
    "default.nix",
    "flake.nix",
    "Snakefile",
    "tox.ini",
    "Rakefile",
    "build.gradle",
    "build.gradle.kts",
    "tasks.json",
    "wscript",
    "CMakeLists.txt.in",
];

/// Extensions of files that say how a project is built.
pub const BUILD_FILE_EXTENSIONS: &[&str] = &[
    "cmake",
    "mk",
    "mak",
    "make",
    "bazel",
    "bzl",
    "sh",
    "bash",
    "pro",
    "pri",
    "vcxproj",
    "bat",
    "cmd",
    "ps1",
    "m4",
    "pc",
    "dockerfile",
    "Dockerfile",
    "gmk",
    "ninja",
    "zsh",
    "csh",
    "tcsh",
    "fish",
    "sbatch",
    "slurm",
    "pbs",
    "lsf",
    "smk",
    "pl",
];

/// What a file is written for, if its name says that it is a build file.
pub fn build_kind(path: &Utf8Path) -> Option<BuildKind> {
    let name = path.file_name()?;
    by_name(name)
        .or_else(|| by_extension(name, path.extension()?))
        .or_else(|| is_workflow(path).then_some(BuildKind::Workflow))
}

/// What a file is written for, by its name or, if that has no extension, by the program that its first line names.
pub fn build_kind_of(path: &Utf8Path, bytes: &[u8]) -> Option<BuildKind> {
    build_kind(path).or_else(|| path.extension().is_none().then(|| by_program(bytes)).flatten())
}

/// What `#!` says at the start of a script.
fn by_program(bytes: &[u8]) -> Option<BuildKind> {
    let line = bytes.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let name = |word: &[u8]| word.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_owned);
    let mut program = name(words.next()?)?;
    if program == b"env" {
        program = words.find(|word| !word.starts_with(b"-")).and_then(name)?;
    }
    match program.as_slice() {
        b"sh" | b"bash" | b"dash" | b"ksh" | b"zsh" => Some(BuildKind::Shell),
        b"csh" | b"tcsh" | b"fish" => Some(BuildKind::OtherShell),
        b"perl" => Some(BuildKind::Perl),
        b"make" | b"gmake" => Some(BuildKind::Make),
        _ if program.starts_with(b"python") => Some(BuildKind::Script),
        _ => None,
    }
}

/// What a file of this name is written for.
fn by_name(name: &str) -> Option<BuildKind> {
    let kind = match name {
        "CMakeLists.txt" | "CMakeLists.txt.in" => BuildKind::CMake,
        "meson.build" | "meson_options.txt" | "meson.options" => BuildKind::Meson,
        "setup.py" | "setup.cfg" => BuildKind::Python,
        "BUILD" | "WORKSPACE" | ".bazelrc" => BuildKind::Bazel,
        "build.rs" => BuildKind::Cargo,
        "xmake.lua" => BuildKind::Xmake,
        "SConstruct" | "SConscript" => BuildKind::Scons,
        "configure.ac" | "configure.in" | "Makefile.am" | "Makefile.in" => BuildKind::Autotools,
        "CMakePresets.json" | "CMakeUserPresets.json" => BuildKind::Presets,
        "pyproject.toml" | "environment.yml" | "environment.yaml" | "meta.yaml" => BuildKind::Package,
        ".envrc" => BuildKind::Shell,
        "build.ninja" => BuildKind::Ninja,
        "premake4.lua" | "premake5.lua" => BuildKind::Premake,
        "justfile" | "Justfile" | ".justfile" | "Taskfile.yml" | "Taskfile.yaml" | "Snakefile" | "tox.ini"
        | "Rakefile" | "build.gradle" | "build.gradle.kts" | "tasks.json" | "wscript" => BuildKind::Tasks,
        "conanfile.py" | "conanfile.txt" | "vcpkg.json" | "shell.nix" | "default.nix" | "flake.nix" => {
            BuildKind::Package
        }
        _ if CONTAINERS.contains(&name) => BuildKind::Container,
        _ if WORKFLOWS.contains(&name) => BuildKind::Workflow,
        _ if is_cross_file(name) => BuildKind::Meson,
        _ if BUILD_FILE_NAMES.contains(&name) || is_makefile(name) => BuildKind::Make,
        _ if ["Dockerfile.", "docker-compose.", "Singularity."].iter().any(|start| name.starts_with(start)) => {
            BuildKind::Container
        }
        _ if name.strip_suffix(".txt").is_some_and(|name| name.starts_with("requirements")) => BuildKind::Package,
        _ => return None,
    };
    Some(kind)
}

/// Files of containers, and of what starts some.
const CONTAINERS: &[&str] = &[
    "Dockerfile",
    "Containerfile",
    "Singularity",
    "Apptainer",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "Earthfile",
    "devcontainer.json",
    ".devcontainer.json",
];

/// Files of services that build.
const WORKFLOWS: &[&str] = &[
    ".gitlab-ci.yml",
    "Jenkinsfile",
    ".travis.yml",
    "azure-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".woodpecker.yml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
];

/// What tells Meson of compilers: `cuda-cross.ini`, `native_gpu.txt`.
fn is_cross_file(name: &str) -> bool {
    let stem = name.strip_suffix(".ini").or_else(|| name.strip_suffix(".txt"));
    stem.is_some_and(|stem| stem.split(['-', '_', '.']).any(|part| matches!(part, "cross" | "native")))
}

/// `Makefile.linux`, `Makefile_gpu`, `make.inc.titan`, `Make.Linux`
fn is_makefile(name: &str) -> bool {
    let rest = name.strip_prefix("Makefile").or_else(|| name.strip_prefix("makefile"));
    let is_other = |name: &str| [".am", ".in", ".md", ".rst", ".py"].iter().any(|ending| name.ends_with(ending));
    let is_named = rest.is_some_and(|rest| rest.starts_with(['.', '_', '-']));
    // `make.inc.titan`
    let is_included = || {
        let kinds = BUILD_FILE_NAMES.iter().filter(|kind| kind.starts_with("make.") || kind.starts_with("Make."));
        kinds.into_iter().any(|kind| name.strip_prefix(kind).is_some_and(|rest| rest.starts_with(['.', '_', '-'])))
    };
    // Machines and users: what is code has another ending.
    let is_machine = name.strip_prefix("Make.").is_some_and(|rest| rest.starts_with(|sign: char| sign.is_uppercase()));
    (is_named || is_included() || is_machine) && !is_other(name)
}

fn by_extension(name: &str, extension: &str) -> Option<BuildKind> {
    let kind = match extension {
        // `config.h.cmake` is a template for a header.
        "cmake" if makes_header(name) => return None,
        "cmake" => BuildKind::CMake,
        "mk" | "mak" | "make" | "gmk" => BuildKind::Make,
        "bazel" | "bzl" => BuildKind::Bazel,
        // Batch systems run scripts of a shell: Slurm, PBS, LSF.
        "sh" | "bash" | "zsh" | "sbatch" | "slurm" | "pbs" | "lsf" => BuildKind::Shell,
        "csh" | "tcsh" | "fish" => BuildKind::OtherShell,
        "pl" => BuildKind::Perl,
        "smk" => BuildKind::Tasks,
        "ninja" => BuildKind::Ninja,
        "pro" | "pri" => BuildKind::Qmake,
        "vcxproj" => BuildKind::VisualStudio,
        "bat" | "cmd" | "ps1" => BuildKind::Batch,
        "m4" => BuildKind::Autotools,
        "pc" => BuildKind::PkgConfig,
        "dockerfile" | "Dockerfile" => BuildKind::Container,
        "py" => BuildKind::Script,
        // What configuring the project makes such a file from.
        "in" if name.ends_with(".cmake.in") => BuildKind::CMake,
        "in" if name.ends_with(".pc.in") => BuildKind::PkgConfig,
        "in" if name.ends_with(".mk.in") => BuildKind::Autotools,
        _ => return None,
    };
    Some(kind)
}

/// Whether the name in front of an extension is that of a header.
fn makes_header(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
    Utf8Path::new(stem).extension().is_some_and(|extension| HEADERS.contains(&extension))
}

/// Extensions of headers that are made from templates; `flags.cu.cmake` is a module.
const HEADERS: &[&str] = &["h", "hpp", "hh", "hxx", "cuh", "inl"];

/// Whether a service that builds reads the file.
fn is_workflow(path: &Utf8Path) -> bool {
    let folders = [".github/workflows", ".github/actions", ".circleci", ".buildkite", ".azure-pipelines", ".gitlab-ci"];
    let is_yaml = matches!(path.extension(), Some("yml" | "yaml"));
    let folder = path.parent().map_or("", Utf8Path::as_str);
    is_yaml && folders.iter().any(|known| folder.contains(known))
}

/// Whether a file says how a project is built, by its name.
pub fn is_build_file(path: &Utf8Path) -> bool {
    build_kind(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_an_extension_are_known_by_their_first_line() {
        for (path, text, kind) in [
            ("build", "#!/bin/sh\nnvcc a.cu\n", Some(BuildKind::Shell)),
            ("build", "#! /usr/bin/env -S bash -e\n", Some(BuildKind::Shell)),
            ("build", "#!/usr/bin/make -f\n", Some(BuildKind::Make)),
            ("tools/build", "#!/usr/bin/env python3\n", Some(BuildKind::Script)),
            ("build", "#!/usr/bin/perl -w\n", Some(BuildKind::Perl)),
            ("build", "#!/usr/bin/awk -f\n", None),
            ("build", "#!", None),
            ("build.txt", "#!/bin/sh\n", None),
            ("config.h.cmake", "", None),
            ("config.cmake", "", Some(BuildKind::CMake)),
            ("flags.cu.cmake", "", Some(BuildKind::CMake)),
            ("Makefile", "#!/bin/sh\n", Some(BuildKind::Make)),
        ] {
            assert_eq!(build_kind_of(path.into(), text.as_bytes()), kind, "{path} {text}");
        }
    }

    #[test]
    fn every_listed_name_and_extension_has_a_kind() {
        assert!(BUILD_FILE_NAMES.iter().all(|name| is_build_file((*name).into())));
        assert!(BUILD_FILE_EXTENSIONS.iter().all(|extension| is_build_file(format!("a.{extension}").as_str().into())));
        let cases = [
            ("a/Makefile.linux", Some(BuildKind::Make)),
            ("Makefile_gpu", Some(BuildKind::Make)),
            ("Make.inc", Some(BuildKind::Make)),
            ("config/make.inc.titan", Some(BuildKind::Make)),
            ("make.rules", Some(BuildKind::Make)),
            ("Make.config-a100", Some(BuildKind::Make)),
            ("make.inc.md", None),
            ("make.py", Some(BuildKind::Script)),
            ("a/Makefile.in", Some(BuildKind::Autotools)),
            ("Makefile.md", None),
            ("a/main.cu", None),
            ("config.h.in", None),
            ("appConfig.cmake.in", Some(BuildKind::CMake)),
            ("a/.github/workflows/ci.yml", Some(BuildKind::Workflow)),
            ("a/data.yml", None),
            ("Dockerfile.gpu", Some(BuildKind::Container)),
            ("requirements-gpu.txt", Some(BuildKind::Package)),
            ("tools/jit.py", Some(BuildKind::Script)),
            ("Earthfile", Some(BuildKind::Container)),
            ("wscript", Some(BuildKind::Tasks)),
            ("sub/CMakeLists.txt.in", Some(BuildKind::CMake)),
            ("docker/gpu.Dockerfile", Some(BuildKind::Container)),
            ("docker-compose.gpu.yml", Some(BuildKind::Container)),
            ("Make.Linux", Some(BuildKind::Make)),
            ("cuda-cross.ini", Some(BuildKind::Meson)),
            ("settings.ini", None),
            ("conanfile.py", Some(BuildKind::Package)),
            (".envrc", Some(BuildKind::Shell)),
            ("jobs/run.sbatch", Some(BuildKind::Shell)),
            ("workflow/Snakefile", Some(BuildKind::Tasks)),
            ("rules/gpu.smk", Some(BuildKind::Tasks)),
        ];
        for (path, kind) in cases {
            assert_eq!(build_kind(path.into()), kind, "{path}");
        }
    }
}
