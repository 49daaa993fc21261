//! Which kernels keep warps of 32 lanes in a project whose other warps become whole waves.

use rustc_hash::{FxHashMap, FxHashSet};

use super::width_units::{NameHash, UnitSide, WidthUnit};

/// A unit of a file, and what the rules found in it as a part of a whole wave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedUnit {
    /// The names that it declares.
    pub names: FxHashSet<NameHash>,
    /// The names that stand in it, those among them.
    pub mentions: FxHashSet<NameHash>,
    /// Where it runs.
    pub side: UnitSide,
    /// The name of a kernel.
    pub kernel: Option<String>,
    /// Whether it is another one for whole waves than for 32 lanes.
    pub counts_lanes: bool,
    /// Whether something about whole waves stays open in it.
    pub is_open: bool,
}

impl JudgedUnit {
    /// A unit that was judged.
    pub fn new(unit: WidthUnit, kernel: Option<String>, (counts_lanes, is_open): (bool, bool)) -> JudgedUnit {
        let WidthUnit { names, mentions, side, .. } = unit;
        JudgedUnit { names, mentions, side, kernel, counts_lanes, is_open }
    }

    /// Whether a host function that names it hands more to it than a launch does.
    fn is_shared_with_host(&self) -> bool {
        matches!(self.side, UnitSide::Host | UnitSide::Any)
    }
}

/// What keeps warps of 32 lanes though whole waves were asked for, because something about whole waves is open in it or in
/// what hands values to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptWarps {
    /// The group of each name.
    names: FxHashMap<NameHash, usize>,
    /// The kernels of each group, sorted.
    groups: Vec<Vec<String>>,
    /// Kernels that use lanes and become whole waves.
    pub whole: usize,
}

impl KeptWarps {
    /// Joins what hands values about lanes to each other, and keeps what is joined with something open.
    ///
    /// Names of all files are one space: two functions of one name are taken for one, so that both keep 32 lanes if either must.
    pub fn of<'u>(units: impl Iterator<Item = &'u JudgedUnit>) -> KeptWarps {
        let units: Vec<&JudgedUnit> = units.collect();
        let counting = Counting::of(&units);
        let mut groups = Groups::default();
        let (mut open, mut kernels) = (Vec::new(), Vec::new());
        for unit in units.iter().filter(|unit| counting.counts(unit)) {
            let linked = unit.mentions.iter().filter(|name| counting.all.contains(name)).chain(&unit.names);
            let group = groups.join(linked.copied());
            open.extend(group.filter(|_| unit.is_open));
            kernels.extend(unit.kernel.clone().zip(group));
        }
        groups.kept(&open, kernels)
    }

    /// Whether a unit keeps 32 lanes. One without a name follows what it speaks of.
    pub fn keeps(&self, unit: &WidthUnit) -> bool {
        self.group_of(unit).is_some()
    }

    /// The kernels that keep 32 lanes together with a unit; `None` if it does not.
    pub fn kernels_with(&self, unit: &WidthUnit) -> Option<&[String]> {
        self.group_of(unit).and_then(|group| self.groups.get(group)).map(Vec::as_slice)
    }

    /// All kernels that keep 32 lanes, sorted.
    pub fn kernels(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.groups.iter().flatten().map(String::as_str).collect();
        all.sort_unstable();
        all
    }

    fn group_of(&self, unit: &WidthUnit) -> Option<usize> {
        let names = if unit.names.is_empty() { &unit.mentions } else { &unit.names };
        names.iter().filter_map(|name| self.names.get(name).copied()).min()
    }
}

/// The names of what is another one for whole waves than for 32 lanes.
#[derive(Default)]
struct Counting {
    all: FxHashSet<NameHash>,
    /// Those that a host function does more with than start them.
    shared: FxHashSet<NameHash>,
}

impl Counting {
    /// Follows names from unit to unit until none is left that passes something on.
    fn of(units: &[&JudgedUnit]) -> Counting {
        let mut mentioning: FxHashMap<NameHash, Vec<usize>> = FxHashMap::default();
        for (number, unit) in units.iter().enumerate() {
            unit.mentions.iter().for_each(|name| mentioning.entry(*name).or_default().push(number));
        }
        let mut counting = Counting::default();
        let mut waiting: Vec<usize> = (0..units.len()).filter(|&number| units[number].counts_lanes).collect();
        let mut done = vec![false; units.len()];
        while let Some(number) = waiting.pop() {
            if std::mem::replace(&mut done[number], true) {
                continue;
            }
            for name in counting.add(units[number]) {
                let passes_on = |other: usize| units[other].side != UnitSide::Host || counting.shared.contains(&name);
                let others = mentioning.get(&name).into_iter().flatten().copied();
                waiting.extend(others.filter(|&other| !done[other] && passes_on(other)));
            }
        }
        counting
    }

    /// Whether a unit counts lanes, or passes on what something does that counts them.
    fn counts(&self, unit: &JudgedUnit) -> bool {
        let linked = if unit.side == UnitSide::Host { &self.shared } else { &self.all };
        unit.counts_lanes || unit.mentions.iter().any(|name| linked.contains(name))
    }

    /// Adds the names of a unit, and gives those that are new.
    fn add(&mut self, unit: &JudgedUnit) -> Vec<NameHash> {
        let mut new: Vec<NameHash> = unit.names.iter().copied().filter(|name| self.all.insert(*name)).collect();
        if unit.is_shared_with_host() {
            new.extend(unit.names.iter().copied().filter(|name| self.shared.insert(*name)));
        }
        new
    }
}

/// Names that belong together, each pointing to another one of its group.
#[derive(Default)]
struct Groups {
    numbers: FxHashMap<NameHash, usize>,
    parents: Vec<usize>,
}

impl Groups {
    /// Puts names into one group, whose number is that of any of its members.
    fn join(&mut self, names: impl Iterator<Item = NameHash>) -> Option<usize> {
        let mut first = None;
        for name in names {
            let next = self.parents.len();
            let number = *self.numbers.entry(name).or_insert(next);
            if number == next {
                self.parents.push(next);
            }
            let root = self.root(number);
            match first {
                Some(first) => self.parents[root] = self.root(first),
                None => first = Some(root),
            }
        }
        first
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    /// The groups that hold something open.
    fn kept(mut self, open: &[usize], kernels: Vec<(String, usize)>) -> KeptWarps {
        let mut kept = KeptWarps::default();
        let mut places = FxHashMap::default();
        for &number in open {
            let root = self.root(number);
            places.entry(root).or_insert_with(|| {
                kept.groups.push(Vec::new());
                kept.groups.len() - 1
            });
        }
        for (kernel, number) in kernels {
            match places.get(&self.root(number)) {
                Some(&place) => kept.groups[place].push(kernel),
                None => kept.whole += 1,
            }
        }
        for group in &mut kept.groups {
            group.sort_unstable();
            group.dedup();
        }
        let numbers = std::mem::take(&mut self.numbers);
        kept.names = numbers.into_iter().filter_map(|(name, at)| Some((name, *places.get(&self.root(at))?))).collect();
        kept
    }
}
