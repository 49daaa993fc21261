//! `--shard K/N`

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use crate::project::{Shard, ShardFiles};
use crate::report::Part;

/// Which part of the work is done here.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub(super) struct ShardOption {
    /// Do the Kth of N parts of the work, such as `2/4`; `hipshift report merge` joins their reports.
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
}

impl ShardOption {
    /// The share of what lies below `roots`.
    pub(super) fn share(&self, roots: &[Utf8PathBuf]) -> Option<ShardFiles> {
        self.shard.map(|shard| ShardFiles::new(shard, roots))
    }

    /// What the report says of itself; `takes` tells whether an entry of the whole run is in it.
    pub(super) fn part<T>(&self, entries: &[T], takes: impl Fn(&T) -> bool) -> Option<Part> {
        let mine = entries.iter().enumerate().filter(|(_, entry)| takes(entry)).map(|(at, _)| at);
        self.shard.map(|shard| Part { shard, entries: entries.len(), positions: mine.collect() })
    }
}

/// The part of a run over files.
pub(super) fn part_of_files<T>(
    option: &ShardOption,
    share: Option<&ShardFiles>,
    (files, path): (&[T], impl Fn(&T) -> &Utf8Path),
) -> Option<Part> {
    let share = share?;
    option.part(files, |file| share.takes(path(file)))
}
