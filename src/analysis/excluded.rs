//! Blocks that the preprocessor always skips: `#if 0` and what stands beside `#if 1`.

use crate::source::{TextRange, TextSize};
use crate::syntax::{Directive, DirectiveKind, Document};

/// What is known about the branches of one `#if` so far.
struct Chain {
    /// One of its branches is certain to be taken, so that no later one is.
    taken: bool,
    /// Where the branch that is read starts, if it is certain to be skipped.
    skipped_from: Option<TextSize>,
}

/// The blocks that are skipped whatever macros are defined, in the order of their ends.
pub(super) fn excluded(document: &Document) -> Vec<TextRange> {
    let mut open: Vec<Chain> = Vec::new();
    let mut blocks = Vec::new();
    for directive in document.directives() {
        let ends_branch = matches!(directive.kind, DirectiveKind::Elif | DirectiveKind::Else | DirectiveKind::Endif);
        let start = ends_branch.then(|| open.last_mut()?.skipped_from.take()).flatten();
        blocks.extend(start.map(|start| TextRange::new(start, directive.range.start().max(start))));
        match directive.kind {
            kind if kind.opens_condition() => {
                let mut chain = Chain { taken: false, skipped_from: None };
                chain.enter(directive, constant(document, directive));
                open.push(chain);
            }
            DirectiveKind::Elif | DirectiveKind::Else => {
                if let Some(chain) = open.last_mut() {
                    chain.enter(directive, constant(document, directive));
                }
            }
            DirectiveKind::Endif => drop(open.pop()),
            _ => {}
        }
    }
    blocks
}

impl Chain {
    fn enter(&mut self, directive: &Directive, condition: Option<bool>) {
        let skipped = self.taken || condition == Some(false);
        self.skipped_from = skipped.then_some(directive.range.end());
        self.taken |= condition == Some(true);
    }
}

/// The value of a condition that is a single literal.
fn constant(document: &Document, directive: &Directive) -> Option<bool> {
    let is_expression = document.token_text(directive.tokens.start + 1).ends_with("if");
    if !is_expression || directive.tokens.len() != 3 {
        return None;
    }
    match document.token_text(directive.tokens.start + 2) {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_excluded(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let seen: Vec<_> = excluded(&document).into_iter().map(|block| document.slice(block).trim()).collect();
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn literal_conditions_decide() {
        check_excluded("#if 0\na\n#else\nb\n#endif\nc\n", &["a"]);
        check_excluded("#if 1\na\n#elif X\nb\n#else\nc\n#endif\n", &["b", "c"]);
        check_excluded("#if X\na\n#elif 0\nb\n#elif true\nc\n#else\nd\n#endif\n", &["b", "d"]);
    }

    #[test]
    fn other_conditions_do_not() {
        check_excluded("#if X\na\n#else\nb\n#endif\n#ifdef Y\nc\n#endif\n#if 0 || Z\nd\n#endif\n", &[]);
    }

    #[test]
    fn inner_conditions_belong_to_the_outer_block() {
        check_excluded("#if 0\na\n#if X\nb\n#endif\nc\n#endif\n", &["a\n#if X\nb\n#endif\nc"]);
        check_excluded("#if 0\na\n", &[]);
        check_excluded("#endif\n#else\n", &[]);
    }
}
