//! Text of what caches are told: bits, on gfx12 a temporal hint and a scope.

use super::table::Encoding;
use super::text::Text;
use crate::target::Generation;

/// The widest scope: all of the system.
const SYSTEM: u8 = 3;
/// All of the device.
const DEVICE: u8 = 2;

/// Writes the bits that are set.
pub(super) fn write(text: &mut Text) {
    let cache = text.inst.cache;
    if text.generation == Generation::Gfx12 {
        return hint_and_scope(text);
    }
    let is_vector = text.inst.entry.encoding != Encoding::Smem;
    let names = match text.generation {
        Generation::Gfx940 | Generation::Gfx950 if is_vector => [" sc0", " nt", " dlc", " sc1"],
        _ => [" glc", " slc", " dlc", " scc"],
    };
    for (is_set, name) in [cache.glc, cache.slc, cache.dlc, cache.scc].into_iter().zip(names) {
        text.out.push_str(if is_set { name } else { "" });
    }
}

/// Writes hint and scope where they are not the usual ones.
fn hint_and_scope(text: &mut Text) {
    let cache = text.inst.cache;
    let base = text.inst.entry.base;
    let name = if base.contains("_atomic_") {
        atomic(cache.hint, cache.scope)
    } else if base.contains("store") {
        let third = if cache.scope == SYSTEM { "STORE_BYPASS" } else { "STORE_WB" };
        ["", "STORE_NT", "STORE_HT", third, "STORE_NT_RT", "STORE_RT_NT", "STORE_NT_HT", "STORE_NT_WB"]
            [usize::from(cache.hint & 7)]
    } else {
        let third = if cache.scope == SYSTEM { "LOAD_BYPASS" } else { "LOAD_LU" };
        ["", "LOAD_NT", "LOAD_HT", third, "LOAD_NT_RT", "LOAD_RT_NT", "LOAD_NT_HT", "0x7"][usize::from(cache.hint & 7)]
    };
    match name {
        "" => {}
        "0x7" => text.out.push_str(" th:0x7"),
        name => text.put(format_args!(" th:TH_{name}")),
    }
    text.out.push_str(["", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"][usize::from(cache.scope & 3)]);
}

/// Hints of atomics, which also say whether what was found is returned. The largest mean something where many share
/// the memory only.
fn atomic(hint: u8, scope: u8) -> &'static str {
    match hint {
        0 => "",
        1 => "ATOMIC_RETURN",
        2 => "ATOMIC_NT",
        3 => "ATOMIC_NT_RETURN",
        4 | 5 if scope >= DEVICE => "ATOMIC_CASCADE_RT",
        _ if scope >= DEVICE => "ATOMIC_CASCADE_NT",
        4 => "ATOMIC_0x4",
        5 => "ATOMIC_0x5",
        6 => "ATOMIC_0x6",
        _ => "ATOMIC_0x7",
    }
}
