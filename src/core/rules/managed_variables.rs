//! The managed variables that a file sees (CUDA C++ Programming Guide, "Managed Memory").

use rustc_hash::FxHashSet;

use super::context::Context;
use crate::analysis::managed_variables;

impl<'d> Context<'d> {
    /// Whether a name is that of a managed variable: the file or a header that it includes declares one, and the file declares no other
    /// variable of the device by that name.
    pub(super) fn is_managed_variable(&self, name: &str) -> bool {
        let is_shared = || self.project.managed_variables.is_seen(name, &self.document.file().path);
        let is_declared_otherwise = || {
            let variables = self.facts.device_variables(self.document);
            variables.iter().any(|other| self.document.token_text(other.name) == name)
        };
        (self.own_managed_variables().contains(name) || is_shared()) && !is_declared_otherwise()
    }

    /// Those that the file declares.
    fn own_managed_variables(&self) -> &FxHashSet<&'d str> {
        self.managed_variables.get_or_init(|| managed_variables(self.document).into_iter().collect())
    }
}
