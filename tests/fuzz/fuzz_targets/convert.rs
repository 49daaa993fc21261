//! Converts any bytes: all findings lie in the text, and the result keeps its brackets.
#![no_main]

use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::Applicability;
use hipshift::engine::{Input, convert};
use hipshift::mapping::Table;
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(table) = Table::builtin() else { return };
    let Ok(file) = SourceFile::decode("fuzz.cu".into(), bytes.to_vec()) else { return };
    let document = Document::new(file);
    let project = ProjectFacts::default();
    for applicability in [Applicability::Safe, Applicability::Unsafe] {
        let settings = Settings { applicability, strings: true, ..Settings::default() };
        let outcome = convert(Input { document: &document, project: &project, table, settings: &settings });
        let converted = outcome.patch.apply(document.text());
        for finding in outcome.applied.iter().chain(outcome.remaining.iter().cloned()) {
            assert!(!document.slice(finding.range).is_empty() || finding.range.is_empty());
        }
        document.file().encode(&converted);
    }
});
