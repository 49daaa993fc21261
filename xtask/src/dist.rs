//! Makes what is handed out: an archive whose program runs on every Linux, and a package for Debian. Both hold the program with the
//! emulator in it, manual pages, completions, and the licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::process::run as run_program;
use crate::repository_root;

/// Options of `xtask dist`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// What to make; default: all
    #[arg(value_enum)]
    kinds: Vec<Kind>,
}

/// What is handed out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// `hipshift-VERSION-x86_64-linux.tar.gz`, whose program needs no C library of the system
    Archive,
    /// `hipshift_VERSION-1_amd64.deb`
    Deb,
}

/// The target of a program that needs no C library of the system.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// The shells that the archive and the package have completions for, and how their files are called.
const SHELLS: &[(&str, &str)] = &[("bash", "hipshift.bash"), ("zsh", "_hipshift"), ("fish", "hipshift.fish")];

/// Makes each kind, and says where it lies and how large it is.
#[expect(clippy::print_stdout, reason = "says what was made")]
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let kinds = if arguments.kinds.is_empty() { Kind::value_variants() } else { &arguments.kinds };
    for kind in kinds {
        let made = kind.make()?;
        let size = fs::metadata(&made).with_context(|| format!("reading `{}`", made.display()))?.len();
        println!("{} ({} MB)", made.display(), size.div_ceil(1_000_000));
    }
    Ok(ExitCode::SUCCESS)
}

impl Kind {
    /// Makes it below `target/packages`, and returns its path.
    pub(crate) fn make(self) -> Result<PathBuf> {
        match self {
            Kind::Archive => archive().context("making the archive"),
            Kind::Deb => deb().context("making the package for Debian"),
        }
    }
}

/// Where all of it goes.
fn packages() -> PathBuf {
    repository_root().join("target/packages")
}

fn archive() -> Result<PathBuf> {
    let program = build(Some(STATIC)).with_context(|| {
        format!("`rustup target add {STATIC}` and Debian's `musl-tools` give what a static program is built with")
    })?;
    let name = format!("hipshift-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
    let folder = packages().join(&name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder)?;
    fs::copy(&program, folder.join("hipshift"))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(repository_root().join(file), folder.join(file))?;
    }
    generate(&program, &folder)?;
    let made = packages().join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    // The same files make the same archive.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--mtime=@0", "-czf"])
        .arg(&made)
        .arg("-C")
        .arg(packages())
        .arg(&name);
    run_program(&mut tar)?;
    Ok(made)
}

/// `Cargo.toml` says what the package consists of.
fn deb() -> Result<PathBuf> {
    let program = build(None)?;
    generate(&program, &packages().join("share"))?;
    let mut command = Command::new("cargo");
    command.args(["deb", "--profile", "dist", "--no-build", "--locked", "--output"]).arg(packages());
    let printed =
        run_program(command.current_dir(repository_root())).context("`cargo install cargo-deb` gets the tool")?;
    Ok(PathBuf::from(printed.lines().last().context("cargo-deb named no package")?.trim()))
}

/// Builds the program as it is handed out, for the target that is named or that of this machine.
fn build(target: Option<&str>) -> Result<PathBuf> {
    let root = repository_root();
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--locked", "--profile", "dist", "--package", "hipshift"]).current_dir(&root);
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    run_program(&mut command)?;
    Ok(root.join("target").join(target.unwrap_or_default()).join("dist/hipshift"))
}

/// Manual pages and completions, made by the program itself.
fn generate(program: &Path, folder: &Path) -> Result<()> {
    let print = |words: &[&str]| run_program(Command::new(program).args(words));
    let manuals = folder.join("man");
    fs::create_dir_all(&manuals)?;
    let overview = print(&["man"])?;
    for command in commands(&print(&["--help"])?) {
        fs::write(manuals.join(format!("hipshift-{command}.1")), print(&["man", &command])?)?;
    }
    fs::write(manuals.join("hipshift.1"), overview)?;
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    for (shell, file) in SHELLS {
        fs::write(completions.join(file), print(&["completions", shell])?)?;
    }
    Ok(())
}

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a description goes on with is further to the right.
    let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_the_help() {
        let help = "Does things.\n\nUsage: x\n\nCommands:\n  convert  Convert\n           sources\n  lint     Say\n\nOptions:\n  -h\n";
        assert_eq!(commands(help), ["convert", "lint"]);
    }
}
