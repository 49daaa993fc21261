//! How many bytes a type has, on host and device alike.

use std::ops::Range;

use crate::syntax::{Document, TokenIdx};

/// The bytes of the type that `tokens` spell, if it is one of the language or of CUDA's vectors.
/// `long` has none, since systems disagree.
pub fn size_of_type(document: &Document, tokens: Range<TokenIdx>) -> Option<i64> {
    let qualifiers = ["const", "volatile", "static", "extern", "__shared__", "__restrict__", "constexpr", "inline"];
    let words: Vec<&str> =
        tokens.map(|idx| document.token_text(idx)).filter(|word| !qualifiers.contains(word)).collect();
    if words.last() == Some(&"*") {
        return Some(8);
    }
    let plain: Vec<&str> = words.iter().copied().filter(|word| !matches!(*word, "unsigned" | "signed")).collect();
    match plain.as_slice() {
        [] if !words.is_empty() => Some(4),
        ["long", "long"] | ["long", "long", "int"] => Some(8),
        ["short", "int"] => Some(2),
        [word] => size_of_word(word),
        _ => None,
    }
}

fn size_of_word(word: &str) -> Option<i64> {
    let scalar = |word: &str| match word {
        "char" | "bool" | "int8_t" | "uint8_t" | "uchar" => Some(1),
        "short" | "ushort" | "int16_t" | "uint16_t" | "half" | "__half" | "__nv_bfloat16" | "nv_bfloat16" => Some(2),
        "int" | "uint" | "float" | "int32_t" | "uint32_t" | "half2" | "__half2" | "__nv_bfloat162" | "nv_bfloat162" => {
            Some(4)
        }
        "double" | "int64_t" | "uint64_t" | "longlong" | "ulonglong" | "size_t" | "ptrdiff_t" => Some(8),
        _ => None,
    };
    // `float4`, but not `int8_t`, which is found first.
    let vector = || {
        let lanes = word.chars().last().and_then(|last| last.to_digit(10)).filter(|lanes| (1..=4).contains(lanes))?;
        let element = word.get(..word.len() - 1)?;
        let is_vector = matches!(
            element,
            "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "float" | "double" | "longlong" | "ulonglong"
        );
        scalar(element).filter(|_| is_vector).map(|bytes| bytes * i64::from(lanes))
    };
    scalar(word).or_else(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn types_have_their_sizes() {
        let size = |text: &str| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            size_of_type(&document, 0..document.tokens().len())
        };
        let known =
            [("unsigned char", 1), ("__half", 2), ("unsigned", 4), ("const float", 4), ("unsigned long long", 8)];
        for (text, bytes) in known.into_iter().chain([("float3", 12), ("double4", 32), ("T*", 8), ("int8_t", 1)]) {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["long", "T", "Point", "float5", "std::complex<float>", "half3"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
