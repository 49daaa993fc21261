//! What the header brings for each name, and what it cannot bring.

use std::collections::BTreeMap;

use super::needs::{NameNeeds, Needs};
use crate::mapping::{CallRule, Part, VersionRange};
use crate::rules::{HeaderForm, OwnUse};

/// What the header brings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderPlan {
    /// CUDA's headers, and HIP's in their place.
    pub headers: BTreeMap<String, String>,
    /// Names of the header that the project defines as macros itself.
    pub redefined: Vec<String>,
    names: BTreeMap<String, Result<Planned, Refusal>>,
}

/// What stands in the header for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// A macro without parameters: the other name.
    Alias(String),
    /// A macro that stands for nothing.
    Nothing,
    /// A namespace that is an alias of another.
    Namespace(String),
    /// A macro for the definition of an intrinsic.
    Definition,
    /// Macros with parameters, by their number.
    Calls(BTreeMap<usize, CallForm>),
}

/// What a call becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallForm {
    /// The new call.
    pub template: Vec<Part>,
    /// The releases that have it.
    pub range: VersionRange,
}

/// Why a name is not in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The project has a function or type of this name.
    Declared,
    /// It is a member or variable as well, which a macro with parameters would take for a call.
    Member,
    /// It stands for different things in different places.
    Ambiguous,
    /// Some place of it is not to be changed.
    Kept,
}

impl Refusal {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Refusal::Declared => "the header leaves the name alone, since the project declares one like it",
            Refusal::Member => {
                "the header leaves the name alone, since it is also a member, and calls take a macro with parameters"
            }
            Refusal::Ambiguous => {
                "the header leaves the name alone, since it becomes different things in different places"
            }
            Refusal::Kept => "the header leaves the name alone, since the fix of another place is not applied",
        }
    }
}

impl HeaderPlan {
    /// Decides about each name that `needs` has.
    pub fn of(needs: Needs) -> HeaderPlan {
        let Needs { headers, names, own } = needs;
        let is_own = |name: &str, how| own.get(name).is_some_and(|uses| uses.contains(&how));
        let mut plan = HeaderPlan { headers, ..HeaderPlan::default() };
        for (name, needs) in names {
            let planned = match planned(&needs) {
                _ if is_own(&name, OwnUse::Declared) => Err(Refusal::Declared),
                Ok(Planned::Calls(_)) if is_own(&name, OwnUse::Member) => Err(Refusal::Member),
                planned => planned,
            };
            if planned.is_ok() && is_own(&name, OwnUse::Macro) {
                plan.redefined.push(name.clone());
            }
            plan.names.insert(name, planned);
        }
        plan
    }

    /// What was decided about `name`.
    pub fn get(&self, name: &str) -> Option<&Result<Planned, Refusal>> {
        self.names.get(name)
    }

    /// What the header brings, by name.
    pub fn planned(&self) -> impl Iterator<Item = (&str, &Planned)> {
        self.names.iter().filter_map(|(name, planned)| Some((name.as_str(), planned.as_ref().ok()?)))
    }

    /// Whether the header has nothing to bring.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.planned().next().is_none()
    }
}

fn planned(needs: &NameNeeds) -> Result<Planned, Refusal> {
    if needs.is_kept_somewhere {
        return Err(Refusal::Kept);
    }
    let calls = needs.forms.iter().any(|form| matches!(form, HeaderForm::Call(..)));
    let mut forms = needs.forms.iter();
    match forms.next() {
        Some(_) if calls => call_forms(&needs.forms),
        Some(HeaderForm::Alias(to, _))
            if forms.all(|form| matches!(form, HeaderForm::Alias(other, _) if other == to)) =>
        {
            Ok(Planned::Alias(to.clone()))
        }
        Some(HeaderForm::Namespace(to)) if forms.next().is_none() => Ok(Planned::Namespace(to.clone())),
        Some(HeaderForm::Nothing) if forms.next().is_none() => Ok(Planned::Nothing),
        Some(HeaderForm::Definition) if forms.next().is_none() => Ok(Planned::Definition),
        _ => Err(Refusal::Ambiguous),
    }
}

/// A macro for each number of arguments. Where the name is not called, such a macro leaves it as it is.
fn call_forms(forms: &[HeaderForm]) -> Result<Planned, Refusal> {
    let mut calls: BTreeMap<usize, CallForm> = BTreeMap::new();
    for form in forms {
        let (count, call) = match form {
            HeaderForm::Call(rule, count) => {
                let CallRule { template, range, .. } = &**rule;
                (*count, CallForm { template: template.clone(), range: *range })
            }
            HeaderForm::Alias(to, Some(count)) => (*count, plain_call(to)),
            HeaderForm::Alias(_, None) => continue,
            HeaderForm::Nothing | HeaderForm::Namespace(_) | HeaderForm::Definition | HeaderForm::Include(_) => {
                return Err(Refusal::Ambiguous);
            }
        };
        // Rules for null pointers differ in how sure they are, not in what they make of a call.
        if calls.get(&count).is_some_and(|known| known.template != call.template) {
            return Err(Refusal::Ambiguous);
        }
        calls.insert(count, call);
    }
    Ok(Planned::Calls(calls))
}

/// `to` with the arguments as they are.
fn plain_call(to: &str) -> CallForm {
    let text = |text: &str| Part::Text(text.into());
    CallForm { template: vec![text(to), text("("), Part::Rest(0), text(")")], range: VersionRange::default() }
}
