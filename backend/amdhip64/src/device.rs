//! The one GPU that programs see: choosing it, its limits, and what would be settings on hardware.

use std::ffi::{c_int, c_uint};
use std::sync::Mutex;

use crate::abi::{Address, In, Out, Text};
use crate::allocation::TOTAL;
use crate::call::api;
use crate::error::Error;
use crate::lock::lock;
use crate::properties;
use crate::runtime::{check, gpu};
use crate::schedule::{reset, wait_for_all};

/// The version that the library tells: that of HIP 7.2.4, as its headers have it.
const VERSION: c_int = 70_253_211;
/// Address of the device on its bus.
const BUS_ID: &str = "0000:00:00.0";

/// Copies text into a buffer of `bytes` bytes, cut where it does not fit, always with a NUL.
fn copy_text(text: &str, to: Address, bytes: c_int) -> Result<(), Error> {
    let room = usize::try_from(bytes).ok().filter(|room| *room > 0).ok_or(Error::InvalidValue)?;
    if to.is_null() {
        return Err(Error::InvalidValue);
    }
    let length = text.len().min(room - 1);
    // SAFETY: the caller passes a buffer of the size that it says.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.pointer(), length);
        to.pointer().add(length).write(0);
    }
    Ok(())
}

/// `hipLimit_t`: bytes of stack, of the buffer of `printf`, of the heap.
const LIMITS: usize = 3;

/// The limits as a program sets them; memory for each is taken when it is needed.
static LIMIT: Mutex<[usize; LIMITS]> = Mutex::new([1 << 10, 1 << 20, 128 << 20]);

fn limit(number: c_uint) -> Result<usize, Error> {
    usize::try_from(number).ok().filter(|number| *number < LIMITS).ok_or(Error::UnsupportedLimit)
}

/// Whether two devices can reach each other's memory: there is one only.
fn peers(device: c_int, peer: c_int) -> Result<(), Error> {
    check(device)?;
    check(peer)
}

/// Fails unless a number is that of a `hipGraphMemAttributeType`.
fn graph_memory(attribute: c_uint) -> Result<(), Error> {
    if attribute <= 3 { Ok(()) } else { Err(Error::InvalidValue) }
}

api! {
    "hip_4.2" fn hipInit(flags: c_uint) { if flags == 0 { Ok(()) } else { Err(Error::InvalidValue) } }

    "hip_4.2" fn hipDriverGetVersion(version: Out<c_int>) { version.set(VERSION) }

    "hip_4.2" fn hipRuntimeGetVersion(version: Out<c_int>) { version.set(VERSION) }

    "hip_4.2" fn hipGetDeviceCount(count: Out<c_int>) { count.set(1) }

    "hip_4.2" fn hipGetDevice(device: Out<c_int>) { device.set(0) }

    "hip_4.2" fn hipSetDevice(device: c_int) { check(device) }

    "hip_4.2" fn hipDeviceGet(device: Out<c_int>, ordinal: c_int) {
        check(ordinal)?;
        device.set(0)
    }

    "hip_4.2" fn hipDeviceSynchronize() { wait_for_all() }

    "hip_4.2" fn hipDeviceReset() {
        reset();
        Ok(())
    }

    "hip_4.2" fn hipDeviceGetName(name: Address, bytes: c_int, device: c_int) {
        check(device)?;
        copy_text(&properties::device_name(gpu().device.target()), name, bytes)
    }

    "hip_5.1" fn hipDeviceGetUuid(uuid: Out<[u8; 16]>, device: c_int) {
        check(device)?;
        uuid.set(properties::UUID)
    }

    "hip_4.2" fn hipDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) {
        check(device)?;
        let (high, low) = properties::compute_capability(gpu().device.target());
        major.set(high)?;
        minor.set(low)
    }

    "hip_4.2" fn hipDeviceTotalMem(bytes: Out<usize>, device: c_int) {
        check(device)?;
        bytes.set(TOTAL)
    }

    "hip_4.2" fn hipDeviceGetPCIBusId(text: Address, bytes: c_int, device: c_int) {
        check(device)?;
        copy_text(BUS_ID, text, bytes)
    }

    "hip_4.2" fn hipDeviceGetByPCIBusId(device: Out<c_int>, text: Text) {
        if text.get()? != BUS_ID {
            return Err(Error::InvalidValue);
        }
        device.set(0)
    }

    "hip_4.2" fn hipDeviceGetLimit(bytes: Out<usize>, number: c_uint) { bytes.set(lock(&LIMIT)[limit(number)?]) }

    "hip_5.3" fn hipDeviceSetLimit(number: c_uint, bytes: usize) {
        lock(&LIMIT)[limit(number)?] = bytes;
        Ok(())
    }

    "hip_4.2" fn hipGetDeviceFlags(flags: Out<c_uint>) { flags.set(0) }

    /// How the host waits makes no difference here.
    "hip_4.2" fn hipSetDeviceFlags(flags: c_uint) {
        // Of the ways to wait (1, 2, 4) one at most; memory of the host is mapped (8), scratch memory kept (0x10).
        let is_known = flags & !0x1f == 0 && (flags & 7).count_ones() <= 1;
        if is_known { Ok(()) } else { Err(Error::InvalidValue) }
    }

    "hip_4.2" fn hipDeviceSetCacheConfig(_preference: c_uint) { Ok(()) }

    "hip_4.2" fn hipDeviceGetCacheConfig(preference: Out<c_uint>) { preference.set(0) }

    "hip_4.2" fn hipDeviceSetSharedMemConfig(_banks: c_uint) { Ok(()) }

    "hip_4.2" fn hipDeviceGetSharedMemConfig(banks: Out<c_uint>) { banks.set(0) }

    "hip_4.2" fn hipDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        peers(device, peer)?;
        can.set(0)
    }

    "hip_4.2" fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) {
        if flags != 0 {
            return Err(Error::InvalidValue);
        }
        check(peer)?;
        Err(Error::InvalidDevice)
    }

    "hip_4.2" fn hipDeviceDisablePeerAccess(peer: c_int) {
        check(peer)?;
        Err(Error::PeerAccessNotEnabled)
    }

    "hip_4.2" fn hipDeviceGetP2PAttribute(_value: Out<c_int>, _attribute: c_uint, from: c_int, to: c_int) {
        peers(from, to)?;
        Err(Error::InvalidDevice)
    }

    /// Graphs have no memory of their own: their nodes use what the program allocated.
    "hip_4.5" fn hipDeviceGetGraphMemAttribute(device: c_int, attribute: c_uint, value: Address) {
        check(device)?;
        graph_memory(attribute)?;
        Out::at(value).set(0_u64)
    }

    /// The highest use (1, 3) can be set back to 0, and nothing else.
    "hip_4.5" fn hipDeviceSetGraphMemAttribute(device: c_int, attribute: c_uint, value: Address) {
        check(device)?;
        graph_memory(attribute)?;
        let value = In::<u64>::at(value).get()?;
        if attribute % 2 == 1 && value == 0 { Ok(()) } else { Err(Error::InvalidValue) }
    }

    "hip_4.5" fn hipDeviceGraphMemTrim(device: c_int) { check(device) }

    "hip_4.2" fn hipProfilerStart() { Err(Error::NotSupported) }

    "hip_4.2" fn hipProfilerStop() { Err(Error::NotSupported) }
}
