//! Fetches what compiles HIP for AMD GPUs with the machine's own apt: headers of three HIP releases, device libraries
//! and clang. Everything is unpacked below one folder; the system stays unchanged and no root is needed.

mod apt;
mod error;
mod folder;
mod hip;
mod libraries;
mod llvm;
mod process;
mod run;
mod sources;
mod stamp;
mod system;

pub use error::InstallError;
pub use folder::with_dependencies;
pub use libraries::{Packages, install_libraries, install_packages, remove_libraries};
pub use llvm::compiler_packages;
pub use run::{Options, Part, RELEASES, install, install_command};
pub use system::System;
