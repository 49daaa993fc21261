//! Traps that a repository may hold, and the commands that somebody gives in it.
//!
//! Each trap is set anew for each command. Afterwards all that lies beside the project has to be what it was; programs
//! of the traps leave a mark there.

use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use serde_json::json;

use super::folder::Folder;
use super::script::script;
use super::tree::tree;

pub(crate) const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
pub(crate) const VICTIM: &str = "// mine: cudaFree\n";
/// What a trap may not reach.
pub(crate) const OUTSIDE: &str = "outside";

/// Commands that a user gives in a fresh clone, from its top.
const COMMANDS: &[&[&str]] = &[
    &["convert", ".", "--in-place", "--allow-dirty"],
    &["convert", ".", "--in-place"],
    &["convert", ".", "--in-place", "--allow-dirty", "--ext", "hip"],
    &["convert", "x.cu", "--in-place", "--allow-dirty"],
    &["convert", ".", "-o", "out"],
    &["convert", ".", "-o", "."],
    &["convert", "x.cu", "-o", "out.hip"],
    &["convert", ".", "--emit", "guarded", "--in-place", "--allow-dirty"],
    &["convert", ".", "--export-fixes", "fixes.yaml"],
    &["convert", "-"],
    &["convert", ".", "--emit", "compat-header", "-o", "headers"],
    &["lint", "."],
    &["lint", ".", "--fix"],
    &["lint", ".", "--fix", "--allow-dirty", "--unsafe-fixes"],
    &["lint", "--since", "HEAD"],
    &["lint", "--staged"],
    &["lint", ".", "--write-baseline", "known.json"],
    &["lsp"],
    &["undo"],
    &["undo", "--force"],
    &["update"],
    &["update", "-o", "out"],
    &["hipify", "x.cu"],
    &["hipify", "--inplace", "x.cu"],
    &["hipify", "--inplace", "-p", "."],
    &["review", "--prune", "."],
    &["review", "."],
    &["diff", "."],
    &["diff", ".", "--split-by", "file", "-o", "series"],
    &["diff", ".", "--patch", "all.patch"],
    &["validate", ".", "--stage", "syntax", "--executor", "none"],
    &["doctor"],
];

/// Those that ask git.
const ASKING_GIT: &[&[&str]] = &[
    &["convert", ".", "--in-place"],
    &["convert", ".", "--in-place", "--allow-dirty"],
    &["lint", ".", "--fix"],
    &["lint", "--since", "HEAD"],
    &["lint", "--since", "HEAD", "--staged"],
    &["lint", "--staged"],
    &["diff", ".", "--split-by", "file", "-o", "series"],
];

/// A project beside files that are nobody's business.
pub(crate) struct Trap {
    pub(crate) folder: Folder,
}

impl Trap {
    pub(crate) fn new() -> Trap {
        let folder = Folder::new(&[
            ("clone/x.cu", CUDA),
            ("clone/sub/y.cu", CUDA),
            ("outside/victim", VICTIM),
            ("outside/victim.cu", VICTIM),
            ("outside/victim.gz", VICTIM),
            ("outside/folder/z.cu", CUDA),
            ("home/.gitconfig", "[user]\nname = a\nemail = a@b\n"),
        ]);
        let ran = folder.path("outside/ran");
        script(&folder.path("program"), &format!("echo \"$0 $*\" >> '{}'\ncat\n", ran.display()));
        Trap { folder }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.folder.write(&format!("clone/{path}"), text.as_bytes());
    }

    pub(crate) fn link(&self, path: &str, to: &str) {
        let path = self.folder.path(&format!("clone/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        symlink(to, path).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.folder.path(path).to_str().unwrap().to_owned()
    }

    /// A program that leaves a mark when it runs.
    pub(crate) fn program(&self) -> String {
        self.path("program")
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "protocol.file.allow=always"]).args(arguments).env("HOME", self.path("home"));
        assert!(command.current_dir(self.folder.path("clone")).status().unwrap().success(), "{arguments:?}");
    }

    /// A repository with a commit, a change that is staged and one that is not, and times that say nothing.
    pub(crate) fn repository(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "-m", "state"]);
        self.write("sub/y.cu", &format!("{CUDA}// staged\n"));
        self.git(&["add", "--all"]);
        self.write("x.cu", &CUDA.replace("(p)", "(q)"));
    }

    pub(crate) fn configure(&self, name: &str, value: &str) {
        self.git(&["config", name, value]);
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["20", env!("CARGO_BIN_EXE_hipshift")]).current_dir(self.folder.path("clone"));
        command.args(arguments).env_remove("NO_COLOR");
        command.env("HOME", self.path("home")).env("XDG_STATE_HOME", self.path("state"));
        // Those that read it have all of it at once, and need no writer beside.
        let input = self.folder.path("input");
        std::fs::write(&input, if arguments == ["lsp"] { self.session() } else { CUDA.to_owned() }).unwrap();
        command.stdin(std::fs::File::open(input).unwrap()).output().unwrap()
    }

    /// What an editor says that opens the project and a file, and has that converted.
    fn session(&self) -> String {
        let [root, file] = ["clone", "clone/x.cu"].map(|path| super::lsp::uri(&self.folder.path(path)));
        let open = json!({ "uri": file, "languageId": "cuda-cpp", "version": 1, "text": CUDA });
        let messages = [
            json!({ "id": 1, "method": "initialize", "params": { "capabilities": {}, "rootUri": root } }),
            json!({ "method": "initialized", "params": {} }),
            json!({ "method": "textDocument/didOpen", "params": { "textDocument": open } }),
            json!({ "id": 2, "method": "textDocument/diagnostic", "params": { "textDocument": { "uri": file } } }),
            json!({ "id": 3, "method": "workspace/executeCommand",
                    "params": { "command": "hipshift.convertFile", "arguments": [file] } }),
            json!({ "id": 4, "method": "shutdown" }),
            json!({ "method": "exit" }),
        ];
        let framed = messages.map(|mut message| {
            message["jsonrpc"] = json!("2.0");
            let body = message.to_string();
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        });
        framed.concat()
    }
}

/// Sets a trap for each command, and looks whether it caught anything.
#[track_caller]
pub(crate) fn harmless(set: impl Fn(&Trap)) {
    check(COMMANDS, set);
}

/// The same for traps that wait for git. That they catch somebody is seen from git itself.
#[track_caller]
pub(crate) fn git_is_harmless(set: impl Fn(&Trap)) {
    check(ASKING_GIT, set);
}

#[track_caller]
fn check(commands: &[&[&str]], set: impl Fn(&Trap)) {
    for command in commands {
        let trap = Trap::new();
        set(&trap);
        // Whatever setting it ran is not what is asked about.
        let _ = std::fs::remove_file(trap.folder.path("outside/ran"));
        let before = tree(&trap.folder.path(OUTSIDE));
        let output = trap.run(command);
        assert!(output.status.code().is_some_and(|code| code < 3), "{command:?}: {output:?}");
        assert_eq!(tree(&trap.folder.path(OUTSIDE)), before, "{command:?}: {output:?}");
    }
}

#[track_caller]
pub(crate) fn says(trap: &Trap, arguments: &[&str], code: i32, message: &str) -> String {
    let output = trap.run(arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(text.contains(message), "{arguments:?}: no `{message}` in {text}");
    text
}
