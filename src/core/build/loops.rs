//! Loops of a script over names of libraries: `for l in cufft $LIBS; do words+=" -l$l"; done`.

use std::collections::BTreeSet;

use super::references::references;
use crate::source::{TextRange, range};

/// Where the words of a loop stand which its body, or another part of the script, puts `-l` in front of.
pub fn library_loops(text: &str) -> Vec<TextRange> {
    let joined = variables_behind(text, "-l");
    if joined.is_empty() {
        return Vec::new();
    }
    text.match_indices("for ").filter_map(|(at, _)| library_loop(text, at, &joined)).collect()
}

/// The variables whose words these loops of a script go through.
pub fn library_lists<'t>(text: &'t str, loops: &[TextRange]) -> BTreeSet<&'t str> {
    loops.iter().flat_map(|list| references(&text[*list])).collect()
}

fn library_loop(text: &str, at: usize, joined: &BTreeSet<&str>) -> Option<TextRange> {
    let starts_word = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '(' | '&'));
    let start = at + "for ".len();
    let line = text[start..].split('\n').next().filter(|_| starts_word)?;
    let (name, list) = line.split_once(" in ").filter(|(name, _)| joined.contains(name.trim()))?;
    let list_start = start + name.len() + " in ".len();
    Some(range(list_start, list_start + list.find(';').unwrap_or(list.len())))
}

/// The variables that stand right behind an option: `-l$name`, `-l${name}`.
fn variables_behind<'t>(text: &'t str, option: &str) -> BTreeSet<&'t str> {
    let behind = text.match_indices(option).filter(|(at, _)| {
        text[..*at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '='))
    });
    let names = behind.filter_map(|(at, _)| {
        let rest = &text[at + option.len()..];
        let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        references(word).first().copied().filter(|_| word.starts_with('$'))
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_libraries_are_found() {
        let text = "for l in cufft ${SETS[$p]} $MORE; do x+=(\"-l$l\"); done\n\
                    for f in $FILES; do ls -l \"$f\"; done\nfor  d in a b; do echo; done\nfor m in $A\ndo y=-l${m}; done\n";
        let loops = library_loops(text);
        let shown: Vec<&str> = loops.iter().map(|range| &text[*range]).collect();
        assert_eq!(shown, ["cufft ${SETS[$p]} $MORE", "$A"]);
        assert_eq!(library_lists(text, &loops).into_iter().collect::<Vec<_>>(), ["A", "MORE", "SETS", "p"]);
        assert!(library_loops("for l in cufft; do ls -la $l; done").is_empty());
    }
}
