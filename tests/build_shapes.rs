//! Build files with quotes, functions and continuations keep their shape: lines, calls, arguments and brackets.

use crate::common;

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

/// What conversion changes, and what it leaves to a person, by words of lines of make and of arguments of CMake.
const CHANGED: &[[&str; 2]] = &[
    ["-lcublas", "CUDA::cublas"],
    ["$(CUDA_HOME)/lib64/libcufft.so", "/usr/local/cuda/lib64/libcufft.so"],
    ["-L$(CUDA_HOME)/lib64", "${CUDA_LIBRARIES}"],
    ["-gencode arch=compute_80,code=sm_80", "CUDA::cudart"],
];
const LEFT: &[[&str; 2]] = &[
    ["$(CUDNN_PATH)/lib", "${CUDNN_PATH}/lib"],
    ["-lnvinfer", "nvinfer"],
    ["$(MY_CUDA_LIBS)", "${MY_CUDA_LIBS}"],
    ["-I$(NVIDIA_SDK)", "$<$<BOOL:${HAS_NVIDIA}>:m>"],
    ["/opt/cudnn9", "$ENV{NVIDIA_SDK}"],
];

/// Whether each word that speaks of CUDA and is in the result, too, has a finding where it stands.
fn all_told(name: &str, text: &str, left: &[&str]) -> Result<(), TestCaseError> {
    let document = Document::new(SourceFile::from_text(name, text));
    let outcome = common::convert(&document, &Settings::default());
    let found = common::findings(&outcome);
    for word in left {
        let at = text.find(word).unwrap();
        let told = found.iter().any(|finding| {
            let (start, end) = (usize::from(finding.range.start()), usize::from(finding.range.end()));
            at <= start && end <= at + word.len()
        });
        prop_assert!(told, "{} in {}: {:?}", word, text, found);
    }
    Ok(())
}

/// Words that change and words that stay, in any order.
fn words(column: usize) -> impl Strategy<Value = (String, Vec<&'static str>)> {
    let word = move |of: &'static [[&'static str; 2]]| prop::sample::select(of).prop_map(move |row| row[column]);
    let left = prop::sample::subsequence(LEFT, 1..4);
    let left = left.prop_map(move |rows| rows.iter().map(|row| row[column]).collect::<Vec<_>>());
    (prop::collection::vec(word(CHANGED), 1..3), left, any::<bool>()).prop_map(|(changed, left, first)| {
        let parts = if first { [&changed[..], &left[..]] } else { [&left[..], &changed[..]] };
        (parts.concat().join(" "), left)
    })
}

/// A command that compiles with nvcc and says nothing of GPUs.
fn gpuless() -> impl Strategy<Value = String> {
    let front = prop::sample::select(vec!["", "cd x && ", "A=1 ", "time ", "if ! ", "mkdir -p o; "]);
    let options = vec!["-O2", "-Xcompiler -fPIC", "-I inc -DX=1", "\\\n  -lineinfo", "-std=c++17"];
    let what = prop::sample::select(vec!["-c a.cu -o a.o", "-o a a.cu b.cu", "\"a.cu\"", "-c a.cu"]);
    (front, prop::sample::select(options), what).prop_map(|(front, options, what)| {
        let behind = if front.starts_with("if") { "; then exit 1; fi" } else { "" };
        format!("{front}nvcc {options} {what}{behind}\n")
    })
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
            // OpenMP in CUDA sources brings an option for the linker.
            let is_new = |call: &str| call.starts_with("target_link_options(") && call.contains("<LINK_LANGUAGE:HIP>:-fopenmp>");
            let counted = commands(text, &tokens(text)).into_iter().filter(|call| !is_new(&text[call.range]));
            counted.map(|call| if positional(&text[call.name]) { call.arguments.len() } else { 0 }).collect()
        };
        prop_assert_eq!(calls(&once), calls(&text), "{}\n{}", text, once);
    }

    #[test]
    fn words_that_stay_are_told_beside_words_that_change(make in words(0), cmake in words(1)) {
        all_told("Makefile", &format!("LIBS = -lm {}\n", make.0), &make.1)?;
        all_told("build.sh", &format!("g++ a.o -o a {}\n", make.0), &make.1)?;
        all_told("CMakeLists.txt", &format!("target_link_libraries(a PRIVATE m {})\n", cmake.0), &cmake.1)?;
    }

    #[test]
    fn commands_that_name_no_gpu_get_the_targets(commands in prop::collection::vec(gpuless(), 1..4)) {
        let script = commands.concat();
        let once = check_build("build.sh", &script)?;
        prop_assert_eq!(once.matches("hipcc --offload-arch=gfx90a").count(), commands.len(), "{}", once);
        let makefile: String = commands.iter().flat_map(|command| ["a:\n\t", command]).collect();
        let once = check_build("Makefile", &makefile)?;
        prop_assert_eq!(once.matches("hipcc --offload-arch=gfx90a").count(), commands.len(), "{}", once);
        let told = script.replace("nvcc ", "nvcc -arch=sm_80 ");
        let once = check_build("build.sh", &told)?;
        prop_assert_eq!(once.matches("--offload-arch=gfx90a").count(), commands.len(), "{}", once);
    }
}
