//! Learns what CUDA's headers offer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use hipshift::mapping::RocmVersion;
use hipshift::toolchain::Toolchain;

use super::fact::{self, Fact, Kind, LIBRARIES, Library, Space};
use super::{compile, uses};
use crate::process::run as run_program;
use crate::repository_root;

/// The bindings of libclang that read the headers.
const LIBCLANG: &str = "libclang==18.1.1";

/// For each major release of CUDA the wheels that hold its headers.
const WHEELS: &[(&str, &[&str])] = &[
    (
        "11",
        &[
            "nvidia-cuda-runtime-cu11",
            "nvidia-cuda-nvcc-cu11",
            "nvidia-cuda-nvrtc-cu11",
            "nvidia-cuda-cupti-cu11",
            "nvidia-cuda-cccl-cu11",
            "nvidia-cuda-profiler-api-cu11",
            "nvidia-cublas-cu11",
            "nvidia-cufft-cu11",
            "nvidia-curand-cu11",
            "nvidia-cusparse-cu11",
            "nvidia-cusolver-cu11",
            "nvidia-npp-cu11",
            "nvidia-nvjpeg-cu11",
            "nvidia-nvtx-cu11",
            "nvidia-nvml-dev-cu11",
            "nvidia-cudnn-cu11",
            "nvidia-nccl-cu11",
        ],
    ),
    (
        "12",
        &[
            "nvidia-cuda-runtime-cu12",
            "nvidia-cuda-nvcc-cu12",
            "nvidia-cuda-nvrtc-cu12",
            "nvidia-cuda-cupti-cu12",
            "nvidia-cuda-cccl-cu12",
            "nvidia-cuda-profiler-api-cu12",
            "nvidia-cublas-cu12",
            "nvidia-cufft-cu12",
            "nvidia-curand-cu12",
            "nvidia-cusparse-cu12",
            "nvidia-cusolver-cu12",
            "nvidia-npp-cu12",
            "nvidia-nvjpeg-cu12",
            "nvidia-nvtx-cu12",
            "nvidia-nvml-dev-cu12",
            "nvidia-cudnn-cu12",
            "nvidia-nccl-cu12",
            "nvidia-nvjitlink-cu12",
        ],
    ),
    (
        "13",
        &[
            "nvidia-cuda-runtime",
            "nvidia-cuda-nvcc",
            "nvidia-cuda-crt",
            "nvidia-nvvm",
            "nvidia-cuda-nvrtc",
            "nvidia-cuda-cupti",
            "nvidia-cuda-cccl",
            "nvidia-cuda-profiler-api",
            "nvidia-cublas",
            "nvidia-cufft",
            "nvidia-curand",
            "nvidia-cusparse",
            "nvidia-cusolver",
            "nvidia-npp",
            "nvidia-nvjpeg",
            "nvidia-nvtx",
            "nvidia-nvml-dev",
            "nvidia-cudnn-cu13",
            "nvidia-nccl-cu13",
            "nvidia-nvjitlink",
        ],
    ),
];

/// Fetches the headers, reads them, and writes the facts of each library.
pub(super) fn run() -> Result<()> {
    let home = repository_root().join("target/census");
    let python = home.join("python");
    install_libclang(&python).context("installing libclang for Python")?;
    let mut learned: BTreeMap<&str, BTreeMap<Fact, BTreeSet<&str>>> = BTreeMap::new();
    for (release, wheels) in WHEELS {
        let headers = headers(&home, &python, release, wheels)?;
        for (library, facts) in read(&python, &headers)? {
            let known = learned.entry(library).or_default();
            for fact in facts {
                known.entry(fact).or_default().insert(release);
            }
        }
    }
    for (name, facts) in learned {
        let facts = facts.into_iter().map(|(fact, releases)| Fact { cuda: join(&releases), ..fact });
        fact::write(&Library { name: name.to_owned(), facts: facts.collect() })?;
    }
    Ok(())
}

fn join(releases: &BTreeSet<&str>) -> String {
    releases.iter().copied().collect::<Vec<_>>().join(" ")
}

/// Makes sure that the environment of Python's is there and reads C++.
fn install_libclang(python: &Path) -> Result<()> {
    let program = python.join("bin/python");
    let works =
        Command::new(&program).args(["-c", "import clang.cindex"]).status().is_ok_and(|status| status.success());
    if !works {
        run_program(Command::new("python3").args(["-m", "venv", "--clear"]).arg(python))?;
        run_program(Command::new(program).args(["-m", "pip", "install", "--quiet", LIBCLANG]))?;
    }
    Ok(())
}

/// The folder with the headers of a release, which are fetched unless they are there.
fn headers(home: &Path, python: &Path, release: &str, wheels: &[&str]) -> Result<PathBuf> {
    let folder = home.join("headers").join(release);
    if !folder.is_dir() {
        eprintln!("fetching the headers of CUDA {release}");
        let partial = home.join("headers.part");
        let mut command = Command::new(python.join("bin/python"));
        run_program(command.arg(script("headers.py")).arg(&partial).args(wheels))?;
        fs::create_dir_all(home.join("headers"))?;
        fs::rename(&partial, &folder).with_context(|| format!("renaming to `{}`", folder.display()))?;
    }
    Ok(folder)
}

fn script(name: &str) -> PathBuf {
    repository_root().join("xtask/census").join(name)
}

/// The facts of each library in a folder of headers; uses that are no CUDA are left out.
fn read(python: &Path, headers: &Path) -> Result<Vec<(&'static str, Vec<Fact>)>> {
    let toolchain = Toolchain::find(Some(&repository_root().join("target/toolchain")), RocmVersion::NEWEST)?;
    let builtins = builtins(&toolchain)?;
    let mut owners = BTreeMap::new();
    let mut libraries = Vec::new();
    for (name, includes) in LIBRARIES {
        eprintln!("{}: {name}", headers.display());
        let mut command = Command::new(python.join("bin/python"));
        command.arg(script("facts.py")).arg(headers).arg(&builtins).arg(name).args(*includes);
        let text = run_program(&mut command).with_context(|| format!("reading the headers of `{name}`"))?;
        let mut facts = text.lines().map(parse).collect::<Result<Vec<Fact>>>()?;
        facts.retain(|fact| *owners.entry(fact.header.clone()).or_insert(*name) == *name);
        facts.sort();
        facts.dedup_by(|a, b| (a.kind, a.space, &a.name, &a.parameters) == (b.kind, b.space, &b.name, &b.parameters));
        libraries.push((*name, valid(name, facts, headers, &toolchain)?));
    }
    Ok(libraries)
}

/// The facts whose use compiles as CUDA.
fn valid(name: &str, facts: Vec<Fact>, headers: &Path, toolchain: &Toolchain) -> Result<Vec<Fact>> {
    let library = Library { name: name.to_owned(), facts };
    let file = repository_root().join("target/census").join(format!("{name}.cu"));
    fs::write(&file, uses::text(&library)).with_context(|| format!("writing `{}`", file.display()))?;
    let mut command = Command::new(&toolchain.compiler);
    command.args(["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-fsyntax-only"]);
    command.args(["-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=9", "-include"]);
    command.arg(headers.join("crt/host_defines.h")).args(["-include", "cuda_runtime.h", "-I"]).arg(headers);
    command.arg("-I").arg(headers.join("cccl"));
    let errors = compile::of_command(command, &file)?;
    let facts = library.facts.into_iter().enumerate();
    Ok(facts.filter(|(number, _)| !errors.contains_key(&Some(*number))).map(|(_, fact)| fact).collect())
}

/// Reads a line that `facts.py` printed.
fn parse(line: &str) -> Result<Fact> {
    let [kind, space, name, template, result, parameters, header] = line.split('\t').collect::<Vec<_>>()[..] else {
        bail!("not a row of facts: `{line}`");
    };
    let kind = match kind {
        "enumerator" => Kind::Enumerator,
        "function" => Kind::Function,
        "macro" => Kind::Macro,
        "member" => Kind::Member,
        "name" => Kind::Name,
        "type" => Kind::Type,
        _ => bail!("not a kind of fact: `{kind}`"),
    };
    let space = match space {
        "both" => Space::Both,
        "device" => Space::Device,
        _ => Space::Host,
    };
    let [name, template, result, parameters, header] = [name, template, result, parameters, header].map(str::to_owned);
    Ok(Fact { kind, space, name, template, result, parameters, header, cuda: String::new() })
}

/// The folder with clang's own `stddef.h`.
fn builtins(toolchain: &Toolchain) -> Result<PathBuf> {
    let folder = run_program(Command::new(&toolchain.compiler).arg("-print-resource-dir"))?;
    Ok(Path::new(folder.trim()).join("include"))
}
