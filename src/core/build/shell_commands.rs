//! The commands of a line of a script: `for x in a b; do F="$F -$x"; done` has three (POSIX, Shell Command Language, 2.9).

use super::make::{Line, LineKind, trimmed};
use crate::source::range;

/// Words behind which a command begins.
const OPENING: &[&str] = &["do", "else", "then"];

/// The commands of a line, each a line of its own. Together they are the line.
pub(super) fn commands_of(text: &str, line: Line) -> Vec<Line> {
    let (start, end) = (usize::from(line.code.start()), usize::from(line.code.end()));
    let cuts = cuts(&text[start..end]);
    let mut found = Vec::with_capacity(cuts.len() + 1);
    let mut from = usize::from(line.range.start());
    for Cut { code_end, next } in cuts {
        found.push(Line {
            range: range(from, start + next),
            code: trimmed(text, from.max(start), start + code_end),
            comment: None,
            ..line
        });
        from = start + next;
    }
    found.push(Line { range: range(from, line.range.end().into()), code: trimmed(text, from.max(start), end), ..line });
    for command in &mut found {
        if command.code.is_empty() {
            command.kind = LineKind::Blank;
        }
    }
    found
}

/// Where a command ends, and the next one begins.
struct Cut {
    code_end: usize,
    next: usize,
}

/// The ends of all commands but the last: at signs that part commands, behind words that begin a part of a compound command, and behind
/// the pattern of a `case`.
fn cuts(code: &str) -> Vec<Cut> {
    let bytes = code.as_bytes();
    let (mut found, mut open, mut at, mut word) = (Vec::new(), Vec::new(), 0, 0);
    while at < bytes.len() {
        let (byte, inside) = (bytes[at], open.last().copied());
        match byte {
            b'\\' if inside != Some(b'\'') => at += 1,
            b'\'' if inside == Some(b'\'') => drop(open.pop()),
            _ if inside == Some(b'\'') => {}
            b'"' | b'`' | b')' | b'}' if inside == Some(byte) => drop(open.pop()),
            b']' if inside == Some(byte) && bytes.get(at + 1) == Some(&b']') => drop(open.pop()),
            b'"' | b'`' => open.push(byte),
            b'\'' if inside != Some(b'"') => open.push(byte),
            // `diff <(nvcc -c a.cu) <(nvcc -c b.cu)`
            b'(' if open.is_empty() && at > 0 && matches!(bytes[at - 1], b'<' | b'>') => {
                found.push(Cut { code_end: at + 1, next: at + 1 });
            }
            b'(' if inside != Some(b'"') || at > 0 && bytes[at - 1] == b'$' => open.push(b')'),
            b'{' if at > 0 && bytes[at - 1] == b'$' => open.push(b'}'),
            _ if !open.is_empty() => {}
            b'[' if at == word && bytes.get(at + 1) == Some(&b'[') => open.push(b']'),
            b';' | b'&' | b'|' => {
                let len = bytes[at..].iter().take_while(|sign| **sign == byte).count();
                // `;;&` and `;&` go on with the next pattern.
                let goes_on =
                    byte == b';' && bytes.get(at + len) == Some(&b'&') && bytes.get(at + len + 1) != Some(&b'&');
                let len = len + usize::from(goes_on);
                if byte == b';' || len == 2 {
                    found.push(Cut { code_end: at, next: at + len });
                }
                at += len - 1;
            }
            b')' => found.push(Cut { code_end: at + 1, next: at + 1 }),
            b' ' | b'\t' | b'\n' if OPENING.contains(&&code[word..at]) => found.push(Cut { code_end: at, next: at }),
            _ => {}
        }
        at += 1;
        if open.is_empty()
            && bytes.get(at - 1).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|'))
        {
            word = at;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::make::shell_lines;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let lines: Vec<Line> = shell_lines(text).into_iter().flat_map(|line| commands_of(text, line)).collect();
        let shown: Vec<&str> = lines.iter().map(|line| &text[line.code]).filter(|code| !code.is_empty()).collect();
        assert_eq!(shown, expected);
        let whole: String = lines.iter().map(|line| &text[line.range]).collect();
        assert_eq!(whole, text);
    }

    #[test]
    fn lines_have_the_commands_of_a_shell() {
        check("for x in 70 80; do F=\"$F; -a\"; done # c; d", &["for x in 70 80", "do", "F=\"$F; -a\"", "done"]);
        check(
            "[ -n \"$A\" ] && F=-g || make | tee 2>&1 log & wait",
            &["[ -n \"$A\" ]", "F=-g", "make | tee 2>&1 log & wait"],
        );
        check("case $1 in fast) F=-g;; *) exit;; esac", &["case $1 in fast)", "F=-g", "*)", "exit", "esac"]);
        check(
            "for ((i = 0; i < 2; i++)); do A+=(a; b); done",
            &["for ((i = 0; i < 2; i++))", "do", "A+=(a; b)", "done"],
        );
        check("x=$(a; b) y=${c:-d;e} 'f;g' h\\;i `j;k`", &["x=$(a; b) y=${c:-d;e} 'f;g' h\\;i `j;k`"]);
        check("if a; then b; else \\\n c; fi", &["if a", "then", "b", "else", "\\\n c", "fi"]);
        check("if [[ a && ( b || c ) ]]; then d", &["if [[ a && ( b || c ) ]]", "then", "d"]);
        check(
            "case $1 in a) F=-x;;& b) G=-y ;& *) z; esac",
            &["case $1 in a)", "F=-x", "b)", "G=-y", "*)", "z", "esac"],
        );
        check("diff <(a; b) <(c)", &["diff <(", "a", "b)", "<(", "c)"]);
        check("it's; a", &["it's; a"]);
    }
}
