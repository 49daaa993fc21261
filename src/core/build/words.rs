//! Words of command lines: in makefiles, in scripts, and in arguments of CMake with lists and generator expressions.

use crate::source::{TextRange, range};

/// A word of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Its bytes, without quotes around it.
    pub range: TextRange,
    /// Whether a generator expression gives it to CUDA's compiler only.
    pub for_cuda: bool,
}

/// The words of a command line of make or a shell. Quotes end words, and so do the arguments of functions, such as
/// `$(foreach …)`; what follows an option for the host's compiler stays together with its quotes.
pub fn words(text: &str, within: TextRange) -> Vec<Word> {
    let mut splitter = Splitter { text, end: within.end().into(), start: None, depth: 0, words: Vec::new() };
    let mut at = usize::from(within.start());
    while at < splitter.end {
        at = splitter.step(at);
    }
    splitter.finish(at);
    splitter.words
}

struct Splitter<'t> {
    text: &'t str,
    end: usize,
    /// Where the word begins that is being read.
    start: Option<usize>,
    /// How many functions are open.
    depth: usize,
    words: Vec<Word>,
}

impl Splitter<'_> {
    /// Reads what stands at `at`, and tells where to go on.
    fn step(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'`' => self.finish(at),
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => self.finish(at),
            b'"' | b'\'' => return self.quote(at),
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => return self.reference(at),
            b')' | b'}' if self.depth > 0 => {
                self.finish(at);
                self.depth -= 1;
            }
            b',' if self.depth > 0 && !self.keeps_commas(at) => self.finish(at),
            _ => {
                self.start.get_or_insert(at);
            }
        }
        at + 1
    }

    fn finish(&mut self, at: usize) {
        if let Some(start) = self.start.take() {
            self.words.push(Word { range: range(start, at), for_cuda: false });
        }
    }

    fn keeps_commas(&self, at: usize) -> bool {
        self.start.is_some_and(|start| holds_commas(&self.text[start..at]))
    }

    fn quote(&mut self, at: usize) -> usize {
        let quote = self.text.as_bytes()[at];
        let is_escaped = at.checked_sub(1).is_some_and(|before| self.text.as_bytes()[before] == b'\\');
        let close = memchr::memchr(quote, &self.text.as_bytes()[at + 1..self.end]).map(|len| at + 1 + len);
        if let Some(close) = close.filter(|_| !is_escaped && self.takes_group(at)) {
            self.start.get_or_insert(at);
            return close + 1;
        }
        self.finish(at);
        at + 1
    }

    /// Whether the text in quotes at `at` is the value of an option that hands options on.
    fn takes_group(&self, at: usize) -> bool {
        let hands_on = |word: &str| is_handing_on(word.trim_end_matches('='));
        match self.start {
            Some(start) => self.text[start..at].ends_with('=') && hands_on(&self.text[start..at]),
            None => self.words.last().is_some_and(|word| hands_on(&self.text[word.range])),
        }
    }

    /// A reference to a variable belongs to its word; the arguments of a function are words of their own.
    fn reference(&mut self, at: usize) -> usize {
        let inside = &self.text[at + 2..self.end];
        let close = inside.find([')', '}', ' ', ',', '\t', '\n']);
        match close.map(|len| (at + 2 + len, inside.as_bytes()[len])) {
            Some((end, b')' | b'}')) if !self.text[at + 2..end].contains('$') => {
                self.start.get_or_insert(at);
                end + 1
            }
            Some(_) => {
                self.finish(at);
                self.depth += 1;
                at + 2
            }
            None => {
                self.start.get_or_insert(at);
                self.end
            }
        }
    }
}

/// Whether commas belong to a word that begins so.
fn holds_commas(word: &str) -> bool {
    word.contains("arch=") || word.starts_with("-X") || word.starts_with("-Wl") || word.contains("code=")
}

/// Whether an option hands its value on to another program.
pub fn is_handing_on(option: &str) -> bool {
    matches!(
        option,
        "-Xcompiler" | "--compiler-options" | "-Xlinker" | "--linker-options" | "-Xptxas" | "--ptxas-options"
    )
}

/// The words in an argument of CMake: between blanks, `;` and the signs of generator expressions.
pub fn parts(text: &str, within: TextRange) -> Vec<Word> {
    let (bytes, end) = (text.as_bytes(), usize::from(within.end()));
    let (mut at, mut start) = (usize::from(within.start()), None);
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    while at <= end {
        let byte = if at < end { bytes[at] } else { b' ' };
        let opens = byte == b'$' && at + 1 < end && bytes[at + 1] == b'<';
        let is_end = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'"' => true,
            b'>' => !open.is_empty(),
            b',' => !open.is_empty() && !start.is_some_and(|from| holds_commas(&text[from..at])),
            b':' => !open.is_empty() && start.is_none(),
            _ => opens,
        };
        if !is_end {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            let for_cuda = open.iter().any(|&begin| is_for_cuda(&text[begin..from]));
            found.push(Word { range: range(from, at), for_cuda });
        }
        if opens {
            open.push(at);
            at = after_keyword(text, at + 2, end);
            continue;
        }
        if byte == b'>' {
            open.pop();
        }
        at += 1;
    }
    found
}

/// Whether a generator expression that begins so speaks of CUDA's compiler.
fn is_for_cuda(condition: &str) -> bool {
    condition.contains("COMPILE_LANG") && condition.contains("CUDA") && condition.contains(">:")
}

/// Behind `KEYWORD:` of a generator expression, if it has one.
fn after_keyword(text: &str, at: usize, end: usize) -> usize {
    let len = text[at..end]
        .bytes()
        .take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_' || byte.is_ascii_digit())
        .count();
    if text[at + len..end].starts_with(':') { at + len + 1 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, found: &[Word]) -> Vec<String> {
        found.iter().map(|word| format!("{}{}", &text[word.range], if word.for_cuda { "!" } else { "" })).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(shown(text, &words(text, range(0, text.len()))), expected);
    }

    #[test]
    fn command_lines_are_split_as_make_and_shells_do() {
        check("$(NVCC) -O3 \\\n -arch=sm_$(SM) \"a b\";x", &["$(NVCC)", "-O3", "-arch=sm_$(SM)", "a", "b", "x"]);
        check(
            "-Xcompiler \"-Wall -O2\" -Xcompiler='-a,-b' -DX=\\\"y\\\"",
            &["-Xcompiler", "\"-Wall -O2\"", "-Xcompiler='-a,-b'", "-DX=\\", "y\\"],
        );
    }

    #[test]
    fn functions_are_looked_into() {
        check(
            "$(foreach s,$(SMS),-gencode arch=compute_$(s),code=sm_$(s)) z",
            &["foreach", "s", "$(SMS)", "-gencode", "arch=compute_$(s),code=sm_$(s)", "z"],
        );
        check(
            "$(if $(D),-G -g,-lineinfo) $(A:.cu=.o) ${X}",
            &["if", "$(D)", "-G", "-g", "-lineinfo", "$(A:.cu=.o)", "${X}"],
        );
    }

    #[test]
    fn generator_expressions_and_lists_are_split() {
        let text =
            "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CUDA>>:-G;-Xcompiler=-a,-b>;-O2 $<$<COMPILE_LANGUAGE:CXX>:-w>";
        let found = parts(text, range(0, text.len()));
        assert_eq!(shown(text, &found), ["Debug", "CUDA", "-G!", "-Xcompiler=-a,-b!", "-O2", "CXX", "-w"]);
    }
}
