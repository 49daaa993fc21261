//! CUB's functions about the place of a thread, which count in waves in hipCUB.

use std::rc::Rc;

use super::lane_function::keeps_32_lanes;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Entry;
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, path_start, statement_start};

declare_rule! {
    /// ## What it does
    /// Finds CUB's functions that tell a thread its lane, its warp, or the mask of the lanes before or behind it, in a project whose
    /// warps keep 32 lanes (`--wave-policy logical32`), and makes them count by 32. Tells of its votes, too.
    ///
    /// ## Why is this bad?
    /// hipCUB has functions of the same names. They count in waves, which have 64 lanes on CDNA GPUs, so that lanes go to 63, and a
    /// block has half as many warps. `WARP_ALL`, `WARP_ANY` and `WARP_BALLOT` ask all lanes of a wave, whatever the mask says (hipCUB,
    /// `util_ptx.hpp`).
    ///
    /// ## Example
    /// ```cuda
    /// #include <cub/cub.cuh>
    /// __device__ unsigned lane() { return cub::LaneId(); }
    /// __device__ unsigned warp() { return cub::WarpId(); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hipcub/hipcub.hpp>
    /// __device__ unsigned lane() { return (hipcub::LaneId() & 31u); }
    /// __device__ unsigned warp() { return (hipcub::RowMajorTid(blockDim.x, blockDim.y, blockDim.z) / 32u); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: threads of a block are put into waves one after the other, so that each 32 of them are a half of a wave. Votes have
    /// no fix.
    PlaceInWave { code: "W035", name: "place-in-wave", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

/// How a function is written for 32 lanes: what comes before its scope, the call, what comes behind it.
struct By32 {
    cub: &'static str,
    before: &'static str,
    call: &'static str,
    behind: &'static str,
}

const LANE: &str = "LaneId()";

const fn by_32(cub: &'static str, before: &'static str, call: &'static str, behind: &'static str) -> By32 {
    By32 { cub, before, call, behind }
}

const WRITTEN: &[By32] = &[
    by_32("LaneId", "(", LANE, " & 31u)"),
    by_32("LaneMaskGe", "(0xffffffffu << (", LANE, " & 31u))"),
    by_32("LaneMaskGt", "(0xfffffffeu << (", LANE, " & 31u))"),
    by_32("LaneMaskLe", "((2u << (", LANE, " & 31u)) - 1u)"),
    by_32("LaneMaskLt", "((1u << (", LANE, " & 31u)) - 1u)"),
    by_32("WarpId", "(", "RowMajorTid(blockDim.x, blockDim.y, blockDim.z)", " / 32u)"),
];

/// Votes, and CUDA's functions that do the same.
const VOTES: &[(&str, &str)] =
    &[("WARP_ALL", "__all_sync"), ("WARP_ANY", "__any_sync"), ("WARP_BALLOT", "__ballot_sync")];

impl Rule for PlaceInWave {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        for name in names.iter() {
            if counts_by_32(&name, cx) {
                let fix = Fix::safe("write 32", vec![Edit::replace(name.range, "32")]);
                cx.report(name.range, "hipCUB counts the threads of a wave, which may be 64").fix(fix);
                continue;
            }
            let Some((entry, function)) = of_hipcub(&name) else { continue };
            if !keeps_32_lanes(name.range.start(), cx) || declares_use(cx.document, name.token) {
                continue;
            }
            if let Some((_, cudas)) = VOTES.iter().find(|(vote, _)| *vote == function) {
                let message = format!("hipCUB's `{function}` asks all lanes of a wave, whatever the mask says");
                let finding = cx.report(name.range, message).severity(Severity::Warning);
                finding.note(format!("call CUDA's `{cudas}` in its place, which is converted"));
                continue;
            }
            let Some(by_32) = WRITTEN.iter().find(|by_32| by_32.cub == function) else { continue };
            let fix = edits(&name, entry, by_32, cx).map(|edits| Fix::safe("count by 32", edits));
            let message = format!("hipCUB's `{}` counts in waves, which may have 64 lanes", by_32.cub);
            let finding = cx.report(name.range, message);
            match fix {
                Some(fix) => finding.fix(fix),
                None => finding.severity(Severity::Warning),
            };
        }
    }
}

/// CUB's number of threads in a warp.
const WARP_THREADS: &str = "CUB_PTX_WARP_THREADS";

/// Whether a name is that number where warps keep 32 threads.
pub(super) fn counts_by_32(name: &Name<'_>, cx: &Context<'_>) -> bool {
    name.text == WARP_THREADS
        && matches!(name.meaning, Meaning::Renamed(..) | Meaning::Missing(_))
        && keeps_32_lanes(name.range.start(), cx)
        && cx.settings.rules.is_enabled(&PlaceInWave::RULE_INFO)
}

/// The function of hipCUB's own namespace that a name becomes.
fn of_hipcub<'d>(name: &Name<'d>) -> Option<(&'d Entry, &'d str)> {
    let (Meaning::Same(entry) | Meaning::Renamed(_, entry)) = name.meaning else { return None };
    let (scope, function) = entry.cuda.rsplit_once("::")?;
    (!entry.hip.is_empty() && !scope.contains("::")).then_some((entry, function))
}

/// `using cub::LaneId, cub::WarpId;`
fn declares_use(document: &Document, name: TokenIdx) -> bool {
    document.token_text(statement_start(document, path_start(document, name))) == "using"
        || document.token_text(path_start(document, name).saturating_sub(1)) == "using"
}

fn edits(name: &Name<'_>, entry: &Entry, by_32: &By32, cx: &Context<'_>) -> Option<Vec<Edit>> {
    let document = cx.document;
    let call = visible_call(document, name.token).filter(|call| call.arguments.is_empty())?;
    let first = path_start(document, name.token);
    let is_bare = first == name.token || first + 1 == name.token;
    // What a `using` brought may not be all that is called now.
    let scope = if is_bare { entry.hip.rsplit_once("::").map_or("", |(scope, _)| scope) } else { "" };
    let separator = if scope.is_empty() { "" } else { "::" };
    let range = document.range_of(if is_bare { first } else { name.token }..call.close + 1);
    if is_bare {
        return Some(vec![Edit::replace(
            range,
            format!("{}{scope}{separator}{}{}", by_32.before, by_32.call, by_32.behind),
        )]);
    }
    Some(vec![
        Edit::insert(document.range_of(first..first + 1).start(), by_32.before),
        Edit::replace(range, format!("{}{}", by_32.call, by_32.behind)),
    ])
}
