//! The launch bounds of a file that are CUDA's or HIP's.

use crate::analysis::{Bounds, LAUNCH_BOUNDS};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;

/// All of the file. Those that a project defines itself are none of CUDA's.
pub(super) fn all_bounds(cx: &Context<'_>) -> Vec<Bounds> {
    let names = cx.names.iter().filter(|name| name.text == LAUNCH_BOUNDS && matches!(name.meaning, Meaning::Same(_)));
    Bounds::all(cx.document, names.map(|name| name.token))
}
