//! Arguments for a kernel of which nothing is known but its metadata.

use hipshift_emulator::memory::{Kind, Memory};
use hipshift_emulator::object::{ArgumentKind, Kernel};

/// Bytes of the memory that each pointer gets, all zero.
pub(in super::super) const BUFFER: u64 = 1 << 20;

/// What integers of 4 and 8 bytes are, in the order of the attempts: enough for all threads of a block, as many as a warp
/// has, and as small as can be.
pub(in super::super) const INTEGERS: [u64; 3] = [256, 32, 1];

/// Arguments of one launch, and the memory that they point to, which is given back with them.
pub(super) struct Arguments<'m> {
    memory: &'m Memory,
    buffers: Vec<u64>,
    /// The explicit arguments, laid out as the kernel reads them.
    pub(super) bytes: Vec<u8>,
}

impl<'m> Arguments<'m> {
    /// Makes them; an error says which argument cannot be made.
    pub(super) fn new(kernel: &Kernel, memory: &'m Memory, integer: u64) -> Result<Arguments<'m>, String> {
        let explicit = kernel.args.iter().filter(|argument| argument.is_explicit());
        let mut arguments = Arguments { memory, buffers: Vec::new(), bytes: vec![0; kernel.kernarg_size as usize] };
        for argument in explicit {
            let size = argument.size as usize;
            let value = match &argument.kind {
                ArgumentKind::GlobalBuffer => arguments.buffer()?,
                ArgumentKind::ByValue => by_value(size, integer),
                ArgumentKind::Hidden(kind) | ArgumentKind::Other(kind) => {
                    return Err(format!("an argument of the kind `{kind}`"));
                }
            };
            let place = arguments.bytes.get_mut(argument.offset as usize..argument.offset as usize + size);
            let place = place.ok_or_else(|| "an argument behind the end of the arguments".to_owned())?;
            for (byte, value) in place.iter_mut().zip(value.to_le_bytes()) {
                *byte = value;
            }
        }
        Ok(arguments)
    }

    fn buffer(&mut self) -> Result<u64, String> {
        let address = self.memory.allocate(BUFFER, 4096, Kind::Device).map_err(|error| error.to_string())?;
        self.buffers.push(address);
        Ok(address)
    }
}

impl Drop for Arguments<'_> {
    fn drop(&mut self) {
        for address in &self.buffers {
            // Each came from `allocate` and is freed here only.
            let _ = self.memory.free(*address);
        }
    }
}

/// The value of an argument of so many bytes. Structures are zero: they may hold pointers, which are tested for null.
fn by_value(size: usize, integer: u64) -> u64 {
    match size {
        1 | 2 => 1,
        4 | 8 => integer,
        _ => 0,
    }
}

/// Threads of a block: what the launch bounds say, or 256; in rows of 32, a warp of CUDA, where the kernel asks for more
/// than one coordinate.
pub(super) fn block(kernel: &Kernel) -> [u32; 3] {
    /// What a kernel without launch bounds may be launched with.
    const UNBOUNDED: u32 = 1024;
    let most = kernel.max_workgroup_size;
    let threads = if (1..UNBOUNDED).contains(&most) { most } else { 256 };
    // Bits 11 and 12 of the second resource word: how many coordinates of the thread are given, less one.
    let has_rows = kernel.descriptor.rsrc2 >> 11 & 3 != 0;
    if has_rows && threads.is_multiple_of(32) { [32, threads / 32, 1] } else { [threads, 1, 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_small_and_structures_zero() {
        assert_eq!([1, 2, 4, 8, 12, 64].map(|size| by_value(size, 32)), [1, 1, 32, 32, 0, 0]);
    }
}
