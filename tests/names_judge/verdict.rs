//! Compares the conversion of a snippet with what is right.

use crate::names;

/// A piece of a snippet: text that has to stay, or a name with its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    mark: Option<char>,
    text: String,
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Cuts a snippet at its marks.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%', '`']) {
        out.push(Piece { mark: None, text: rest[..at].to_owned() });
        let mark = rest[at..].chars().next();
        let name: String = rest[at + 1..].chars().take_while(|letter| is_word(*letter)).collect();
        rest = &rest[at + 1 + name.len()..];
        let mark = mark.filter(|_| !matches!(name.as_str(), "void" | "int" | "char" | "unsigned"));
        out.push(Piece { mark, text: name });
    }
    out.push(Piece { mark: None, text: rest.to_owned() });
    out
}

/// The source text that pieces stand for.
pub(crate) fn source(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// The names that a name of CUDA may become; `*` for any.
fn becomes(name: &str) -> Vec<&'static str> {
    let function = names::FUNCTIONS.iter().find(|row| row.0 == name).map(|row| row.1);
    let pairs = [names::TYPES, names::FIXED, names::CONSTANTS, names::DEVICE];
    let other = || pairs.iter().flat_map(|rows| rows.iter()).find(|row| row.0 == name).map(|row| row.1);
    function.or_else(other).map(|all| all.split('|').collect()).unwrap_or_default()
}

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum Severity {
    Hint,
    Info,
    Warning,
}

/// Something that hipshift said and did not do.
#[derive(Clone)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) start: (usize, usize),
    pub(crate) end: (usize, usize),
    pub(crate) message: String,
}

impl Finding {
    /// Whether it speaks of `name` at `line` and `column`.
    fn tells(&self, name: &str, line: usize, column: usize) -> bool {
        let covers = self.start <= (line, column) && (line, column) < self.end;
        self.severity == Severity::Warning && (covers || self.concerns(name, line, line))
    }

    /// Whether it speaks of `name` between two lines.
    pub(crate) fn concerns(&self, name: &str, first: usize, last: usize) -> bool {
        self.start.0 <= last && first <= self.end.0 && self.message.contains(name)
    }
}

/// What became of an entity of the program that has a name of CUDA's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Kept,
    Renamed,
}

/// The comparison of one part.
pub(crate) struct Compared {
    pub(crate) wrong: Option<String>,
    /// Names of CUDA that could be converted, and have a finding only.
    pub(crate) told: usize,
    pub(crate) fates: Vec<(String, Fate)>,
    /// Lines that a warning or an error may speak of.
    pub(crate) spoken: Vec<usize>,
}

/// Walks over a converted part; `line` is where the part begins in the source.
pub(crate) fn compare(pieces: &[Piece], output: &str, line: usize, findings: &[Finding]) -> Compared {
    let mut done = Compared { wrong: None, told: 0, fates: Vec::new(), spoken: Vec::new() };
    let (mut rest, mut at) = (output, (line, 1));
    for piece in pieces {
        let step = match piece.mark {
            None => rest.strip_prefix(piece.text.as_str()).ok_or_else(|| changed(&piece.text, rest)),
            Some(mark) => {
                done.spoken.push(at.0);
                name(piece, mark, rest, &mut done, |name| findings.iter().any(|f| f.tells(name, at.0, at.1)))
            }
        };
        match step {
            Ok(left) => rest = left,
            Err(wrong) => {
                done.wrong = Some(wrong);
                return done;
            }
        }
        at = advance(at, &piece.text);
    }
    if !rest.trim().is_empty() {
        done.wrong = Some(format!("more text than there was: `{}`", first_line(rest)));
    }
    done
}

/// One marked name: the output after it, or what is wrong with it.
fn name<'a>(
    piece: &Piece,
    mark: char,
    rest: &'a str,
    done: &mut Compared,
    told: impl Fn(&str) -> bool,
) -> Result<&'a str, String> {
    let found = &rest[..rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())];
    let right = becomes(&piece.text);
    let renamed = right.iter().any(|name| *name == found || (*name == "*" && found != piece.text));
    let kept = found == piece.text;
    match mark {
        '$' if kept && told(&piece.text) => done.told += usize::from(!right.is_empty()),
        '$' if kept => return Err(format!("`{found}` is CUDA's, stays, and nothing tells of it")),
        '$' if !renamed => return Err(format!("`{}` is CUDA's and became `{}`", piece.text, first_line(rest))),
        '%' if kept => done.fates.push((piece.text.clone(), Fate::Kept)),
        '%' if renamed => done.fates.push((piece.text.clone(), Fate::Renamed)),
        '%' | '`' if !kept && !renamed => return Err(format!("`{}` became `{}`", piece.text, first_line(rest))),
        _ => {}
    }
    Ok(&rest[found.len()..])
}

fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().chars().take(40).collect()
}

/// What differs where text had to stay.
fn changed(wanted: &str, found: &str) -> String {
    let same = wanted.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
    let start = wanted[..same].rfind(|letter| !is_word(letter)).map_or(0, |at| at + 1);
    format!("`{}` had to stay and became `{}`", first_line(&wanted[start..]), first_line(&found[start..]))
}

fn advance((line, column): (usize, usize), text: &str) -> (usize, usize) {
    match text.rfind('\n') {
        Some(last) => (line + text.matches('\n').count(), text.len() - last),
        None => (line, column + text.len()),
    }
}
