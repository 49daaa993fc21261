//! Lines that are too long for the terminal.

use unicode_width::UnicodeWidthChar as _;

/// Tabs stand for blanks up to the next multiple of this column.
pub(super) const TAB: usize = 4;

/// What ends all colours.
const RESET: &str = "\x1b[0m";

/// Rows of at most `width` columns for one line, which may hold colours but no other control characters. A colour
/// that goes on in the next row begins there again.
pub fn wrap(line: &str, width: usize) -> Vec<String> {
    let (mut rows, mut row, mut used) = (Vec::new(), String::new(), 0);
    let mut style = String::new();
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        if let Some(len) = escape_len(rest) {
            let (escape, after) = rest.split_at(len);
            row.push_str(escape);
            if escape == RESET {
                style.clear();
            } else {
                style.push_str(escape);
            }
            rest = after;
            continue;
        }
        let takes = if character == '\t' { TAB - used % TAB } else { character.width().unwrap_or(0) };
        if used + takes > width && used > 0 {
            if !style.is_empty() {
                row.push_str(RESET);
            }
            rows.push(std::mem::replace(&mut row, style.clone()));
            used = 0;
        }
        match character {
            '\t' => row.push_str(&" ".repeat(takes)),
            other => row.push(other),
        }
        used += takes;
        rest = &rest[character.len_utf8()..];
    }
    rows.push(row);
    rows
}

/// Rows of at most `width` columns for a line of prose, which is broken at blanks; all rows but the first are indented.
pub fn wrap_words(line: &str, width: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    let (mut rows, mut row, mut used) = (Vec::new(), String::new(), 0);
    for word in line.split_inclusive(' ') {
        if used + columns(word.trim_end()) > width && used > INDENT.len() {
            rows.push(std::mem::replace(&mut row, INDENT.to_owned()));
            used = INDENT.len();
        }
        row.push_str(word);
        used += columns(word);
    }
    rows.push(row);
    rows.iter().flat_map(|row| wrap(row.trim_end(), width)).collect()
}

/// How many columns a text takes, colours aside.
fn columns(text: &str) -> usize {
    let (mut rest, mut columns) = (text, 0);
    while let Some(character) = rest.chars().next() {
        let len = escape_len(rest);
        columns += if len.is_some() { 0 } else { character.width().unwrap_or(0) };
        rest = &rest[len.unwrap_or(character.len_utf8())..];
    }
    columns
}

/// The length of the colour that a text starts with.
fn escape_len(text: &str) -> Option<usize> {
    text.strip_prefix("\x1b[")?.find('m').map(|at| at + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_never_wider() {
        assert_eq!(wrap("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(wrap("abcd", 4), ["abcd"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\tb\u{4e00}", 6), ["a   b", "\u{4e00}"]);
        assert_eq!(wrap("\u{4e00}", 1), ["\u{4e00}"]);
    }

    #[test]
    fn prose_is_broken_at_blanks() {
        assert_eq!(
            wrap_words("some words of \x1b[1mprose\x1b[0m here", 14),
            ["some words of", "    \x1b[1mprose\x1b[0m here"]
        );
        assert_eq!(wrap_words("  note: unbreakable", 10), ["  note:", "    unbrea", "kable"]);
        assert_eq!(wrap_words("", 10), [""]);
    }

    #[test]
    fn colours_go_on_in_the_next_row() {
        let red = "\x1b[1m\x1b[31m";
        let expected = [format!("a{red}bc{RESET}"), format!("{red}de{RESET}f")];
        assert_eq!(wrap(&format!("a{red}bcde{RESET}f"), 3), expected);
    }
}
