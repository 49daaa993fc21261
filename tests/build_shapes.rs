//! Build files with quotes, functions and continuations keep their shape: lines, calls, arguments and brackets.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use hipshift::build::{commands, functions, make_lines, shell_lines, tokens};
use hipshift::settings::Settings;
use hipshift::source::{SourceFile, range};
use hipshift::syntax::Document;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Options as build files have them, with quotes of all kinds.
const OPTIONS: &[&str] = &[
    "-O3",
    "-lm",
    "-lcudadevrt",
    "-lineinfo",
    "-Xptxas -v",
    "-diag-suppress 177",
    "--expt-relaxed-constexpr",
    "--use_fast_math",
    "-maxrregcount=32",
    "-arch=sm_80",
    "-DX=\\\"y\\\"",
    "-gencode=arch=compute_60,code=\\\"sm_60,compute_60\\\"",
    "-gencode arch=compute_60,code=\\\"sm_60,compute_60\\\"",
    "-Xcompiler -Wall,-g",
    "-Xcompiler=\\\"-O3 -fopenmp\\\"",
];

/// More of them, which make no sense within quotes.
const QUOTED_OPTIONS: &[&str] = &[
    "-gencode 'arch=compute_70,code=[compute_70,sm_70]'",
    "-gencode arch=compute_70,code=\"sm_70,compute_70\"",
    "\"-gencode=arch=compute_80,code=sm_80\"",
    "\"-gencode\" \"arch=compute_80,code=sm_80\"",
    "-Xcompiler=\"-O3 -fopenmp\"",
    "-Xcompiler '-O3 -fopenmp'",
    "-ccbin \"/opt/my gcc\"",
];

/// Functions of make.
const FUNCTIONS: &[&str] = &[
    "$(addprefix -Xcompiler ,$(CCFLAGS))",
    "$(addprefix -gencode arch=compute_,$(SMS))",
    "$(addprefix -gencode=arch=compute_,$(SMS))",
    "$(addprefix -Xptxas -v,$(X))",
    "$(addprefix -O2 -arch=sm_,$(X))",
    "$(if $(D),-Xptxas -v,-G -lineinfo)",
    "$(patsubst %,-arch=sm_%,$(SMS))",
    "$(foreach s,$(SMS),-gencode arch=compute_$(s),code=sm_$(s))",
];

/// Options with blanks or continuations between them.
fn options(of: &'static [&'static [&'static str]]) -> impl Strategy<Value = String> {
    let option = prop::sample::select(of.concat());
    let between = prop::sample::select(vec![" ", " \\\n  ", " \\\r\n\t"]);
    prop::collection::vec((between, option), 1..5)
        .prop_map(|parts| parts.into_iter().flat_map(|(between, option)| [between, option]).collect())
}

fn make_text() -> impl Strategy<Value = String> {
    let line = (
        prop::sample::select(vec!["NVCCFLAGS =", "app: a.cu\n\tnvcc $< -o $@"]),
        options(&[OPTIONS, QUOTED_OPTIONS, FUNCTIONS]),
    );
    prop::collection::vec(line.prop_map(|(front, options)| format!("{front}{options}\nX = one\n")), 1..3)
        .prop_map(|lines| lines.concat())
}

fn shell_text() -> impl Strategy<Value = String> {
    let call = options(&[OPTIONS, QUOTED_OPTIONS]).prop_map(|options| format!("nvcc a.cu -o a{options}\nrm -f a.o\n"));
    let flags = options(&[OPTIONS]).prop_map(|options| format!("NVCCFLAGS=\"{options}\"\necho done\n"));
    prop::collection::vec(prop_oneof![call, flags], 1..3).prop_map(|lines| lines.concat())
}

fn cmake_text() -> impl Strategy<Value = String> {
    let many = || prop::collection::vec(prop::sample::select(OPTIONS), 1..4);
    let call = prop_oneof![
        many().prop_map(|options| format!("set(CMAKE_CUDA_FLAGS \"${{CMAKE_CUDA_FLAGS}} {}\")\n", options.join(" "))),
        many().prop_map(|options| format!("set(CUDA_FLAGS \"{}\" CACHE STRING \"x\")\n", options.join(" "))),
        many().prop_map(|options| format!("add_compile_options(-O1 \"{}\")\n", options.join("\" \""))),
        many().prop_map(|options| format!(
            "target_compile_options(a PRIVATE \"$<$<COMPILE_LANGUAGE:CUDA>:{}>\")\n",
            options.join(";")
        )),
        many().prop_map(|options| format!(
            "set_target_properties(a PROPERTIES COMPILE_FLAGS \"{}\" CXX_STANDARD 17)\n",
            options.join(" ")
        )),
        many().prop_map(|options| format!(
            "set_source_files_properties(a.cu PROPERTIES COMPILE_FLAGS \"{}\")\n",
            options.join(" ")
        )),
    ];
    prop::collection::vec(call, 1..4).prop_map(|calls| calls.concat())
}

/// What has to stay as it was: how many quotes are open, and brackets of each kind.
fn open_signs(text: &str) -> Vec<isize> {
    let count = |sign: &str| isize::try_from(text.matches(sign).count()).unwrap();
    let escaped = count("\\\"");
    let brackets = [("(", ")"), ("{", "}"), ("[", "]")].map(|(open, close)| count(open) - count(close));
    [&[escaped % 2, (count("\"") - escaped) % 2, count("'") % 2], &brackets[..]].concat()
}

/// Functions of make by name, and how many arguments they have.
fn calls_of_make(text: &str) -> Vec<(String, usize)> {
    let found = functions(text, range(0, text.len())).into_iter();
    found.map(|function| (text[function.name].to_owned(), function.arguments.len())).collect()
}

/// Converts a build file, and tells what no conversion may change.
fn check_build(name: &str, text: &str) -> Result<String, TestCaseError> {
    let convert = |text: &str| {
        let document = Document::new(SourceFile::from_text(name, text));
        common::convert(&document, &Settings::default()).patch.apply(text)
    };
    let once = convert(text);
    prop_assert_eq!(open_signs(&once), open_signs(text), "{}\n{}", text, once);
    prop_assert_eq!(convert(&once), once.clone(), "a second time: {}", text);
    Ok(once)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(3), cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn makefiles_keep_their_shape(text in make_text()) {
        let once = check_build("Makefile", &text)?;
        prop_assert_eq!(make_lines(&once).len(), make_lines(&text).len(), "{}\n{}", text, once);
        let before = calls_of_make(&text);
        prop_assert!(calls_of_make(&once).iter().all(|call| before.contains(call)), "{}\n{}", text, once);
        prop_assert!(FUNCTIONS.iter().all(|call| !once.contains(&format!("{},", call.split(' ').next().unwrap()))), "{}", once);
    }

    #[test]
    fn scripts_keep_their_shape(text in shell_text()) {
        let once = check_build("build.sh", &text)?;
        prop_assert_eq!(shell_lines(&once).len(), shell_lines(&text).len(), "{}\n{}", text, once);
    }

    #[test]
    fn cmake_keeps_its_shape(text in cmake_text()) {
        let once = check_build("CMakeLists.txt", &text)?;
        let calls = |text: &str| -> Vec<usize> {
            let positional = |name: &str| name.ends_with("properties") || name == "set";
            let counted = commands(text, &tokens(text)).into_iter();
            counted.map(|call| if positional(&text[call.name]) { call.arguments.len() } else { 0 }).collect()
        };
        prop_assert_eq!(calls(&once), calls(&text), "{}\n{}", text, once);
    }
}
