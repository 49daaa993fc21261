//! Which code of a file keeps warps of 32 lanes where whole waves were asked for: all that something about whole waves is open
//! in, with all that hands values to it.

use std::borrow::Cow;
use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::decide::decide;
use super::input::Input;
use super::run_rules::run;
use super::suppress::{Suppressed, suppress};
use crate::analysis::{Facts, JudgedUnit, KeptWarps, UnitSide, WidthUnit, WidthUnits};
use crate::diagnostic::{Applicability, Decision, Diagnostic, Findings, Severity};
use crate::rules::{is_about_assembly, is_about_waves};
use crate::settings::WaveWidth;
use crate::source::TextRange;

/// What whole waves would leave open in the units of a file; none for files of which none are made.
pub fn judged_units(input: Input<'_>, decisions: &[Decision]) -> Vec<JudgedUnit> {
    let facts = Facts::of(input.document);
    if !makes_whole_waves(input, &facts) {
        return Vec::new();
    }
    judge(input, (&facts, decisions), &WidthUnits::of(input.document, &facts.functions))
}

/// Where a file keeps 32 lanes, put into its facts, and what stands in the way of whole waves there. `known` is what all files
/// of the project say together; without it a file decides for itself.
pub(super) fn keep_warps(input: Input<'_>, known: Option<&KeptWarps>, facts: &mut Facts) -> Findings {
    if !makes_whole_waves(input, facts) {
        return Findings::default();
    }
    let units = WidthUnits::of(input.document, &facts.functions);
    let kept = match known {
        Some(kept) => Cow::Borrowed(kept),
        None => Cow::Owned(KeptWarps::of(judge(input, (facts, &[]), &units).iter())),
    };
    let all: Vec<&WidthUnit> = units.iter().filter(|unit| kept.keeps(unit)).collect();
    if all.is_empty() {
        return Findings::default();
    }
    let obstacles = obstacles(input, facts, (&units, &kept));
    let ranges = all.into_iter().map(|unit| input.document.range_of(unit.tokens.clone()));
    facts.kept_warps = ranges.map(|range| range.start()..range.end()).collect();
    obstacles
}

/// Whether whole waves are made of the file, as far as nothing stands in their way.
fn makes_whole_waves(input: Input<'_>, facts: &Facts) -> bool {
    let is_source = input.document.build().is_none() && !facts.is_hip;
    is_source && input.settings.wave_policy.width() == WaveWidth::Native
}

/// Runs the rules as if nothing stood in the way of whole waves.
fn judge(input: Input<'_>, (facts, decisions): (&Facts, &[Decision]), units: &WidthUnits) -> Vec<JudgedUnit> {
    let mut found = run(input, facts);
    let suppressed = suppress(input, &mut found);
    let number = |place: TextRange| units.number_at(input.document.token_at(place.start()));
    let counts: FxHashSet<usize> =
        places_about_lanes(facts, &found, &suppressed).into_iter().filter_map(number).collect();
    decide(input.document.file(), &mut found, (decisions, &input.settings.rules));
    let mut open = FxHashSet::default();
    let obstacles = Obstacles::of(input, facts);
    for found in found.iter().filter(|found| obstacles.hold(found)) {
        open.extend(number(found.range));
    }
    let judged = units.iter().enumerate().map(|(at, unit)| {
        let name = unit.function.filter(|_| unit.side == UnitSide::Kernel);
        let kernel = name.map(|name| input.document.token_text(name).to_owned());
        JudgedUnit::new(unit.clone(), kernel, (unit.uses_lanes || counts.contains(&at), open.contains(&at)))
    });
    judged.collect()
}

/// The places of a file that are other ones for whole waves than for 32 lanes, whether or not a person wants to hear of them.
fn places_about_lanes(facts: &Facts, found: &Findings, suppressed: &[Suppressed]) -> Vec<TextRange> {
    let heads = found.heads().chain(suppressed.iter().map(|suppressed| suppressed.diagnostic.head()));
    let found = heads.filter(|head| is_about_waves(head.rule)).map(|head| head.range);
    let fixed = facts.wave.fixed.iter().map(|fixed| fixed.range);
    found.chain(fixed).chain(facts.wave.sized.iter().copied()).collect()
}

/// Tells what stands in the way of whole waves.
struct Obstacles<'d> {
    input: Input<'d>,
    facts: &'d Facts,
    /// What is left to a person if warps keep 32 lanes, once it was asked for.
    narrow: OnceCell<FxHashSet<(&'static str, TextRange)>>,
}

impl<'d> Obstacles<'d> {
    fn of(input: Input<'d>, facts: &'d Facts) -> Obstacles<'d> {
        Obstacles { input, facts, narrow: OnceCell::new() }
    }

    /// Whether a finding is one: left to a person, and about waves, or about assembly that has a form for 32 lanes only.
    fn hold(&self, found: &Diagnostic) -> bool {
        let place = (found.rule.code, found.range);
        let is_of_width = || is_about_assembly(found.rule) && !self.narrow().contains(&place);
        self.is_left(found) && (is_about_waves(found.rule) || is_of_width())
    }

    fn narrow(&self) -> &FxHashSet<(&'static str, TextRange)> {
        self.narrow.get_or_init(|| {
            let document = self.input.document;
            let all = document.range_of(0..document.tokens().len());
            let mut facts = self.facts.clone();
            facts.kept_warps = std::iter::once(all.start()..all.end()).collect();
            let found = run(self.input, &facts);
            found.iter().filter(|found| self.is_left(found)).map(|found| (found.rule.code, found.range)).collect()
        })
    }

    /// Whether a finding is left to a person.
    fn is_left(&self, found: &Diagnostic) -> bool {
        let wanted = self.input.settings.applicability;
        let is_fixed = found.fix.as_ref().is_some_and(|fix| fix.applicability >= wanted);
        found.severity >= Severity::Warning && !is_fixed
    }
}

/// What is open in the parts of a file that keep 32 lanes, with what it keeps from whole waves.
fn obstacles(input: Input<'_>, facts: &Facts, (units, kept): (&WidthUnits, &KeptWarps)) -> Findings {
    let all: Vec<&WidthUnit> = units.iter().collect();
    let tell = Obstacles::of(input, facts);
    let mut obstacles = Findings::default();
    for mut found in run(input, facts).iter() {
        let number = units.number_at(input.document.token_at(found.range.start()));
        let kernels = number.and_then(|number| kept.kernels_with(all[number]));
        if let Some(kernels) = kernels.filter(|_| tell.hold(&found)) {
            found.severity = Severity::Warning;
            found.fix.iter_mut().for_each(|fix| fix.applicability = Applicability::DisplayOnly);
            found.note(format!("therefore {} warps of 32 lanes", keeping(kernels)));
            obstacles.push(&found);
        }
    }
    obstacles
}

/// Kernels that a message names.
const NAMED: usize = 3;

/// `a`, `b` and 2 more kernels keep
fn keeping(kernels: &[String]) -> String {
    let quoted: Vec<String> = kernels.iter().take(NAMED).map(|kernel| format!("`{kernel}`")).collect();
    match (quoted.as_slice(), kernels.len().saturating_sub(NAMED)) {
        ([], _) => "what uses this keeps".to_owned(),
        ([only], 0) => format!("{only} keeps"),
        ([before @ .., last], 0) => format!("{} and {last} keep", before.join(", ")),
        (some, 1) => format!("{} and one more kernel keep", some.join(", ")),
        (some, more) => format!("{} and {more} more kernels keep", some.join(", ")),
    }
}
