//! Converts programs, compiles and runs them, and compares what they print.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::ast::Kernel;
use crate::program::{MARK, Program, Section, expected, hash};

/// The two targets, with 64 and with 32 lanes in a wave.
pub(crate) const TARGETS: [&str; 2] = ["gfx90a", "gfx1100"];

/// The folder of the compiler for AMD GPUs.
pub(crate) fn toolchain() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| root.join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() {
        return Some(folder);
    }
    eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
    None
}

/// The runtime library: cargo puts it beside the executable, or into `deps` when it was built for tests only.
fn runtime() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_hipshift")).parent().unwrap();
    let places = [folder.join("libamdhip64.so"), folder.join("deps/libamdhip64.so")];
    places.into_iter().find(|path| path.exists()).expect("build it with `cargo build -p hipshift-amdhip64`")
}

fn hipshift(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder.join("cache")).current_dir(folder);
    command
}

/// What came of a kernel on a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Right,
    Wrong(String),
    NotCompiled(String),
    /// The compiler breaks down: an error of its own, not of the program.
    NoCode,
}

/// The verdict on one kernel.
pub(crate) struct Judged {
    pub(crate) program: usize,
    pub(crate) kernel: usize,
    pub(crate) fates: [Fate; 2],
    /// The first warning or error about it.
    pub(crate) told: Option<String>,
}

/// Writes the files of a program.
pub(crate) fn write(program: &Program, folder: &Path) -> Vec<Section> {
    let (files, sections) = program.files();
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    sections
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// A warning or an error: file, line, message.
struct Finding {
    file: String,
    line: usize,
    message: String,
}

fn findings(report: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in report["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap().trim_start_matches("./");
        let all = file["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let grave = |finding: &&Value| matches!(finding["severity"].as_str(), Some("warning" | "error"));
        for finding in all.iter().filter(|finding| finding["applied"] != Value::Bool(true)).filter(grave) {
            let line = usize::try_from(finding["start"]["line"].as_u64().unwrap()).unwrap();
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            let message = format!("{} {}", text("code"), text("message"));
            found.push(Finding { file: path.to_owned(), line, message });
        }
    }
    found
}

/// Programs on their way through one policy.
struct Work<'w> {
    folder: &'w Path,
    toolchain: &'w Path,
    policy: &'w str,
}

impl Work<'_> {
    /// Converts a program as a project of its own: the names of others would be taken for the same.
    fn convert(&self, program: &Program) -> Vec<Finding> {
        let [from, to] = ["in", "out"].map(|folder| format!("{folder}/{}", program.folder));
        let mut command = hipshift(self.folder);
        command.args(["convert", "--format", "json", "--no-manifest", "--wave-policy", self.policy]);
        let output = command.args(["-o", &to, &from]).output().unwrap();
        findings(&report(&output))
    }

    /// Compiles a program; what came of kernels that stand in the way otherwise, by name.
    fn compile(&self, program: &Program, targets: &[&str]) -> Result<PathBuf, BTreeMap<String, Fate>> {
        let kept = self.folder.join("kept").join(&program.folder);
        let _ = fs::remove_dir_all(&kept);
        let mut command = hipshift(self.folder);
        command.args(["validate", "--format", "json", "--no-cache", "-j", "1", "--keep"]).arg(&kept);
        command.args(["--arch", &targets.join(","), "--toolchain"]).arg(self.toolchain);
        // Kernels are started later: none has this name.
        let output = command.arg(format!("out/{}", &program.folder)).args(["--", "nothing"]).output().unwrap();
        if kept.join("program-0").exists() {
            return Ok(kept.join("program-0"));
        }
        let report = report(&output);
        let mut found = self.errors(&report);
        if found.is_empty() {
            found.insert(self.culprit(program, targets), Fate::NoCode);
        }
        Err(found)
    }

    /// The kernel without which the compiler would not fail, found by halves: it does not say where it failed.
    fn culprit(&self, program: &Program, targets: &[&str]) -> String {
        if let [only] = program.kernels.as_slice() {
            return only.name.clone();
        }
        let (first, second) = program.kernels.split_at(program.kernels.len() / 2);
        let half = |kernels: &[Kernel]| Program { folder: program.folder.clone(), kernels: kernels.to_vec() };
        self.convert_again(&half(first));
        match self.compile(&half(first), targets) {
            Ok(_) => self.culprit(&half(second), targets),
            Err(found) => found.into_keys().next().unwrap(),
        }
    }

    /// The first error in each kernel.
    fn errors(&self, report: &Value) -> BTreeMap<String, Fate> {
        let mut found = BTreeMap::new();
        let programs = report["programs"].as_array().unwrap().iter();
        for message in programs.flat_map(|program| program["messages"].as_array().unwrap()) {
            if message["severity"] == "error"
                && let Some(kernel) = self.kernel_at(message)
            {
                found.entry(kernel).or_insert_with(|| Fate::NotCompiled(message["text"].as_str().unwrap().to_owned()));
            }
        }
        found
    }

    /// The kernel that a line of the converted files belongs to.
    fn kernel_at(&self, message: &Value) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(message["file"].as_str()?)).ok()?;
        let lines = text.lines().take(usize::try_from(message["line"].as_u64()?).unwrap());
        let mark = lines.filter_map(|line| line.strip_prefix(MARK)).last()?;
        (!mark.is_empty()).then(|| mark.to_owned())
    }

    /// What the kernels of a program print on a target, by name.
    fn printed(&self, executable: &Path, target: usize, kernels: &[&str]) -> BTreeMap<String, String> {
        let mut command = hipshift(self.folder);
        command.args(["run", "--arch", TARGETS[target], "--"]).arg(executable).args(kernels);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let mut found: BTreeMap<String, String> =
            lines.map(|(name, result)| (name.to_owned(), result.to_owned())).collect();
        if let [kernel] = kernels {
            let errors = String::from_utf8_lossy(&output.stderr);
            let printed = found.entry((*kernel).to_owned()).or_default();
            *printed = format!("{printed} {}", errors.trim());
        }
        found
    }

    fn fates(&self, program: &Program) -> Vec<[Fate; 2]> {
        let mut rest = program.clone();
        let mut found = BTreeMap::new();
        while !rest.kernels.is_empty() {
            match self.compile(&rest, &TARGETS) {
                Ok(executable) => {
                    let [mut wide, mut narrow] = [0, 1].map(|target| self.compared(&executable, target, &rest));
                    for kernel in rest.kernels.drain(..) {
                        let both = [&mut wide, &mut narrow].map(|fates| fates.remove(&kernel.name).unwrap());
                        found.insert(kernel.name, both);
                    }
                }
                Err(errors) => {
                    rest.kernels.retain(|kernel| !errors.contains_key(&kernel.name));
                    found.extend(errors.into_iter().map(|(name, fate)| (name, [fate.clone(), fate])));
                    self.convert_again(&rest);
                }
            }
        }
        for kernel in &program.kernels {
            let fates = found.get_mut(&kernel.name).unwrap();
            if fates[0] == Fate::NoCode {
                fates[0] = self.on_wide_waves(program, kernel);
            }
        }
        program.kernels.iter().map(|kernel| found[&kernel.name].clone()).collect()
    }

    /// What comes of a kernel that the compiler makes no code of for the other target.
    fn on_wide_waves(&self, program: &Program, kernel: &Kernel) -> Fate {
        let alone = Program { folder: program.folder.clone(), kernels: vec![kernel.clone()] };
        self.convert_again(&alone);
        match self.compile(&alone, &TARGETS[..1]) {
            Ok(executable) => self.compared(&executable, 0, &alone).remove(&kernel.name).unwrap(),
            Err(mut errors) => errors.remove(&kernel.name).unwrap(),
        }
    }

    /// Writes and converts a program anew, without the kernels that do not compile.
    fn convert_again(&self, program: &Program) {
        if program.kernels.is_empty() {
            return;
        }
        let folder = self.folder.join(format!("again-{}", &program.folder));
        let _ = fs::remove_dir_all(&folder);
        write(program, &folder.join("in"));
        Work { folder: &folder, ..*self }.convert(program);
        let out = |folder: &Path| folder.join("out").join(&program.folder);
        let (from, to) = (out(&folder), out(self.folder));
        let _ = fs::remove_dir_all(&to);
        fs::rename(from, to).unwrap();
    }

    /// What came of each kernel on a target.
    fn compared(&self, executable: &Path, target: usize, program: &Program) -> BTreeMap<String, Fate> {
        let all = self.printed(executable, target, &[]);
        let fate = |kernel: &Kernel| {
            let (name, right) = (kernel.name.as_str(), hash(&expected(kernel)));
            match all.get(name) {
                Some(found) if *found == right => return Fate::Right,
                Some(found) if !found.contains("failed") => return Fate::Wrong(found.clone()),
                // One kernel that fails takes the others with it.
                _ => {}
            }
            let alone = self.printed(executable, target, &[name]).remove(name).unwrap_or_default();
            if alone.trim() == right { Fate::Right } else { Fate::Wrong(alone.trim().to_owned()) }
        };
        program.kernels.iter().map(|kernel| (kernel.name.clone(), fate(kernel))).collect()
    }
}

/// Converts programs under a policy and judges each kernel.
pub(crate) fn judge(programs: &[Program], folder: &Path, toolchain: &Path, policy: &str) -> Vec<Judged> {
    let _ = fs::remove_dir_all(folder);
    let sections: Vec<Vec<Section>> = programs.iter().map(|program| write(program, &folder.join("in"))).collect();
    let work = Work { folder, toolchain, policy };
    let findings: Vec<Finding> = programs.iter().flat_map(|program| work.convert(program)).collect();
    let fates = in_pairs(programs, |program| work.fates(program));
    let mut judged = Vec::new();
    for (program, fates) in fates.into_iter().enumerate() {
        for (kernel, fates) in fates.into_iter().enumerate() {
            let about = |section: &&Section, finding: &Finding| {
                section.kernel == kernel
                    && finding.file.ends_with(&section.file)
                    && (section.first..=section.last).contains(&finding.line)
            };
            let told = findings.iter().find(|finding| sections[program].iter().any(|section| about(&section, finding)));
            judged.push(Judged { program, kernel, fates, told: told.map(|finding| finding.message.clone()) });
        }
    }
    judged
}

/// Works on two programs at a time.
fn in_pairs<T: Send>(programs: &[Program], work: impl Fn(&Program) -> T + Sync) -> Vec<T> {
    let half = programs.len().div_ceil(2).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> =
            programs.chunks(half).map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<T>>())).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}
