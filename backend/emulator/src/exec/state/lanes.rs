//! Sets of lanes, a bit for each.

/// The numbers of the lanes of a mask.
#[inline]
pub(crate) fn each(lanes: u64) -> impl Iterator<Item = usize> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}
