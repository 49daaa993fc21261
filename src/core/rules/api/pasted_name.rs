//! Names that `##` puts together.

use camino::Utf8Path;

use crate::analysis::HandedAt;
use crate::diagnostic::{Diagnostic, Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::name::{Broken, Started};
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::rules::started_names::started;
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds parts of CUDA names in macros that paste names together.
    ///
    /// ## Why is this bad?
    /// Which name results is decided where the macro is used. The start of a name, `cuda##f`, is renamed where all uses in the
    /// files of the run make names that HIP has with another start and the same end, and whose arguments stay as they are. Where a
    /// use makes a name that HIP does not have, and another does not fit, the finding is an error and shows both.
    ///
    /// ## Example
    /// ```cuda
    /// #define CALL(f) cudaMem##f
    /// ```
    ///
    /// ## What to do
    /// Where it is not renamed, rename the part by hand, and check every use of the macro.
    ///
    /// ## Fix safety
    /// Safe: all uses that the run sees are judged. Convert a header together with the files that use its macros.
    PastedName { code: "A007", name: "pasted-name", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for PastedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if name.meaning != Meaning::Pasted {
            return;
        }
        let found = started(name.token, cx);
        let document = cx.document;
        let finding = cx.report(name.range, format!("`{}` is a part of a name that `##` puts together", name.text));
        match found.as_deref() {
            Some(Started::Renamed(to, differing)) => {
                let fix = Fix::safe(format!("write `{to}`"), vec![Edit::replace(name.range, to.as_str())]);
                let severity = if differing.is_empty() { Severity::Hint } else { Severity::Info };
                finding.severity(severity).note(format!("the names of all uses begin with `{to}` in HIP")).fix(fix);
                for (name, entry) in differing {
                    finding.note(format!("`{name}`: {}", entry.note));
                }
            }
            Some(Started::Broken(broken)) => {
                finding.severity(Severity::Error);
                tell(finding, broken, &document.file().path);
            }
            Some(Started::Open) | None => {}
        }
    }
}

/// Says which uses of the macro do not compile, and why its start stays.
fn tell(finding: &mut Diagnostic, broken: &Broken<'_>, file: &Utf8Path) {
    let mut add = |text: String, at: &HandedAt| {
        if at.file == *file {
            finding.label(at.range, text);
        } else {
            finding.note(format!("{text} ({}:{})", at.file, at.line));
        }
    };
    if broken.at != broken.reason_at {
        add(format!("makes `{}`, which HIP does not have", broken.name), broken.at);
    }
    add(broken.reason.clone(), broken.reason_at);
}
