//! What the compiler made: bundles of code objects, and code objects.

pub mod bundle;
mod bytes;
mod descriptor;
mod elf;
mod metadata;

pub use descriptor::Descriptor;
pub(crate) use elf::RelocationKind;
pub use elf::{CodeObject, ObjectError, Symbol};
pub use metadata::{Argument, ArgumentKind, Kernel};
