//! What the compiler made: bundles of code objects, and code objects.

pub mod bundle;
mod bytes;
mod descriptor;
mod elf;
mod metadata;

pub use descriptor::Descriptor;
pub use elf::{CodeObject, ObjectError, Symbol};
pub(crate) use elf::{Relocation, RelocationKind, Segment};
pub use metadata::{Argument, ArgumentKind, Kernel};
