//! What the sources of a project need from a header, name by name.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{HeaderForm, HeaderUse, OwnUse};

/// What the files that were looked at need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// CUDA's headers that they include, and HIP's in their place.
    pub headers: BTreeMap<String, String>,
    pub(super) names: BTreeMap<String, NameNeeds>,
    pub(super) own: BTreeMap<String, BTreeSet<OwnUse>>,
}

/// What one name needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NameNeeds {
    /// Each form once.
    pub(super) forms: Vec<HeaderForm>,
    /// Whether some place has to stay as it is, since its fix is not wanted.
    pub(super) is_kept_somewhere: bool,
}

impl Needs {
    /// Adds a place that a header is to serve, or one that has to stay as it is.
    pub(super) fn add(&mut self, place: &HeaderUse, is_wanted: bool) {
        if let HeaderForm::Include(to) = &place.form {
            self.headers.insert(place.name.clone(), to.clone());
            return;
        }
        let needs = self.names.entry(place.name.clone()).or_default();
        needs.is_kept_somewhere |= !is_wanted;
        if is_wanted && !needs.forms.contains(&place.form) {
            needs.forms.push(place.form.clone());
        }
    }

    /// Adds a name of CUDA's that a file uses as its own.
    pub(super) fn add_own(&mut self, name: String, how: OwnUse) {
        self.own.entry(name).or_default().insert(how);
    }

    /// Puts the needs of two sets of files together.
    #[must_use]
    pub fn and(mut self, other: Needs) -> Needs {
        self.headers.extend(other.headers);
        for (name, needs) in other.names {
            let known = self.names.entry(name).or_default();
            known.is_kept_somewhere |= needs.is_kept_somewhere;
            for form in needs.forms {
                if !known.forms.contains(&form) {
                    known.forms.push(form);
                }
            }
        }
        for (name, how) in other.own {
            self.own.entry(name).or_default().extend(how);
        }
        self
    }
}
