//! What CUDA names are called in HIP, since when, and for which GPUs: knowledge as data.
//!
//! Uses nothing else of this crate. The data is in `mappings/`, one line per name.

mod calls;
mod compiler;
mod entry;
mod families;
mod guards;
mod intrinsics;
mod load;
mod ptx;
mod search;
mod table;
mod target;
mod version;

pub use calls::{CallRule, Part, template};
pub use compiler::{CompilerTrap, compiler_traps};
pub use entry::{Entry, Kind, Support};
pub use families::Family;
pub use guards::HeaderGuard;
pub use intrinsics::{HELPER_PREFIX, Intrinsic, IntrinsicKind, Intrinsics};
pub use load::MappingError;
pub use ptx::{PtxInstruction, PtxLanes, PtxRewrite, PtxSpelling, PtxTable};
pub use table::{Flavor, Libraries, Resolution, Table};
pub use target::{Target, TargetError, targets};
pub use version::{RocmVersion, VersionError, VersionRange};
