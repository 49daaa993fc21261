//! `hipDeviceProp_t`: what the emulated GPU says of itself.
//!
//! Source: the layout of HIP 7.2's `hip/hip_runtime_api.h` (1472 bytes; unchanged since HIP 6.0).

mod r0000;
mod textures;

use std::ffi::{c_int, c_uint};

use hipshift_emulator::Target;

use crate::abi::{Address, In, Out};
use crate::allocation::TOTAL;
use crate::call::api;
use crate::error::Error;
use crate::runtime::{check, gpu};

/// A number that tells the emulated GPU from others: the bytes of a name.
pub(crate) const UUID: [u8; 16] = *b"hipshift-gpu-000";

/// Clock of the emulated GPU in kHz. Times are those of the emulation; programs that divide by it get numbers.
const CLOCK_KHZ: c_int = 1_700_000;
/// Clock of its memory in kHz.
const MEMORY_CLOCK_KHZ: c_int = 1_600_000;
/// Frequency of the counter that `wall_clock64` reads, in kHz.
const COUNTER_KHZ: c_int = 100_000;
/// Width of the path to memory.
const MEMORY_BUS_BITS: c_int = 4096;
/// Size of the second cache.
const L2_BYTES: c_int = 8 << 20;
/// How much longer arithmetic in double precision takes than in single.
const DOUBLE_RATIO: c_int = 2;
/// Largest grid in blocks for x; the other two hold 16 bits.
const GRID: [c_int; 3] = [c_int::MAX, 65_536, 65_536];
/// The largest 32-bit size, where programs ask for a limit that does not exist here.
const NO_LIMIT: c_int = c_int::MAX;

/// The name of the device, which says that it is emulated.
pub(crate) fn device_name(target: &Target) -> String {
    format!("hipshift emulator ({})", target.processor.name)
}

/// Major and minor number of the instruction set: 9 and 0 for gfx90a, 11 and 0 for gfx1100.
pub(crate) fn compute_capability(target: &Target) -> (c_int, c_int) {
    let digits = target.processor.name.trim_start_matches("gfx");
    let (major, rest) = digits.split_at(digits.len().saturating_sub(2));
    let minor = rest.get(..1).and_then(|digit| c_int::from_str_radix(digit, 16).ok());
    (major.parse().unwrap_or(0), minor.unwrap_or(0))
}

/// Sizes that come up in properties and in attributes.
pub(crate) struct Sizes {
    pub(crate) wave: c_int,
    pub(crate) compute_units: c_int,
    /// Threads that a compute unit holds.
    pub(crate) threads: c_int,
    pub(crate) lds: c_int,
    /// Vector registers of 32 bits of a compute unit.
    pub(crate) registers: c_int,
    pub(crate) block: c_int,
}

impl Sizes {
    pub(crate) fn of(target: &Target) -> Sizes {
        let processor = target.processor;
        let waves = processor.simds * processor.waves_per_simd;
        Sizes {
            wave: int(processor.wave_size),
            compute_units: int(processor.compute_units),
            threads: int(waves * processor.wave_size),
            lds: int(processor.lds_bytes),
            registers: int(processor.vgprs_per_simd * processor.simds * processor.wave_size),
            block: int(processor.max_block),
        }
    }
}

/// A small number as C's `int`.
fn int(number: u32) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

/// `hipDeviceProp_t`. Members that mean nothing for an emulated GPU are 0: buses, sharing between processes.
#[repr(C)]
struct Properties {
    name: [u8; 256],
    uuid: [u8; 16],
    luid: [u8; 8],
    luid_mask: c_uint,
    total_memory: usize,
    lds_per_block: usize,
    registers_per_block: c_int,
    warp_size: c_int,
    memory_pitch: usize,
    threads_per_block: c_int,
    block: [c_int; 3],
    grid: [c_int; 3],
    clock_khz: c_int,
    constant_memory: usize,
    major: c_int,
    minor: c_int,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    device_overlap: c_int,
    compute_units: c_int,
    kernel_timeout: c_int,
    integrated: c_int,
    can_map_host_memory: c_int,
    compute_mode: c_int,
    textures: [c_int; textures::MEMBERS],
    surface_alignment: usize,
    concurrent_kernels: c_int,
    ecc: c_int,
    pci: [c_int; 3],
    tcc_driver: c_int,
    async_engines: c_int,
    unified_addressing: c_int,
    memory_clock_khz: c_int,
    memory_bus_bits: c_int,
    l2_bytes: c_int,
    persisting_l2_bytes: c_int,
    threads_per_compute_unit: c_int,
    stream_priorities: c_int,
    l1_global: c_int,
    l1_local: c_int,
    lds_per_compute_unit: usize,
    registers_per_compute_unit: c_int,
    managed_memory: c_int,
    multi_gpu_board: [c_int; 2],
    host_atomics: c_int,
    double_ratio: c_int,
    pageable_access: c_int,
    concurrent_managed_access: c_int,
    preemption: c_int,
    host_pointer_for_registered: c_int,
    cooperative_launch: c_int,
    cooperative_multi_device: c_int,
    lds_opt_in: usize,
    host_page_tables: c_int,
    direct_managed_access: c_int,
    blocks_per_compute_unit: c_int,
    access_window: c_int,
    reserved_lds: usize,
    host_register: c_int,
    sparse_arrays: c_int,
    host_register_read_only: c_int,
    timeline_semaphores: c_int,
    memory_pools: c_int,
    rdma: [c_int; 3],
    pool_handles: c_uint,
    deferred_arrays: c_int,
    ipc_events: c_int,
    cluster_launch: c_int,
    unified_function_pointers: c_int,
    reserved: [c_int; 63],
    hip_reserved: [c_int; 32],
    arch: [u8; 256],
    lds_per_multiprocessor: usize,
    instruction_clock_khz: c_int,
    features: c_uint,
    flush_control: [Address; 2],
    cooperative_unmatched: [c_int; 4],
    large_bar: c_int,
    revision: c_int,
}

/// `hipDeviceArch_t`: all features but functions for surfaces (bit 14) and launches from kernels (bit 16).
const FEATURES: c_uint = 0x1_ffff & !(1 << 14) & !(1 << 16);

/// A text as a field of 256 bytes.
fn field(text: &str) -> [u8; 256] {
    let mut field = [0; 256];
    let length = text.len().min(255);
    field[..length].copy_from_slice(&text.as_bytes()[..length]);
    field
}

#[expect(clippy::too_many_lines, reason = "one line for each member")]
fn properties(target: &Target) -> Properties {
    let sizes = Sizes::of(target);
    let (major, minor) = compute_capability(target);
    let lds = target.processor.lds_bytes as usize;
    Properties {
        name: field(&device_name(target)),
        uuid: UUID,
        luid: [0; 8],
        luid_mask: 0,
        total_memory: TOTAL,
        lds_per_block: lds,
        registers_per_block: sizes.registers,
        warp_size: sizes.wave,
        memory_pitch: NO_LIMIT.cast_unsigned() as usize,
        threads_per_block: sizes.block,
        block: [sizes.block; 3],
        grid: GRID,
        clock_khz: CLOCK_KHZ,
        constant_memory: NO_LIMIT.cast_unsigned() as usize,
        major,
        minor,
        texture_alignment: 256,
        texture_pitch_alignment: 256,
        device_overlap: 1,
        compute_units: sizes.compute_units,
        kernel_timeout: 0,
        integrated: 0,
        can_map_host_memory: 1,
        compute_mode: 0,
        textures: textures::limits(target),
        surface_alignment: 256,
        concurrent_kernels: 1,
        ecc: 0,
        pci: [0; 3],
        tcc_driver: 0,
        async_engines: 1,
        unified_addressing: 1,
        memory_clock_khz: MEMORY_CLOCK_KHZ,
        memory_bus_bits: MEMORY_BUS_BITS,
        l2_bytes: L2_BYTES,
        persisting_l2_bytes: 0,
        threads_per_compute_unit: sizes.threads,
        stream_priorities: 1,
        l1_global: 1,
        l1_local: 1,
        lds_per_compute_unit: lds,
        registers_per_compute_unit: sizes.registers,
        managed_memory: 1,
        multi_gpu_board: [0; 2],
        host_atomics: 1,
        double_ratio: DOUBLE_RATIO,
        pageable_access: 0,
        concurrent_managed_access: 1,
        preemption: 0,
        host_pointer_for_registered: 1,
        cooperative_launch: 1,
        cooperative_multi_device: 0,
        lds_opt_in: lds,
        host_page_tables: 0,
        direct_managed_access: 1,
        blocks_per_compute_unit: sizes.threads / sizes.wave,
        access_window: 0,
        reserved_lds: 0,
        host_register: 1,
        sparse_arrays: 0,
        host_register_read_only: 0,
        timeline_semaphores: 0,
        memory_pools: 1,
        rdma: [0; 3],
        pool_handles: 0,
        deferred_arrays: 0,
        ipc_events: 0,
        cluster_launch: 0,
        unified_function_pointers: 0,
        reserved: [0; 63],
        hip_reserved: [0; 32],
        arch: field(&target.to_string()),
        lds_per_multiprocessor: lds,
        instruction_clock_khz: COUNTER_KHZ,
        features: FEATURES,
        flush_control: [Address::NULL; 2],
        cooperative_unmatched: [0; 4],
        large_bar: 0,
        revision: 0,
    }
}

/// The value of a `hipDeviceAttribute_t`, by the number that HIP 6.0 and later give it.
fn attribute(target: &Target, number: c_uint) -> Option<c_int> {
    let sizes = Sizes::of(target);
    let (major, minor) = compute_capability(target);
    let value = match number {
        // What the emulated GPU can do.
        2 | 3 | 4 | 8 | 9 | 10 | 12 | 13 | 14 | 15 | 20 | 24 | 78 | 85 | 88 | 90 | 10013 | 10016 | 10018 => 1,
        32..=54 => return textures::attribute(target, number),
        // What it cannot do or does not have.
        0 | 1 | 6 | 7 | 11 | 16..=18 | 21 | 22 | 62 | 65..=70 | 73 | 80 | 89 | 91 | 10007..=10012 | 10014 => 0,
        5 => CLOCK_KHZ,
        19 => L2_BYTES,
        23 => major,
        61 => minor,
        25 => sizes.threads / sizes.wave,
        26..=28 | 55 | 56 => sizes.block,
        29 => GRID[0],
        30 => GRID[1],
        31 => GRID[2],
        57 => sizes.threads,
        58 | 83 => NO_LIMIT,
        59 => MEMORY_BUS_BITS,
        60 => MEMORY_CLOCK_KHZ,
        63 | 10015 => sizes.compute_units,
        71 | 72 => sizes.registers,
        74..=76 | 10002 => sizes.lds,
        77 => DOUBLE_RATIO,
        79 | 81 | 82 | 10019 => 256,
        84 => c_int::try_from(TOTAL).unwrap_or(NO_LIMIT),
        87 => sizes.wave,
        10000 | 10017 => COUNTER_KHZ,
        _ => return None,
    };
    Some(value)
}

api! {
    "hip_6.0" fn hipGetDevicePropertiesR0600(out: Out<Properties>, device: c_int) {
        out.check()?;
        check(device)?;
        out.set(properties(gpu().device.target()))
    }

    "hip_4.2" fn hipDeviceGetAttribute(value: Out<c_int>, number: c_uint, device: c_int) {
        value.check()?;
        check(device)?;
        value.set(attribute(gpu().device.target(), number).ok_or(Error::InvalidValue)?)
    }

    /// There is one device to choose.
    "hip_6.0" fn hipChooseDeviceR0600 also "hip_4.2" hipChooseDevice(device: Out<c_int>, wanted: In<u8>) {
        wanted.get()?;
        device.set(0)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn the_layout_is_that_of_hip() {
        assert_eq!(size_of::<Properties>(), 1472);
        assert_eq!(offset_of!(Properties, total_memory), 288);
        assert_eq!(offset_of!(Properties, warp_size), 308);
        assert_eq!(offset_of!(Properties, grid), 336);
        assert_eq!(offset_of!(Properties, compute_units), 388);
        assert_eq!(offset_of!(Properties, concurrent_kernels), 576);
        assert_eq!(offset_of!(Properties, l2_bytes), 616);
        assert_eq!(offset_of!(Properties, threads_per_compute_unit), 624);
        assert_eq!(offset_of!(Properties, managed_memory), 652);
        assert_eq!(offset_of!(Properties, cooperative_launch), 688);
        assert_eq!(offset_of!(Properties, arch), 1160);
    }

    #[test]
    fn targets_have_the_numbers_of_their_names() {
        assert_eq!(compute_capability(&Target::GFX90A), (9, 0));
        assert_eq!(compute_capability(&Target::GFX1100), (11, 0));
        for (name, numbers) in [("gfx942", (9, 4)), ("gfx950", (9, 5)), ("gfx1030", (10, 3)), ("gfx1201", (12, 0))] {
            assert_eq!(Target::parse(name).map(|target| compute_capability(&target)), Ok(numbers));
        }
        assert_eq!(attribute(&Target::GFX90A, 87), Some(64));
        assert_eq!(attribute(&Target::GFX1100, 87), Some(32));
        assert_eq!(attribute(&Target::GFX90A, 64), None);
    }
}
