//! Counts of what became of the corpus, by crate and target, and by reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::smoke::{Class, Ending, Outcome, State};
use super::smoke_names::plain;

/// Instructions for each wave below which a kernel had nothing to do.
pub(super) const SHORT: u64 = 20;

/// Files and kernels of a crate on one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) files: usize,
    /// Files with kernels.
    pub(super) with_kernels: usize,
    /// Files that were not compiled, as the compiler refused them or took too long.
    pub(super) failed: usize,
    /// Files that were left for a later run.
    pub(super) left: usize,
    pub(super) kernels: usize,
    pub(super) ended: usize,
    /// Those that ended after fewer than [`SHORT`] instructions for each wave.
    pub(super) short: usize,
    pub(super) budget: usize,
    /// Stopped, by class.
    pub(super) stopped: [usize; 3],
}

impl Count {
    /// Adds a file.
    fn add(&mut self, state: &State) {
        self.files += 1;
        match state {
            State::Left => self.left += 1,
            State::Failed(_) => self.failed += 1,
            State::Launched(launched) => {
                self.with_kernels += usize::from(!launched.kernels.is_empty());
                launched.kernels.iter().for_each(|(_, ending)| self.add_kernel(ending));
            }
        }
    }

    fn add_kernel(&mut self, ending: &Ending) {
        self.kernels += 1;
        match ending {
            Ending::End { instructions, waves } => {
                self.ended += 1;
                self.short += usize::from(instructions / (*waves).max(1) < SHORT);
            }
            Ending::Budget => self.budget += 1,
            Ending::Stopped { class, .. } => self.stopped[*class as usize] += 1,
        }
    }
}

/// Counts by crate and target.
pub(super) fn counts(outcomes: &[Outcome]) -> BTreeMap<(&str, &str), Count> {
    let mut counts = BTreeMap::<_, Count>::new();
    for outcome in outcomes {
        counts.entry((outcome.name.as_str(), outcome.arch.as_str())).or_default().add(&outcome.state);
    }
    counts
}

/// Numbers of instances of kernels, by name and target.
type Instances<'o> = BTreeMap<String, BTreeMap<&'o str, usize>>;

/// Kernels that were stopped for one reason.
#[derive(Debug)]
pub(super) struct Stopped<'o> {
    pub(super) class: Class,
    pub(super) reason: &'o str,
    /// Number of kernels by target.
    pub(super) kernels: BTreeMap<&'o str, usize>,
    /// Instruction that one of them came to.
    pub(super) instruction: &'o str,
    /// Names and numbers of their instances, by crate and file.
    pub(super) places: BTreeMap<(&'o str, &'o Path), Instances<'o>>,
}

/// Kernels that did not run, by reason; what the emulator lacks comes first, then most kernels.
pub(super) fn stopped(outcomes: &[Outcome]) -> Vec<Stopped<'_>> {
    let mut groups = BTreeMap::<(Class, &str), Stopped>::new();
    for outcome in outcomes {
        let State::Launched(launched) = &outcome.state else { continue };
        for (kernel, ending) in &launched.kernels {
            let Ending::Stopped { class, reason, instruction } = ending else { continue };
            let group = groups.entry((*class, reason)).or_insert_with(|| Stopped {
                class: *class,
                reason,
                kernels: BTreeMap::new(),
                instruction,
                places: BTreeMap::new(),
            });
            *group.kernels.entry(&outcome.arch).or_default() += 1;
            let kernels = group.places.entry((outcome.name.as_str(), outcome.source.as_path())).or_default();
            *kernels.entry(plain(kernel)).or_default().entry(outcome.arch.as_str()).or_default() += 1;
        }
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|group| (group.class, std::cmp::Reverse(group.kernels.values().sum::<usize>())));
    groups
}

/// Places and files with each instruction that the emulator does not execute, by target and mnemonic.
pub(super) fn unimplemented(outcomes: &[Outcome]) -> BTreeMap<(&str, &str), (usize, BTreeSet<&Path>)> {
    let mut found = BTreeMap::<_, (usize, BTreeSet<&Path>)>::new();
    for outcome in outcomes {
        let State::Launched(launched) = &outcome.state else { continue };
        for (mnemonic, places) in &launched.unimplemented {
            let (all, files) = found.entry((outcome.arch.as_str(), mnemonic.as_str())).or_default();
            *all += places;
            files.insert(&outcome.source);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::smoke::Launched;
    use super::*;

    fn outcome(source: &str, state: State) -> Outcome {
        Outcome { name: "crate".to_owned(), arch: "gfx90a".to_owned(), source: source.into(), state }
    }

    fn outcomes() -> Vec<Outcome> {
        let stopped = |class, reason: &str| Ending::Stopped {
            class,
            reason: reason.to_owned(),
            instruction: "s_load_dword s0, s[2:3], 0x0".to_owned(),
        };
        let kernels = [
            ("_Z4goodPf", Ending::End { instructions: 30, waves: 4 }),
            ("_Z4loopPf", Ending::Budget),
            ("_Z3badILi1EEvPf", stopped(Class::Arguments, "read near null")),
            ("_Z3badILi2EEvPf", stopped(Class::Arguments, "read near null")),
            ("_Z4missPf", stopped(Class::Instruction, "not implemented")),
        ];
        let launched = Launched {
            kernels: kernels.map(|(name, ending)| (name.to_owned(), ending)).into(),
            unimplemented: BTreeMap::from([("ds_swizzle_b32".to_owned(), 3)]),
        };
        vec![
            outcome("a.cu", State::Launched(launched)),
            outcome("b.cu", State::Launched(Launched::default())),
            outcome("c.cu", State::Left),
        ]
    }

    #[test]
    fn files_and_kernels_are_counted() {
        let outcomes = outcomes();
        let expected = Count {
            files: 3,
            with_kernels: 1,
            left: 1,
            kernels: 5,
            ended: 1,
            short: 1,
            budget: 1,
            stopped: [1, 0, 2],
            ..Count::default()
        };
        assert_eq!(counts(&outcomes), BTreeMap::from([(("crate", "gfx90a"), expected)]));
    }

    #[test]
    fn instances_are_counted_together_and_what_is_missing_comes_first() {
        let outcomes = outcomes();
        let groups = stopped(&outcomes);
        assert_eq!(groups.iter().map(|group| group.reason).collect::<Vec<_>>(), ["not implemented", "read near null"]);
        let names = &groups[1].places[&("crate", Path::new("a.cu"))];
        assert_eq!(*names, BTreeMap::from([("bad".to_owned(), BTreeMap::from([("gfx90a", 2)]))]));
        assert_eq!(unimplemented(&outcomes)[&("gfx90a", "ds_swizzle_b32")].0, 3);
    }
}
