//! The pages of the rules: complete, and true.

use crate::common;

use std::collections::BTreeSet;

use crate::common::folder::{Folder, hipshift};
use camino::{Utf8Path, Utf8PathBuf};
use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, FixAvailability, RuleInfo, Severity};
use hipshift::engine::{Input, Outcome};
use hipshift::rules::RULES;
use hipshift::settings::{Settings, WavePolicy};
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

/// An example of a page: CUDA, and the HIP that it becomes.
struct Example<'p> {
    cuda: &'p str,
    hip: Option<&'p str>,
}

fn infos() -> impl Iterator<Item = &'static RuleInfo> {
    RULES.iter().map(|rule| rule.info)
}

/// A page without the blank in front of each line.
fn page(info: &RuleInfo) -> String {
    info.docs.lines().flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// Code blocks of a page: what follows "Use instead:" belongs to the block before it.
fn examples(page: &str) -> Vec<Example<'_>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```") {
        let Some((block, next)) = after.split_once("\n```") else { break };
        let (language, code) = block.split_once('\n').unwrap_or((block, ""));
        match (language, examples.last_mut()) {
            ("cuda", _) => examples.push(Example { cuda: code, hip: None }),
            ("hip", Some(last)) if before.trim_end().ends_with("Use instead:") => last.hip = Some(code),
            _ => {}
        }
        rest = next;
    }
    examples
}

#[test]
fn pages_have_their_sections() {
    for info in infos() {
        let page = page(info);
        for section in ["## What it does\n", "## Why is this bad?\n", "## Example\n"] {
            assert!(page.contains(section), "{}: no section `{}`", info.name, section.trim_end());
        }
        // Examples of build files are no CUDA.
        assert!(info.code.starts_with('B') || !examples(&page).is_empty(), "{}: no example", info.name);
    }
}

#[test]
fn examples_convert_to_what_the_page_says() {
    let mut wrong = Vec::new();
    for info in infos() {
        for example in examples(&page(info)) {
            wrong.extend(example.hip.and_then(|hip| complaint(info, example.cuda, hip)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is wrong with an example, if anything. Snippets may leave the includes out, and show what
/// the unsafe fix makes of them where the rule has no safe one.
fn complaint(info: &RuleInfo, cuda: &str, hip: &str) -> Option<String> {
    let mut settings = settings_of(info);
    if info.name != "missing-runtime-header" {
        settings.rules.ignore.push("missing-runtime-header".to_owned());
    }
    let safe = convert(info, cuda, &settings);
    settings.applicability = Applicability::Unsafe;
    let all = convert(info, cuda, &settings);
    let is_as_promised = safe == hip || all == hip;
    (!is_as_promised).then(|| format!("{}: the page promises\n{hip}\nbut conversion gives\n{all}\n", info.name))
}

/// The settings that a page names before its example.
fn settings_of(info: &RuleInfo) -> Settings {
    let page = page(info);
    let value = |option: &str| page.split_once(&format!("With `{option} "))?.1.split_once('`').map(|(value, _)| value);
    let mut settings = Settings::default();
    if let Some(rocm) = value("--rocm") {
        settings.rocm = rocm.parse().unwrap();
    }
    let (policy, ignored) = match value("--wave-policy") {
        Some(words) => {
            words.split_once(" --ignore ").map_or((Some(words), None), |(policy, rule)| (Some(policy), Some(rule)))
        }
        None => (None, None),
    };
    settings.rules.ignore.extend(ignored.map(str::to_owned));
    match policy {
        Some("native") => settings.wave_policy = WavePolicy::Native,
        Some("logical32") => settings.wave_policy = WavePolicy::Logical32,
        Some(policy) => panic!("unknown policy `{policy}`"),
        None => {}
    }
    settings
}

/// What the source is called that a page speaks of.
fn source_name(info: &RuleInfo) -> &'static str {
    if page(info).contains("(`config.h.in`, ") { "config.h.in" } else { "reduce.cu" }
}

fn document(info: &RuleInfo, text: &str) -> Document {
    let file = SourceFile::decode(source_name(info).into(), format!("{text}\n").into_bytes()).unwrap();
    Document::new(file)
}

/// The build file of a project that a page speaks of.
fn build_file(info: &RuleInfo) -> &'static str {
    let page = page(info);
    match () {
        () if page.contains("`-rdc=true`") => "program:\n\tnvcc -rdc=true -o program reduce.cu\n",
        () if page.contains("(`-Werror`)") => {
            "program:\n\tnvcc -Werror all-warnings -Xcompiler -Werror -o program example.cu\n"
        }
        () => "",
    }
}

/// What an example comes to, in a project with that build file.
fn outcome(info: &RuleInfo, document: &Document, settings: &Settings) -> Outcome {
    let mut project = ProjectFacts::default();
    let build = build_file(info);
    project.builds.is_relocatable = build.contains("-rdc=true");
    let folder = Utf8PathBuf::from(document.file().path.parent().unwrap_or(Utf8Path::new("")));
    project.builds.warnings_as_errors.extend(build.contains("-Werror").then_some(folder));
    hipshift::engine::convert(Input { document, project: &project, table: common::table(), settings })
}

fn convert(info: &RuleInfo, cuda: &str, settings: &Settings) -> String {
    let document = document(info, cuda);
    let converted = outcome(info, &document, settings).patch.apply(document.text());
    converted.trim_end_matches('\n').to_owned()
}

#[test]
fn examples_are_found_by_their_rule() {
    let mut silent = Vec::new();
    for info in infos() {
        let page = page(info);
        // Which files are renamed is not known from one example.
        let needs_project = page.contains("With `--ext ");
        let first = examples(&page).into_iter().next();
        let finds = |example: Example<'_>| {
            let document = document(info, example.cuda);
            let outcome = outcome(info, &document, &settings_of(info));
            common::findings(&outcome).iter().any(|finding| finding.rule.code == info.code)
        };
        if !needs_project && !info.code.starts_with('B') && !first.is_some_and(finds) {
            silent.push(info.name);
        }
    }
    assert!(silent.is_empty(), "the example of these rules does not make them fire: {silent:?}");
}

/// The first example of a page as a file, and the options that the page names before it.
fn file_of(info: &RuleInfo) -> (&'static str, String, Vec<String>) {
    let page = page(info);
    let (before, after) = page.split_once("```").unwrap();
    let (language, code) = after.split_once("\n```").unwrap().0.split_once('\n').unwrap();
    let name = match language {
        "cmake" => "CMakeLists.txt",
        "make" => "Makefile",
        _ => source_name(info),
    };
    let option = before.rsplit_once("With `").map_or("", |(_, option)| option);
    let option = option.split_once("`:").filter(|(_, rest)| rest.trim().is_empty()).map_or("", |(option, _)| option);
    (name, format!("{code}\n"), option.split_whitespace().map(str::to_owned).collect())
}

/// Whether a run on the folder reports the rule: among its findings, or, for a plain translation, among its fixes.
fn is_reported(folder: &Folder, command: &[&str], options: &[String], info: &RuleInfo) -> bool {
    let mut arguments = [command, &[".", "--format", "json"]].concat();
    arguments.extend(options.iter().map(String::as_str));
    let report = common::json(&hipshift(folder, &arguments));
    let files = report["files"].as_array().unwrap();
    let applied = |file: &serde_json::Value| file["applied"][info.code].as_u64().is_some_and(|count| count > 0);
    let found = |file: &serde_json::Value| {
        file["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == info.code && finding["severity"] != "hint")
    };
    files.iter().any(|file| found(file) || applied(file))
}

/// What a page shows, a person sees: `lint` reports it, or the conversion counts it, or `lint` when asked for the rule.
#[test]
fn examples_are_reported_by_the_command_line() {
    let mut silent = Vec::new();
    for info in infos() {
        let (name, text, options) = file_of(info);
        let header = ("reduce.cuh", "#include <cuda_runtime.h>\n");
        let folder = Folder::new(&[(name, &text), header, ("build.mk", build_file(info))]);
        let is_advice = info.severity == Severity::Hint && info.fix == FixAvailability::None;
        // Only converting gives files other names.
        let is_lintable = !options.iter().any(|option| option == "--ext");
        let seen = is_lintable && is_reported(&folder, &["lint"], &options, info)
            || is_reported(&folder, &["convert", "--dry-run"], &options, info)
            || is_advice && is_reported(&folder, &["lint", "--select", info.code], &options, info);
        if !seen {
            silent.push(info.name);
        }
    }
    assert!(silent.is_empty(), "no command reports the example of these rules: {silent:?}");
}

#[test]
fn codes_and_names_are_unique() {
    let codes: BTreeSet<_> = infos().map(|info| info.code).collect();
    let names: BTreeSet<_> = infos().map(|info| info.name).collect();
    assert_eq!((codes.len(), names.len()), (RULES.len(), RULES.len()));
}

#[test]
fn codes_are_a_letter_and_three_digits() {
    for info in infos() {
        let digits = info.code.strip_prefix(|c: char| c.is_ascii_uppercase());
        let is_code = digits.is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()));
        assert!(is_code, "{}", info.code);
    }
}

#[test]
fn names_are_kebab_case() {
    for info in infos() {
        let words = info.name.split('-');
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        assert!(words.into_iter().all(is_word), "{}", info.name);
    }
}

/// The folder of each group of codes.
const GROUPS: &[(&str, &str)] = &[
    ("A", "api"),
    ("B", "build"),
    ("C", "conditional"),
    ("H", "header"),
    ("K", "kernel"),
    ("L", "launch"),
    ("M", "memory"),
    ("P", "ptx"),
    ("S", "sync"),
    ("W", "wave"),
    ("X", "suppression"),
];

#[test]
fn a_rule_lives_where_its_code_and_name_say() {
    for info in infos() {
        let folder = GROUPS.iter().find(|(letter, _)| info.code.starts_with(letter)).map(|(_, folder)| *folder);
        let folder = folder.unwrap_or_else(|| panic!("no folder is known for {}", info.code));
        let path = format!("src/core/rules/{folder}/{}.rs", info.name.replace('-', "_"));
        assert!(common::root().join(&path).is_file(), "{} is not in {path}", info.name);
    }
}
