//! Kernels as programs name them: by host symbols, and by handles.

use std::sync::Arc;

use crate::abi::Address;
use crate::error::Error;
use crate::handles::Handles;
use crate::loaded::Function;
use crate::registry;

/// Kernels that `hipModuleGetFunction` has given.
pub(crate) static FUNCTIONS: Handles<Function> = Handles::new("a function");

/// What programs call a kernel: its host symbol, or a handle that `hipModuleGetFunction` gave.
pub(crate) fn symbol_of(function: &Function) -> Option<Address> {
    let is_same = |other: &Function| Arc::ptr_eq(&other.module, &function.module) && other.name == function.name;
    registry::symbol_of(&function.module, &function.name).or_else(|| FUNCTIONS.handle_of(is_same))
}

/// The kernel behind a host symbol, or behind a handle that `hipModuleGetFunction` gave.
pub(crate) fn function(symbol: Address) -> Result<Function, Error> {
    match registry::function(symbol) {
        Ok(entry) => Function::new(entry.binary.load()?, entry.name),
        Err(error) => FUNCTIONS.get(symbol).map(|function| (*function).clone()).map_err(|_| error),
    }
}
