//! What CUDA names are called in HIP, since when, and for which GPUs: knowledge as data.
//!
//! Uses nothing else of this crate. The data is in `mappings/`, one line per name.

mod build;
mod calls;
mod compiler;
mod cuda_folder;
mod device_only;
mod entry;
mod families;
mod flavor;
mod guards;
mod header_words;
mod instructions;
mod intrinsics;
mod load;
mod members;
mod numbers;
mod nvcc_options;
mod opaque;
mod ptx;
mod search;
mod table;
mod target;
mod vectors;
mod version;
mod warp_header;

pub use build::{
    BuildLibrary, BuildName, BuildPackage, build_command, build_library, build_package, build_tool, build_variable,
    is_cuda_folder, library_of_variable,
};
pub use calls::{CallRule, Part, Starting, Typed, template};
pub use compiler::{CompilerTrap, compiler_traps};
pub use cuda_folder::{is_cuda_folder_value, shell_default, usual_cuda_folder};
pub use device_only::is_device_only;
pub use entry::{Entry, Kind, Support};
pub use families::Family;
pub use flavor::Flavor;
pub use guards::HeaderGuard;
pub use header_words::is_word_of_runtime_header;
pub use instructions::Instruction;
pub use intrinsics::{HELPER_PREFIX, Intrinsic, IntrinsicKind, Intrinsics, WRITTEN_BY_US};
pub use load::MappingError;
pub use members::Member;
pub use numbers::{has_constant, has_other_numbers, renumbered, renumbered_type};
pub use nvcc_options::{
    AS_NVCC, Compiler, FoundOption, NvccOption, OptionAction, has_other_values, makes_code_object, nvcc_option,
    only_prints, speaks_of_rdc,
};
pub use opaque::plain_pointer;
pub use ptx::{PtxInstruction, PtxLanes, PtxRewrite, PtxSpelling, PtxTable};
pub use table::{Libraries, Resolution, Table};
pub use target::{Target, TargetError, targets};
pub use vectors::{vector_of, vector_size};
pub use version::{RocmVersion, VersionError, VersionRange};
pub use warp_header::{WARP_HEADER, is_warp_header, warp_header};
