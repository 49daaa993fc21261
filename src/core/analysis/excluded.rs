//! Blocks that the preprocessor always skips: `#if 0` and what stands beside `#if 1`.

use super::conditions::{Chain, Conditions};
use super::truth::{Definition, evaluate};
use crate::source::TextRange;
use crate::syntax::Document;

/// The blocks that are skipped whatever macros are defined.
pub(super) fn excluded(document: &Document, conditions: &Conditions) -> Vec<TextRange> {
    let mut blocks = Vec::new();
    for chain in conditions.chains() {
        add_skipped(document, chain, &mut blocks);
    }
    blocks
}

fn add_skipped(document: &Document, chain: &Chain, blocks: &mut Vec<TextRange>) {
    let mut is_decided = false;
    for branch in &chain.branches {
        let condition = branch.condition.as_ref();
        let truth = condition.and_then(|condition| evaluate(condition, &|_| Definition::Unknown).truth());
        if is_decided || truth == Some(false) {
            blocks.push(document.range_of(branch.body.clone()));
        }
        is_decided |= truth == Some(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_excluded(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let seen: Vec<_> = excluded(&document, &Conditions::of(&document))
            .into_iter()
            .map(|block| document.slice(block).trim())
            .collect();
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn literal_conditions_decide() {
        check_excluded("#if 0\na\n#else\nb\n#endif\nc\n", &["a"]);
        check_excluded("#if 1\na\n#elif X\nb\n#else\nc\n#endif\n", &["b", "c"]);
        check_excluded("#if 0 && X\na\n#endif\n", &["a"]);
        check_excluded("#if X\na\n#elif 0\nb\n#elif 1\nc\n#else\nd\n#endif\n", &["b", "d"]);
    }

    #[test]
    fn other_conditions_do_not() {
        check_excluded("#if X\na\n#else\nb\n#endif\n#ifdef Y\nc\n#endif\n#if 0 || Z\nd\n#endif\n", &[]);
    }

    #[test]
    fn inner_conditions_belong_to_the_outer_block() {
        check_excluded("#if 0\na\n#if X\nb\n#endif\nc\n#endif\n", &["a\n#if X\nb\n#endif\nc"]);
        check_excluded("#if 0\na\n", &["a"]);
        check_excluded("#endif\n#else\n", &[]);
    }
}
