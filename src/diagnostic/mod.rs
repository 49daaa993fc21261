//! Findings, and the fixes that come with them.

mod finding;
mod findings;
mod fix;
mod suppress;

pub use finding::{Diagnostic, FixAvailability, Label, RuleInfo, Severity};
pub use findings::{Findings, Head};
pub use fix::{Applicability, Fix};
pub use suppress::{Misread, Scope, Suppression, Suppressions, suppressions};
