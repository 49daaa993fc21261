//! Where makefiles and scripts call nvcc, and which words are what it gets.

use super::make_names::{Names, calls_nvcc, sets_variable};
use super::planner::Plan;
use crate::build::{BuildKind, Line, Word};
use crate::source::{TextRange, TextSize, range};

/// What calls of nvcc in a line get: from behind the compiler to the end of its command.
pub(super) fn commands_of_nvcc(plan: &Plan<'_>, line: &Line, found: &[Word], names: &Names<'_>) -> Vec<TextRange> {
    let calls = found.iter().filter(|word| calls_nvcc(plan.slice(word.range), names));
    let behind = calls.filter_map(|call| {
        if let Some(behind) = behind_search(plan, line, *call) {
            return Some(behind);
        }
        // What `-DCMAKE_CUDA_COMPILER=nvcc` is given to, or `cp`, takes no options for a compiler.
        let is_value = plan.slice(call.range).starts_with('-') || names_files(program(plan, line, *call));
        let of_variable = sets_variable(plan.slice(call.range));
        let start = if of_variable { behind_call(plan, *call)? } else { call.range.end() };
        if is_value {
            return None;
        }
        Some(range(start.into(), usize::from(command(plan, line, *call).end()).max(start.into())))
    });
    behind.collect()
}

/// What a program gets whose place is looked for where it is called: `$(which nvcc) -G a.cu`.
fn behind_search(plan: &Plan<'_>, line: &Line, call: Word) -> Option<TextRange> {
    let code = plan.slice(line.code);
    let start = usize::from(line.code.start());
    let front = code[..usize::from(call.range.start()) - start].trim_end();
    let searches = ["$(shell which", "$(shell command -v", "$(which", "$(command -v", "`which", "`command -v"];
    let before =
        searches.iter().find_map(|search| front.strip_suffix(search))?.trim_end_matches([' ', '\t', '@', '-', '"']);
    let close = usize::from(call.range.end()) - start;
    let is_called = before.is_empty() || before.ends_with([';', '|', '&']);
    let closes = code[close..].starts_with([')', '`']);
    (is_called && closes).then(|| range(start + close + 1, start + end_of_command(code, close + 1)))
}

/// The words in their order, parted where commands end, and where those for nvcc begin.
pub(super) fn by_command<'w>(
    plan: &Plan<'_>,
    words: &'w [Word],
    (all, commands): (bool, &[TextRange]),
) -> Vec<(bool, &'w [Word])> {
    let is_meant = |word: &Word| all || commands.iter().any(|command| command.contains_range(word.range));
    let is_parted = |one: &Word, other: &Word| {
        let between = plan.text.get(usize::from(one.range.end())..usize::from(other.range.start()));
        between.is_some_and(|between| between.contains([';', '|', '&']))
    };
    let chunks = words.chunk_by(|one, other| is_meant(one) == is_meant(other) && !is_parted(one, other));
    chunks.map(|chunk| (is_meant(&chunk[0]), chunk)).collect()
}

/// The program that a command runs which a word stands in, behind those that run another one.
fn program<'p>(plan: &Plan<'p>, line: &Line, word: Word) -> &'p str {
    let front = plan.slice(range(line.code.start().into(), word.range.start().into()));
    let start = front.rfind([';', '|', '&', '`', '(']).map_or(0, |at| at + 1);
    let mut words = front[start..].split([' ', '\t']).map(|word| word.trim_start_matches(['@', '-', '+']));
    let is_front = |word: &str| word.is_empty() || BEFORE.contains(&word) || sets_variable(word);
    words.find(|word| !is_front(word)).unwrap_or_default()
}

/// Programs whose arguments are names of files or texts, and no command.
fn names_files(program: &str) -> bool {
    let known = [
        "[", "cat", "chmod", "cp", "dirname", "file", "grep", "install", "ln", "ls", "mv", "readlink", "realpath",
        "rm", "sed", "strings", "tar", "test", "type", "whereis", "which",
    ];
    known.contains(&program)
}

/// Behind a call, and the quote that ends it. Where a variable for one command names the compiler, that is what is called, if it is
/// known: `OMPI_CXX=nvcc mpicxx`. Other programs may take no options for compilers.
pub(super) fn behind_call(plan: &Plan<'_>, call: Word) -> Option<TextSize> {
    let (front, behind) = (&plan.text[..usize::from(call.range.start())], &plan.text[usize::from(call.range.end())..]);
    let closes = usize::from(behind.starts_with(['"', '\'']));
    if !sets_variable(plan.slice(call.range)) && !front.ends_with("=\"") && !front.ends_with("='") {
        return Some(call.range.end() + size(closes));
    }
    let line = &behind[closes..behind.find('\n').unwrap_or(behind.len()).max(closes)];
    let words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let program = words.into_iter().find(|word| !sets_variable(word))?;
    let is_plain =
        line.split(program).next().is_some_and(|between| !between.contains(['"', '\'', '$', '`', ';', '&', '|']));
    let at = program.as_ptr().addr() - plan.text.as_ptr().addr() + program.len();
    (is_plain && WRAPPERS.contains(&program)).then(|| size(at))
}

/// Programs that call the compiler that a variable names, with the options that they are given.
const WRAPPERS: &[&str] = &["mpiCC", "mpic++", "mpicc", "mpicxx", "mpiicc", "mpiicpc"];

fn size(len: usize) -> TextSize {
    TextSize::try_from(len).unwrap_or_default()
}

/// Words in front of a command that are none of its own: of a shell, and programs that run another one.
const BEFORE: &[&str] = &[
    "if", "elif", "while", "until", "then", "do", "else", "exec", "time", "nice", "sudo", "bear", "ccache", "distcc",
    "env", "sccache", "strace", "!", "xargs", "parallel", "nohup", "command", "timeout", "stdbuf", "srun", "sh",
    "bash",
];

/// Behind these words of `find` stands a command.
const EXECUTING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Whether a word of a command line calls nvcc, and is no argument of something else.
pub(super) fn is_call(plan: &Plan<'_>, line: &Line, word: Word, names: &Names<'_>) -> bool {
    if !calls_nvcc(plan.slice(word.range), names) || names.is_other(plan.slice(word.range)) {
        return false;
    }
    let mut front = plan.slice(range(line.code.start().into(), word.range.start().into()));
    // `$(command -v nvcc)`
    if front.trim_end().ends_with("command -v") {
        return false;
    }
    loop {
        front = front.trim_end_matches(['"', '\'', ' ', '\t', '@', '-', '+', '\\', '\n', '\r']);
        front = without_reference(front);
        let last = front.rsplit([' ', '\t', ';', '(', '&', '|']).next().unwrap_or_default();
        let is_setting = last.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('-'));
        if front.is_empty() || front.ends_with([';', '|', '&', '(', '`', '{']) {
            return true;
        }
        // `$(foreach f,$(FILES),nvcc …;)`
        let is_argument = front.ends_with(',') && ["$(foreach ", "$(if "].iter().any(|start| front.contains(start));
        if EXECUTING.contains(&last) || is_argument && plan.build.kind == BuildKind::Make {
            return true;
        }
        // `sudo -E nvcc …`, `xargs -n 1 -I {} nvcc …`
        let is_value = last.starts_with(['-', '{']) || last.starts_with(|c: char| c.is_ascii_digit());
        if !is_setting && !is_value && !BEFORE.contains(&last) {
            return false;
        }
        front = &front[..front.len() - last.len()];
    }
}

/// The text without a variable at its end, which may hold what starts a command: `$(EXEC) $(NVCC) …`.
fn without_reference(front: &str) -> &str {
    let start = front.rfind("$(").or_else(|| front.rfind("${")).filter(|_| front.ends_with([')', '}']));
    let is_name = |start: &usize| {
        front[start + 2..front.len() - 1].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    // `"$CUDA_HOME"/bin/nvcc`, `"$(CUDA_HOME)"/bin/nvcc`
    let bare = front.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let start =
        start.filter(is_name).or_else(|| bare.strip_suffix('$').filter(|_| bare.len() < front.len()).map(str::len));
    start.map_or(front, |start| front[..start].trim_end_matches([' ', '\t', '@', '-', '+', '"', '\'']))
}

/// From the name of a program to the end of its command.
pub(super) fn command(plan: &Plan<'_>, line: &Line, call: Word) -> TextRange {
    let code = plan.slice(line.code);
    let start = usize::from(line.code.start());
    let (front, behind) = (usize::from(call.range.start()) - start, usize::from(call.range.end()) - start);
    // `"$NVCC" -c a.cu`
    let is_quoted = |quote: &char| code[..front].ends_with(*quote) && code[behind..].starts_with(*quote);
    let from = behind + usize::from(['"', '\''].iter().any(is_quoted));
    range(call.range.start().into(), start + end_of_command(code, from))
}

/// Where a command ends that has a word before `from`: at a sign that parts commands, or where the quotes or the substitution close that
/// the word stands in. What opens behind the word does not end it: `-DX="a|b"`, `$(pkg-config --cflags a | tail -1)`.
fn end_of_command(code: &str, from: usize) -> usize {
    let bytes = code.as_bytes();
    let (mut open, mut base, mut at) = (Vec::new(), None, 0);
    while at < bytes.len() {
        if at >= from && base.is_none() {
            base = Some(open.len());
        }
        let (byte, quote) = (bytes[at], open.last().copied());
        match byte {
            b'\\' if quote != Some(b'\'') => at += 1,
            b'\'' if quote == Some(b'\'') => drop(open.pop()),
            _ if quote == Some(b'\'') => {}
            b'"' | b'`' | b')' | b'}' if quote == Some(byte) => drop(open.pop()),
            b'"' | b'`' => open.push(byte),
            b'\'' if quote != Some(b'"') => open.push(byte),
            b'(' | b'{' if at > 0 && bytes[at - 1] == b'$' => open.push(if byte == b'(' { b')' } else { b'}' }),
            b'(' if quote == Some(b')') => open.push(b')'),
            b';' | b'|' | b'&' if base == Some(open.len()) && !is_redirection(bytes, at) => return at,
            _ => {}
        }
        if base.is_some_and(|base| open.len() < base) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Whether a sign stands in `2>&1` or `&>file`.
fn is_redirection(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'&' && (at > 0 && bytes[at - 1] == b'>' || bytes.get(at + 1) == Some(&b'>'))
}
