//! The programs of `fixtures/wave`, each wrong where a warp becomes a wave of 64 lanes: what they are
//! converted to under each policy, checked with the compiler for AMD GPUs and headers of three releases.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use hipshift::diagnostic::Severity;
use hipshift::mapping::RocmVersion;
use hipshift::project::{Doors, FileReport, Run, Source, Staging, convert_files, survey};
use hipshift::settings::{RuleSelection, Settings, WavePolicy};

/// A release of HIP, with the targets that programs are compiled for.
struct Release {
    version: RocmVersion,
    targets: &'static [&'static str],
}

const RELEASES: &[Release] = &[
    Release { version: RocmVersion::new(7, 2), targets: &["gfx90a", "gfx1100"] },
    Release { version: RocmVersion::new(6, 4), targets: &["gfx90a", "gfx1100"] },
    Release { version: RocmVersion::new(5, 7), targets: &["gfx90a", "gfx1100"] },
];

/// The names of the folders, sorted.
fn cases() -> Vec<String> {
    let folders = fs::read_dir(common::root().join("fixtures/wave")).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder of the test's own, empty.
fn scratch(name: &str) -> Utf8PathBuf {
    let folder = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wave").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Converts the files of a folder into another, as one project.
fn convert(from: &Utf8Path, to: &Utf8Path, settings: &Settings) -> Vec<FileReport> {
    let mut names: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let names = names.into_iter().map(|name| Utf8PathBuf::from(name.into_string().unwrap()));
    let sources: Vec<Source> =
        names.map(|name| Source { path: from.join(&name), output: Some(to.join(&name)) }).collect();
    let table = common::table();
    let survey = survey(&sources, (table, settings), None);
    let staging = Staging::to(Doors::named([to]));
    let run = Run {
        table,
        settings,
        survey: Some(&survey),
        staging: Some(&staging),
        observer: None,
        ledger: None,
        decisions: None,
        share: None,
        helpers: None,
    };
    let reports = convert_files(&sources, run, || {}).unwrap();
    staging.commit().unwrap();
    // What is not changed is not written.
    for source in &sources {
        let output = source.output.as_ref().unwrap();
        if !output.exists() {
            fs::create_dir_all(output.parent().unwrap()).unwrap();
            fs::copy(&source.path, output).unwrap();
        }
    }
    reports
}

fn fixture(case: &str) -> Utf8PathBuf {
    Utf8Path::from_path(common::root()).unwrap().join("fixtures/wave").join(case)
}

fn settings(wave_policy: WavePolicy, rocm: RocmVersion) -> Settings {
    Settings { wave_policy, rocm, ..Settings::default() }
}

/// Names and contents of the files of a folder.
fn contents(folder: &Utf8Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())).collect()
}

/// The policies that the first line of a program names: under these it prints PASS.
fn policies(case: &str) -> String {
    let text = fs::read_to_string(fixture(case).join("main.cu")).unwrap();
    let line = text.lines().next().unwrap();
    line.strip_prefix("// Policies: ").unwrap_or_else(|| panic!("{case} does not name its policies")).to_owned()
}

#[test]
fn converting_twice_changes_nothing() {
    for release in RELEASES {
        for policy in [WavePolicy::Logical32, WavePolicy::Native, WavePolicy::Auto] {
            let base = scratch(&format!("twice-{}-{policy:?}", release.version));
            let settings = settings(policy, release.version);
            for case in cases() {
                let (first, second) = (base.join("first").join(&case), base.join("second").join(&case));
                convert(&fixture(&case), &first, &settings);
                convert(&first, &second, &settings);
                assert_eq!(contents(&second), contents(&first), "{case}, {policy:?}, ROCm {}", release.version);
            }
        }
    }
}

#[test]
fn auto_keeps_the_32_lanes_of_cuda() {
    let version = RocmVersion::NEWEST;
    let base = scratch("auto");
    for case in cases() {
        let folder = |policy: WavePolicy| {
            let folder = base.join(format!("{policy:?}")).join(&case);
            convert(&fixture(&case), &folder, &settings(policy, version));
            contents(&folder)
        };
        assert_eq!(folder(WavePolicy::Auto), folder(WavePolicy::Logical32), "{case}");
    }
}

/// Whether a finding is about waves.
fn is_about_waves(code: &str) -> bool {
    code.starts_with('W')
}

#[test]
fn no_case_passes_over_in_silence() {
    let renamed = scratch("silence");
    let rules = RuleSelection { ignore: vec!["W".to_owned()], ..RuleSelection::default() };
    for case in cases() {
        let default = Settings::default();
        let rename_only = Settings { rules: rules.clone(), ..Settings::default() };
        let folder = renamed.join(&case);
        let count = |reports: &[FileReport]| {
            let applied = reports.iter().flat_map(|report| report.applied.keys()).filter(|code| is_about_waves(code));
            let left = reports.iter().flat_map(|report| &report.findings);
            applied.count() + left.filter(|finding| is_about_waves(finding.diagnostic.rule.code)).count()
        };
        assert_eq!(count(&convert(&fixture(&case), &folder, &rename_only)), 0, "{case}");
        assert!(count(&convert(&fixture(&case), &scratch("silence-cuda"), &default)) > 0, "{case}: CUDA");
        assert!(count(&convert(&folder, &scratch("silence-hip"), &default)) > 0, "{case}: HIP, renamed only");
    }
}

/// The fingerprint of the files of a program, in the order of their names.
fn fingerprint(case: &str) -> String {
    common::fingerprint(&contents(&fixture(case)).into_values().collect::<String>())
}

/// A program that was changed has to be run again: see `tests/data/wave/h200.txt`.
#[test]
fn every_program_passes_on_an_nvidia_gpu() {
    let recorded = fs::read_to_string(common::root().join("tests/data/wave/h200.txt")).unwrap();
    let recorded: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
    let wanted: Vec<String> = cases().iter().map(|case| format!("{} {case}: PASS", fingerprint(case))).collect();
    assert_eq!(recorded, wanted);
}

// --- with the compiler for AMD GPUs ---

/// The folder that `./test` fills.
fn toolchain() -> Option<PathBuf> {
    let folder =
        std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| common::root().join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() && folder.join("hip-7.2/usr").exists() {
        return Some(folder);
    }
    eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
    None
}

/// Programs below `base` in one text, each in a namespace of its own: reading HIP's headers takes ten
/// times as long as reading a program.
fn all_in_one(base: &Utf8Path, cases: &[String]) -> String {
    let mut text = String::from(
        "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_cooperative_groups.h>\n\
         #include <cstdint>\n#include <check.h>\n",
    );
    for case in cases {
        let folder = base.join(case);
        writeln!(text, "namespace case_{case} {{\n#include \"{}\"\n}}", folder.join("main.cu")).unwrap();
        let files = contents(&folder);
        let defined = files.values().flat_map(|file| file.lines()).filter_map(|line| line.strip_prefix("#define "));
        let names: BTreeSet<&str> =
            defined.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect();
        for name in names {
            writeln!(text, "#undef {name}").unwrap();
        }
    }
    text
}

/// One pass of the compiler over all programs.
struct Pass<'p> {
    toolchain: &'p Path,
    release: &'p Release,
    target: &'p str,
    flags: &'p [&'p str],
}

impl Pass<'_> {
    /// What the compiler has against some programs below `base`, by program: its lines.
    fn errors(&self, base: &Utf8Path, cases: &[String]) -> BTreeMap<String, Vec<String>> {
        let source = base.join(format!("all-{}-{}.hip", self.release.version, self.target));
        fs::write(&source, all_in_one(base, cases)).unwrap();
        let output = self.command().arg(&source).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let found = by_case(&text, base);
        assert_eq!(output.status.success(), found.is_empty(), "{text}");
        found
    }

    fn command(&self) -> Command {
        let hip = self.toolchain.join(format!("hip-{}/usr", self.release.version));
        let bitcode = self.toolchain.join("hip-7.2/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode");
        let mut command = Command::new(self.toolchain.join("bin/clang++-22"));
        command.args(["-x", "hip", "-std=c++17", "-ferror-limit=0", "-fno-caret-diagnostics", "-Wno-unused-result"]);
        command.arg(format!("--offload-arch={}", self.target));
        command.arg(format!("--rocm-path={}", hip.display()));
        command.arg(format!("--rocm-device-lib-path={}", bitcode.display()));
        command.arg("-I").arg(fixture(""));
        if self.release.version < RocmVersion::new(7, 0) {
            // Clang 22 no longer defines what these headers expect from the compiler.
            let lanes = if self.target.starts_with("gfx9") { 64 } else { 32 };
            command
                .args(["__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__"].map(|name| format!("-D{name}={lanes}")));
        }
        command.args(self.flags);
        command
    }
}

/// The errors among the lines of the compiler. One in a header belongs to the program that the notes
/// behind it name.
fn by_case(text: &str, base: &Utf8Path) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::<String, Vec<String>>::new();
    let case_of = |line: &str| Some(line.split_once(&format!("{base}/"))?.1.split_once('/')?.0.to_owned());
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.contains(" error: ")) {
        let notes = lines[number + 1..].iter().take_while(|line| !line.contains(" error: "));
        let place = std::iter::once(line).chain(notes).find_map(|line| Some((case_of(line)?, *line)));
        let (case, place) = place.unwrap_or_else(|| panic!("nobody knows where this comes from: {line}"));
        found.entry(case).or_default().push(place.to_owned());
    }
    found
}

const WAYS: &[(WavePolicy, &str)] = &[(WavePolicy::Logical32, "logical32"), (WavePolicy::Native, "native")];

#[test]
fn what_is_converted_compiles_or_is_reported() {
    let Some(toolchain) = toolchain() else { return };
    let works: Vec<_> = RELEASES.iter().flat_map(|release| WAYS.iter().map(move |way| (release, way))).collect();
    std::thread::scope(|scope| {
        for half in works.chunks(works.len().div_ceil(2)) {
            let toolchain = &toolchain;
            scope.spawn(move || {
                for (release, (policy, name)) in half {
                    compiles(toolchain, release, (*policy, name));
                }
            });
        }
    });
}

fn compiles(toolchain: &Path, release: &Release, (policy, name): (WavePolicy, &str)) {
    let base = scratch(&format!("compile-{}-{name}", release.version));
    let settings = settings(policy, release.version);
    let reports: BTreeMap<String, Vec<FileReport>> = cases()
        .into_iter()
        .map(|case| (case.clone(), convert(&fixture(&case), &base.join(&case), &settings)))
        .collect();
    // A lane mask in 32 bits, which no default warning is about, is an error here.
    let device = ["--cuda-device-only", "-fsyntax-only", "-Werror=shorten-64-to-32"];
    let host = ["--cuda-host-only", "-fsyntax-only"];
    let passes = release.targets.iter().map(|target| (*target, &device[..])).chain([("gfx90a", &host[..])]);
    for (target, flags) in passes {
        for (case, errors) in (Pass { toolchain, release, target, flags }).errors(&base, &cases()) {
            let place = format!("{case}, {name}, ROCm {}, {target} {flags:?}", release.version);
            assert_eq!(policy, WavePolicy::Native, "{place}: {errors:#?}");
            for error in errors {
                assert!(is_reported(&error, &base.join(&case), &reports[&case]), "{place}: {error}");
            }
        }
    }
}

/// Whether a warning or error stands in the converted file at the line of a compiler's error, or at
/// the declaration of what is too narrow. Files keep their lines, but for definitions put in front.
fn is_reported(error: &str, folder: &Utf8Path, reports: &[FileReport]) -> bool {
    let mut parts = error.split(':');
    let (file, line) = (parts.next().unwrap(), parts.next().unwrap().parse::<usize>().unwrap());
    let text = fs::read_to_string(file).unwrap();
    let name = Utf8Path::new(file).strip_prefix(folder).unwrap();
    let report = reports.iter().find(|report| report.path.file_name() == name.file_name()).unwrap();
    let original = fs::read_to_string(&report.path).unwrap();
    let added = text.lines().count() - original.lines().count();
    let line = u32::try_from(line - added).unwrap();
    let is_narrow = error.contains("loses integer precision");
    report
        .findings
        .iter()
        .filter(|finding| finding.diagnostic.severity >= Severity::Warning)
        .any(|finding| finding.start.line == line || (is_narrow && finding.diagnostic.rule.name == "narrow-mask-type"))
}

#[test]
fn renaming_alone_does_not_compile() {
    let Some(toolchain) = toolchain() else { return };
    let base = scratch("renamed");
    let rules = RuleSelection { ignore: vec!["W".to_owned()], ..RuleSelection::default() };
    let settings = Settings { rules, ..Settings::default() };
    for case in cases() {
        convert(&fixture(&case), &base.join(&case), &settings);
    }
    let flags = ["--cuda-device-only", "-fsyntax-only"];
    let pass = Pass { toolchain: &toolchain, release: &RELEASES[0], target: "gfx90a", flags: &flags };
    // The compiler reports a template once, for the first program that needs it so.
    let mut silent = cases();
    while !silent.is_empty() {
        let found = pass.errors(&base, &silent);
        assert!(!found.is_empty(), "these compile: {silent:?}");
        silent.retain(|case| !found.contains_key(case));
    }
}

// --- on the host ---

/// A C++ compiler for this machine.
fn host_compiler() -> Option<PathBuf> {
    let named = std::env::var_os("CXX").map(PathBuf::from).into_iter();
    let mut all = named.chain(["c++", "g++", "clang++"].map(PathBuf::from));
    let found =
        all.find(|path| Command::new(path).arg("--version").output().is_ok_and(|output| output.status.success()));
    if found.is_none() {
        eprintln!("skipped: no C++ compiler found");
    }
    found
}

/// A program that takes the number of lanes of a wave, runs programs below `base` and prints what
/// each of them prints behind its name.
fn host_program(base: &Utf8Path, cases: &[String]) -> String {
    let mut text = all_in_one(base, cases);
    text += "int main(int, char** arguments) {\n    warpSize = std::atoi(arguments[1]);\n";
    for case in cases {
        writeln!(text, "    std::printf(\"{case}: \");\n    case_{case}::main();").unwrap();
    }
    text + "}\n"
}

fn build_on_host(compiler: &Path, base: &Utf8Path, cases: &[String]) -> Utf8PathBuf {
    let (source, binary) = (base.join("all.cpp"), base.join("all"));
    fs::write(&source, host_program(base, cases)).unwrap();
    let mut command = Command::new(compiler);
    // The header reads the chain of frames, and wants places of the text in their order.
    command
        .args(["-std=c++17", "-O0", "-w", "-fno-omit-frame-pointer", "-I"])
        .arg(common::root().join("tests/data/wave"));
    let output = command.arg("-I").arg(fixture("")).arg("-o").args([&binary, &source]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// Converts the programs that pass under a policy, and runs them with waves of 64 and of 32 lanes.
#[track_caller]
fn check_on_host(policy: WavePolicy, name: &str, rocm: RocmVersion) {
    let Some(compiler) = host_compiler() else { return };
    let base = scratch(&format!("host-{name}-{rocm}"));
    let cases: Vec<String> = cases().into_iter().filter(|case| policies(case).contains(name)).collect();
    for case in &cases {
        convert(&fixture(case), &base.join(case), &settings(policy, rocm));
    }
    let binary = build_on_host(&compiler, &base, &cases);
    let right: Vec<String> = cases.iter().map(|case| format!("{case}: PASS")).collect();
    for lanes in [64, 32] {
        let output = Command::new(&binary).arg(lanes.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().collect::<Vec<_>>(), right, "{lanes} lanes in a wave, ROCm {rocm}");
    }
}

#[test]
fn warps_that_keep_32_lanes_compute_what_cuda_computes() {
    check_on_host(WavePolicy::Logical32, "logical32", RocmVersion::NEWEST);
}

#[test]
fn warps_keep_32_lanes_in_old_releases_too() {
    check_on_host(WavePolicy::Logical32, "logical32", RocmVersion::OLDEST);
}

#[test]
fn whole_waves_compute_what_cuda_computes() {
    check_on_host(WavePolicy::Native, "native", RocmVersion::NEWEST);
}
