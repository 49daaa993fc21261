//! How many waves per execution unit so many blocks per multiprocessor are.

use std::fmt::Write as _;

use crate::mapping::{RocmVersion, Target};
use crate::settings::{LaunchBounds, Settings};

/// The macro that counts waves where a number cannot stand.
pub(super) const WAVES_MACRO: &str = "HIPSHIFT_WAVES_PER_EU";

/// The first release whose documents divide by `warpSize`; those before divide by 32. Source: ROCm's pages "HIP C++ language
/// extensions", "Porting from CUDA `__launch_bounds__`", of 5.7, 6.2, 6.3 and 6.4.
const DIVIDES_BY_WAVE: RocmVersion = RocmVersion::new(6, 4);

/// A formula for the release and the targets of the settings.
#[derive(Clone, Copy)]
pub(super) struct Formula<'s> {
    kind: LaunchBounds,
    settings: &'s Settings,
}

/// What CUDA's bounds say, as text and, where it is known, as a number.
pub(super) struct Bound<'t> {
    pub(super) text: &'t str,
    pub(super) value: Option<i64>,
}

impl<'s> Formula<'s> {
    pub(super) fn chosen(settings: &'s Settings) -> Formula<'s> {
        Formula { kind: settings.launch_bounds, settings }
    }

    pub(super) fn of_kind(kind: LaunchBounds, settings: &'s Settings) -> Formula<'s> {
        Formula { kind, settings }
    }

    /// Whether it counts waves per execution unit, as the compiler does.
    pub(super) fn is_per_eu(self) -> bool {
        self.kind == LaunchBounds::PerEu
    }

    /// The waves that it gives for `target` before they are limited to what fits.
    pub(super) fn unlimited(self, target: &Target, threads: i64, blocks: i64) -> i64 {
        let waves = match self.kind {
            LaunchBounds::PerEu => {
                let of_block = ceiling(threads, i64::from(target.wave_size));
                ceiling(blocks.saturating_mul(of_block), i64::from(target.execution_units))
            }
            LaunchBounds::RocmDocs => blocks.saturating_mul(threads) / i64::from(self.divisor(target)),
        };
        waves.max(1)
    }

    /// The second argument of `__launch_bounds__` for `target`.
    pub(super) fn waves(self, target: &Target, threads: i64, blocks: i64) -> i64 {
        let waves = self.unlimited(target, threads, blocks);
        match self.kind {
            LaunchBounds::PerEu => waves.min(i64::from(target.max_waves)),
            LaunchBounds::RocmDocs => waves,
        }
    }

    /// The second argument of `__launch_bounds__`, if it is the same for all targets.
    pub(super) fn common_waves(self, threads: i64, blocks: i64) -> Option<i64> {
        let mut waves = self.settings.targets.iter().map(|target| self.waves(target, threads, blocks));
        let first = waves.next()?;
        waves.all(|other| other == first).then_some(first)
    }

    /// By what the documents divide for `target`.
    fn divisor(self, target: &Target) -> u32 {
        if self.settings.rocm < DIVIDES_BY_WAVE { 32 } else { target.wave_size }
    }

    /// What ROCm's documents of the release divide by.
    pub(super) fn documented_divisor(self) -> &'static str {
        if self.settings.rocm < DIVIDES_BY_WAVE { "32" } else { "the lanes of a wave" }
    }

    /// The arithmetic for each target, those with the same one together:
    /// `gfx90a, gfx942: ceil(2 * ceil(256 / 64) / 4) = 2`.
    pub(super) fn arithmetic(self, threads: &Bound<'_>, blocks: &Bound<'_>) -> String {
        let groups = group(self.settings.targets.iter().copied(), |target| self.steps(target, threads, blocks));
        let lines = groups.iter().map(|(steps, targets)| format!("{}: {steps}", names(targets)));
        lines.collect::<Vec<_>>().join("; ")
    }

    fn steps(self, target: &Target, threads: &Bound<'_>, blocks: &Bound<'_>) -> String {
        let (t, b) = (threads.text, blocks.text);
        let mut text = match self.kind {
            LaunchBounds::PerEu => {
                format!("ceil({b} * ceil({t} / {}) / {})", target.wave_size, target.execution_units)
            }
            LaunchBounds::RocmDocs => format!("{b} * {t} / {}", self.divisor(target)),
        };
        if let (Some(threads), Some(blocks)) = (threads.value, blocks.value) {
            let waves = self.unlimited(target, threads, blocks);
            let _ = write!(text, " = {waves}");
            if waves > i64::from(target.max_waves) {
                let _ = write!(text, ", more than the {} that fit", target.max_waves);
            }
        }
        text
    }

    /// The definition of the macro, with a guard, since several headers may bring it.
    pub(super) fn definition(self) -> String {
        let body = |target: &Target| match self.kind {
            LaunchBounds::PerEu => {
                let (wave, units) = (target.wave_size, target.execution_units);
                let waves = format!("(((threads) + {}) / {wave} * (blocks) + {}) / {units}", wave - 1, units - 1);
                format!("HIPSHIFT_FIT_WAVES({waves}, {})", target.max_waves)
            }
            LaunchBounds::RocmDocs => {
                let by = self.divisor(target);
                format!("((blocks) * (threads) < {by} ? 1 : (blocks) * (threads) / {by})")
            }
        };
        let mut targets = self.settings.targets.clone();
        targets.sort_by_key(|target| !target.is_wave64());
        let groups = group(targets.iter().copied(), body);
        let mut text = format!(
            "#ifndef {WAVES_MACRO}\n\
             // CUDA's blocks per multiprocessor as HIP's waves per execution unit\n"
        );
        for (number, (body, members)) in groups.iter().enumerate() {
            match (groups.len(), number) {
                (1, _) => {}
                (_, 0) => text.extend(["#if ", &condition(members, &targets), "\n"]),
                (count, _) if number + 1 == count => text.push_str("#else\n"),
                _ => text.extend(["#elif ", &condition(members, &targets), "\n"]),
            }
            let _ = writeln!(text, "#define {WAVES_MACRO}(threads, blocks) {body}");
        }
        if groups.len() > 1 {
            text.push_str("#endif\n");
        }
        if self.kind == LaunchBounds::PerEu {
            text.push_str(
                "#define HIPSHIFT_FIT_WAVES(waves, most) ((waves) < 1 ? 1 : (waves) > (most) ? (most) : (waves))\n",
            );
        }
        text.push_str("#endif\n");
        text
    }
}

/// Rounds up; `value` may be negative, `by` is positive.
fn ceiling(value: i64, by: i64) -> i64 {
    value.saturating_add(by - 1) / by
}

/// Targets with the same `key` together, in their order.
pub(super) fn group<'t, K: PartialEq>(
    targets: impl Iterator<Item = &'t Target>,
    key: impl Fn(&Target) -> K,
) -> Vec<(K, Vec<&'t Target>)> {
    let mut groups: Vec<(K, Vec<&Target>)> = Vec::new();
    for target in targets {
        let key = key(target);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(target),
            None => groups.push((key, vec![target])),
        }
    }
    groups
}

/// `gfx90a, gfx942`
pub(super) fn names(targets: &[&Target]) -> String {
    targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A condition that holds in device code for `members` and for no other of `targets`. In the host's
/// pass none holds, so that the last branch is read there, whose numbers nobody uses.
fn condition(members: &[&Target], targets: &[&Target]) -> String {
    let wave64 = targets.iter().filter(|target| target.is_wave64()).count();
    if members.len() == wave64 && members.iter().all(|target| target.is_wave64()) {
        return "defined(__GFX9__)".to_owned();
    }
    let names = members.iter().map(|target| format!("defined(__{}__)", target.name.replace('-', "_")));
    names.collect::<Vec<_>>().join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(targets: &[&str], kind: LaunchBounds) -> Settings {
        let targets = targets.iter().map(|name| Target::find(name).unwrap()).collect();
        Settings { targets, launch_bounds: kind, ..Settings::default() }
    }

    #[track_caller]
    fn check_waves(target: &str, kind: LaunchBounds, threads: i64, blocks: i64, expected: i64) {
        let settings = settings(&[target], kind);
        assert_eq!(Formula::chosen(&settings).waves(settings.targets[0], threads, blocks), expected);
    }

    #[test]
    fn waves_are_counted_per_execution_unit_and_fit() {
        check_waves("gfx90a", LaunchBounds::PerEu, 256, 2, 2);
        check_waves("gfx90a", LaunchBounds::PerEu, 256, 4, 4);
        check_waves("gfx90a", LaunchBounds::PerEu, 128, 8, 4);
        check_waves("gfx90a", LaunchBounds::PerEu, 33, 3, 1);
        check_waves("gfx90a", LaunchBounds::PerEu, 65, 3, 2);
        check_waves("gfx90a", LaunchBounds::PerEu, 16, 1, 1);
        check_waves("gfx90a", LaunchBounds::PerEu, 1024, 4, 8);
        check_waves("gfx908", LaunchBounds::PerEu, 1024, 4, 10);
        check_waves("gfx1010", LaunchBounds::PerEu, 1024, 4, 20);
        check_waves("gfx1100", LaunchBounds::PerEu, 256, 2, 4);
        check_waves("gfx1100", LaunchBounds::PerEu, 1024, 4, 16);
        check_waves("gfx90a", LaunchBounds::PerEu, 256, 0, 1);
        check_waves("gfx90a", LaunchBounds::PerEu, i64::MAX, i64::MAX, 8);
    }

    #[test]
    fn documents_count_per_compute_unit() {
        check_waves("gfx90a", LaunchBounds::RocmDocs, 256, 2, 8);
        check_waves("gfx1100", LaunchBounds::RocmDocs, 256, 2, 16);
        check_waves("gfx90a", LaunchBounds::RocmDocs, 16, 1, 1);
        let mut dated = settings(&["gfx90a"], LaunchBounds::RocmDocs);
        for (release, expected) in [((5, 7), 16), ((6, 0), 16), ((6, 3), 16), ((6, 4), 8), ((7, 0), 8)] {
            dated.rocm = RocmVersion::new(release.0, release.1);
            assert_eq!(Formula::chosen(&dated).waves(dated.targets[0], 256, 2), expected, "{release:?}");
        }
    }

    #[track_caller]
    fn check_conditions(targets: &[&str], expected: &[&str]) {
        let text = Formula::chosen(&settings(targets, LaunchBounds::PerEu)).definition();
        let lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("#if ") || line.starts_with("#el")).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn targets_are_told_apart_only_where_they_differ() {
        check_conditions(&["gfx90a"], &[]);
        check_conditions(&["gfx1100", "gfx1030"], &[]);
        check_conditions(&["gfx1100", "gfx90a", "gfx942"], &["#if defined(__GFX9__)", "#else"]);
        check_conditions(&["gfx906", "gfx90a", "gfx942"], &["#if defined(__gfx906__)", "#else"]);
        check_conditions(
            &["gfx1010", "gfx1100", "gfx9-generic", "gfx9-4-generic"],
            &[
                "#if defined(__gfx9_generic__)",
                "#elif defined(__gfx9_4_generic__)",
                "#elif defined(__gfx1010__)",
                "#else",
            ],
        );
    }
}
