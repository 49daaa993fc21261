//! Operations by mnemonic.

use std::collections::HashMap;
use std::sync::Arc;

use crate::exec::alu::lane::Valu;

/// Operations by mnemonic.
#[derive(Default)]
pub(super) struct Registry(HashMap<String, Arc<Valu>>);

impl Registry {
    /// Adds an operation that different generations call by different names, divided by blanks.
    pub(super) fn add(&mut self, names: &str, operation: Valu) {
        let operation = Arc::new(operation);
        for name in names.split(' ') {
            self.0.insert(name.to_owned(), Arc::clone(&operation));
        }
    }

    /// The operation of a mnemonic.
    pub(super) fn get(&self, name: &str) -> Option<&Arc<Valu>> {
        self.0.get(name)
    }

    /// All operations with their mnemonics.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Arc<Valu>)> {
        self.0.iter()
    }
}
