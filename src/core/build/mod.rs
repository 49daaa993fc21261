//! Files that say how a project is built, read with exact places: CMake, make and shell; others are only known by name.
//!
//! Reading never fails, and every byte belongs to a token or a line: what is not understood stays as it is.

mod cmake;
mod file;
mod functions;
mod gpus;
mod here_document;
mod kind;
mod loops;
mod make;
mod references;
mod shell_commands;
mod switch;
mod switch_words;
mod words;

pub use cmake::{Argument, ArgumentKind, Command, Token, TokenKind, commands, tokens};
pub use file::BuildFile;
pub use functions::{Function, functions};
pub use gpus::{NAMING_GPUS, speaks_of_gpus};
pub use here_document::HereDocument;
pub use kind::{
    BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES, BuildKind, COMPILING_NAMES, build_kind, build_kind_of, is_build_file,
};
pub use loops::{library_lists, library_loops};
pub use make::{Line, LineKind, make_lines, shell_lines, target_variable};
pub use references::{references, users};
pub use switch::{Block, FILLED_SWITCH, SWITCH, Turn, blocks, cuda_parts, turns};
pub use switch_words::{
    PLATFORM, filled, included, installed, is_package_file, is_template, names_platform, sets_switch,
};
pub use words::{COMMA, Word, is_handing_on, parts, words};
