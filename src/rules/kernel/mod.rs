//! Rules about device code that hold for any width of a wave.

mod contracted_arithmetic;
mod coordinate_on_host;
mod device_only_function;
mod emulated_intrinsic;
mod foreign_attribute;
mod helpers;
mod host_call_in_kernel;
mod host_only_language;
mod kernel_signature;
mod managed_memory;
mod missing_images;
mod spin_lock;
mod texture_reference;
mod unreliable_clock;
mod unsigned_bit_count;
mod whole_coordinate;
mod wrong_side_call;

pub(super) use contracted_arithmetic::ContractedArithmetic;
pub(super) use coordinate_on_host::CoordinateOnHost;
pub(super) use device_only_function::DeviceOnlyFunction;
pub(super) use emulated_intrinsic::{EmulatedIntrinsic, emulated};
pub(super) use foreign_attribute::ForeignAttribute;
pub(super) use helpers::reports;
pub(super) use host_call_in_kernel::HostCallInKernel;
pub(super) use host_only_language::HostOnlyLanguage;
pub(super) use kernel_signature::KernelSignature;
pub(super) use managed_memory::ManagedMemory;
pub(super) use missing_images::MissingImages;
pub(super) use spin_lock::SpinLock;
pub(super) use texture_reference::TextureReference;
pub(super) use unreliable_clock::UnreliableClock;
pub(super) use unsigned_bit_count::UnsignedBitCount;
pub(super) use whole_coordinate::WholeCoordinate;
pub(super) use wrong_side_call::WrongSideCall;
