//! The examples of HIP's documents, written anew: each of `tests/data/examples.csv` stands in a fixture that is converted,
//! compiled for the releases it names, and run, or has a rule that tells what is wrong with it.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::common::{RELEASES, json, validate, validate_command};

const PROGRAMS: &str = "fixtures/documents";
const CODE_OBJECT: &str = "fixtures/code_object";

/// How many blocks of code the documents of these releases have. Lists of functions and types are none.
const BLOCKS: [(&str, usize); 5] = [("5.x", 21), ("6.2", 20), ("6.3", 19), ("6.4", 15), ("7.x", 22)];

/// A row of `tests/data/examples.csv`.
#[derive(Debug, serde::Deserialize)]
struct Example {
    /// `E` for blocks of the documents, `P` for what they say without one.
    id: String,
    /// The blocks by document and number: `6.4#2 7.x#2`.
    blocks: String,
    section: String,
    shows: String,
    /// Programs with names or texts in them: `fixtures/documents/a.cu:one two`.
    runs: String,
    /// Who tells what is wrong with it: `rule@fixture:text;compiler@claims:text`.
    told: String,
    /// The releases that the programs compile for.
    releases: String,
    why: String,
}

impl Example {
    /// The programs with the texts in them.
    fn programs(&self) -> Vec<(&str, Vec<&str>)> {
        let mut programs: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in self.runs.split(' ').filter(|word| !word.is_empty()) {
            match (word.starts_with("fixtures/").then(|| word.split_once(':')).flatten(), programs.last_mut()) {
                (Some((path, name)), _) => programs.push((path, vec![name])),
                (None, Some((_, names))) => names.push(word),
                (None, None) => panic!("{}: `{word}` names no program", self.id),
            }
        }
        programs
    }
}

fn examples() -> Vec<Example> {
    let path = common::root().join("tests/data/examples.csv");
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The name of a program in reports.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(common::root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_block_of_the_documents_has_a_row() {
    let examples = examples();
    let mut numbers: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (document, number) in examples.iter().flat_map(|e| e.blocks.split(' ')).filter_map(|b| b.split_once('#')) {
        numbers.entry(document).or_default().insert(number.parse().unwrap());
    }
    let expected = BLOCKS.into_iter().map(|(document, count)| (document, (1..=count).collect())).collect();
    assert_eq!(numbers, expected);
    for (place, example) in examples.iter().enumerate() {
        let is_block = !example.blocks.is_empty();
        let before = place.checked_sub(1).map_or("", |before| &examples[before].id);
        assert!(before < example.id.as_str(), "{}: rows stand in order", example.id);
        assert_eq!(is_block, example.id.starts_with('E'), "{}", example.id);
        assert!(!example.section.is_empty() && !example.shows.is_empty(), "{}", example.id);
        assert!(!example.runs.is_empty(), "{}: nothing shows it", example.id);
        let is_partial = !example.told.is_empty() || example.releases.split(' ').count() < RELEASES.len();
        assert!(!is_partial || !example.why.is_empty() || example.told.starts_with("wave-size"), "{}", example.id);
    }
}

#[test]
fn programs_have_what_the_rows_name_and_nothing_else() {
    let examples = examples();
    let mut named: BTreeSet<(String, &str)> = BTreeSet::new();
    for example in &examples {
        for (path, names) in example.programs() {
            let text = text(path);
            for name in names {
                assert!(text.contains(name), "{}: {path} has no `{name}`", example.id);
                named.insert((path.to_owned(), name));
            }
        }
    }
    let files = [PROGRAMS, CODE_OBJECT].map(|folder| common::files_below(folder, &["cu", "hip"])).concat();
    for file in files {
        let path = common::shown(&file);
        for kernel in kernels(&text(&path)) {
            let is_named = named.contains(&(path.clone(), kernel.as_str()));
            let is_started = named.iter().any(|(file, name)| *file == path && name.starts_with(&format!("{kernel}<")));
            assert!(is_named || is_started, "no row names `{kernel}` in {path}");
        }
    }
}

/// The names of the kernels of a source: the words before the first parenthesis that opens no bounds.
fn kernels(text: &str) -> Vec<String> {
    let heads = text.split("__global__ void ").skip(1);
    let name = |head: &str| {
        let head = head.strip_prefix("__launch_bounds__").map_or(head, |rest| rest.split_once(") ").unwrap().1);
        head.split('(').next().unwrap().trim().to_owned()
    };
    heads.map(name).collect()
}

/// Of a rule, the line of the fixture has the mark that `tests/rules.rs` compares with what is found; of the compiler, the
/// line of the claims has the mark that `tests/compiler.rs` does.
#[test]
fn what_is_wrong_in_the_documents_is_told() {
    for example in examples() {
        for item in example.told.split(';').filter(|item| !item.is_empty()) {
            let (who, place) = item.split_once('@').unwrap();
            let (file, wanted) = place.split_once(':').unwrap();
            let (path, mark) = match who {
                "compiler" => (format!("tests/data/claims/{file}"), "//~ refused".to_owned()),
                rule => (file.to_owned(), rule.to_owned()),
            };
            let text = text(&path);
            let marks =
                |line: &str| line.split_once("//~").is_some_and(|(_, marks)| format!("//~{marks}").contains(&mark));
            let is_told = text.lines().any(|line| line.contains(wanted) && marks(line));
            assert!(is_told, "{}: {path} has no line with `{wanted}` that is marked `{mark}`", example.id);
        }
    }
}

/// A program ends with code 1 where it does not compute what the document says.
#[test]
fn examples_compute_what_the_documents_say() {
    let options = [PROGRAMS, "-Ifixtures/wave", "--format=json", "--arch=gfx90a,gfx1100"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let programs = document["programs"].as_array().unwrap();
    let run: BTreeSet<&str> = programs.iter().map(|program| program["name"].as_str().unwrap()).collect();
    let examples = examples();
    let named = examples.iter().flat_map(Example::programs).map(|(path, _)| path);
    assert_eq!(run, named.filter(|path| path.starts_with(PROGRAMS)).map(name_of).collect(), "{document:#}");
    for program in programs {
        let targets = program["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 2, "{document:#}");
        for target in targets {
            assert_eq!((&target["verdict"], &target["evidence"]), (&"ran".into(), &"emulated".into()), "{document:#}");
        }
    }
}

#[test]
fn a_kernel_prints_what_the_document_says() {
    let folder = tempfile::tempdir().unwrap();
    let expected = folder.path().join("expected.txt");
    std::fs::write(&expected, "greetings from lane 0\ngreetings from lane 1\nPASS\n").unwrap();
    let program = format!("{PROGRAMS}/launches.hip");
    let options = [&program, "-Ifixtures/wave", "--format=json", "--arch=gfx90a,gfx1100"];
    let Some(mut command) = validate_command(&options) else { return };
    let document = json(&command.arg("--expect").arg(&expected).output().unwrap());
    for target in document["programs"][0]["targets"].as_array().unwrap() {
        assert_eq!(target["verdict"], "matched", "{document:#}");
    }
}

/// The object is made by what hipcc runs for `--genco`.
#[test]
fn a_code_object_is_compiled_by_itself_and_loaded() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let targets = [("gfx90a", 64), ("gfx1100", 32)];
    for (release, (target, lanes)) in RELEASES.iter().flat_map(|release| targets.map(|target| (release, target))) {
        let object = folder.path().join(format!("{target}.co"));
        let command = common::device_compiler(&toolchain, release, lanes);
        let mut compiler = Command::new(command.get_program());
        compiler.args(command.get_args()).args(["--cuda-device-only", "--no-gpu-bundle-output", "-O2", "-c"]);
        compiler.arg(format!("--offload-arch={target}")).arg("-o").arg(&object);
        let output = compiler.arg(common::root().join(CODE_OBJECT).join("kernels.hip")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let options = [&format!("{CODE_OBJECT}/load.hip"), "-Ifixtures/wave", "--format=json", "--arch", target];
        let output = validate_command(&options).unwrap().arg("--").arg(&object).output().unwrap();
        let document = json(&output);
        assert_eq!(document["programs"][0]["targets"][0]["verdict"], "ran", "{document:#}");
    }
}

#[test]
fn an_assertion_that_does_not_hold_ends_the_program() {
    let Some(output) = validate(&["fixtures/validate/assertion", "--format=json", "--arch=gfx90a,gfx1100"]) else {
        return;
    };
    let document = json(&output);
    for target in document["programs"][0]["targets"].as_array().unwrap() {
        assert_eq!(target["verdict"], "failed", "{document:#}");
        assert!(target["findings"].to_string().contains("device-side assertion failed"), "{document:#}");
    }
}

/// The programs compile for the releases that their rows name, and for no others.
#[test]
fn examples_compile_for_the_releases_that_they_name() {
    let examples = examples();
    let mut claimed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for example in &examples {
        for (path, _) in example.programs() {
            // A row may name a program of one more release beside the one it is about.
            let releases = claimed.entry(name_of(path)).or_default();
            releases.extend(example.releases.split(' '));
        }
    }
    for rocm in RELEASES {
        let options = ["-Ifixtures/wave", "--format=json", "--executor=none", "--stage=syntax", "--rocm", rocm];
        let Some(output) = validate(&[&[PROGRAMS, CODE_OBJECT], &options[..]].concat()) else { return };
        let document = json(&output);
        let programs = document["programs"].as_array().unwrap();
        assert_eq!(programs.len(), claimed.len(), "{document:#}");
        for program in programs {
            let messages = program["messages"].as_array().unwrap();
            let errors: Vec<_> = messages.iter().filter(|message| message["severity"] == "error").collect();
            let name = name_of(program["name"].as_str().unwrap());
            assert_eq!(errors.is_empty(), claimed[name].contains(rocm), "{name} for ROCm {rocm}: {errors:#?}");
        }
    }
}
