//! Calls of the host by kernels: printing, memory. Packets lie in memory that both sides see.

use std::collections::HashMap;

use super::printf::{self, Words};
use super::scratch::Scratch;
use crate::fault::{FaultKind, LaunchError};
use crate::memory::{Kind, Memory, access};
use crate::services::{HostServices, Stream};

const HEADER: u64 = 24;
const PAYLOAD: u64 = 64 * 64;

/// Bytes of the pieces that device code takes for its heap, and keeps. What is larger than a piece can hold it asks for as it is.
const HEAP_PIECE: u64 = 2 << 20;

/// Numbers of services.
const PRINT: u32 = 2;
const ALLOCATE: u32 = 3;

/// The buffer, and messages that are not complete.
pub(crate) struct Hostcall {
    buffer: u64,
    headers: u64,
    payloads: u64,
    /// Number of packets minus one.
    mask: u64,
    messages: HashMap<u64, Vec<u64>>,
    next_message: u64,
    failed_assertion: bool,
}

impl Hostcall {
    /// A buffer with a packet for every wave.
    pub(crate) fn new(waves: u64, scratch: &mut Scratch) -> Result<Hostcall, LaunchError> {
        let packets = waves.max(2).next_power_of_two();
        let buffer = scratch.take(128)?;
        let headers = scratch.take(packets * HEADER)?;
        let payloads = scratch.take(packets * PAYLOAD)?;
        let mask = packets - 1;
        // The free packets are a list; numbers carry a tag, so that none is zero.
        for packet in 0..packets {
            let next = if packet == mask { 0 } else { packets | (packet + 1) };
            access::store_u64(headers + packet * HEADER, next);
        }
        access::store_u64(buffer, headers);
        access::store_u64(buffer + 8, payloads);
        let signal = buffer + 64;
        access::store_u64(buffer + 16, signal);
        access::store_u64(buffer + 24, packets);
        access::store_u64(buffer + 40, mask);
        // A mailbox makes kernels send a message for each packet.
        access::store_u64(signal + 16, buffer + 56);
        let messages = HashMap::new();
        Ok(Hostcall { buffer, headers, payloads, mask, messages, next_message: 1, failed_assertion: false })
    }

    pub(crate) fn address(&self) -> u64 {
        self.buffer
    }

    pub(crate) fn has_failed_assertion(&self) -> bool {
        self.failed_assertion
    }

    /// Answers all packets that are ready.
    pub(crate) fn serve(&mut self, memory: &Memory, services: &dyn HostServices) -> Result<(), FaultKind> {
        let mut next = access::update_u64(self.buffer + 32, |_| 0);
        let mut packets = Vec::new();
        // The list is last come first; answers are given in the order of asking.
        while next != 0 && packets.len() as u64 <= self.mask {
            let packet = next & self.mask;
            packets.push(packet);
            next = access::load_u64(self.headers + packet * HEADER);
        }
        for packet in packets.into_iter().rev() {
            self.answer(packet, memory, services)?;
        }
        Ok(())
    }

    fn answer(&mut self, packet: u64, memory: &Memory, services: &dyn HostServices) -> Result<(), FaultKind> {
        let header = self.headers + packet * HEADER;
        let (lanes, service) = (access::load_u64(header + 8), access::load_u32(header + 16));
        for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
            let words = self.payloads + packet * PAYLOAD + lane * 64;
            match service {
                PRINT => self.print(words, services)?,
                ALLOCATE => allocate(words, memory)?,
                other => return Err(FaultKind::Service(format!("service {other} was asked of the host"))),
            }
        }
        access::update_u32(header + 20, |control| control & !1);
        Ok(())
    }

    /// A part of a message: its first word tells where it belongs and how much there is.
    fn print(&mut self, place: u64, services: &dyn HostServices) -> Result<(), FaultKind> {
        let descriptor = access::load_u64(place);
        let (begins, ends, count) = (descriptor & 1 != 0, descriptor & 2 != 0, descriptor >> 5 & 7);
        let id = if begins { self.next_message } else { descriptor >> 8 };
        if begins {
            self.next_message += 1;
            self.messages.insert(id, Vec::new());
        }
        let unknown = || FaultKind::Service(format!("a part of message {id} that never began"));
        let message = self.messages.get_mut(&id).ok_or_else(unknown)?;
        message.extend((1..=count).map(|word| access::load_u64(place + 8 * word)));
        access::store_u64(place, descriptor & 0xff & !1 | id << 8);
        if ends && let Some(message) = self.messages.remove(&id) {
            let (control, rest) = message.split_first().ok_or_else(unknown)?;
            let stream = if *control == 0 { Stream::Output } else { Stream::Error };
            let mut words = Words::new(rest);
            let format = words.string().unwrap_or_default();
            self.failed_assertion |= stream == Stream::Error && contains(&format, b"Device-side assertion");
            let text = printf::printf(&format, &mut words);
            services.print(stream, &text);
            // What `printf` gives is taken from the place of the descriptor: the number of characters, as in C.
            access::store_u64(place, text.len() as u64);
        }
        Ok(())
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Gives or takes memory: address and bytes come, an address goes.
fn allocate(words: u64, memory: &Memory) -> Result<(), FaultKind> {
    let (address, bytes) = (access::load_u64(words), access::load_u64(words + 8));
    if address == 0 {
        // Device code tells large pieces by their alignment.
        let (align, kind) = if bytes == HEAP_PIECE { (HEAP_PIECE, Kind::Heap) } else { (4096, Kind::Device) };
        let given = memory.allocate(bytes.max(1), align, kind).unwrap_or(0);
        access::store_u64(words, given);
        return Ok(());
    }
    memory.free(address).map_err(|error| FaultKind::Service(format!("`free` on the device: {error}")))
}

/// The buffer of buffered `printf`.
pub(crate) struct PrintBuffer {
    pub(crate) address: u64,
    /// How much it holds, behind two words. The kernel can write over the words that say so.
    pub(crate) bytes: u32,
}

impl PrintBuffer {
    /// Prints all records.
    pub(crate) fn print(&self, memory: &Memory, formats: &HashMap<u64, Vec<u8>>, services: &dyn HostServices) {
        let used = u64::from(access::load_u32(self.address).min(self.bytes));
        let end = self.address + 8 + used;
        let mut at = self.address + 8;
        debug_assert!(memory.find(self.address).is_some(), "the buffer lives as long as the launch");
        while at + 4 <= end {
            let control = access::load_u32(at);
            let size = u64::from(control >> 2);
            if size < 4 || at + size > end {
                return;
            }
            let mut record = vec![0; size as usize - 4];
            access::read_bytes(at + 4, &mut record);
            let words: Vec<u64> = record.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let stream = if control & 1 != 0 { Stream::Error } else { Stream::Output };
            let (format, mut rest) = if control & 2 != 0 {
                let (hash, rest) = words.split_first().map_or((0, &[][..]), |(hash, rest)| (*hash, rest));
                (formats.get(&hash).cloned().unwrap_or_default(), Words::new(rest))
            } else {
                let mut words = Words::new(&words);
                (words.string().unwrap_or_default(), words)
            };
            services.print(stream, &printf::printf(&format, &mut rest));
            at += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::fault::Fault;

    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl HostServices for Counting {
        fn print(&self, _: Stream, _: &[u8]) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn report(&self, _: &Fault, _: bool) {}
    }

    #[test]
    fn a_kernel_that_writes_over_the_size_of_the_buffer_has_nothing_read_behind_it() {
        let memory = Memory::new();
        let address = memory.allocate(4096, 8, Kind::Device).unwrap();
        let buffer = PrintBuffer { address, bytes: 16 };
        // All that is there, as it claims, and a record that ends behind what is really there.
        access::store_u32(address, u32::MAX);
        access::store_u32(address + 4, u32::MAX);
        access::store_u32(address + 8, 20 << 2 | 2);
        let printed = Counting::default();
        buffer.print(&memory, &HashMap::new(), &printed);
        assert_eq!(printed.0.load(Ordering::Relaxed), 0);
        // One that ends within.
        access::store_u32(address + 8, 12 << 2 | 2);
        buffer.print(&memory, &HashMap::new(), &printed);
        assert_eq!(printed.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn printing_gives_the_number_of_characters() {
        let memory = Memory::new();
        let place = memory.allocate(64, 8, Kind::Device).unwrap();
        let mut hostcall = Hostcall {
            buffer: 0,
            headers: 0,
            payloads: 0,
            mask: 1,
            messages: HashMap::new(),
            next_message: 1,
            failed_assertion: false,
        };
        let words = [3 | 3 << 5, 0, u64::from_le_bytes(*b"a %d b\0\0"), 12];
        for (number, word) in words.into_iter().enumerate() {
            access::store_u64(place + 8 * number as u64, word);
        }
        hostcall.print(place, &Counting::default()).unwrap();
        assert_eq!(access::load_u64(place), "a 12 b".len() as u64);
    }
}
