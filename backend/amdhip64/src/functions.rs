//! Kernels as programs name them: by host symbols, and by handles.

use crate::abi::Address;
use crate::error::Error;
use crate::handles::Handles;
use crate::loaded::Function;
use crate::registry;

/// Kernels that `hipModuleGetFunction` has given.
pub(crate) static FUNCTIONS: Handles<Function> = Handles::new("a function");

/// The kernel behind a host symbol, or behind a handle that `hipModuleGetFunction` gave.
pub(crate) fn function(symbol: Address) -> Result<Function, Error> {
    match registry::function(symbol) {
        Ok(entry) => Function::new(entry.binary.load()?, entry.name),
        Err(error) => FUNCTIONS.get(symbol).map(|function| (*function).clone()).map_err(|_| error),
    }
}
