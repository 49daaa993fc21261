//! Where build files say that sources are CUDA's whatever their suffix (nvcc, `-x cu`).

use std::collections::BTreeSet;

use crate::build::{BuildKind, LineKind, make_lines, shell_lines};

/// The ways to write it as one word.
const OPTIONS: &[&str] = &["-x=cu", "-xcu", "--x=cu"];

/// What a makefile or a script says of the language of sources.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedLanguages {
    /// Whether it may hold for any command of the project.
    pub(super) everywhere: bool,
    /// The variables that hold the option. A command that has it itself is another's business.
    pub(super) variables: BTreeSet<String>,
}

impl NamedLanguages {
    /// Of a file.
    pub(super) fn of(kind: BuildKind, text: &str) -> NamedLanguages {
        let mut named = NamedLanguages::default();
        if !matches!(kind, BuildKind::Make | BuildKind::Shell) || !has_option(text) {
            return named;
        }
        let lines = if kind == BuildKind::Make { make_lines(text) } else { shell_lines(text) };
        for line in lines.iter().filter(|line| has_option(&text[line.code])) {
            let code = &text[line.code];
            match line.kind {
                LineKind::Assignment { name, .. } => named.hold(&text[name]),
                LineKind::Recipe => match assigned(code) {
                    Some(name) => named.hold(name),
                    None => named.everywhere |= hands_on(code),
                },
                // Variables of single targets, conditions and others.
                _ => named.everywhere = true,
            }
        }
        named
    }

    /// Takes in a variable. Some are nvcc's own, which reads them at each call (nvcc, "NVCC Environment Variables").
    fn hold(&mut self, name: &str) {
        self.everywhere |= matches!(name, "NVCC_APPEND_FLAGS" | "NVCC_PREPEND_FLAGS");
        self.variables.insert(name.to_owned());
    }
}

fn has_option(text: &str) -> bool {
    // Most files have none, and are not split.
    if !text.contains("cu") {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| pair[1].starts_with("cu") && (pair[0].ends_with("-x") || pair[0].ends_with("--x")))
        || words.iter().any(|word| OPTIONS.iter().any(|option| word.contains(option)))
}

/// The variable that a command of a shell gives a value: `export FLAGS="-x cu"`.
fn assigned(code: &str) -> Option<&str> {
    let mut words = code.split_whitespace();
    let first = words.find(|word| !matches!(*word, "export" | "local" | "readonly" | "declare" | "typeset"))?;
    let (name, _) = first.split_once("+=").or_else(|| first.split_once('='))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// Whether a command hands variables on to others, or changes those of the file.
fn hands_on(code: &str) -> bool {
    code.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '{' | '}' | '$' | '@'))
        .any(|word| matches!(word.rsplit('/').next(), Some("make" | "gmake" | "MAKE" | "eval" | "cmake" | "export")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_told_from_commands() {
        let of = |kind, text| {
            let named = NamedLanguages::of(kind, text);
            (named.everywhere, named.variables.into_iter().collect::<Vec<_>>().join(" "))
        };
        let make = |text| of(BuildKind::Make, text);
        assert_eq!(
            make("A = -O2 -x cu\nexport B += -xcu\nC = -x c++\na:\n\tnvcc -x cu a.cpp\n"),
            (false, "A B".into())
        );
        assert_eq!(make("a: FLAGS += -x cu\n"), (true, String::new()));
        assert_eq!(make("A = -x\tcu\nB = '--x  cu'\nC = -x c\n"), (false, "A B".into()));
        assert_eq!(make("a:\n\t$(MAKE) FLAGS='-x cu'\n"), (true, String::new()));
        assert_eq!(make("a:\n\tF='-x cu'; nvcc $$F a.cpp\n# -x cu\n"), (false, "F".into()));
        assert_eq!(make("NVCC_APPEND_FLAGS=-x cu\n"), (true, "NVCC_APPEND_FLAGS".into()));
        let shell = "export F=\"-x cu\"\nnvcc -x cu a.cpp\nG+=\" -x=cu\"\n";
        assert_eq!(of(BuildKind::Shell, shell), (false, "F G".into()));
        assert_eq!(of(BuildKind::Shell, "make -C a F='-x cu'\n"), (true, String::new()));
        assert_eq!(of(BuildKind::CMake, "set(F \"-x cu\")\n"), (false, String::new()));
    }
}
