//! What a running kernel asks of its host.

use crate::fault::Fault;

/// Where the text of a kernel goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output: `printf`.
    Output,
    /// Standard error: failed assertions.
    Error,
}

/// What a host does for kernels. Calls come from several threads, one at a time for each launch.
pub trait HostServices: Send + Sync {
    /// Text that a kernel printed, complete as `printf` made it.
    fn print(&self, stream: Stream, text: &[u8]);

    /// What a check found in a kernel that goes on; once for each kind and instruction of a kernel. `is_of_library` if the
    /// kernel is one of a library for GPUs of AMD alone ([`Module::treat_as_library`](crate::Module::treat_as_library)).
    fn report(&self, finding: &Fault, is_of_library: bool);
}

/// A host that drops what kernels print.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl HostServices for Silent {
    fn print(&self, _: Stream, _: &[u8]) {}

    fn report(&self, _: &Fault, _: bool) {}
}
