//! What one bound of CUDA's asks for on each target, for those who show it beside the code.

use super::pair::Pair;
use super::waves::{Formula, group, names};
use crate::analysis::{Bounds, Constants};
use crate::settings::Settings;
use crate::syntax::Document;

/// The waves per execution unit that a bound of CUDA's becomes, for targets with the same number together:
/// `("gfx90a, gfx942", 2)`. Nothing where there is no second argument, a value is not known, or it counts waves already.
pub fn waves_per_eu(
    bounds: &Bounds,
    constants: &Constants,
    (document, settings): (&Document, &Settings),
) -> Option<Vec<(String, i64)>> {
    let pair = Pair::of(bounds, constants, document).filter(|pair| !pair.is_converted(bounds, document))?;
    let (threads, blocks) = pair.values()?;
    let formula = Formula::chosen(settings);
    let groups = group(settings.targets.iter().copied(), |target| formula.waves(target, threads, blocks));
    Some(groups.into_iter().map(|(waves, targets)| (names(&targets), waves)).collect())
}
