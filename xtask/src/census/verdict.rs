//! What became of a fact.

use super::compile::Compiled;
use super::convert::Told;
use super::fact::Library;

/// What became of a fact for one release of ROCm.
pub(super) struct Answer {
    /// What it is, for people.
    pub(super) label: String,
    /// The header that declares it.
    pub(super) header: String,
    pub(super) fate: Fate,
}

pub(super) enum Fate {
    /// The converted use compiles.
    Compiles,
    /// A finding of severity warning or error stands at its use.
    Reported,
    /// The headers that decide are in no package of this release.
    Unjudged,
    /// It does not compile, and no finding says so; the first error.
    Silent(String),
}

impl Answer {
    /// The compiler's words, if nobody else has said that it fails.
    pub(super) fn silent_error(&self) -> Option<&str> {
        match &self.fate {
            Fate::Silent(error) => Some(error),
            Fate::Compiles | Fate::Reported | Fate::Unjudged => None,
        }
    }
}

/// Joins what hipshift told with what the compiler says.
pub(super) fn of_library(library: &Library, told: &Told, compiled: &Compiled) -> Vec<Answer> {
    let fate = Fates::of(library, told, compiled);
    let elsewhere = compiled.errors.get(&None).map(|error| Answer {
        label: format!("{}: outside of all uses", library.name),
        header: library.includes().first().copied().unwrap_or_default().to_owned(),
        // A header that is told about where it is included explains what is wrong with it.
        fate: if told.headers { Fate::Reported } else { fate.of_error(error) },
    });
    let facts = library.facts.iter().enumerate().map(|(number, fact)| Answer {
        label: format!("{}({})", fact.name, fact.parameters),
        header: fact.header.clone(),
        fate: match compiled.errors.get(&Some(number)) {
            _ if told.facts.binary_search(&number).is_ok() => Fate::Reported,
            Some(error) => fate.of_error(error),
            None => Fate::Compiles,
        },
    });
    facts.chain(elsewhere).collect()
}

/// What an error of a library means that no finding at its line explains.
enum Fates {
    /// Each header of the library is reported where it is included, so that its names are, too.
    Reported,
    /// The packages of this release lack headers that HIP has.
    Unjudged,
    /// The headers are those of an older release, which may lack names.
    Older,
    Silent,
}

impl Fates {
    fn of(library: &Library, told: &Told, compiled: &Compiled) -> Fates {
        let is_cuda = |header: &String| library.includes().contains(&header.as_str());
        if compiled.missing.is_empty() {
            if compiled.is_older { Fates::Older } else { Fates::Silent }
        } else if !compiled.missing.iter().all(is_cuda) {
            Fates::Unjudged
        } else if told.headers && compiled.missing.len() == library.includes().len() {
            Fates::Reported
        } else {
            Fates::Silent
        }
    }

    fn of_error(&self, error: &str) -> Fate {
        match self {
            Fates::Reported => Fate::Reported,
            Fates::Unjudged => Fate::Unjudged,
            Fates::Older if lacks_name(error) => Fate::Unjudged,
            Fates::Older | Fates::Silent => Fate::Silent(error.to_owned()),
        }
    }
}

/// Whether the compiler says that something is not declared.
fn lacks_name(error: &str) -> bool {
    ["unknown type name", "use of undeclared identifier", "no member named"]
        .iter()
        .any(|words| error.starts_with(words))
}
