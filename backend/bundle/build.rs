//! Builds the emulator's library for the program to carry. Cargo has no stable way to hand one package's library to another,
//! so cargo is started once more, with a target folder of its own. It takes its turn at the jobs of the build that it is part of.
//!
//! `HIPSHIFT_BUNDLE` says `yes` or `no`; without it, the profile `release` and those that inherit it bundle, others do not.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::error::Error;
use std::fs;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package of the library.
const PACKAGE: &str = "hipshift-amdhip64";
/// What cargo makes of it.
const LIBRARY: &str = "libamdhip64.so";
/// What decides about the bundle.
const VARIABLE: &str = "HIPSHIFT_BUNDLE";
/// What the library is made of, from the folder of this package.
const SOURCES: &[&str] = &[
    "build.rs",
    "../amdhip64/Cargo.toml",
    "../amdhip64/build.rs",
    "../amdhip64/src",
    "../emulator/Cargo.toml",
    "../emulator/src",
    "../../Cargo.lock",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-check-cfg=cfg(bundled)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    if !is_wanted()? {
        return Ok(());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let bytes = fs::read(build(&out.join("target"))?)?;
    fs::write(out.join(LIBRARY), &bytes)?;
    println!("cargo::rustc-env=HIPSHIFT_BUNDLE_DIGEST={}", digest(&bytes));
    println!("cargo::rustc-cfg=bundled");
    Ok(())
}

fn is_wanted() -> Result<bool, Box<dyn Error>> {
    match env::var(VARIABLE).as_deref() {
        Ok("yes") => Ok(true),
        Ok("no") => Ok(false),
        Ok(other) => Err(format!("{VARIABLE} is `{other}`; say yes or no").into()),
        // HIP programs are programs of Linux.
        Err(_) => Ok(env::var("PROFILE")? == "release" && env::var("CARGO_CFG_TARGET_OS")? == "linux"),
    }
}

/// Builds the library below `folder`, and returns where it is.
fn build(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let target = library_target()?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--locked", "--release", "--package", PACKAGE, "--target", &target]);
    cargo.arg("--manifest-path").arg(Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../amdhip64/Cargo.toml"));
    cargo.arg("--target-dir").arg(folder);
    // The outer cargo holds the lock of its own folders.
    cargo.env("CARGO_BUILD_BUILD_DIR", folder);
    // Names of functions come from the table of dynamic symbols.
    cargo.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    // Clippy looks at the library when it is asked to, not here.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("building {PACKAGE}: {status}; {VARIABLE}=no leaves it out").into());
    }
    Ok(folder.join(target).join("release").join(LIBRARY))
}

/// A program that is linked statically with musl starts HIP programs that are not.
fn library_target() -> Result<String, env::VarError> {
    let target = env::var("TARGET")?;
    Ok(target.replace("-musl", "-gnu"))
}

/// It only has to tell builds apart.
fn digest(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}
