//! Writes the table for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::TARGETS;
use super::fact::Library;
use super::silent::Answers;
use super::verdict::{Answer, Fate};

/// How many facts met each fate.
#[derive(Clone, Copy, Default)]
struct Counts {
    compiles: usize,
    reported: usize,
    unjudged: usize,
    silent: usize,
}

impl Counts {
    fn of<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> Counts {
        let mut counts = Counts::default();
        for answer in answers {
            match answer.fate {
                Fate::Compiles => counts.compiles += 1,
                Fate::Reported => counts.reported += 1,
                Fate::Unjudged => counts.unjudged += 1,
                Fate::Silent(_) => counts.silent += 1,
            }
        }
        counts
    }

    fn sum(self) -> usize {
        self.compiles + self.reported + self.unjudged + self.silent
    }
}

/// A line for each release: how many facts met each fate.
pub(super) fn totals(answers: &Answers) -> String {
    let mut text = String::new();
    for (release, libraries) in answers {
        let counts = Counts::of(libraries.iter().flatten());
        let Counts { compiles, reported, unjudged, silent } = counts;
        let _ = writeln!(
            text,
            "ROCm {release}: {} names and overloads, {compiles} compile, {reported} are reported, \
             {unjudged} hang on headers that are in no package, {silent} fail in silence",
            counts.sum(),
        );
    }
    text
}

/// The page: a table by library, and one by header.
pub(super) fn markdown(libraries: &[Library], answers: &Answers) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "Targets: {}.\n", TARGETS.join(" and "));
    for line in totals(answers).lines() {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n## By library\n\n");
    let by_library = |counts: &mut BTreeMap<String, Counts>, answers: &[Vec<Answer>]| {
        for (library, answers) in libraries.iter().zip(answers) {
            counts.insert(library.name.clone(), Counts::of(answers));
        }
    };
    table(&mut text, "Library", answers, by_library);
    text.push_str("\n## By header\n\n");
    let by_header = |counts: &mut BTreeMap<String, Counts>, answers: &[Vec<Answer>]| {
        let mut of_header: BTreeMap<&str, Vec<&Answer>> = BTreeMap::new();
        for answer in answers.iter().flatten() {
            of_header.entry(&answer.header).or_default().push(answer);
        }
        counts.extend(of_header.into_iter().map(|(header, answers)| (format!("`{header}`"), Counts::of(answers))));
    };
    table(&mut text, "Header", answers, by_header);
    text
}

const HEAD: &str = "# Census of CUDA's headers

Everything that the headers of CUDA 11, 12 and 13 declare is used once: functions with arguments of the declared types, on each side that
may call them; types, members, enumerators and macros. The uses are converted, and what came out is compiled with HIP's real headers.
*Compiles* means without an error and without a finding; *reported*, that a finding of severity warning or error stands at the line;
*no headers*, that no package of Debian has the headers of AMD's library for this release; *silent*, that it does not compile and nothing says so.
Names that `mappings/too_general.txt` lists are left out.

What is silent is listed in `tests/data/census/silent.txt`, which may only get shorter.

The facts are in `tests/data/census`; `cargo run -p xtask -- census learn` reads them from the headers in NVIDIA's wheels anew, and
`cargo run -p xtask -- census` writes this page.

";

fn table(
    text: &mut String,
    first: &str,
    answers: &Answers,
    fill: impl Fn(&mut BTreeMap<String, Counts>, &[Vec<Answer>]),
) {
    let columns: Vec<BTreeMap<String, Counts>> = answers
        .iter()
        .map(|(_, answers)| {
            let mut counts = BTreeMap::new();
            fill(&mut counts, answers);
            counts
        })
        .collect();
    let _ = write!(text, "| {first} | Names and overloads |");
    for (release, _) in answers {
        let _ = write!(text, " {release}: compiles | reported | no headers | silent |");
    }
    let _ = write!(text, "\n| --- | ---: |{}\n", " ---: | ---: | ---: | ---: |".repeat(answers.len()));
    for name in columns.first().into_iter().flat_map(BTreeMap::keys) {
        let of = columns.iter().map(|column| column.get(name).copied().unwrap_or_default());
        let all = columns[0].get(name).map_or(0, |counts| counts.sum());
        let _ = write!(text, "| {name} | {all} |");
        for Counts { compiles, reported, unjudged, silent } in of {
            let _ = write!(text, " {compiles} | {reported} | {unjudged} | {silent} |");
        }
        text.push('\n');
    }
}
