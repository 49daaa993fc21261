//! `hipshift toolchain install` with the machine's real apt, on packages and sources that are made here. Nothing is
//! fetched from a network.

use crate::common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hipshift::mapping::RocmVersion;
use hipshift::toolchain::{
    InstallError, Libraries, LibrarySet, Options, Packages, Part, RELEASES, System, Toolchain, install,
    install_libraries, install_packages, remove_libraries, with_dependencies,
};
use sha2::{Digest as _, Sha256};

/// A machine with sources of its own, and a mirror beside it.
struct Machine {
    root: tempfile::TempDir,
}

/// Name, version, dependencies, and the file that a package holds, with its text.
type Package<'p> = (&'p str, &'p str, &'p str, &'p str, &'p str);

const HEADER: &str = "usr/include/hip/hip_runtime.h";
const BITCODE: &str = "usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode/ocml.bc";
const COMPILER: &str = "#!/bin/sh\necho 'clang version 22.1.8'\n";

impl Machine {
    /// A machine that runs `codename`; `None` with a note where there is no apt.
    fn new(id: &str, codename: &str) -> Option<Machine> {
        for program in ["apt-get", "apt-cache", "dpkg", "dpkg-deb"] {
            if Command::new(program).arg("--version").output().is_err() {
                eprintln!("skipped: there is no `{program}`");
                return None;
            }
        }
        let machine = Machine { root: tempfile::tempdir().unwrap() };
        machine.write("os-release", &format!("ID={id}\nVERSION_CODENAME={codename}\n"));
        machine.write("status", "");
        let mirror = machine.path("mirror");
        machine.write("apt/sources.list", &format!("deb [trusted=yes] copy:{} {codename} main\n", mirror.display()));
        Some(machine)
    }

    /// The parts that a release and the compiler need.
    fn with_all_packages(self) -> Machine {
        self.suite(
            "experimental",
            &[
                ("libamdhip64-dev", "7.2.4-1", "libfoo", HEADER, "new"),
                ("rocm-device-libs-22", "7.2.4-1", "", BITCODE, "code"),
                ("librocprim-dev", "7.2.4-1", "", "usr/include/rocprim/rocprim.hpp", "prim"),
            ],
        );
        self.suite("sid", &[("libamdhip64-dev", "6.4.3-1", "", HEADER, "old")]);
        self.compiler("bookworm");
        self
    }

    fn compiler(&self, suite: &str) {
        self.suite(
            suite,
            &[
                ("clang-22", "1:22.1.8-1", "libllvm22", "usr/bin/clang++-22", COMPILER),
                ("clang-tools-22", "1:22.1.8-1", "", "usr/bin/clang-offload-bundler-22", COMPILER),
                ("lld-22", "1:22.1.8-1", "", "usr/bin/ld.lld-22", COMPILER),
                ("llvm-22", "1:22.1.8-1", "", "usr/bin/llvm-readelf-22", COMPILER),
                ("libllvm22", "1:22.1.8-1", "", "usr/lib/libllvm.so", "library"),
            ],
        );
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Fills a suite of the mirror.
    fn suite(&self, suite: &str, packages: &[Package]) {
        let architecture = Command::new("dpkg").arg("--print-architecture").output().unwrap().stdout;
        let architecture = String::from_utf8(architecture).unwrap().trim().to_owned();
        let mut index = String::new();
        for package in packages {
            let (archive, control) = self.build(suite, package, &architecture);
            let bytes = fs::read(&archive).unwrap();
            let inside = archive.strip_prefix(self.path("mirror")).unwrap().display().to_string();
            write!(index, "{control}Filename: {inside}\nSize: {}\nSHA256: {}\n\n", bytes.len(), hash(&bytes)).unwrap();
        }
        let list = format!("main/binary-{architecture}/Packages");
        self.write(&format!("mirror/dists/{suite}/{list}"), &index);
        let release = format!(
            "Origin: Debian\nSuite: {suite}\nCodename: {suite}\nArchitectures: {architecture}\nComponents: main\n\
             Date: Sat, 01 Jan 2000 00:00:00 UTC\nSHA256:\n {} {} {list}\n",
            hash(index.as_bytes()),
            index.len()
        );
        self.write(&format!("mirror/dists/{suite}/Release"), &release);
    }

    fn build(&self, suite: &str, package: &Package, architecture: &str) -> (PathBuf, String) {
        let (name, version, depends, file, text) = *package;
        let depends = if depends.is_empty() { String::new() } else { format!("Depends: {depends}\n") };
        let control = format!(
            "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: nobody <n@example.com>\n\
             {depends}Description: a part\n"
        );
        let tree = format!("build/{suite}/{name}");
        self.write(&format!("{tree}/DEBIAN/control"), &control);
        match text.strip_prefix("#!/bin/sh\n") {
            Some(text) => common::script::script(&self.path(&format!("{tree}/{file}")), text),
            None => self.write(&format!("{tree}/{file}"), text),
        };
        let archive = self.write(&format!("mirror/pool/{suite}/{name}.deb"), "");
        let mut command = Command::new("dpkg-deb");
        command.args(["--root-owner-group", "-Znone", "--build"]).arg(self.path(&tree)).arg(&archive);
        assert!(command.output().unwrap().status.success());
        (archive, control)
    }

    fn system(&self) -> System {
        System {
            os_release: self.path("os-release"),
            apt: self.path("apt"),
            status: self.path("status"),
            use_installed: false,
        }
    }

    fn install(&self, releases: &[RocmVersion]) -> Result<Vec<Part>, InstallError> {
        let options = Options { folder: &self.path("tools"), releases, refresh: false, check: false };
        install(&self.system(), &options, &|_| {})
    }

    fn holds(&self, name: &str) -> bool {
        self.path("tools").join(name).exists()
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn shown(parts: &[Part], root: &Path) -> String {
    let line =
        |part: &Part| format!("{} | {} | {}", part.name, part.version, part.path.strip_prefix(root).unwrap().display());
    parts.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn releases_and_the_compiler_come_from_the_suites_that_have_them() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let parts = machine.install(&[RocmVersion::new(6, 4)]).unwrap();
    insta::assert_snapshot!(shown(&parts, machine.root.path()), @r"
    HIP 7.2 | 7.2.4-1 and 1 libraries | tools/hip-7.2/usr
    device libraries | 7.2.4-1 | tools/hip-7.2/usr
    HIP 6.4 | 6.4.3-1 and 0 libraries | tools/hip-6.4/usr
    clang | 22.1.8 | tools/bin/clang++-22
    ");
    assert!(machine.holds("hip-7.2/usr/include/rocprim/rocprim.hpp"));
    // What a package of headers depends on is not taken, what the compiler depends on is.
    assert!(machine.holds("llvm/usr/lib/libllvm.so"));
    for release in [RocmVersion::NEWEST, RocmVersion::new(6, 4)] {
        let found = Toolchain::find(Some(&machine.path("tools")), release).unwrap();
        assert_eq!(found.compiler, machine.path("tools/bin/clang++-22"));
        assert_eq!(found.compiler_version().as_deref(), Some("clang version 22.1.8"));
        assert_eq!(found.device_libraries.as_deref(), machine.path("tools/hip-7.2").join(BITCODE).parent());
    }
    // The second run needs no mirror.
    fs::remove_dir_all(machine.path("mirror")).unwrap();
    assert_eq!(machine.install(&[RocmVersion::new(6, 4)]).unwrap(), parts);
}

#[test]
fn a_run_without_a_mirror_says_that_the_network_is_needed_and_leaves_what_is_there() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    machine.install(&[]).unwrap();
    fs::remove_dir_all(machine.path("mirror")).unwrap();
    let error = machine.install(&[RocmVersion::new(6, 4)]).unwrap_err();
    assert!(matches!(error, InstallError::Lists(_)), "{error}");
    assert!(error.to_string().contains("which needs the network"), "{error}");
    assert!(Toolchain::find(Some(&machine.path("tools")), RocmVersion::NEWEST).is_ok());
    assert!(!machine.holds("hip-6.4"));
}

#[test]
fn a_package_that_is_not_what_the_lists_say_is_refused_and_the_next_run_goes_on() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let archive = machine.path("mirror/pool/experimental/rocm-device-libs-22.deb");
    let whole = fs::read(&archive).unwrap();
    let mut broken = whole.clone();
    *broken.last_mut().unwrap() ^= 1;
    fs::write(&archive, broken).unwrap();
    let error = machine.install(&[]).unwrap_err();
    assert!(matches!(error, InstallError::Download(_)), "{error}");
    assert!(error.to_string().contains("run the command again"), "{error}");
    assert!(!machine.holds("hip-7.2"));
    // What came through is kept: the mirror no longer has it, and the next run does not ask for it.
    let fetched = machine.path("tools/hip-7.2.debs");
    assert!(fs::read_dir(&fetched).unwrap().count() > 0);
    fs::write(&archive, whole).unwrap();
    fs::remove_file(machine.path("mirror/pool/experimental/libamdhip64-dev.deb")).unwrap();
    machine.install(&[]).unwrap();
    assert!(machine.holds("hip-7.2/usr/include/hip/hip_runtime.h") && !fetched.exists());
}

#[test]
fn other_distributions_have_to_carry_the_release_themselves() {
    let Some(machine) = Machine::new("ubuntu", "future") else { return };
    machine.suite("future", &[("libamdhip64-dev", "7.1.0-1", "", HEADER, "new")]);
    let error = machine.install(&[]).unwrap_err();
    assert_eq!(error.to_string(), "none of the suites future carries HIP 7.2");
    let Some(machine) = Machine::new("fedora", "42") else { return };
    machine.write("os-release", "ID=fedora\nVERSION_ID=42\n");
    let error = machine.install(&[]).unwrap_err();
    assert!(error.to_string().contains("only be fetched on Debian and its like"), "{error}");
}

#[test]
fn two_runs_of_one_folder_exclude_each_other() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let lock = fs::File::create(machine.write("tools/lock", "")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(machine.install(&[]).unwrap_err(), InstallError::Busy(_)));
}

#[test]
fn what_the_system_has_is_left_out_of_other_tools() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    machine.suite(
        "bookworm",
        &[("browser", "1", "libwide, libthere", "usr/bin/browser", "b"), ("libwide", "1", "", "usr/lib/wide", "w")],
    );
    let architecture = Command::new("dpkg").arg("--print-architecture").output().unwrap().stdout;
    let architecture = String::from_utf8(architecture).unwrap();
    machine.write(
        "status",
        &format!("Package: libthere\nStatus: install ok installed\nVersion: 1\nArchitecture: {architecture}\n"),
    );
    let home = with_dependencies(&machine.system(), &machine.path("tools"), "browser", &["browser"]).unwrap();
    assert!(home.join("usr/bin/browser").exists() && home.join("usr/lib/wide").exists());
}

#[test]
fn each_release_that_can_be_fetched_is_one_that_hipshift_converts_for() {
    assert_eq!(RELEASES[0], RocmVersion::NEWEST);
    assert!(RELEASES.iter().all(|release| *release >= RocmVersion::OLDEST));
    assert!(RELEASES.is_sorted_by(|a, b| a > b));
}

#[test]
fn the_command_says_what_it_cannot_fetch() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        // Without programs on PATH there is no apt.
        command.env("PATH", folder.path()).args(["toolchain", "install", "--dir"]).arg(folder.path().join("tools"));
        let output = command.args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run(&["--hip", "6.0"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("there is no `apt-get`: packages can only be fetched on Debian and its like"), "{text}");
    let (code, text) = run(&["--hip", "seven"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("write major and minor number"), "{text}");
}

#[test]
fn what_was_installed_is_found_without_being_named_and_doctor_tells_what_is_not() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let tools = machine.path("data/hipshift/toolchain");
    let options = Options { folder: &tools, releases: &[], refresh: false, check: false };
    install(&machine.system(), &options, &|_| {}).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    let variables = ["HIPSHIFT_TOOLCHAIN", "ROCM_PATH", "HIP_PATH"];
    for variable in variables {
        command.env_remove(variable);
    }
    command.env("XDG_DATA_HOME", machine.path("data")).current_dir(machine.root.path());
    let output = command.args(["doctor", "--format=json"]).output().unwrap();
    let found = common::json(&output);
    let newest = found["hip"].as_array().unwrap().iter().find(|hip| hip["release"] == "7.2").unwrap();
    assert_eq!(newest["compiler_version"], "clang version 22.1.8");
    assert_eq!(newest["path"], tools.join("hip-7.2/usr").to_str().unwrap());
    let missing = found["missing"].as_array().unwrap();
    assert!(missing.iter().any(|missing| missing["command"] == "hipshift toolchain install --hip 5.7"), "{missing:#?}");
    assert!(!missing.iter().any(|missing| missing["command"] == "hipshift toolchain install"), "{missing:#?}");
}

/// What `hipshift toolchain install` does in a process of its own, which can be stopped. `None` if the tests run on a machine
/// without apt.
fn child(machine: &Machine) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "toolchain::the_child_of_other_tests", "--nocapture", "--test-threads=1"]);
    command.env(MACHINE, machine.root.path());
    command
}

const MACHINE: &str = "HIPSHIFT_TEST_MACHINE";

#[test]
fn the_child_of_other_tests() {
    let Some(root) = std::env::var_os(MACHINE).map(PathBuf::from) else { return };
    let system = System {
        os_release: root.join("os-release"),
        apt: root.join("apt"),
        status: root.join("status"),
        use_installed: false,
    };
    let tools = root.join("tools");
    let options = Options { folder: &tools, releases: &[], refresh: false, check: false };
    if let Err(error) = install(&system, &options, &|_| {}) {
        eprintln!("refused: {error}");
        std::process::exit(9);
    }
}

/// All that is unpacked, with contents.
fn unpacked(machine: &Machine) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for part in ["bin", "llvm", "hip-7.2"] {
        let found = walkdir::WalkDir::new(machine.path("tools").join(part)).sort_by_file_name().into_iter().flatten();
        for file in found.filter(|entry| entry.file_type().is_file()) {
            files.push((
                file.path().strip_prefix(machine.root.path()).unwrap().to_owned(),
                fs::read(file.path()).unwrap(),
            ));
        }
    }
    files
}

#[test]
fn an_install_that_is_killed_at_any_time_goes_on_with_the_next() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let start = std::time::Instant::now();
    assert!(child(&machine).output().unwrap().status.success());
    let whole = start.elapsed();
    let wanted = unpacked(&machine);
    assert!(wanted.len() > 5, "{wanted:?}");
    for twelfth in 1..12 {
        fs::remove_dir_all(machine.path("tools")).unwrap();
        let mut child = child(&machine);
        let mut running = child.stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * twelfth / 12);
        running.kill().unwrap();
        running.wait().unwrap();
        // A toolchain is there as a whole, or not at all.
        if let Ok(found) = Toolchain::find(Some(&machine.path("tools")), RocmVersion::NEWEST) {
            assert!(found.rocm.join("include/hip/hip_runtime.h").is_file() && found.compiler.is_file(), "{found:?}");
        }
        // apt may outlive whoever started it by a moment.
        let next = (0..50).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            machine.install(&[]).ok()
        });
        assert!(next.is_some(), "killed after {twelfth} of 12 parts: {:?}", machine.install(&[]));
        assert_eq!(unpacked(&machine), wanted, "killed after {twelfth} of 12 parts");
    }
}

#[test]
fn of_two_installs_at_once_one_fills_the_folder_and_the_other_says_so() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let mut children: Vec<_> =
        (0..3).map(|_| child(&machine).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()).collect();
    let outputs: Vec<_> = children.drain(..).map(|child| child.wait_with_output().unwrap()).collect();
    let done = outputs.iter().filter(|output| output.status.success()).count();
    assert!(done >= 1, "{outputs:?}");
    for output in outputs.iter().filter(|output| !output.status.success()) {
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("another run fills"), "{text}");
    }
    assert!(Toolchain::find(Some(&machine.path("tools")), RocmVersion::NEWEST).is_ok());
}

#[test]
fn an_install_on_a_full_disk_says_so_and_the_next_goes_on() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let whole = child(&machine).output().unwrap();
    assert!(whole.status.success(), "{whole:?}");
    let wanted = unpacked(&machine);
    // The limit of the shell on the length of files is what a test can have of a full disk.
    let mut refused = 0;
    for kibibytes in [0, 1, 2, 4] {
        fs::remove_dir_all(machine.path("tools")).unwrap();
        let program = child(&machine);
        let script = format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$@\"");
        let mut limited = Command::new("bash");
        limited.args(["-c", &script, "bash"]).arg(program.get_program()).args(program.get_args());
        // Its words go into a pipe, which no limit is on.
        let output = limited.env(MACHINE, machine.root.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            assert_eq!(output.status.code(), Some(9), "{output:?}");
            assert!(text.contains("refused: "), "{text}");
            refused += 1;
        }
        machine.install(&[]).unwrap();
        assert_eq!(unpacked(&machine), wanted, "{kibibytes} KiB");
    }
    assert!(refused > 1);
}

#[test]
fn nothing_is_installed_through_a_link_or_where_others_can_write() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let machine = machine.with_all_packages();
    let victim = machine.write("outside/victim", "mine");
    for name in [
        "lock",
        "bin",
        "apt",
        "hip-7.2.debs",
        "llvm.debs",
        "bin/clang++-22.new",
        "apt/experimental/status",
        "apt/experimental/lists/partial",
        "apt/experimental/lists/partial/x",
    ] {
        let _ = fs::remove_dir_all(machine.path("tools"));
        // That they are full of packages is what anybody can say.
        if let Some((folder, _)) = name.split_once('/') {
            machine.write(&format!("tools/{folder}/packages.txt"), "x 1\n");
        }
        let link = machine.path("tools").join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let to = if name.contains(['k', '/']) { victim.clone() } else { machine.path("outside") };
        symlink(to, &link).unwrap();
        let error = machine.install(&[]).unwrap_err();
        assert!(matches!(error, InstallError::Link(_)), "{name}: {error}");
        assert!(error.to_string().contains("nothing is written through one"), "{error}");
    }
    fs::remove_dir_all(machine.path("tools")).unwrap();
    fs::create_dir(machine.path("tools")).unwrap();
    fs::set_permissions(machine.path("tools"), fs::Permissions::from_mode(0o777)).unwrap();
    let error = machine.install(&[]).unwrap_err().to_string();
    assert!(error.contains("others can write to"), "{error}");
    fs::set_permissions(machine.path("tools"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(machine.root.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = machine.install(&[]).unwrap_err().to_string();
    assert!(error.contains("all users can exchange"), "{error}");
    fs::set_permissions(machine.root.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let outside: Vec<_> = fs::read_dir(machine.path("outside")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((outside, fs::read_to_string(&victim).unwrap()), (vec![victim.clone()], "mine".to_owned()));
    // apt has links among its lists, which are not written through, and packages have some.
    fs::create_dir_all(machine.path("tools/apt/experimental/lists")).unwrap();
    let list = machine.path("tools/apt/experimental/lists/list");
    symlink(&victim, &list).unwrap();
    machine.install(&[]).unwrap();
    assert!(!list.is_symlink() && fs::read_to_string(&victim).unwrap() == "mine");
    symlink(&victim, machine.path("tools/hip-7.2/usr/link")).unwrap();
    machine.install(&[]).unwrap();
}

/// Where the libraries of a package lie.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

#[test]
fn packages_beside_the_libraries_are_fetched_once_and_their_size_is_told() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let file = format!("{LIBRARIES}/some.so");
    machine.suite("experimental", &[("some-tests", "7.2.4-1", "", &file, "a")]);
    let (tools, told) = (machine.path("tools"), std::sync::Mutex::new(Vec::new()));
    let fetch = |name| {
        let names = [name];
        let packages = Packages::beside_libraries("tests", &names, "tests-some");
        install_packages(&machine.system(), &tools, &packages, &|step| told.lock().unwrap().push(step.to_owned()))
    };
    let part = fetch("some-tests").unwrap();
    assert_eq!((part.version.as_str(), &part.path), ("7.2.4-1", &tools.join("tests-some")));
    assert!(part.path.join(file).is_file() && !machine.holds("tests-some.debs"));
    assert_eq!(*told.lock().unwrap(), ["tests: 1 MB to fetch, 0 MB on the disk"]);
    let error = fetch("other-tests").unwrap_err().to_string();
    assert_eq!(error, "apt has no package `other-tests`");
    fs::remove_dir_all(machine.path("mirror")).unwrap();
    assert_eq!(fetch("some-tests").unwrap(), part);
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[test]
fn libraries_lie_beside_the_toolchain_and_can_be_removed() {
    let Some(machine) = Machine::new("debian", "bookworm") else { return };
    let [hip, roc, c] = ["libhiprand.so.1", "librocrand.so.1", "libc.so.6"].map(|name| format!("{LIBRARIES}/{name}"));
    machine
        .suite("experimental", &[("libhiprand1", "7.2.4-1", "", &hip, "a"), ("librocrand1", "7.2.4-1", "", &roc, "b")]);
    let base = [
        "libc6",
        "libgcc-s1",
        "libstdc++6",
        "libfmt11",
        "libgfortran5",
        "libgomp1",
        "libquadmath0",
        "libsqlite3-0",
        "libzstd1",
        "libblas3",
        "liblapack3",
    ];
    let files = base.map(|name| if name == "libc6" { c.clone() } else { format!("usr/share/{name}") });
    let packages: Vec<Package> =
        base.iter().zip(&files).map(|(name, file)| (*name, "2.43-1", "", file.as_str(), "c")).collect();
    machine.suite("sid", &packages);
    let (tools, rand) = (machine.path("tools"), LibrarySet::find("rand").unwrap());
    let told = std::sync::Mutex::new(Vec::new());
    let fetch = || {
        install_libraries(&machine.system(), &tools, &[rand], false, &|step| told.lock().unwrap().push(step.to_owned()))
    };
    let parts = fetch().unwrap();
    insta::assert_snapshot!(shown(&parts, machine.root.path()), @r"
    base of the libraries | 2.43-1 | tools/libraries-base
    library rand | 7.2.4-1 | tools/libraries-rand
    ");
    // Sizes are told before anything is fetched.
    assert_eq!(told.lock().unwrap()[1], "library rand: 1 MB to fetch, 0 MB on the disk");
    let libraries = Libraries::in_folder(&tools);
    assert_eq!(
        libraries.sets().map(|(set, folder)| (set.name, folder)).collect::<Vec<_>>(),
        [("rand", tools.join("libraries-rand").join(LIBRARIES))]
    );
    // The second run needs no mirror, and says nothing.
    fs::remove_dir_all(machine.path("mirror")).unwrap();
    assert_eq!(fetch().unwrap(), parts);
    assert_eq!(told.lock().unwrap().len(), 2);
    assert_eq!(remove_libraries(&tools, &[rand]).unwrap(), ["rand"]);
    assert!(!machine.holds("libraries-rand") && !machine.holds("libraries-base"));
    assert!(remove_libraries(&tools, &[rand]).unwrap().is_empty());
}
