//! The list of all operations.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::super::lane::Valu;
use super::{compare, convert, division, dot, float, half, integer, packed, short};

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
}

/// The operation of a mnemonic; with `clamp` that which does not wrap, for integers.
pub(in super::super) fn find(name: &str, clamps_integers: bool) -> Option<Arc<Valu>> {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    let registry = REGISTRY.get_or_init(|| {
        let mut registry = Registry::default();
        integer::add(&mut registry);
        short::add(&mut registry);
        float::add(&mut registry);
        half::add(&mut registry);
        division::add(&mut registry);
        convert::add(&mut registry);
        compare::add(&mut registry);
        packed::add(&mut registry);
        dot::add(&mut registry);
        registry
    });
    let found = registry.0.get(name)?;
    if clamps_integers {
        return registry.0.get(&format!("{name}/clamp")).cloned();
    }
    Some(Arc::clone(found))
}
