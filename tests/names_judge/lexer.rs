//! Reads C++ text into tokens, no more than the judge needs.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Word,
    Mark,
    Number,
    Text,
}

/// A token; comments and white space are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) sort: Sort,
    pub(crate) text: &'a str,
    pub(crate) line: usize,
    /// It stands in a directive of the preprocessor.
    pub(crate) directive: bool,
    /// It stands in a branch that is never compiled, or in one that a test of HIP or of CUDA chooses.
    pub(crate) aside: bool,
}

/// Names in conditions that tell HIP's branches from CUDA's.
const SIDES: &[&str] = &["HIP", "ROCM", "AMD", "MUSA", "__CUDACC__", "__NVCC__"];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    directive: bool,
    /// For each open `#if`: whether its branches stand aside.
    branches: Vec<bool>,
    tokens: Vec<Token<'a>>,
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// All tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, line: 1, directive: false, branches: Vec::new(), tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes `length` bytes, as a token or as nothing.
    fn take(&mut self, length: usize, sort: Option<Sort>) {
        let mut end = (self.at + length.max(1)).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let text = &self.text[self.at..end];
        if let Some(sort) = sort {
            let aside = self.branches.contains(&true);
            self.tokens.push(Token { sort, text, line: self.line, directive: self.directive, aside });
        }
        self.line += text.matches('\n').count();
        self.at = end;
    }

    fn step(&mut self) {
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        let until = |needle: &str, from: usize| rest.get(from..).and_then(|r| r.find(needle)).map(|at| at + from);
        match first {
            b'\n' => {
                self.take(1, None);
                self.directive = false;
            }
            b'\\' if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") => {
                self.take(rest.find('\n').map_or(1, |at| at + 1), None);
            }
            _ if first.is_ascii_whitespace() => self.take(1, None),
            b'/' if rest.starts_with("//") => self.take(line_end(rest), None),
            b'/' if rest.starts_with("/*") => self.take(until("*/", 2).map_or(rest.len(), |at| at + 2), None),
            b'#' if !self.directive && self.at_line_start() => self.directive(),
            b'"' | b'\'' => self.take(quoted(rest, first), Some(Sort::Text)),
            b'<' if self.after_include() => {
                self.take(until(">", 1).map_or(1, |at| at + 1), Some(Sort::Text));
            }
            b'0'..=b'9' => self.take(number(rest), Some(Sort::Number)),
            _ if is_word(first) => self.word(),
            _ => self.take(1, Some(Sort::Mark)),
        }
    }

    fn at_line_start(&self) -> bool {
        let line = self.text[..self.at].rfind('\n').map_or(0, |at| at + 1);
        self.text[line..self.at].trim().is_empty()
    }

    fn after_include(&self) -> bool {
        self.directive && self.tokens.last().is_some_and(|last| matches!(last.text, "include" | "include_next"))
    }

    /// Enters a directive, and follows conditions.
    fn directive(&mut self) {
        let rest = self.rest();
        let line = &rest[..line_end(rest)];
        let body = line[1..].trim_start();
        let aside = SIDES.iter().any(|side| body.contains(side));
        let never = body.strip_prefix("if").is_some_and(|rest| matches!(rest.trim(), "0" | "false"));
        self.directive = true;
        if body.starts_with("endif") {
            self.branches.pop();
        } else if body.starts_with("if") {
            self.branches.push(aside || never);
        } else if body.starts_with("el")
            && let Some(last) = self.branches.last_mut()
        {
            *last |= aside;
        }
        self.take(1, Some(Sort::Mark));
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| is_word(*byte)).count();
        let prefix = &rest[..length];
        let quote = rest.as_bytes().get(length).copied();
        match quote {
            Some(b'"') if prefix.ends_with('R') && prefix.len() <= 3 => {
                let whole = raw_length(&rest[length..]);
                self.take(length + whole, Some(Sort::Text));
            }
            Some(b'"' | b'\'') if matches!(prefix, "L" | "u" | "U" | "u8") => {
                let whole = quoted(&rest[length..], quote.unwrap_or(b'"'));
                self.take(length + whole, Some(Sort::Text));
            }
            _ => self.take(length, Some(Sort::Word)),
        }
    }
}

/// Where a line ends, with the lines that continue it.
fn line_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find('\n') {
        let end = from + at;
        if !text[..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    (at + 1).min(bytes.len())
}

/// The length of `"x(…)x"`.
fn raw_length(text: &str) -> usize {
    let Some(open) = text.find('(') else { return 1 };
    let close = format!("){}\"", &text[1..open]);
    text[open..].find(&close).map_or(text.len(), |at| open + at + close.len())
}

fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let exponent = matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P') && matches!(bytes[at], b'+' | b'-');
        let separator = bytes[at] == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word(bytes[at]) || bytes[at] == b'.' || exponent && !text.starts_with("0x") || separator) {
            break;
        }
        at += 1;
    }
    at
}
