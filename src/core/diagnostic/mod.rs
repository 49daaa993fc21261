//! Findings, and the fixes that come with them.

mod decision;
mod finding;
mod findings;
mod fix;
mod fix_key;
mod suppress;

pub use decision::{Decision, Verdict};
pub use finding::{Diagnostic, FixAvailability, Label, RuleInfo, Severity};
pub use findings::{Findings, Head};
pub use fix::{Applicability, Fix};
pub use fix_key::{FixKey, FixKeys};
pub use suppress::{Misread, Scope, Suppression, Suppressions, suppressions};
