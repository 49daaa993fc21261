//! Rules about files that say how a project is built.

mod unsupported_option;

pub(super) use unsupported_option::UnsupportedOption;
pub use unsupported_option::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES, holds_unsupported_option, is_build_file};
