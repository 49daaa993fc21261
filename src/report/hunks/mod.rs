//! Differences for people: unified, side by side or word by word, with findings at their place.

mod findings;
mod paint;
mod side_by_side;
mod unified;
mod view;
mod visible;
mod word_diff;
mod words;

pub(super) use findings::open as open_findings;
pub use view::{DiffView, FileView, ViewOptions, view, write_findings};
