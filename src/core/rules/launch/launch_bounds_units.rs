//! The second argument of `__launch_bounds__`, which counts something else in HIP.

use super::bounds::all_bounds;
use super::pair::{Pair, Waves};
use super::waves::Formula;
use crate::analysis::{Bounds, Owner};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Target;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::header::{insert_definitions, is_hip_file};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::LaunchBounds;
use crate::source::Edit;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds `__launch_bounds__(threads, blocks)` and converts the second argument: CUDA counts the
    /// blocks there that a multiprocessor shall hold at least, HIP counts waves per execution unit.
    /// In code that is HIP already it finds values without effect.
    ///
    /// ## Why is this bad?
    /// HIP's header hands the number to the compiler as `amdgpu_waves_per_eu`, which limits the
    /// registers of a wave. Too large a number makes the kernel spill registers to memory. One that
    /// is out of the target's range, or below what the block size needs anyway, has no effect.
    ///
    /// A compute unit of gfx9 has 4 execution units and waves of 64 lanes. From gfx10 on, a work
    /// group processor has 4 execution units and waves of 32 lanes. So `--launch-bounds per-eu`, the
    /// default, takes `ceil(blocks * ceil(threads / wave) / 4)`, at least 1 and at most what the target
    /// holds. `--launch-bounds rocm-docs` takes what ROCm's documents say, which divides by the wave
    /// size from ROCm 6.4 on and by 32 up to 6.3, and forgets that the waves spread over the execution units.
    ///
    /// A kernel that keeps 72 values in registers, `__launch_bounds__(256, 2)` in CUDA, compiled for
    /// gfx90a by clang 22 at `-O3`; registers and spills are `.vgpr_count` and `.vgpr_spill_count` of
    /// the assembly (`tests/launch_bounds.rs` compiles it and compares):
    ///
    /// | formula | second argument | registers | spilled |
    /// |---|---:|---:|---:|
    /// | `per-eu`: ceil(2 * ceil(256 / 64) / 4) | 2 | 148 | 0 |
    /// | `rocm-docs` from 6.4 on: 2 * 256 / 64 | 8 | 64 | 166 |
    /// | `rocm-docs` up to 6.3: 2 * 256 / 32 | 16, more than 8: ignored | 148 | 0 |
    /// | no second argument | | 148 | 0 |
    /// | no `__launch_bounds__`: 1024 threads | | 128 | 22 |
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __global__ void __launch_bounds__(128, 8) step(float* x) { x[threadIdx.x] *= 2; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #ifndef HIPSHIFT_WAVES_PER_EU
    /// // CUDA's blocks per multiprocessor as HIP's waves per execution unit
    /// #if defined(__GFX9__)
    /// #define HIPSHIFT_WAVES_PER_EU(threads, blocks) HIPSHIFT_FIT_WAVES((((threads) + 63) / 64 * (blocks) + 3) / 4, 8)
    /// #else
    /// #define HIPSHIFT_WAVES_PER_EU(threads, blocks) HIPSHIFT_FIT_WAVES((((threads) + 31) / 32 * (blocks) + 3) / 4, 16)
    /// #endif
    /// #define HIPSHIFT_FIT_WAVES(waves, most) ((waves) < 1 ? 1 : (waves) > (most) ? (most) : (waves))
    /// #endif
    /// __global__ void __launch_bounds__(128, HIPSHIFT_WAVES_PER_EU(128, 8)) step(float* x) { x[threadIdx.x] *= 2; }
    /// ```
    /// The targets in this example differ. Where all selected ones agree and both arguments are
    /// literals, a number takes the place of the argument: `4 /* 8 in CUDA */` with `--arch gfx90a`.
    /// Macros, constants and template parameters stay as they are and go through the macro. A literal 1
    /// stays: every block size needs as much anyway.
    ///
    /// ## Fix safety
    /// Safe: the argument changes speed only, never results.
    LaunchBoundsUnits { code: "L005", name: "launch-bounds-units", severity: Info, fix: Sometimes, since: "0.1.0" }
}

impl Rule for LaunchBoundsUnits {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let all = all_bounds(cx);
        if all.is_empty() {
            return;
        }
        let (document, formula) = (cx.document, Formula::chosen(cx.settings));
        let constants = cx.constants();
        let is_hip = is_hip_file(cx);
        let mut pairs = Vec::new();
        for bounds in all.iter().filter(|bounds| bounds.owner != Owner::Function) {
            if bounds.arguments.is_none() {
                report_hidden(bounds, cx);
            }
            match Pair::of(bounds, &constants, document) {
                Some(pair) if pair.is_converted(bounds, document) => {}
                Some(pair) if is_hip || is_for_hip(bounds.name, cx) => check_range(&pair, cx),
                Some(pair) => pairs.push((bounds.name, pair.waves(formula), pair)),
                None => {}
            }
        }
        let users = pairs.iter().filter(|(_, waves, _)| *waves == Waves::Macro).map(|(name, ..)| *name);
        let definition = definition(users.collect(), cx);
        for (name, waves, pair) in &pairs {
            let definition = definition.clone().filter(|_| !cx.skips(document.range_of(*name..*name + 1).start()));
            report(pair, *waves, definition, cx);
        }
    }
}

fn report_hidden(bounds: &Bounds, cx: &mut Context<'_>) {
    let finding = cx.report(bounds.range, "the arguments of this `__launch_bounds__` cannot be seen");
    finding.severity(Severity::Warning);
    finding.note("if there are two, the second counts waves per execution unit in HIP; convert it by hand");
}

/// The edit that defines the macro in front of all its users; `None` if no compiler ever reads one.
fn definition(users: Vec<TokenIdx>, cx: &Context<'_>) -> Option<Edit> {
    let document = cx.document;
    let is_read = |name: &TokenIdx| document.token(*name).is_some_and(|token| !cx.skips(token.range().start()));
    // The body of a macro is read where the macro is used, which is behind it.
    let place = |mut name: TokenIdx| {
        while let Some(directive) = document.directive_of(name) {
            name = directive.tokens.end;
        }
        name
    };
    let first = users.into_iter().filter(is_read).map(place).min()?;
    let text = Formula::chosen(cx.settings).definition();
    Some(insert_definitions(document, first, &text))
}

/// Reports a bound of CUDA's.
fn report(pair: &Pair, waves: Waves, definition: Option<Edit>, cx: &mut Context<'_>) {
    let (document, settings) = (cx.document, cx.settings);
    let arithmetic = |kind| pair.arithmetic(Formula::of_kind(kind, settings), document);
    let (per_eu, documents) = (arithmetic(LaunchBounds::PerEu), arithmetic(LaunchBounds::RocmDocs));
    let chosen = Formula::chosen(settings);
    let is_too_large = |target: &&Target| {
        let waves = pair.values().map(|(threads, blocks)| chosen.unlimited(target, threads, blocks));
        waves.is_some_and(|waves| waves > i64::from(target.max_waves))
    };
    let too_large = settings.targets.iter().copied().find(is_too_large);
    let finding = cx.report(pair.blocks.range, message(pair, waves, settings.launch_bounds));
    if waves == Waves::One {
        finding.severity(Severity::Hint);
        finding.note("a block of any size needs as many waves anyway");
        return;
    }
    finding.note(format!("per execution unit: {per_eu}"));
    finding.note(format!("ROCm's documents divide by {} only: {documents}", chosen.documented_divisor()));
    if let Some(target) = too_large {
        finding.severity(Severity::Warning).note(match settings.launch_bounds {
            LaunchBounds::PerEu => {
                "limited to what fits; CUDA ignores a bound that no multiprocessor can hold".to_owned()
            }
            LaunchBounds::RocmDocs => format!("the compiler ignores such a number for {}", target.name),
        });
    }
    let Some(edit) = pair.edit(waves) else { return };
    let mut edits = vec![edit];
    if waves == Waves::Macro {
        edits.extend(definition);
    }
    finding.fix(Fix::safe("count waves in place of blocks", edits));
}

fn message(pair: &Pair, waves: Waves, kind: LaunchBounds) -> String {
    match waves {
        Waves::One => "one block per multiprocessor stays 1, which bounds nothing in HIP".to_owned(),
        Waves::Number(number) if pair.blocks.value == Some(number) => match kind {
            LaunchBounds::PerEu => format!("{number} blocks per multiprocessor are {number} waves per execution unit"),
            LaunchBounds::RocmDocs => format!("the formula of ROCm's documents leaves {number} as it is"),
        },
        _ => "CUDA counts blocks per multiprocessor here, HIP counts waves per execution unit".to_owned(),
    }
}

/// Reports a number of waves that the compiler ignores, in code that is HIP already.
fn check_range(pair: &Pair, cx: &mut Context<'_>) {
    let Some(waves) = pair.blocks.value else { return };
    let targets = cx.settings.targets.iter().copied();
    let formula = Formula::of_kind(LaunchBounds::PerEu, cx.settings);
    if let Some(target) = targets.clone().find(|target| waves > i64::from(target.max_waves)) {
        let message = format!("the compiler ignores {waves} waves per execution unit for {}", target.name);
        let finding = cx.report(pair.blocks.range, message).severity(Severity::Warning);
        finding.note(format!("{} holds {} at most", target.name, target.max_waves));
        return;
    }
    let needed = targets.filter_map(|target| pair.threads.value.map(|threads| formula.waves(target, threads, 1))).min();
    if let Some(needed) = needed.filter(|needed| waves > 1 && waves < *needed) {
        let message = format!("{waves} waves per execution unit have no effect");
        cx.report(pair.blocks.range, message).note(format!("a block of this size needs {needed} anyway"));
    }
}
