//! `hipDeviceProp_t` as programs for ROCm 5 and older know it.
//!
//! Source: the layout of HIP 5.7's `hip/hip_runtime_api.h` (792 bytes).

use std::ffi::{c_int, c_uint};

use super::properties;
use crate::abi::{Address, Out};
use crate::call::api;
use crate::runtime::{check, gpu};

/// `hipDeviceProp_t`. Members that mean nothing for an emulated GPU are 0: buses, several devices.
#[repr(C)]
struct Properties {
    name: [u8; 256],
    total_memory: usize,
    lds_per_block: usize,
    registers_per_block: c_int,
    warp_size: c_int,
    threads_per_block: c_int,
    block: [c_int; 3],
    grid: [c_int; 3],
    clock_khz: c_int,
    memory_clock_khz: c_int,
    memory_bus_bits: c_int,
    constant_memory: usize,
    major: c_int,
    minor: c_int,
    compute_units: c_int,
    l2_bytes: c_int,
    threads_per_compute_unit: c_int,
    compute_mode: c_int,
    instruction_clock_khz: c_int,
    features: c_uint,
    concurrent_kernels: c_int,
    pci: [c_int; 3],
    lds_per_multiprocessor: usize,
    multi_gpu_board: c_int,
    can_map_host_memory: c_int,
    gcn_arch: c_int,
    arch: [u8; 256],
    integrated: c_int,
    cooperative_launch: c_int,
    cooperative_multi_device: c_int,
    textures: [c_int; 7],
    flush_control: [Address; 2],
    memory_pitch: usize,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    kernel_timeout: c_int,
    ecc: c_int,
    tcc_driver: c_int,
    cooperative_unmatched: [c_int; 4],
    large_bar: c_int,
    revision: c_int,
    managed_memory: c_int,
    direct_managed_access: c_int,
    concurrent_managed_access: c_int,
    pageable_access: c_int,
    host_page_tables: c_int,
}

impl From<super::Properties> for Properties {
    fn from(new: super::Properties) -> Properties {
        Properties {
            name: new.name,
            total_memory: new.total_memory,
            lds_per_block: new.lds_per_block,
            registers_per_block: new.registers_per_block,
            warp_size: new.warp_size,
            threads_per_block: new.threads_per_block,
            block: new.block,
            grid: new.grid,
            clock_khz: new.clock_khz,
            memory_clock_khz: new.memory_clock_khz,
            memory_bus_bits: new.memory_bus_bits,
            constant_memory: new.constant_memory,
            major: new.major,
            minor: new.minor,
            compute_units: new.compute_units,
            l2_bytes: new.l2_bytes,
            threads_per_compute_unit: new.threads_per_compute_unit,
            compute_mode: 0,
            instruction_clock_khz: new.instruction_clock_khz,
            features: new.features,
            concurrent_kernels: new.concurrent_kernels,
            pci: [0; 3],
            lds_per_multiprocessor: new.lds_per_multiprocessor,
            multi_gpu_board: 0,
            can_map_host_memory: new.can_map_host_memory,
            gcn_arch: 100 * new.major + 10 * new.minor,
            arch: new.arch,
            integrated: 0,
            cooperative_launch: new.cooperative_launch,
            cooperative_multi_device: 0,
            // 1D of linear memory, 1D, 2D, 3D.
            textures: [2, 0, 3, 4, 12, 13, 14].map(|at| new.textures[at]),
            flush_control: [Address::NULL; 2],
            memory_pitch: new.memory_pitch,
            texture_alignment: new.texture_alignment,
            texture_pitch_alignment: new.texture_pitch_alignment,
            kernel_timeout: 0,
            ecc: 0,
            tcc_driver: 0,
            cooperative_unmatched: [0; 4],
            large_bar: 0,
            revision: 0,
            managed_memory: new.managed_memory,
            direct_managed_access: new.direct_managed_access,
            concurrent_managed_access: new.concurrent_managed_access,
            pageable_access: 0,
            host_page_tables: 0,
        }
    }
}

api! {
    "hip_4.2" fn hipGetDeviceProperties also "hip_6.0" hipGetDevicePropertiesR0000(out: Out<Properties>, device: c_int) {
        out.check()?;
        check(device)?;
        out.set(properties(gpu().device.target()).into())
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn the_layout_is_that_of_hip() {
        assert_eq!(size_of::<Properties>(), 792);
        assert_eq!(offset_of!(Properties, total_memory), 256);
        assert_eq!(offset_of!(Properties, warp_size), 276);
        assert_eq!(offset_of!(Properties, grid), 296);
        assert_eq!(offset_of!(Properties, compute_units), 336);
        assert_eq!(offset_of!(Properties, features), 356);
        assert_eq!(offset_of!(Properties, concurrent_kernels), 360);
        assert_eq!(offset_of!(Properties, lds_per_multiprocessor), 376);
        assert_eq!(offset_of!(Properties, arch), 396);
        assert_eq!(offset_of!(Properties, cooperative_launch), 656);
        assert_eq!(offset_of!(Properties, memory_pitch), 712);
        assert_eq!(offset_of!(Properties, managed_memory), 772);
    }
}
