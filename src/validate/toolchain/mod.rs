//! Compilers for AMD GPUs with headers of HIP: finding one, starting it, and fetching one from the packages of a
//! Debian-like system.

mod devices;
mod discovery;
mod folders;
mod install;
mod libraries;
mod nvcc;
mod own_libraries;

pub use devices::{Device, Vendor, devices};
pub use discovery::{NotFound, Toolchain, default_folder, find_program};
pub use folders::{cache_folder, make_cache_folder};
pub use install::{
    InstallError, Options, Packages, Part, RELEASES, System, compiler_packages, install, install_command,
    install_libraries, install_packages, remove_libraries, with_dependencies,
};
pub use libraries::{LIBRARY_SETS, Libraries, LibrarySet, LibraryStart};
pub use nvcc::{Include, MappedOptions, map_options};
