//! Rules about device code that hold for any width of a wave.

mod emulated_intrinsic;
mod foreign_attribute;
mod helpers;
mod host_call_in_kernel;
mod host_only_language;
mod kernel_signature;
mod managed_memory;
mod missing_images;
mod texture_reference;
mod unreliable_clock;
mod whole_coordinate;

pub(super) use emulated_intrinsic::{EmulatedIntrinsic, emulated};
pub(super) use foreign_attribute::ForeignAttribute;
pub(super) use helpers::{reports, with_blanks};
pub(super) use host_call_in_kernel::HostCallInKernel;
pub(super) use host_only_language::HostOnlyLanguage;
pub(super) use kernel_signature::KernelSignature;
pub(super) use managed_memory::ManagedMemory;
pub(super) use missing_images::MissingImages;
pub(super) use texture_reference::TextureReference;
pub(super) use unreliable_clock::UnreliableClock;
pub(super) use whole_coordinate::WholeCoordinate;
