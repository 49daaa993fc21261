//! Programs that a program starts: those that are none of the system's are started by hipshift, which has the libraries of AMD's
//! for those that ask for them.
//!
//! `hipshift run` has the loader bring this library into all children (`ld.so(8)`, `LD_PRELOAD`), so that they call these
//! functions in place of those of the library of C, which they lead to. Without the variable that names hipshift they do nothing
//! else. A child may come here between `vfork` and `execve`, so nothing here takes a lock of Rust's.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::{fs, mem, ptr};

/// The variable with the path of hipshift.
const STARTER: &[u8] = b"HIPSHIFT_STARTER=";

/// The command of hipshift that starts a program: `hipshift start-child PATH NAME ARGUMENT…`.
const COMMAND: &CStr = c"start-child";

/// What begins the paths of the system's own programs.
const SYSTEM: &[&[u8]] = &[b"/usr/", b"/bin/", b"/sbin/", b"/lib"];

/// An array of texts that a null pointer ends.
type Texts = *const *const c_char;

type Execve = extern "C" fn(*const c_char, Texts, Texts) -> c_int;
type Spawn = extern "C" fn(*mut libc::pid_t, *const c_char, *const c_void, *const c_void, Texts, Texts) -> c_int;

unsafe extern "C" {
    static environ: Texts;
}

/// Finds the file that a text names.
type Find = fn(*const c_char) -> Option<PathBuf>;

/// A call of hipshift in place of that of a program.
struct Detour {
    starter: CString,
    /// One of the words leads to it.
    _program: CString,
    words: Vec<*const c_char>,
}

impl Detour {
    /// The detour for a program; none for one of the system's, for what is no program, and where nobody asked for it.
    fn of((file, find): (*const c_char, Find), argv: Texts, envp: Texts) -> Option<Detour> {
        let starter = value(envp, STARTER)?;
        let path = find(file)?;
        let is_starter = || fs::read_link("/proc/self/exe").is_ok_and(|own| own == starter);
        if !is_of_project(&path) || is_starter() {
            return None;
        }
        let starter = CString::new(starter.as_os_str().as_bytes()).ok()?;
        let program = CString::new(path.as_os_str().as_bytes()).ok()?;
        let mut given = texts(argv);
        if given.is_empty() {
            given.push(program.as_ptr());
        }
        let mut words = vec![starter.as_ptr(), COMMAND.as_ptr(), program.as_ptr()];
        words.append(&mut given);
        words.push(ptr::null());
        Some(Detour { starter, _program: program, words })
    }
}

/// Whether a path names a program that is none of the system's.
fn is_of_project(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    if SYSTEM.iter().any(|start| bytes.starts_with(start)) {
        return false;
    }
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"\x7fELF"
}

/// The texts of an array, without the null pointer at its end.
fn texts(array: Texts) -> Vec<*const c_char> {
    let mut found = Vec::new();
    if !array.is_null() {
        // SAFETY: a null pointer ends the array of who calls (POSIX, "exec"), and nothing behind it is read.
        while let Some(text) = unsafe { array.add(found.len()).as_ref() }.filter(|text| !text.is_null()) {
            found.push(*text);
        }
    }
    found
}

/// The path that some bytes are.
fn path(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

/// The bytes of a text.
fn bytes<'t>(text: *const c_char) -> Option<&'t [u8]> {
    // SAFETY: texts of who calls end with a zero byte and stay while it waits (POSIX, "exec").
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The path that a text is.
fn path_of(text: *const c_char) -> Option<PathBuf> {
    bytes(text).map(path)
}

/// What a variable of an environment holds.
fn value(envp: Texts, start: &[u8]) -> Option<PathBuf> {
    let mut values = texts(envp).into_iter().filter_map(|text| bytes(text)?.strip_prefix(start));
    values.next().filter(|value| !value.is_empty()).map(path)
}

/// The environment of the process.
fn own_environment() -> Texts {
    // SAFETY: the library of C sets it before anything of a program runs.
    unsafe { environ }
}

/// The file that a name stands for: a path, or the first program of that name in a folder of `PATH`.
fn found(file: *const c_char) -> Option<PathBuf> {
    let file = path_of(file)?;
    if file.as_os_str().as_bytes().contains(&b'/') {
        return Some(file);
    }
    let folders = value(own_environment(), b"PATH=")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// The function of a name that would have been called without this library.
fn next<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function's address") };
    // SAFETY: the name ends with a zero byte.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    // SAFETY: the library of C has a function of this name with the type that the caller gives, as POSIX says.
    (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
}

/// Calls `execve` or `execvpe`, with hipshift for a program that it starts.
fn replace(name: &CStr, program: (*const c_char, Find), argv: Texts, envp: Texts) -> c_int {
    let Some(next) = next::<Execve>(name) else { return -1 };
    match Detour::of(program, argv, envp) {
        Some(detour) => next(detour.starter.as_ptr(), detour.words.as_ptr(), envp),
        None => next(program.0, argv, envp),
    }
}

/// Calls `posix_spawn` or `posix_spawnp`, with hipshift for a program that it starts.
fn spawn(
    name: &CStr,
    program: (*const c_char, Find),
    (pid, actions, attributes): (*mut libc::pid_t, *const c_void, *const c_void),
    (argv, envp): (Texts, Texts),
) -> c_int {
    let Some(next) = next::<Spawn>(name) else { return libc::ENOSYS };
    match Detour::of(program, argv, envp) {
        Some(detour) => next(pid, detour.starter.as_ptr(), actions, attributes, detour.words.as_ptr(), envp),
        None => next(pid, program.0, actions, attributes, argv, envp),
    }
}

// SAFETY of the names: each function does what POSIX says of its name.
#[unsafe(no_mangle)]
extern "C" fn execve(path: *const c_char, argv: Texts, envp: Texts) -> c_int {
    replace(c"execve", (path, path_of), argv, envp)
}

#[unsafe(no_mangle)]
extern "C" fn execv(path: *const c_char, argv: Texts) -> c_int {
    replace(c"execve", (path, path_of), argv, own_environment())
}

#[unsafe(no_mangle)]
extern "C" fn execvp(file: *const c_char, argv: Texts) -> c_int {
    replace(c"execvpe", (file, found), argv, own_environment())
}

#[unsafe(no_mangle)]
extern "C" fn execvpe(file: *const c_char, argv: Texts, envp: Texts) -> c_int {
    replace(c"execvpe", (file, found), argv, envp)
}

#[unsafe(no_mangle)]
extern "C" fn posix_spawn(
    pid: *mut libc::pid_t,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    argv: Texts,
    envp: Texts,
) -> c_int {
    spawn(c"posix_spawn", (path, path_of), (pid, actions, attributes), (argv, envp))
}

#[unsafe(no_mangle)]
extern "C" fn posix_spawnp(
    pid: *mut libc::pid_t,
    file: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    argv: Texts,
    envp: Texts,
) -> c_int {
    spawn(c"posix_spawnp", (file, found), (pid, actions, attributes), (argv, envp))
}
