//! What the functions, macros and classes of files need lanes for, for those who call them in other files.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// What is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The argument with this number, from 0.
    Argument(usize),
    /// The argument of the template with this number, from 0.
    Template(usize),
}

/// What whoever calls something comes to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneNeed {
    /// The function about lanes of this name, for those of a mask.
    Mask(String, u64),
    /// The function about lanes, for those of a mask or group that is written so.
    Written(String, String),
    /// The function about lanes, for those of the argument with this number.
    Argument(String, usize),
    /// What calls of this come to.
    Called(Slot),
}

/// Needs by the names of those who have them.
pub type NeedsByName = FxHashMap<String, BTreeSet<LaneNeed>>;

/// What is called in a project, and for what lanes have to come together there. Names of all files are one space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneNeeds {
    /// Those of functions and macros.
    pub named: NeedsByName,
    /// Those of objects, by the names of their classes.
    pub objects: NeedsByName,
}

impl LaneNeeds {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.objects.is_empty()
    }

    /// Adds what another file knows.
    pub fn extend(&mut self, more: LaneNeeds) {
        for (known, more) in [(&mut self.named, more.named), (&mut self.objects, more.objects)] {
            for (name, needs) in more {
                known.entry(name).or_default().extend(needs);
            }
        }
    }

    /// What `known` does not have.
    #[must_use]
    pub fn beyond(self, known: &LaneNeeds) -> LaneNeeds {
        LaneNeeds { named: beyond(self.named, &known.named), objects: beyond(self.objects, &known.objects) }
    }

    /// What there is about some names.
    #[must_use]
    pub fn about(&self, is_meant: impl Fn(&str) -> bool) -> LaneNeeds {
        let about = |needs: &NeedsByName| {
            let meant = needs.iter().filter(|(name, _)| is_meant(name));
            meant.map(|(name, needs)| (name.clone(), needs.clone())).collect()
        };
        LaneNeeds { named: about(&self.named), objects: about(&self.objects) }
    }
}

fn beyond(mut needs: NeedsByName, known: &NeedsByName) -> NeedsByName {
    for (name, needs) in &mut needs {
        if let Some(known) = known.get(name) {
            needs.retain(|need| !known.contains(need));
        }
    }
    needs.retain(|_, needs| !needs.is_empty());
    needs
}
