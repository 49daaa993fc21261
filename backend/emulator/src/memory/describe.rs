//! Where an address lies, for messages.

use super::host::is_mapped;
use super::table::Memory;

/// Addresses below are a null pointer, or a place in what one should lead to.
const NULL_END: u64 = 64 << 10;
/// Distance up to which an address is told by the allocation that it lies beside, in bytes.
const NEAR: u64 = 4 << 10;

impl Memory {
    /// Where an access of so many bytes lies with respect to memory that is or was there, for messages.
    pub fn describe(&self, address: u64, bytes: u64) -> String {
        match address {
            0 => return "which is a null pointer".to_owned(),
            1..NULL_END => return format!("{address} bytes from a null pointer"),
            _ => {}
        }
        let part = self.find(address).and_then(|found| self.describe_part(found, address, bytes));
        if let Some(place) = part {
            return place;
        }
        let table = self.read();
        if let Some(freed) = table.freed_at(address) {
            let offset = address - freed.start;
            return format!("in an allocation of {} bytes that was freed, {offset} bytes from its start", freed.bytes);
        }
        if let Some(first) = table.holding(address) {
            let outside = address.saturating_add(bytes).saturating_sub(first.end());
            return format!("whose last {outside} bytes lie behind the end of an allocation of {} bytes", first.bytes);
        }
        let before = table.live.range(..=address).next_back().map(|(_, entry)| entry.allocation);
        let after = table.live.range(address..).next().map(|(_, entry)| entry.allocation);
        let behind = before.map(|before| (address - before.end().min(address), before));
        let ahead = after.map(|after| (after.start - address, after));
        let nearest = [behind, ahead].into_iter().flatten().map(|(distance, _)| distance).min();
        if nearest.is_none_or(|distance| distance > NEAR) && is_mapped(address) {
            return "in memory of the host that the device does not know".to_owned();
        }
        match (behind, ahead) {
            (Some((distance, near)), other) if other.is_none_or(|(ahead, _)| ahead >= distance) => {
                format!("{distance} bytes behind the end of an allocation of {} bytes", near.bytes)
            }
            (_, Some((distance, near))) => format!("{distance} bytes before an allocation of {} bytes", near.bytes),
            _ => "where nothing is allocated".to_owned(),
        }
    }
}
