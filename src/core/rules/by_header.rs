//! What a header that comes before a CUDA source can do in place of edits.
//!
//! A macro renames a name wherever it stands, so the header needs to know about all that a project does with it.

use super::api::{ChangedArguments, ChangedCall, LossyName, RenamedName, changed_arguments, needs_its_call};
use super::context::Context;
use super::header::{CudaHeader, MissingRuntimeHeader, MissingStandardHeader, hip_header};
use super::kernel::{EmulatedIntrinsic, ForeignAttribute, emulated, may_be_empty};
use super::launch::ChevronLaunch;
use super::meaning::{Meaning, Owner};
use super::ownership::declared_anew;
use super::query::Name;
use super::wave::{WaveWideFunction, aliased_lane_function};
use crate::analysis::Declaration;
use crate::diagnostic::RuleInfo;
use crate::mapping::{CallRule, IntrinsicKind, Kind, Support};
use crate::source::TextRange;
use crate::syntax::{Call, Document};

/// What a header has to bring so that a name can stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderForm {
    /// Another name for it, and the number of arguments that it is called with here.
    Alias(String, Option<usize>),
    /// A macro that stands for nothing.
    Nothing,
    /// Another name for a namespace.
    Namespace(String),
    /// A definition from the tables of intrinsics.
    Definition,
    /// Another call for one of so many arguments.
    Call(Box<CallRule>, usize),
    /// HIP's header in place of CUDA's.
    Include(String),
}

/// A place that a header can serve, and the finding about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderUse {
    /// The name, or the path of a header.
    pub name: String,
    /// Where the finding stands.
    pub range: TextRange,
    /// Whose finding it is.
    pub rule: &'static RuleInfo,
    /// What it takes.
    pub form: HeaderForm,
    /// Whether a macro with parameters would see the arguments here as they are meant.
    pub fits_macro: bool,
}

/// Why a name of CUDA's is the project's own, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnUse {
    /// As a member or variable, or in a scope of its own.
    Member,
    /// As a macro.
    Macro,
    /// As a function or type.
    Declared,
}

/// The rules whose findings need nothing but a header with HIP's runtime and what nvcc includes by itself.
const SERVED: &[&RuleInfo] =
    &[&ChevronLaunch::RULE_INFO, &MissingRuntimeHeader::RULE_INFO, &MissingStandardHeader::RULE_INFO];

/// Whether any such header settles the findings of `rule`.
pub(crate) fn is_served_by_any_header(rule: &RuleInfo) -> bool {
    SERVED.iter().any(|served| served.code == rule.code)
}

/// All places of a file that a header can serve.
pub(crate) fn header_uses(cx: &Context<'_>) -> Vec<HeaderUse> {
    let includes = cx.document.includes().filter_map(|include| {
        let (to, _) = hip_header(&include, cx).filter(|(to, _)| *to != include.path)?;
        Some(HeaderUse {
            name: include.path.to_owned(),
            range: include.path_range,
            rule: &CudaHeader::RULE_INFO,
            form: HeaderForm::Include(to.to_owned()),
            fits_macro: true,
        })
    });
    let names = cx.names.iter().filter_map(|name| {
        let (rule, form) = form(&name, cx)?;
        let call = Call::at(cx.document, name.token);
        let fits_macro = call.is_some_and(|call| is_seen_alike(cx.document, &call));
        Some(HeaderUse { name: name.text.into_owned(), range: name.range, rule, form, fits_macro })
    });
    includes.chain(names).collect()
}

fn form(name: &Name<'_>, cx: &Context<'_>) -> Option<(&'static RuleInfo, HeaderForm)> {
    if let Some(ChangedArguments { call, rule }) = changed_arguments(name, cx) {
        let form = HeaderForm::Call(Box::new(rule.clone()), call.arguments.len());
        // A definition may need more headers than the runtime.
        let is_plain = !rule.template.is_empty() && rule.definition().is_none();
        return is_plain.then_some((&ChangedCall::RULE_INFO, form));
    }
    if aliased_lane_function(name, cx) {
        return Some((&WaveWideFunction::RULE_INFO, HeaderForm::Definition));
    }
    let defines = |kind| matches!(kind, IntrinsicKind::Value | IntrinsicKind::Rounding | IntrinsicKind::Constant);
    if emulated(name, cx).is_some_and(|intrinsic| defines(intrinsic.kind)) {
        return Some((&EmulatedIntrinsic::RULE_INFO, HeaderForm::Definition));
    }
    if matches!(name.meaning, Meaning::Missing(_)) && may_be_empty(&name.text) {
        return Some((&ForeignAttribute::RULE_INFO, HeaderForm::Nothing));
    }
    let Meaning::Renamed(to, entry) = name.meaning else { return None };
    // What is known with its scope only cannot be renamed by itself.
    if needs_its_call(name, cx) || entry.cuda != name.text {
        return None;
    }
    let rule = if entry.support == Support::Full { &RenamedName::RULE_INFO } else { &LossyName::RULE_INFO };
    if entry.kind == Kind::Namespace {
        return Some((rule, HeaderForm::Namespace(to.to_owned())));
    }
    let call = Call::at(cx.document, name.token).map(|call| call.arguments.len());
    Some((rule, HeaderForm::Alias(to.to_owned(), call)))
}

/// Whether the preprocessor splits the arguments of a call where C++ does: it knows parentheses only.
fn is_seen_alike(document: &Document, call: &Call) -> bool {
    let mut commas = 0;
    let mut token = call.open + 1;
    while token < call.close {
        commas += usize::from(document.is(token, b','));
        let close = document.partner(token).filter(|_| document.is(token, b'('));
        token = close.map_or(token, |close| close.max(token)) + 1;
    }
    call.open == call.name + 1 && commas + 1 == call.arguments.len().max(1)
}

/// The names of CUDA's that the file uses as its own, each once for each way. A file for HIP is not compiled beside
/// CUDA's names.
pub(crate) fn own_uses(cx: &Context<'_>) -> Vec<(String, OwnUse)> {
    if cx.facts.is_hip {
        return Vec::new();
    }
    let members = cx.names.iter().filter(|name| matches!(name.meaning, Meaning::Own(Owner::Class | Owner::Scope(_))));
    let mut own: Vec<_> = members.map(|name| (name.text.into_owned(), OwnUse::Member)).collect();
    own.extend(cx.facts.declared.iter().filter_map(|name| match declared_anew(name, cx)? {
        Declaration::Macro => Some((name.to_owned(), OwnUse::Macro)),
        Declaration::Variable => Some((name.to_owned(), OwnUse::Member)),
        _ => Some((name.to_owned(), OwnUse::Declared)),
    }));
    own.sort_unstable();
    own.dedup();
    own
}
