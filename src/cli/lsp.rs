//! `hipshift lsp`

use clap::Args;

use super::exit::Exit;
use super::settings::builtin_table;
use crate::lsp::serve;

/// `hipshift lsp`
#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// Accepted, as editors add it: there is no other way.
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run() -> anyhow::Result<Exit> {
    Ok(if serve(builtin_table()?)? { Exit::Clean } else { Exit::Failed })
}
