//! Differences for people: unified, side by side or word by word, with findings at their place.

mod findings;
mod paint;
mod reasons;
mod side_by_side;
mod unified;
mod view;
mod visible;
mod word_diff;
mod words;
mod wrap;

pub(super) use findings::open as open_findings;
pub use paint::{Paint, Role};
pub use reasons::{reasons, safety};
pub use unified::unified_hunk;
pub use view::{DiffView, FileView, ViewOptions, view, write_findings};
pub use visible::visible;
pub use wrap::{wrap, wrap_words};
