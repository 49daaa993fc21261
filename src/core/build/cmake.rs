//! The language of CMake: tokens that cover the text without a gap, and the commands made of them
//! (CMake documentation, "cmake-language(7)", "Syntax").

use crate::source::{TextRange, range};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Blanks within a line.
    Blank,
    /// The end of a line.
    Newline,
    /// A comment, from `#` on.
    Comment,
    /// `(`
    Open,
    /// `)`
    Close,
    /// An argument in quotes.
    Quoted,
    /// An argument in brackets, `[[…]]`.
    Bracket,
    /// The name of a command, or an argument without quotes.
    Word,
}

/// A part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes.
    pub range: TextRange,
}

/// How an argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Without quotes: `;` separates values in it.
    Bare,
    /// In quotes.
    Quoted,
    /// In brackets, where variables mean nothing.
    Bracket,
}

/// An argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// How it is written.
    pub kind: ArgumentKind,
    /// All of it.
    pub range: TextRange,
    /// What stands within quotes or brackets.
    pub inner: TextRange,
}

/// A command with its arguments. Parentheses among the arguments are no arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: TextRange,
    /// From the name to the closing parenthesis.
    pub range: TextRange,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// What may stand in front of a text in UTF-8.
const MARK: char = '\u{feff}';

/// The tokens of `text`, which together are the text.
pub fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    // CMake passes over a byte order mark.
    if text.starts_with(MARK) {
        at = MARK.len_utf8();
        tokens.push(Token { kind: TokenKind::Blank, range: range(0, at) });
    }
    while at < text.len() {
        let (kind, len) = token_at(&text[at..]);
        tokens.push(Token { kind, range: range(at, at + len) });
        at += len;
    }
    tokens
}

/// The first token of `rest`, which is not empty, and how many bytes it has.
fn token_at(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'\n' => (TokenKind::Newline, 1),
        b'\r' if bytes.get(1) == Some(&b'\n') => (TokenKind::Newline, 2),
        b' ' | b'\t' | b'\r' => {
            (TokenKind::Blank, bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count().max(1))
        }
        b'(' => (TokenKind::Open, 1),
        b')' => (TokenKind::Close, 1),
        b'#' => (TokenKind::Comment, bracket_len(&rest[1..]).map_or_else(|| line_len(bytes), |len| len + 1)),
        b'"' => (TokenKind::Quoted, quoted_len(bytes)),
        b'[' => bracket_len(rest).map_or_else(|| (TokenKind::Word, word_len(rest)), |len| (TokenKind::Bracket, len)),
        _ => (TokenKind::Word, word_len(rest)),
    }
}

/// The bytes up to the end of the line.
fn line_len(bytes: &[u8]) -> usize {
    let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    end - usize::from(end > 1 && bytes[end - 1] == b'\r')
}

/// The bytes of an argument in quotes; one that is not closed ends with the text.
fn quoted_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The bytes of `[==[…]==]` at the start; none where it is not opened or not closed.
fn bracket_len(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let signs = inside.bytes().take_while(|byte| *byte == b'=').count();
    inside[signs..].strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(signs));
    let open = signs + 2;
    Some(open + rest[open..].find(&close)? + close.len())
}

/// The bytes of a word. Quotes within it, and what they hold, belong to it.
fn word_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'#' => break,
            // `$(NAME)` is a reference for make.
            b'$' if bytes.get(at + 1) == Some(&b'(') => match reference_len(&bytes[at..]) {
                Some(len) => at += len,
                None => at += 1,
            },
            b'"' => at += quoted_len(&bytes[at..]),
            b'\\' => at += 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => at += 1,
        }
    }
    at.max(1)
}

/// The bytes of `$(NAME)`.
fn reference_len(bytes: &[u8]) -> Option<usize> {
    let name = bytes[2..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    (name > 0 && bytes.get(2 + name) == Some(&b')')).then_some(name + 3)
}

/// The commands that `tokens` of `text` hold. What is no command is passed over.
pub fn commands(text: &str, tokens: &[Token]) -> Vec<Command> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let next = command_at(text, tokens, at);
        at = next.as_ref().map_or(at + 1, |(_, after)| *after);
        found.extend(next.map(|(command, _)| command));
    }
    found
}

/// The command that starts with the token at `at`, and the token behind it.
fn command_at(text: &str, tokens: &[Token], at: usize) -> Option<(Command, usize)> {
    let name = tokens[at];
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.kind != TokenKind::Word || !text[name.range].bytes().all(is_name) || !begins_line(tokens, at) {
        return None;
    }
    let open = at + 1 + tokens[at + 1..].iter().take_while(|token| token.kind == TokenKind::Blank).count();
    tokens.get(open).filter(|token| token.kind == TokenKind::Open)?;
    let (mut arguments, mut depth) = (Vec::new(), 0_usize);
    for (number, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close if depth == 1 => {
                let whole = TextRange::new(name.range.start(), token.range.end());
                return Some((Command { name: name.range, range: whole, arguments }, number + 1));
            }
            TokenKind::Close => depth -= 1,
            kind => arguments.extend(argument(text, kind, token.range)),
        }
    }
    None
}

/// Whether nothing but blanks and comments stands on the line in front of a token: a line has one command.
fn begins_line(tokens: &[Token], at: usize) -> bool {
    let before = tokens[..at].iter().rev().find(|token| !matches!(token.kind, TokenKind::Blank | TokenKind::Comment));
    before.is_none_or(|token| token.kind == TokenKind::Newline)
}

fn argument(text: &str, kind: TokenKind, whole: TextRange) -> Option<Argument> {
    let (start, end) = (usize::from(whole.start()), usize::from(whole.end()));
    let (kind, inner) = match kind {
        TokenKind::Word => (ArgumentKind::Bare, whole),
        TokenKind::Quoted => {
            let is_closed = end > start + 1 && text[whole].ends_with('"');
            (ArgumentKind::Quoted, range(start + 1, (end - usize::from(is_closed)).max(start + 1)))
        }
        TokenKind::Bracket => {
            let mark = text[whole].bytes().skip(1).take_while(|byte| *byte == b'=').count() + 2;
            (ArgumentKind::Bracket, range(start + mark, end - mark))
        }
        _ => return None,
    };
    Some(Argument { kind, range: whole, inner })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let found = commands(text, &tokens(text));
        let shown = |command: &Command| {
            let arguments: Vec<&str> = command.arguments.iter().map(|argument| &text[argument.inner]).collect();
            format!("{}({})", &text[command.name], arguments.join("|"))
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn commands_have_all_kinds_of_arguments() {
        let text = "set(A \"x y\" [=[a ]] b]=] ${B};c) # set(C)\n#[[ set(D)\n]] if((A) AND \"B\\\"C\")\nadd ( -DX=\"a b\" $(M)z )";
        assert_eq!(seen(text), ["set(A|x y|a ]] b|${B};c)", "if(A|AND|B\\\"C)", "add(-DX=\"a b\"|$(M)z)"]);
    }

    #[test]
    fn what_is_no_command_is_passed_over() {
        assert_eq!(seen(") junk set(A b)\nset(A b) set(C d)\n\"open\nset(C"), ["set(A|b)"]);
        assert_eq!(seen("a.b(c)\n d(e)"), ["d(e)"]);
        assert_eq!(seen("\u{feff}d(e)\n\u{feff}f(g)"), ["d(e)"]);
    }
}
