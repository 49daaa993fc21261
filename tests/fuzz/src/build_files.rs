//! Texts that say how a project is built, such as those for `CMake` and Make: findings lie in the text, and fixes apply.

use hipshift::analysis::{ProjectFacts, SwitchRole};
use hipshift::engine::{Input, convert, switched};
use hipshift::mapping::Table;
use hipshift::project::{LintRun, lint_document};
use hipshift::settings::{BuildMode, Settings};
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

const NAMES: &[&str] = &["CMakeLists.txt", "Makefile", "x.cmake", "x.mk", "meson.build", "BUILD", "x.sh", "setup.py"];

/// The first byte chooses the kind of file.
pub fn run(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    let Ok(table) = Table::builtin() else { return };
    let name = NAMES[usize::from(*kind) % NAMES.len()];
    let Ok(file) = SourceFile::decode(name.into(), text.to_vec()) else { return };
    let document = Document::new(file);
    let (settings, project) = (Settings::default(), ProjectFacts::default());
    let (report, _) = lint_document(&document, (LintRun::new(table, &settings), &project), &|_| false);
    for finding in &report.findings {
        assert!(usize::from(finding.diagnostic.range.end()) <= document.text().len(), "{finding:?}");
    }
    let outcome = convert(Input { document: &document, project: &project, table, settings: &settings });
    outcome.patch.apply(document.text());
    if name == "CMakeLists.txt" {
        let settings = Settings { build_mode: BuildMode::Option, ..settings };
        let input = |document| Input { document, project: &project, table, settings: &settings };
        let role = SwitchRole { declares: true, ..SwitchRole::default() };
        // Both sides are read back where they are written. That a second run changes nothing holds for texts that CMake can read
        // (`tests/build_option.rs`), and not for any bytes.
        let Some(both) = switched(&document, &convert(input(&document)).patch, role) else { return };
        let again = Document::new(SourceFile::from_text(name, &both));
        let _ = switched(&again, &convert(input(&again)).patch, role);
    }
}
