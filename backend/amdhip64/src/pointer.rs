//! What a program can ask about a pointer.

use std::ffi::{c_int, c_uint};

use hipshift_emulator::memory::Kind;

use crate::abi::{Address, Out};
use crate::allocation::find;
use crate::call::api;
use crate::error::Error;
use crate::release::is_before_6;
use crate::runtime::gpu;

/// `hipPointerAttribute_t`.
#[repr(C)]
struct PointerAttributes {
    kind: c_uint,
    device: c_int,
    device_pointer: Address,
    host_pointer: Address,
    is_managed: c_int,
    flags: c_uint,
}

/// `hipMemoryType` of memory: 1 host, 2 device, 3 managed; before ROCm 6.0 it was 0, 1 and 4.
fn memory_type(kind: Kind) -> c_uint {
    let (new, old) = match kind {
        Kind::Host => (1, 0),
        Kind::Managed => (3, 4),
        Kind::Device | Kind::Heap | Kind::Module | Kind::Runtime => (2, 1),
    };
    if is_before_6() { old } else { new }
}

api! {
    /// Memory that no call of HIP made is of type 0, "unregistered", from ROCm 6.0 on, and an error before.
    "hip_4.2" fn hipPointerGetAttributes(attributes: Out<PointerAttributes>, pointer: Address) {
        let Some(allocation) = gpu().device.memory().find(pointer.get()) else {
            if is_before_6() {
                return Err(Error::InvalidValue);
            }
            return attributes.set(PointerAttributes {
                kind: 0,
                device: -2,
                device_pointer: Address::NULL,
                host_pointer: Address::NULL,
                is_managed: 0,
                flags: 0,
            });
        };
        let on_host = matches!(allocation.kind, Kind::Host | Kind::Managed);
        attributes.set(PointerAttributes {
            kind: memory_type(allocation.kind),
            device: 0,
            device_pointer: pointer,
            host_pointer: if on_host { pointer } else { Address::NULL },
            is_managed: c_int::from(allocation.kind == Kind::Managed),
            flags: 0,
        })
    }

    /// The attributes that programs use: memory type (2), device and host pointer (3, 4), whether it is
    /// managed (8), ordinal of the device (9), start and size of the allocation (11, 12).
    "hip_5.0" fn hipPointerGetAttribute(value: Address, attribute: c_uint, pointer: Address) {
        let allocation = find(pointer)?;
        match attribute {
            2 => Out::at(value).set(memory_type(allocation.kind)),
            3 | 4 => Out::at(value).set(pointer),
            8 => Out::at(value).set(allocation.kind == Kind::Managed),
            9 => Out::<c_int>::at(value).set(0),
            11 => Out::at(value).set(Address::new(allocation.start)),
            12 => Out::at(value).set(allocation.bytes),
            _ => Err(Error::InvalidValue),
        }
    }
}
