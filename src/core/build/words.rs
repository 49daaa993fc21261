//! Words of command lines: in makefiles, in scripts, and in arguments of CMake with lists and generator expressions.

use super::functions::Calls;
use crate::source::{TextRange, range};

/// A word of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Its bytes, without quotes around it.
    pub range: TextRange,
    /// Whether a generator expression gives it to CUDA's compiler only.
    pub for_cuda: bool,
    /// Where the argument of a function of make begins that it stands in; 0 outside of functions.
    pub part: usize,
}

impl Word {
    /// A word outside of functions and generator expressions.
    pub fn new(range: TextRange) -> Word {
        Word { range, for_cuda: false, part: 0 }
    }
}

/// The words of a command line of make or a shell. Quotes end words, and so do the arguments of functions, such as
/// `$(foreach …)`; what follows an option for the host's compiler stays together with its quotes, and so does the value
/// of an option behind `=`.
pub fn words(text: &str, within: TextRange) -> Vec<Word> {
    let calls = Calls::of(text, within);
    let mut splitter = Splitter {
        text,
        end: within.end().into(),
        start: None,
        depth: 0,
        quoted: None,
        calls: &calls,
        words: Vec::new(),
    };
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
    /// The quote that is open.
    quoted: Option<&'t str>,
    calls: &'t Calls,
    words: Vec<Word>,
}

impl Splitter<'_> {
    /// Reads what stands at `at`, and tells where to go on.
    fn step(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'`' => self.finish(at),
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => self.finish(at),
            b'\\' if self.text[at..self.end].starts_with("\\\\") => {
                self.start.get_or_insert(at);
                return at + 2;
            }
            b'\\' | b'"' | b'\'' if quote_at(&self.text[..self.end], at).is_some() => return self.quote(at),
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => return self.reference(at),
            b')' | b'}' if self.depth > 0 => {
                self.finish(at);
                self.depth -= 1;
            }
            b',' if self.ends_at_comma(at) => self.finish(at),
            b'(' | b')' if self.is_around_words(at) => self.finish(at),
            _ => {
                self.start.get_or_insert(at);
            }
        }
        at + 1
    }

    fn finish(&mut self, at: usize) {
        if let Some(start) = self.start.take() {
            let part = self.calls.part_of(start);
            self.words.push(Word { part, ..Word::new(range(start, at)) });
        }
    }

    /// Whether the bracket at a place belongs to no word: it is one around commands, or around the values of an array.
    fn is_around_words(&self, at: usize) -> bool {
        let Some(start) = self.start else { return true };
        let front = &self.text[start..at];
        // `<(nvcc --version)`
        let is_file = || matches!(front, "<" | ">");
        if self.text.as_bytes()[at] == b')' { !front.contains('(') } else { is_setting(front) || is_file() }
    }

    fn ends_at_comma(&self, at: usize) -> bool {
        let keeps = || self.start.is_some_and(|start| holds_commas(&self.text[start..at]));
        self.calls.separates(at).unwrap_or_else(|| self.depth > 0 && !keeps())
    }

    fn quote(&mut self, at: usize) -> usize {
        let quote = quote_at(self.text, at).unwrap_or_default();
        let is_open = self.quoted == Some(quote);
        let takes_group = !is_open && self.takes_group(at);
        let close = if takes_group { group_end(self.text, at, self.end) } else { None };
        if let Some(close) = close {
            self.start.get_or_insert(at);
            return close;
        }
        self.finish(at);
        match self.quoted {
            Some(_) if is_open => self.quoted = None,
            None => self.quoted = Some(quote),
            Some(_) => {}
        }
        at + quote.len()
    }

    /// Whether the text in quotes at `at` is the value of an option.
    fn takes_group(&self, at: usize) -> bool {
        match self.start {
            Some(start) => {
                let word = &self.text[start..at];
                takes_value(self.last(), word) || goes_on(self.last(), word)
            }
            None => is_handing_on(self.last()),
        }
    }

    /// The word in front of the one that is being read.
    fn last(&self) -> &str {
        self.words.last().map(|word| &self.text[word.range]).unwrap_or_default()
    }

    /// A reference to a variable belongs to its word; the arguments of a function are words of their own.
    fn reference(&mut self, at: usize) -> usize {
        let inside = &self.text[at + 2..self.end];
        let is_shells = self.text[at..].starts_with("${");
        // Behind an option with a value, the value is the whole of it.
        let is_value = self.start.is_none() && (is_handing_on(self.last()) || TAKING.contains(&self.last()));
        if let Some(len) = default_start(inside).filter(|_| is_shells && !is_value) {
            self.finish(at);
            self.depth += 1;
            return at + 2 + len;
        }
        if let Some(end) = expansion_end(inside).filter(|_| is_shells) {
            self.start.get_or_insert(at);
            return at + 2 + end;
        }
        // A name that is made up of others ends at `$`: looking for the end of each would take the square of how deep they lie.
        let close = inside.find([')', '}', ' ', ',', '\t', '\n', '$']);
        match close.map(|len| (at + 2 + len, inside.as_bytes()[len])) {
            Some((end, b')' | b'}')) => {
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

/// Where the options begin that a variable of a shell has unless it is set: `FLAGS:-` of `${FLAGS:--arch=sm_80 -O3}` (POSIX, Shell
/// Command Language, "Parameter Expansion").
fn default_start(inside: &str) -> Option<usize> {
    let name = name_len(inside);
    let operator = [":-", ":=", ":+", "-", "=", "+"].into_iter().find(|sign| inside[name..].starts_with(sign))?;
    let start = name + operator.len();
    let default = inside[start..].trim_start_matches(['"', '\'', '\\', ' ']);
    (name > 0 && (default.starts_with('-') || default.starts_with("nvcc"))).then_some(start)
}

/// How many bytes the name of a variable has that a text begins with.
fn name_len(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Options of nvcc's with a value that is one word, beside those that hand it on.
const TAKING: &[&str] = &["-ccbin", "--compiler-bindir", "-gencode", "--generate-code"];

/// Behind the bracket that closes an operated expansion of a shell, with all that stands in it: `${A[$i]}`, `${A%%,*}`,
/// `${A:-${B:?why}}`. All of the rest if nothing closes it. A function of make has a blank behind its name.
fn expansion_end(inside: &str) -> Option<usize> {
    let name = name_len(inside);
    let is_operated = inside[name..].starts_with(['[', '%', '#', '/', '^', ',', ':', '-', '=', '+', '?', '@']);
    if name == 0 || !is_operated {
        return None;
    }
    let mut depth = 0_usize;
    let close = inside.bytes().position(|byte| match byte {
        b'{' => {
            depth += 1;
            false
        }
        b'}' if depth > 0 => {
            depth -= 1;
            false
        }
        _ => byte == b'}',
    });
    Some(close.map_or(inside.len(), |close| close + 1))
}

/// The quote at a place: one that a backslash escapes, or one that none does.
fn quote_at(text: &str, at: usize) -> Option<&str> {
    ["\\\"", "\\'", "\"", "'"].into_iter().find(|quote| text[at..].starts_with(quote))
}

/// Behind the quote that closes the one at `at`.
fn group_end(text: &str, at: usize, end: usize) -> Option<usize> {
    let quote = quote_at(&text[..end], at)?;
    let mut from = at + quote.len();
    loop {
        let found = from + text[from..end].find(quote)?;
        let is_escaped = quote == "\"" && text[..found].ends_with('\\');
        from = found + quote.len();
        if !is_escaped {
            return Some(from);
        }
    }
}

/// Whether what begins so, behind the word `last`, is an option or a GPU whose value follows: `arch=` alone may be a variable.
fn takes_value(last: &str, word: &str) -> bool {
    let names_gpu = || word.contains("arch=") || word.contains("code=");
    let is_variable = || is_setting(word) && !matches!(last, "-gencode" | "--generate-code");
    word.ends_with('=') && (word.starts_with('-') || names_gpu() && !is_variable())
}

/// Whether a list of options that are handed on, each in quotes of its own, goes on behind the comma that the word ends with.
fn goes_on(last: &str, word: &str) -> bool {
    let option = word.split_once('=').map_or("", |(option, _)| option);
    (word.ends_with("\",") || word.ends_with("',")) && (is_handing_on(last) || is_handing_on(option))
}

/// Whether a word up to here gives a variable of a shell its value.
fn is_setting(word: &str) -> bool {
    let name = word.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// Whether commas belong to a word that begins so.
fn holds_commas(word: &str) -> bool {
    let hands_on = || word.split_once('=').is_some_and(|(option, _)| is_handing_on(option));
    word.contains("arch=") || hands_on() || word.starts_with("-X") || word.starts_with("-Wl") || word.contains("code=")
}

/// Whether an option hands its value on to another program.
pub fn is_handing_on(option: &str) -> bool {
    matches!(
        option,
        "-Xcompiler"
            | "--compiler-options"
            | "-Xcudafe"
            | "--cudafe-options"
            | "-Xlinker"
            | "--linker-options"
            | "-Xptxas"
            | "--ptxas-options"
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
        let last = found.last().map(|word: &Word| word.range);
        if let Some(close) = cmake_group(text, (at, end), (start, last)) {
            start.get_or_insert(at);
            at = close;
            continue;
        }
        if start.is_none() && bytes[at.min(end)..end].starts_with(SHELL) {
            at += SHELL.len();
            continue;
        }
        let opens = byte == b'$' && at + 1 < end && bytes[at + 1] == b'<';
        let value = || chosen_value(&text[..end], at, start).or_else(|| behind_comma(&text[..end], at, start));
        if let Some(close) = opens.then(value).flatten() {
            at = close;
            continue;
        }
        let is_end = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'"' => true,
            b'>' => !open.is_empty(),
            b',' => {
                let parts = open.last().is_some_and(|begin| takes_several(bytes, *begin));
                let is_choice = || open.last().is_some_and(|begin| text[*begin..].starts_with(CHOICE));
                parts && (is_choice() || !start.is_some_and(|from| holds_commas(&text[from..at])))
            }
            b':' => !open.is_empty() && start.is_none(),
            b'\\' => at + 1 < end && bytes[at + 1] == b'"',
            _ => opens,
        };
        if !is_end {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            let for_cuda = open.iter().any(|&begin| is_for_cuda(&text[begin..from]));
            found.push(Word { for_cuda, ..Word::new(range(from, at)) });
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

/// Whether commas part the values of the generator expression that begins at `begin`: those of `$<IF:…>`, and not the text behind a
/// condition, `$<$<CONFIG:Debug>:-Wno-a,b>` or `$<1:a,b>` (CMake, "cmake-generator-expressions", `$<condition:true_string>`).
fn takes_several(bytes: &[u8], begin: usize) -> bool {
    bytes.get(begin + 2).is_some_and(u8::is_ascii_uppercase)
}

/// A choice between two values, which any comma outside of further expressions parts.
const CHOICE: &str = "$<IF:";

/// Behind the sign for a comma at `at`, in a word that holds such.
fn behind_comma(text: &str, at: usize, word: Option<usize>) -> Option<usize> {
    let is_sign = text[at..].starts_with(COMMA) && holds_commas(&text[word?..at]);
    is_sign.then_some(at + COMMA.len())
}

/// The comma that ends no argument of an expression (CMake, "cmake-generator-expressions").
pub const COMMA: &str = "$<COMMA>";

/// Behind `$<IF:…>` at `at`, if it is the value of an option, `-fmad=$<IF:…>`, or behind any expression in a value that is handed on.
fn chosen_value(text: &str, at: usize, word: Option<usize>) -> Option<usize> {
    let option = text.get(word?..at)?;
    let rest = text.get(at..)?.strip_prefix("$<")?;
    let is_choice = rest.starts_with("IF:") && option.starts_with('-') && option.ends_with('=');
    if !is_choice && !option.split_once('=').is_some_and(|(name, _)| is_handing_on(name)) {
        return None;
    }
    let mut depth = 0_usize;
    for (behind, byte) in text.bytes().enumerate().skip(at) {
        match byte {
            b'<' if text[..behind].ends_with('$') => depth += 1,
            b'>' if depth == 1 => return Some(behind + 1),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Behind the text in quotes at `at`, if it is the value of what stands in front: of a word that is being read, or of an
/// option that hands its value on.
fn cmake_group(
    text: &str,
    (at, end): (usize, usize),
    (start, last): (Option<usize>, Option<TextRange>),
) -> Option<usize> {
    if at >= end || !matches!(text.as_bytes()[at], b'"' | b'\\') {
        return None;
    }
    let last = last.map(|last| &text[last]).unwrap_or_default();
    let is_value = match start {
        Some(from) => takes_value(last, &text[from..at]) || goes_on(last, &text[from..at]),
        None => is_handing_on(last),
    };
    // Looking for the end of each quote would take the square of their number.
    if is_value { group_end(text, at, end) } else { None }
}

/// What CMake takes away from options that belong together.
const SHELL: &[u8] = b"SHELL:";

/// Whether a generator expression that begins so speaks of CUDA's compiler.
fn is_for_cuda(condition: &str) -> bool {
    let asks_for_language = condition.contains("COMPILE_LANG") && condition.contains("CUDA");
    (asks_for_language || condition.contains("CUDA_COMPILER_ID")) && condition.contains(">:")
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
            &["-Xcompiler", "\"-Wall -O2\"", "-Xcompiler='-a,-b'", "-DX=\\\"y\\\""],
        );
    }

    #[test]
    fn escaped_quotes_belong_to_values() {
        check("A=\"-gencode=arch=a,code=\\\"b,c\\\"\"", &["A=", "-gencode=arch=a,code=\\\"b,c\\\""]);
        check("-Xcompiler=\"-O3 -g\" \\\"-O3\\\" a\\\\", &["-Xcompiler=\"-O3 -g\"", "-O3", "a\\\\"]);
        let text = "-gencode arch=a,code=\\\"b,c\\\" -Xcompiler=\\\"-a -b\\\" \\\"-c\\\"";
        let found = parts(text, range(0, text.len()));
        let expected = ["-gencode", "arch=a,code=\\\"b,c\\\"", "-Xcompiler=\\\"-a -b\\\"", "-c"];
        assert_eq!(shown(text, &found), expected);
        let text = "-Xcompiler \\\"-a\\\",\\\"-b\\\",-c \\\"-d\\\"";
        let found = parts(text, range(0, text.len()));
        assert_eq!(shown(text, &found), ["-Xcompiler", "\\\"-a\\\",\\\"-b\\\",-c", "-d"]);
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
        check("-arch=sm_${A[$i]} ${B%%,*} c", &["-arch=sm_${A[$i]}", "${B%%,*}", "c"]);
        check("D=${D:-${H:?set it}} ${X:-a b", &["D=${D:-${H:?set it}}", "${X:-a b"]);
        check(
            "F=${F:--arch=sm_80 -O3} ${foreach s,$(A),-b}",
            &["F=", "-arch=sm_80", "-O3", "foreach", "s", "$(A)", "-b"],
        );
        check("F=${F:-\"-arch=sm_80 -O3\"} C=${C:-nvcc -G}", &["F=", "-arch=sm_80", "-O3", "C=", "nvcc", "-G"]);
        check("-Xcompiler ${F:--fPIC} -ccbin ${B:--x}", &["-Xcompiler", "${F:--fPIC}", "-ccbin", "${B:--x}"]);
        check("$(addprefix -gencode=arch=a_,$(SMS)) b", &["addprefix", "-gencode=arch=a_", "$(SMS)", "b"]);
        let text = "a $(addprefix -X ,$(B)) c";
        let parts: Vec<usize> = words(text, range(0, text.len())).iter().map(|word| word.part).collect();
        assert_eq!(parts, [0, 2, 14, 18, 0]);
    }

    #[test]
    fn generator_expressions_and_lists_are_split() {
        let text =
            "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CUDA>>:-G;-Xcompiler=-a,-b>;-O2 $<$<COMPILE_LANGUAGE:CXX>:-w>";
        let found = parts(text, range(0, text.len()));
        assert_eq!(shown(text, &found), ["Debug", "CUDA", "-G!", "-Xcompiler=-a,-b!", "-O2", "CXX", "-w"]);
    }
}
