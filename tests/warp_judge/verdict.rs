//! What came of all kernels of a policy, against what is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ast::Kernel;
use crate::known::{KNOWN, Known, NO_CODE};
use crate::print::Printer;
use crate::program::Program;
use crate::run::{Fate, Judged};

/// How often a kind was tried alone, and how often it was wrong in silence then.
#[derive(Default, Clone, Copy)]
struct Alone {
    tried: usize,
    wrong: usize,
}

/// A kernel that does not compile and of which nothing was said, or that computes something else, whatever was said.
struct Wrong {
    kernel: Kernel,
    fates: [Fate; 2],
}

/// What came of all kernels of a policy.
pub(crate) struct Tally {
    policy: &'static str,
    total: usize,
    right: usize,
    needless: usize,
    /// Kinds of kernels that are wrong, and what was told of them.
    warned: Vec<(Vec<&'static str>, String)>,
    wrong: Vec<Wrong>,
    /// Kinds of kernels that the compiler makes no code of.
    no_code: Vec<Vec<&'static str>>,
    alone: BTreeMap<&'static str, Alone>,
}

fn known(policy: &str, kind: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.policy == policy && known.kind == kind)
}

fn text(kernel: &Kernel) -> String {
    format!("{}{}", Printer::new(kernel).definitions(), Printer::new(kernel).kernel())
}

impl Tally {
    pub(crate) fn new(policy: &'static str) -> Self {
        Self {
            policy,
            total: 0,
            right: 0,
            needless: 0,
            warned: Vec::new(),
            wrong: Vec::new(),
            no_code: Vec::new(),
            alone: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, programs: &[Program], judged: Vec<Judged>) {
        for one in judged {
            let kernel = &programs[one.program].kernels[one.kernel];
            let right = one.fates.iter().all(|fate| matches!(fate, Fate::Right | Fate::NoCode));
            if one.fates.contains(&Fate::NoCode) {
                self.no_code.push(kernel.kinds.clone());
            }
            self.total += 1;
            self.right += usize::from(right && one.told.is_none());
            self.needless += usize::from(right && one.told.is_some());
            let computes_otherwise = one.fates.iter().any(|fate| matches!(fate, Fate::Wrong(_)));
            let silent = !right && (one.told.is_none() || computes_otherwise);
            if let Some(told) = one.told.filter(|_| !right) {
                self.warned.push((kernel.kinds.clone(), told));
            }
            if let [kind] = kernel.kinds.as_slice() {
                let alone = self.alone.entry(kind).or_default();
                alone.tried += 1;
                alone.wrong += usize::from(silent);
            }
            if silent {
                self.wrong.push(Wrong { kernel: kernel.clone(), fates: one.fates });
            }
        }
    }

    /// The kinds that a kernel which is wrong may be blamed on: those that are wrong alone, else all of it.
    fn blamed(&self, kernel: &Kernel) -> String {
        let wrong = |kind: &&&str| self.alone.get(**kind).is_some_and(|alone| alone.wrong > 0);
        let found: Vec<&str> = kernel.kinds.iter().filter(wrong).copied().collect();
        if found.is_empty() { kernel.kinds.join(" + ") } else { found.join(" or ") }
    }

    fn is_known(&self, wrong: &Wrong) -> bool {
        wrong.kernel.kinds.iter().filter_map(|kind| known(self.policy, kind)).any(|known| {
            // On a wave of 32 lanes only what is known of it may be wrong.
            known.on_32 || wrong.fates[1] == Fate::Right
        })
    }

    /// What is wrong and not known.
    pub(crate) fn complaints(&self) -> String {
        let mut by_blame = BTreeMap::<String, Vec<&Wrong>>::new();
        for wrong in self.wrong.iter().filter(|wrong| !self.is_known(wrong)) {
            by_blame.entry(self.blamed(&wrong.kernel)).or_default().push(wrong);
        }
        let mut complaints = String::new();
        // A compiler that does not start would make everything right.
        if self.no_code.len() * 10 > self.total {
            let _ = writeln!(complaints, "== the compiler broke down at {} of {}", self.no_code.len(), self.total);
        }
        for (kinds, all) in by_blame {
            let shortest = all.iter().min_by_key(|wrong| text(&wrong.kernel).len()).unwrap();
            let _ = writeln!(
                complaints,
                "== {kinds}: {} wrong\n{:?}\n{}",
                all.len(),
                shortest.fates,
                text(&shortest.kernel)
            );
        }
        complaints
    }

    /// What is known to be wrong and was not, of kernels of known kinds alone.
    pub(crate) fn repaired(&self) -> String {
        let mut complaints = String::new();
        for known in KNOWN.iter().filter(|known| known.policy == self.policy) {
            if self.alone.get(known.kind).is_none_or(|alone| alone.wrong == 0) {
                let _ = writeln!(complaints, "== {}: right now; take it out of the known ones", known.kind);
            }
        }
        for (_, kind) in NO_CODE.iter().filter(|(policy, _)| *policy == self.policy) {
            if !self.no_code.iter().any(|kinds| kinds.contains(kind)) {
                let _ = writeln!(complaints, "== {kind}: the compiler makes code of it now");
            }
        }
        complaints
    }

    /// What is wrong with a warning.
    pub(crate) fn warned(&self) -> String {
        let line = |(kinds, told): &(Vec<&str>, String)| format!("{}: {told}\n", kinds.join(" + "));
        self.warned.iter().map(line).collect()
    }

    /// How often each kind was wrong in silence, of how many that stood alone, and in how many the compiler broke down.
    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for (kind, alone) in &self.alone {
            let broken = self.no_code.iter().filter(|kinds| kinds.contains(kind)).count();
            let narrow =
                self.wrong.iter().filter(|wrong| wrong.kernel.kinds == [*kind] && wrong.fates[1] != Fate::Right);
            let (wrong, tried, narrow) = (alone.wrong, alone.tried, narrow.count());
            let _ =
                writeln!(table, "{}: {kind}: {wrong} of {tried}, on 32 lanes {narrow}, broken {broken}", self.policy);
        }
        table
    }

    pub(crate) fn summary(&self) -> String {
        let wrong = self.wrong.len();
        let unknown = self.wrong.iter().filter(|wrong| !self.is_known(wrong)).count();
        format!(
            "{}: {} kernels, {} right, {} right with a warning, {} told of that do not compile, {wrong} wrong \
             ({unknown} of them not known); the compiler broke down at {}",
            self.policy,
            self.total,
            self.right,
            self.needless,
            self.warned.len(),
            self.no_code.len()
        )
    }
}
