//! Text that may come from anywhere, as it can be shown on a terminal.

use std::borrow::Cow;

use crate::report::visible::is_hidden;

/// `line` without its line end and with control characters spelled out, so that a source file can
/// neither move the cursor nor turn the direction of writing.
pub fn visible(line: &str) -> Cow<'_, str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if !line.contains(is_hidden) {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(line.len() + 8);
    for character in line.chars() {
        match character {
            '\0'..='\x1f' if is_hidden(character) => {
                // `^A` is the first, `^@` the zeroth.
                shown.extend(['^', char::from(b'@' + u8::try_from(character).unwrap_or_default())]);
            }
            character if is_hidden(character) => shown.extend(character.escape_unicode()),
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(visible("a\tb\r\n"), "a\tb");
        assert_eq!(visible("\x1b[31m\0x\ry"), "^[[31m^@x^My");
        assert_eq!(visible("\u{7f}\u{9b}\u{202e}"), "\\u{7f}\\u{9b}\\u{202e}");
    }
}
