//! What holds for every text: random bytes, random CUDA-like tokens, and texts of hostile shapes.

use crate::common;

use std::time::{Duration, Instant};

use camino::Utf8Path;
use hipshift::diagnostic::Applicability;
use hipshift::settings::{LaunchStyle, Settings};
use hipshift::source::{Edit, Patch, Piece, SourceFile, TextRange, TextSize, range};
use hipshift::syntax::{Token, lex, mask};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Words that CUDA text is made of, and pieces that break it.
const WORDS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<<<",
    ">>>",
    "<< <",
    ",",
    ";",
    ":",
    "::",
    ".",
    "->",
    "*",
    "&",
    "=",
    "?",
    "#",
    "##",
    "\\\n",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\n#if A\n",
    "\n#ifdef __CUDA_ARCH__\n",
    "\n#elif B\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define M(x) ",
    "\n#define N ",
    "\n#include <cuda.h>\n",
    "\n#include \"a.cuh\"\n",
    "\n#pragma once\n",
    "\"",
    "'",
    "R\"(",
    ")\"",
    "R\"x(",
    ")x\"",
    "\"cudaMalloc\"",
    "// cudaFree\n",
    "//",
    "/*",
    "*/",
    "/* k<<<1, 2>>>() */",
    "cudaMalloc",
    "cudaMemcpyToSymbol",
    "cudaStream_t",
    "cudaSuccess",
    "CUdeviceptr",
    "cub::",
    "thrust::cuda::par",
    "kernel",
    "k<<<1, 2>>>(x);",
    "k<T, 2><<<g, b, 0, s>>>(x, y)",
    "dim3",
    "operator",
    "template",
    "typename",
    "namespace",
    "struct",
    "enum",
    "return",
    "if",
    "else",
    "for",
    "case",
    "default",
    "__global__",
    "__device__",
    "__shared__",
    "__launch_bounds__(1)",
    "__launch_bounds__(256, 2)",
    "__launch_bounds__(k<T, 2>, x, 1)",
    "__shfl_xor_sync(0xffffffff, x, 1)",
    "warpSize",
    "asm volatile(\"mov.u32 %0, %1;\" : \"=r\"(a) : \"r\"(b));",
    "0xffffffffu",
    "1'000",
    "1e+5f",
    "0",
    ".5",
    "int",
    "float",
    "x",
    "y",
    "void f() {",
    "\u{e9}",
    "\u{feff}",
    "\0",
    "@",
    "$",
    "texture<float>",
    "atomicAdd(&x, 1)",
    "__CUDA_ARCH__ >= 700",
    "// hipshift: ignore-next-line[all]\n",
];

fn soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![3 => prop::sample::select(WORDS).prop_map(str::to_owned), 1 => "[ a-z]{1,3}"];
    let words = prop::collection::vec((word, prop::bool::ANY), 0..60);
    words.prop_map(|words| {
        words.into_iter().map(|(word, blank)| if blank { format!("{word} ") } else { word }).collect::<String>()
    })
}

/// Words that do not touch, as in code that people write.
fn spaced_soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..60).prop_map(|words| words.join(" "))
}

/// Edits with their ranges at character borders of `text`.
fn edits(text: &str, numbers: &[(usize, usize, u8)]) -> Vec<Edit> {
    let border = |at: usize| (0..=at % (text.len() + 1)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let edit = |&(a, b, kind): &(usize, usize, u8)| {
        let own = range(border(a).min(border(b)), border(a).max(border(b)));
        match kind % 4 {
            0 => Edit::replace(own, "new"),
            1 => Edit::insert(own.start(), "inserted"),
            2 => Edit::delete(own),
            _ => {
                let pieces = vec![Piece::Text("(".to_owned()), Piece::Keep(own), Piece::Text(")".to_owned())];
                Edit { range: own, pieces }
            }
        }
    };
    numbers.iter().map(edit).collect()
}

fn settings(chevrons: bool, risky: bool) -> Settings {
    let launch = if chevrons { LaunchStyle::Chevron } else { LaunchStyle::Ggl };
    let applicability = if risky { Applicability::Unsafe } else { Applicability::Safe };
    Settings { launch, applicability, ..Settings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // The same texts in every run; the fuzz targets look for others.
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn bytes_survive_decoding(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(file) = SourceFile::decode(Utf8Path::new("a.cu"), bytes.clone()) {
            prop_assert_eq!(&*file.encode(&file.text), bytes);
        }
    }

    #[test]
    fn any_bytes_convert(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if SourceFile::decode(Utf8Path::new("a.cu"), bytes.clone()).is_ok() {
            let document = common::decode(std::path::Path::new("a.cu"), bytes);
            common::convert(&document, &Settings::default());
        }
    }

    #[test]
    fn tokens_are_ordered_and_cover_all_that_is_no_comment(text in soup()) {
        let lexed = lex(&text);
        let mut at = 0;
        let mut parts: Vec<TextRange> = lexed.tokens.iter().map(Token::range).collect();
        parts.extend(&lexed.comments);
        parts.sort_by_key(|part| part.start());
        for part in parts {
            prop_assert!(usize::from(part.start()) >= at && !part.is_empty(), "{part:?} overlaps what ends at {at}");
            assert_blank(&text[at..usize::from(part.start())])?;
            at = usize::from(part.end());
        }
        assert_blank(&text[at..])?;
        for directive in &lexed.directives {
            prop_assert!(directive.tokens.start < directive.tokens.end && directive.tokens.end <= lexed.tokens.len());
        }
    }

    #[test]
    fn masking_keeps_length_and_line_ends(text in soup()) {
        let document = common::document(&text);
        let masked = mask(&document, range(0, text.len()));
        prop_assert_eq!(masked.len(), text.len());
        let line_ends = |text: &str| -> Vec<usize> { text.match_indices(['\n', '\r']).map(|(at, _)| at).collect() };
        prop_assert_eq!(line_ends(&masked), line_ends(&text));
        for item in document.items() {
            prop_assert_eq!(mask(&document, item.range).len(), usize::from(item.range.len()));
        }
    }

    #[test]
    fn launches_lie_in_the_text_and_do_not_share_chevrons(text in soup()) {
        let document = common::document(&text);
        let mut last = 0;
        for launch in document.launches() {
            prop_assert!(launch.open.start >= last && launch.callee.end <= launch.open.start);
            prop_assert!(launch.open.end <= launch.close.start && launch.close.end <= launch.arguments.0);
            prop_assert!(launch.arguments.0 < launch.arguments.1);
            last = launch.open.end;
        }
    }

    #[test]
    fn converting_twice_is_stable(text in spaced_soup(), chevrons: bool, risky: bool) {
        let settings = settings(chevrons, risky);
        let document = common::document(&text);
        let once = common::convert(&document, &settings).patch.apply(&text);
        let twice = common::convert(&common::document(&once), &settings).patch.apply(&once);
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn converted_brackets_nest_as_before(text in spaced_soup(), risky: bool) {
        let document = common::document(&text);
        let converted = common::convert(&document, &settings(false, risky)).patch.apply(&text);
        prop_assert!(common::document(&converted).unmatched_brackets() <= document.unmatched_brackets(), "{}", converted);
    }

    #[test]
    fn findings_lie_in_the_text(text in soup()) {
        let document = common::document(&text);
        let outcome = common::convert(&document, &Settings::default());
        for finding in common::findings(&outcome) {
            prop_assert!(text.get(usize::from(finding.range.start())..usize::from(finding.range.end())).is_some());
        }
    }

    #[test]
    fn patches_keep_what_they_do_not_edit(text in "\\PC{0,60}", numbers in prop::collection::vec(any::<(usize, usize, u8)>(), 0..8)) {
        let mut patch = Patch::default();
        let mut accepted = Vec::new();
        for edit in edits(&text, &numbers) {
            let before = patch.clone();
            if patch.try_add(std::slice::from_ref(&edit)).is_ok() {
                accepted.push(edit);
            } else {
                prop_assert_eq!(&patch, &before, "a refused edit leaves no trace");
            }
        }
        let rendered = patch.render(&text);
        prop_assert_eq!(&rendered.text, &patch.apply(&text));
        let changes = |at: TextSize| accepted.iter().any(|edit| edit.range.contains(at));
        for (at, character) in text.char_indices() {
            let offset = TextSize::try_from(at).unwrap();
            match rendered.to_output(offset) {
                Some(output) => prop_assert!(rendered.text[usize::from(output)..].starts_with(character)),
                None => prop_assert!(changes(offset), "{at} was lost although nothing edits it"),
            }
        }
    }

    #[test]
    fn the_order_of_compatible_edits_does_not_matter(text in "\\PC{0,60}", numbers in prop::collection::vec(any::<(usize, usize, u8)>(), 0..8)) {
        let mut patch = Patch::default();
        let mut accepted: Vec<Edit> =
            edits(&text, &numbers).into_iter().filter(|edit| patch.try_add(std::slice::from_ref(edit)).is_ok()).collect();
        accepted.reverse();
        let mut backwards = Patch::default();
        for edit in &accepted {
            prop_assert!(backwards.try_add(std::slice::from_ref(edit)).is_ok(), "{edit:?} fits in one order only");
        }
        prop_assert_eq!(backwards.apply(&text), patch.apply(&text));
    }
}

/// Between tokens and comments there is white space and line continuations only.
fn assert_blank(gap: &str) -> Result<(), TestCaseError> {
    let rest = gap.replace("\\\n", "").replace("\\\r\n", "").replace('\u{feff}', "");
    prop_assert!(rest.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0)), "{gap:?}");
    Ok(())
}

/// Reads and converts a text, within the time that people wait.
#[track_caller]
fn check_quick(text: &str) {
    let start = Instant::now();
    let document = common::document(text);
    let read = start.elapsed();
    common::convert(&document, &settings(false, true));
    let took = start.elapsed();
    // Generous, for a busy machine; what is quadratic in the texts below takes a minute.
    assert!(took < Duration::from_secs(20), "reading took {read:?}, all {took:?}");
}

/// Parses the trees of a text as well.
#[track_caller]
fn check_parses(text: &str) {
    let start = Instant::now();
    let document = common::document(text);
    let gaps: usize = document.items().iter().map(|item| item.gaps(&document).len()).sum();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{gaps} gaps in {took:?}");
    check_quick(text);
}

#[test]
fn deep_nesting_is_no_trouble() {
    for (open, close) in
        [("(", ")"), ("{", "}"), ("[", "]"), ("a<", ">"), ("f(", ")"), ("if (x) {", "}"), ("x ? ", " : y")]
    {
        let (opened, closed) = (open.repeat(10_000), close.repeat(10_000));
        check_parses(&format!("void f() {{ {opened}{closed}; }}"));
        check_parses(&format!("{opened}{closed}"));
        check_parses(&opened);
        check_parses(&closed);
    }
}

#[test]
fn deep_conditions_are_no_trouble() {
    check_quick(&format!("{}{}", "#if A\n".repeat(10_000), "#endif\n".repeat(10_000)));
    check_quick(&format!("{}{}", "#if A\n(\n".repeat(10_000), "#else\n)\n#endif\n".repeat(10_000)));
    check_quick(&"#if __CUDA_ARCH__ >= 700\n".repeat(10_000));
}

#[test]
fn many_of_a_kind_are_no_trouble() {
    check_quick(&"a<".repeat(50_000));
    check_parses(&format!("void f() {{ {} }}", "k<<<1, 2>>>(x);\n".repeat(50_000)));
    check_parses(&"void f() { k<<<1, 2>>>(x); }\n".repeat(50_000));
    check_quick(&"#if A\nint x;\n#else\nint y;\n#endif\n".repeat(50_000));
    check_quick(&"k<<<".repeat(50_000));
    check_quick(&"k<<<1,".repeat(50_000));
    check_quick(&"case x: a ? b : k<<<1, 2>>>(x)\n".repeat(20_000));
    check_quick(&"a::".repeat(50_000));
    check_quick(&"a->".repeat(50_000));
    check_quick(&"cub::".repeat(50_000));
    check_quick(&"cudaMalloc(".repeat(50_000));
    check_quick(&"cudaMemcpyToSymbol(a, b);".repeat(50_000));
    check_quick(&format!("void f() {{ {} }}", "int cudaX;\n".repeat(50_000)));
    check_quick(&"#define cudaX(a) cudaY##a\n".repeat(50_000));
    check_quick(&"__shfl_xor_sync(0xffffffff, x, 1);".repeat(50_000));
    check_quick(&"asm(\"mov.u32 %0, %1;\" : \"=r\"(a) : \"r\"(b));".repeat(20_000));
    check_quick(&"R\"(".repeat(50_000));
    check_quick(&"/*".repeat(50_000));
    check_quick(&"\"cudaMalloc\" ".repeat(50_000));
    check_quick(&"// hipshift: ignore-next-line[x]\ncudaMalloc();\n".repeat(20_000));
    check_parses(&"template <class T> __global__ void k(T* x) { x[0] = 1; }\n".repeat(20_000));
    check_quick(&"__global__ void k() {".repeat(20_000));
    check_quick(&"#include <cuda_runtime.h>\n".repeat(50_000));
}

#[test]
fn one_long_line_is_no_trouble() {
    let text = "cudaMalloc(&x, 4); y = z + 1; ".repeat(20_000_000 / 30);
    let document = common::document(&text);
    let outcome = common::convert(&document, &Settings::default());
    assert_eq!(outcome.applied.iter().filter(|finding| finding.rule.name == "renamed-name").count(), 20_000_000 / 30);
}
