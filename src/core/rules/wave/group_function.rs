//! Members of cooperative groups that functions of hipshift's own take the place of.

use super::lane_function::keeps_32_lanes;
use crate::analysis::{Function, Role, role};
use crate::diagnostic::{Fix, Severity};
use crate::mapping::{Intrinsic, Intrinsics};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::groups::{has_groups, is_group, start_of_receiver};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, words};

/// The calls of members of groups by their names, with arguments and in device code, in the order of the text.
pub(super) fn member_calls(names: &[&'static str], cx: &Context<'_>) -> Vec<TokenIdx> {
    let document: &Document = cx.document;
    let names = if has_groups(cx) { names } else { &[] };
    let mut calls: Vec<_> =
        names.iter().flat_map(|name| words(document, name)).filter(|&idx| is_call(idx, cx)).collect();
    calls.sort_unstable();
    calls
}

/// `tile.any(x`, in device code.
fn is_call(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.is(idx + 1, b'(')
        && !document.is(idx + 2, b')')
        && role(document, idx) == Role::Member
        && cx.facts.functions.around(idx).is_some_and(Function::runs_on_device)
}

/// Whether a member gives a set of the lanes of a group, where no group has more than 32.
pub(super) fn gives_32_lanes(member: TokenIdx, cx: &Context<'_>) -> bool {
    matches!(cx.document.token_text(member), "ballot" | "match_all" | "match_any")
        && keeps_32_lanes(cx.document.range_of(member..member + 1).start(), cx)
}

/// A member of a group, written as a function of it.
pub(super) struct GroupFunction {
    intrinsic: &'static Intrinsic,
    edits: Vec<Edit>,
    /// Whether the function declares a group of that name.
    is_of_group: bool,
}

impl GroupFunction {
    /// `hipshift_group_any(tile, x)` for `tile.any(x)`; `None` where the group is no plain name, member, call or element.
    pub(super) fn of(member: TokenIdx, cx: &Context<'_>) -> Option<GroupFunction> {
        let document = cx.document;
        let call = Call::at(document, member).filter(|call| call.open == member + 1)?;
        let sign = member.checked_sub(1)?;
        let group = start_of_receiver(document, sign.checked_sub(1)?)?;
        if document.token_text(group) == "this" {
            return None;
        }
        let intrinsic = Intrinsics::builtin().ok()?.get(&format!("group_{}", document.token_text(member)))?;
        let dereference = if document.kind(sign) == Some(TokenKind::Arrow) { "*" } else { "" };
        // CUDA's have 32 lanes at most.
        let (cast, end) = if gives_32_lanes(member, cx) { ("static_cast<unsigned>(", ")") } else { ("", "") };
        let head = format!("{cast}{}({dereference}", intrinsic.helper());
        let mut edits = vec![
            Edit::insert(document.range_of(group..group + 1).start(), head),
            Edit::replace(document.range_of(sign..call.open + 1), ", "),
        ];
        if !end.is_empty() {
            edits.push(Edit::insert(document.range_of(call.close..call.close + 1).end(), end));
        }
        Some(GroupFunction { intrinsic, edits, is_of_group: is_group(document, group, member, cx) })
    }

    /// Reports the member with the function as its fix.
    pub(super) fn report(self, member: TokenIdx, message: String, cx: &mut Context<'_>) {
        let range = cx.document.range_of(member..member + 1);
        let title = format!("define and use `{}`", self.intrinsic.helper());
        let mut edits = self.edits;
        edits.extend(definitions(range.start(), cx));
        let finding = cx.report(range, message);
        if self.is_of_group {
            finding.fix(Fix::safe(title, edits));
        } else {
            finding.severity(Severity::Warning).note("make sure that it is a group").fix(Fix::risky(title, edits));
        }
    }
}

/// The members that become functions where a compiler reads them, and the definitions of these.
pub(super) fn defined(members: Vec<TokenIdx>, cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    let is_read = |member: &TokenIdx| !cx.skips(cx.document.range_of(*member..*member + 1).start());
    let read = members.into_iter().filter(is_read);
    read.filter_map(|member| GroupFunction::of(member, cx).map(|function| (member, function.intrinsic))).collect()
}
