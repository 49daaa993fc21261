//! Copies that are described by `hip_Memcpy2D` and `HIP_MEMCPY3D`, the structures of CUDA's driver API.

use std::ffi::c_uint;

use crate::abi::{Address, In};
use crate::array::ARRAYS;
use crate::call::api;
use crate::error::Error;
use crate::operation::Operation;
use crate::region::{Copy, Direction, Extent, Place};
use crate::release::is_before_6;
use crate::stream::submit;

/// One side of `hip_Memcpy2D`. Positions in a row are counted in bytes.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct Side2D {
    x: usize,
    y: usize,
    kind: c_uint,
    host: Address,
    device: Address,
    array: Address,
    pitch: usize,
}

/// `hip_Memcpy2D`.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct Description2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

/// One side of `HIP_MEMCPY3D`.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: c_uint,
    host: Address,
    device: Address,
    array: Address,
    pitch: usize,
    height: usize,
}

/// `HIP_MEMCPY3D`.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct Description3D {
    from: Side3D,
    to: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

/// One side of `HIP_MEMCPY3D` before ROCm 6.0, whose numbers have 32 bits (`hip/driver_types.h` of 5.7).
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct OldSide3D {
    x: c_uint,
    y: c_uint,
    z: c_uint,
    level: c_uint,
    kind: c_uint,
    host: Address,
    device: Address,
    array: Address,
    pitch: c_uint,
    height: c_uint,
}

/// `HIP_MEMCPY3D` before ROCm 6.0.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct OldDescription3D {
    from: OldSide3D,
    to: OldSide3D,
    width: c_uint,
    height: c_uint,
    depth: c_uint,
}

impl From<OldSide3D> for Side3D {
    fn from(old: OldSide3D) -> Side3D {
        let OldSide3D { x, y, z, level, kind, host, device, array, pitch, height } = old;
        let [x, y, z, level, pitch, height] = [x, y, z, level, pitch, height].map(|number| number as usize);
        Side3D { x, y, z, level, kind, host, device, array, pitch, height }
    }
}

impl Description3D {
    /// The one at an address, as the release of the program lays it out.
    fn at(place: Address) -> Result<Description3D, Error> {
        if !is_before_6() {
            return In::<Description3D>::at(place).get();
        }
        let OldDescription3D { from, to, width, height, depth } = In::at(place).get()?;
        let [width, height, depth] = [width, height, depth].map(|number| number as usize);
        Ok(Description3D { from: from.into(), to: to.into(), width, height, depth })
    }
}

/// Who owns one side.
#[derive(Clone, core::marker::Copy, PartialEq, Eq)]
enum Owner {
    Host,
    Device,
    Array,
    /// Whoever the address belongs to.
    Either,
}

/// Reads a `hipMemoryType`, whose numbers changed with ROCm 6.0.
fn owner(kind: c_uint) -> Result<Owner, Error> {
    let [host, device, array, unified, managed] = if is_before_6() { [0, 1, 2, 3, 4] } else { [1, 2, 10, 11, 3] };
    match kind {
        kind if kind == host => Ok(Owner::Host),
        kind if kind == device => Ok(Owner::Device),
        kind if kind == array => Ok(Owner::Array),
        kind if kind == unified || kind == managed => Ok(Owner::Either),
        _ => Err(Error::InvalidValue),
    }
}

impl Side3D {
    /// Where the region lies. Rows without a distance lie side by side.
    fn place(&self, extent: Extent) -> Result<Place, Error> {
        if self.level != 0 {
            return Err(Error::InvalidValue);
        }
        let address = match owner(self.kind)? {
            Owner::Array => return ARRAYS.get(self.array)?.place([self.x, self.y, self.z], extent),
            Owner::Host => self.host,
            Owner::Device | Owner::Either => self.device,
        };
        if address.is_null() {
            return Err(Error::InvalidValue);
        }
        let used = self.x.checked_add(extent.width).ok_or(Error::InvalidValue)?;
        let row = if self.pitch == 0 { used } else { self.pitch };
        if row < used {
            return Err(Error::InvalidPitchValue);
        }
        let rows = if self.height == 0 { extent.height } else { self.height };
        let slice = row.checked_mul(rows).ok_or(Error::InvalidValue)?;
        let offset = self.z.checked_mul(slice).zip(self.y.checked_mul(row));
        let offset = offset.and_then(|(z, y)| z.checked_add(y)?.checked_add(self.x)).ok_or(Error::InvalidValue)?;
        Ok(Place { address: Address::new(address.get().wrapping_add(offset as u64)), row, slice })
    }
}

impl Description3D {
    fn copy(&self) -> Result<Copy, Error> {
        let extent = Extent { width: self.width, height: self.height, depth: self.depth };
        let owners = [owner(self.from.kind)?, owner(self.to.kind)?];
        let direction = if owners.contains(&Owner::Either) {
            Direction::DEFAULT
        } else {
            Direction::between(owners[0] != Owner::Host, owners[1] != Owner::Host)
        };
        Ok(Copy { to: self.to.place(extent)?, from: self.from.place(extent)?, extent, direction })
    }
}

impl Description2D {
    fn copy(&self) -> Result<Copy, Error> {
        let side = |side: Side2D| {
            let Side2D { x, y, kind, host, device, array, pitch } = side;
            Side3D { x, y, z: 0, level: 0, kind, host, device, array, pitch, height: 0 }
        };
        let (from, to) = (side(self.from), side(self.to));
        Description3D { from, to, width: self.width, height: self.height, depth: 1 }.copy()
    }
}

api! {
    "hip_4.2" fn hipMemcpyParam2D(description: In<Description2D>) { description.get()?.copy()?.run_now() }

    "hip_4.2" fn hipMemcpyParam2DAsync(description: In<Description2D>, stream: Address) {
        submit(stream, Operation::Copy(description.get()?.copy()?))
    }

    "hip_4.3" fn hipDrvMemcpy2DUnaligned(description: In<Description2D>) { description.get()?.copy()?.run_now() }

    "hip_4.2" fn hipDrvMemcpy3D(description: Address) { Description3D::at(description)?.copy()?.run_now() }

    "hip_4.2" fn hipDrvMemcpy3DAsync(description: Address, stream: Address) {
        submit(stream, Operation::Copy(Description3D::at(description)?.copy()?))
    }
}
