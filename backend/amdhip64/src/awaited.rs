//! Waiting for values in memory: `hipStreamWaitValue32` and `hipStreamWaitValue64`.

use std::ffi::c_uint;
use std::thread;
use std::time::Duration;

use crate::abi::Address;
use crate::error::Error;
use crate::runtime::gpu;

/// Time between two looks at the value.
const REST: Duration = Duration::from_micros(50);

/// When a value is as wanted (*HIP API*, "Stream Memory Operations").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    AtLeast,
    Equal,
    /// A bit of the value is set.
    And,
    /// A bit is set neither in memory nor in the value.
    Nor,
}

impl Condition {
    fn new(flags: c_uint) -> Result<Condition, Error> {
        match flags {
            0 => Ok(Condition::AtLeast),
            1 => Ok(Condition::Equal),
            2 => Ok(Condition::And),
            3 => Ok(Condition::Nor),
            _ => Err(Error::InvalidValue),
        }
    }

    fn holds(self, found: u64, value: u64, mask: u64) -> bool {
        let found = found & mask;
        match self {
            Condition::AtLeast => found >= value,
            Condition::Equal => found == value,
            Condition::And => found & value != 0,
            Condition::Nor => !(found | value) & mask != 0,
        }
    }
}

/// A value that a stream waits for.
#[derive(Clone, Copy)]
pub(crate) struct Await {
    at: Address,
    value: u64,
    mask: u64,
    /// 4 or 8.
    bytes: usize,
    condition: Condition,
}

impl Await {
    /// A value of 4 or 8 bytes; `value` and the mask for what is found in memory.
    pub(crate) fn new(at: Address, bytes: usize, (value, mask): (u64, u64), flags: c_uint) -> Result<Await, Error> {
        Ok(Await { at, value, mask, bytes, condition: Condition::new(flags)? })
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.at.get().is_multiple_of(self.bytes as u64) {
            return Err(Error::InvalidValue);
        }
        crate::region::check(self.at, self.bytes, true)
    }

    /// Waits until memory is as wanted, or the device is stopped.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        while !self.condition.holds(self.read(), self.value, self.mask) {
            gpu().check()?;
            thread::sleep(REST);
        }
        Ok(())
    }

    fn read(&self) -> u64 {
        if self.bytes == 4 {
            let place: *const u32 = self.at.pointer().cast_const().cast();
            // SAFETY: the place was checked against the allocation that it lies in, and for its alignment.
            u64::from(unsafe { place.read_volatile() })
        } else {
            let place: *const u64 = self.at.pointer().cast_const().cast();
            // SAFETY: as above.
            unsafe { place.read_volatile() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_holds_where_it_is_said_to() {
        let holds = |condition: Condition, found| condition.holds(found, 0b0110, 0b1111);
        let found: [Vec<u64>; 4] =
            [Condition::AtLeast, Condition::Equal, Condition::And, Condition::Nor].map(|condition| {
                [0b0000, 0b0110, 0b1001, 0b1_0001].into_iter().filter(|found| holds(condition, *found)).collect()
            });
        assert_eq!(found, [vec![0b0110, 0b1001], vec![0b0110], vec![0b0110], vec![0, 0b0110, 0b1_0001]]);
        assert_eq!(Condition::new(4), Err(Error::InvalidValue));
    }
}
