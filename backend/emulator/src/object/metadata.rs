//! Metadata of kernels: the `MessagePack` note of a code object.

use rmpv::ValueRef;

use super::descriptor::Descriptor;

/// What an argument of a kernel is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Bytes as the caller has them.
    ByValue,
    /// A pointer to global memory.
    GlobalBuffer,
    /// Filled in by the device; the name without `hidden_`.
    Hidden(String),
    /// Another kind, by name.
    Other(String),
}

/// An argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Bytes from the start of the kernel arguments.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// What it is.
    pub kind: ArgumentKind,
}

impl Argument {
    /// Whether the caller gives it.
    pub fn is_explicit(&self) -> bool {
        !matches!(self.kind, ArgumentKind::Hidden(_))
    }
}

/// A kernel and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Mangled name.
    pub name: String,
    /// All arguments, explicit ones first.
    pub args: Vec<Argument>,
    /// Bytes of all arguments.
    pub kernarg_size: u32,
    /// Bytes of LDS without dynamic LDS.
    pub lds_size: u32,
    /// Bytes of private memory of one lane; one frame only if [`Kernel::uses_dynamic_stack`].
    pub private_size: u32,
    /// The kernel recurses or calls through pointers.
    pub uses_dynamic_stack: bool,
    /// Threads of the largest block.
    pub max_workgroup_size: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Scalar registers.
    pub sgprs: u32,
    /// Vector registers, those for accumulation included.
    pub vgprs: u32,
    /// Registers for accumulation.
    pub agprs: u32,
    /// Scalar and vector registers that were spilled to memory.
    pub spills: (u32, u32),
    /// The descriptor.
    pub descriptor: Descriptor,
}

/// The metadata of a code object, before descriptors are looked up.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) target: Option<String>,
    /// Format strings of buffered `printf`.
    pub(super) printf: Vec<String>,
    /// Kernels with the names of their descriptors.
    pub(super) kernels: Vec<(String, KernelNote)>,
}

impl Metadata {
    /// Takes in what another note of the same code object says.
    pub(super) fn extend(&mut self, part: Metadata) {
        self.target = self.target.take().or(part.target);
        self.printf.extend(part.printf);
        self.kernels.extend(part.kernels);
    }
}

/// A kernel's entry in the note.
#[derive(Debug)]
pub(super) struct KernelNote {
    name: String,
    args: Vec<Argument>,
    numbers: [u32; 10],
    uses_dynamic_stack: bool,
}

const NUMBERS: [&str; 10] = [
    ".kernarg_segment_size",
    ".group_segment_fixed_size",
    ".private_segment_fixed_size",
    ".max_flat_workgroup_size",
    ".wavefront_size",
    ".sgpr_count",
    ".vgpr_count",
    ".agpr_count",
    ".sgpr_spill_count",
    ".vgpr_spill_count",
];

impl KernelNote {
    /// The kernel, with its descriptor.
    pub(super) fn into_kernel(self, descriptor: Descriptor) -> Kernel {
        let [kernarg_size, lds_size, private_size, max_workgroup_size, wave_size, sgprs, vgprs, agprs, ..] =
            self.numbers;
        let [.., scalar_spills, vector_spills] = self.numbers;
        Kernel {
            name: self.name,
            args: self.args,
            kernarg_size,
            lds_size,
            private_size,
            uses_dynamic_stack: self.uses_dynamic_stack,
            max_workgroup_size,
            wave_size,
            sgprs,
            vgprs,
            agprs,
            spills: (scalar_spills, vector_spills),
            descriptor,
        }
    }
}

/// Reads the note's content; `None` if it is malformed.
pub(super) fn parse(mut note: &[u8]) -> Option<Metadata> {
    let root = rmpv::decode::read_value_ref(&mut note).ok()?;
    let printf = get(&root, "amdhsa.printf").and_then(array).unwrap_or_default();
    let kernels = get(&root, "amdhsa.kernels").and_then(array).unwrap_or_default();
    Some(Metadata {
        target: get(&root, "amdhsa.target").and_then(text),
        printf: printf.iter().filter_map(text).collect(),
        kernels: kernels.iter().map(kernel).collect::<Option<_>>()?,
    })
}

fn kernel(value: &ValueRef) -> Option<(String, KernelNote)> {
    let number = |key| get(value, key).and_then(number).unwrap_or(0);
    let args = get(value, ".args").and_then(array).unwrap_or_default();
    let note = KernelNote {
        name: get(value, ".name").and_then(text)?,
        args: args.iter().map(argument).collect::<Option<_>>()?,
        numbers: NUMBERS.map(number),
        uses_dynamic_stack: get(value, ".uses_dynamic_stack")
            .is_some_and(|value| matches!(value, ValueRef::Boolean(true))),
    };
    Some((get(value, ".symbol").and_then(text)?, note))
}

fn argument(value: &ValueRef) -> Option<Argument> {
    let kind = get(value, ".value_kind").and_then(text)?;
    Some(Argument {
        offset: get(value, ".offset").and_then(number)?,
        size: get(value, ".size").and_then(number)?,
        kind: match kind.as_str() {
            "by_value" => ArgumentKind::ByValue,
            "global_buffer" => ArgumentKind::GlobalBuffer,
            _ => match kind.strip_prefix("hidden_") {
                Some(hidden) => ArgumentKind::Hidden(hidden.to_owned()),
                None => ArgumentKind::Other(kind),
            },
        },
    })
}

fn get<'v, 'd>(value: &'v ValueRef<'d>, key: &str) -> Option<&'v ValueRef<'d>> {
    let ValueRef::Map(entries) = value else { return None };
    let is_key = |name: &ValueRef| matches!(name, ValueRef::String(name) if name.as_str() == Some(key));
    entries.iter().find(|(name, _)| is_key(name)).map(|(_, value)| value)
}

fn array<'v, 'd>(value: &'v ValueRef<'d>) -> Option<&'v [ValueRef<'d>]> {
    match value {
        ValueRef::Array(values) => Some(values),
        _ => None,
    }
}

fn text(value: &ValueRef) -> Option<String> {
    match value {
        ValueRef::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}

fn number(value: &ValueRef) -> Option<u32> {
    match value {
        ValueRef::Integer(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        _ => None,
    }
}
