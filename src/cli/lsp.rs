//! `hipshift lsp`

use super::exit::Exit;
use super::settings::builtin_table;
use crate::lsp::serve;

pub(super) fn run() -> anyhow::Result<Exit> {
    Ok(if serve(builtin_table()?)? { Exit::Clean } else { Exit::Failed })
}
