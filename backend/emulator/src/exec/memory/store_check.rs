//! The check of a store to LDS, which has to know what is there already.

use super::item::store_item;
use super::shape::Item;
use crate::exec::checks::lds_checks::{self, Touched};
use crate::exec::launch::context::Context;
use crate::exec::state::wave::Wave;

/// Checks a store of the registers from `data` on.
pub(super) fn check_store(wave: &Wave, data: usize, item: Item, what: Touched, context: &mut Context) {
    lds_checks::write(wave, context, what, |context, lane| {
        let mut keeps = true;
        store_item(wave, data, lane, item, |at, bytes, value| {
            keeps &= context.lds.load(what.places[lane] + at, bytes) == value;
        });
        keeps
    });
}
