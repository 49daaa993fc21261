//! Code objects: ELF files for AMD GPUs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use object::LittleEndian as Le;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, Sym};

use super::descriptor::{self, Descriptor};
use super::metadata::{self, Kernel, Metadata};
use crate::target::Target;

/// Operating system number of the HSA runtime in `e_ident`.
const HSA: u8 = 64;
/// Owner and number of the note with metadata.
const NOTE: (&[u8], u32) = (b"AMDGPU", 32);
/// Relocation: address of the code object plus a number.
const RELATIVE64: u32 = 13;
/// Relocation: address of a symbol plus a number.
const ABS64: u32 = 3;
/// Largest code object in memory, in bytes.
const LARGEST: u64 = 8 << 30;

/// Why bytes are no code object that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// The ELF structures are damaged.
    #[error("damaged ELF file: {0}")]
    Elf(String),
    /// An ELF file for something else.
    #[error("not a code object for AMD GPUs")]
    Foreign,
    /// A version of the format that is not read.
    #[error("code object version {0} is not supported (4, 5 and 6 are)")]
    Version(u8),
    /// The note about kernels is missing or malformed.
    #[error("the metadata of the code object is malformed")]
    Metadata,
    /// A kernel without a descriptor.
    #[error("kernel `{0}` has no descriptor")]
    Descriptor(String),
    /// Segments overlap, lie outside of the file or are too large.
    #[error("the segments of the code object are malformed")]
    Segments,
    /// A relocation that is not known, or outside of the segments.
    #[error("relocation of kind {0} is not supported")]
    Relocation(u32),
}

impl From<object::read::Error> for ObjectError {
    fn from(error: object::read::Error) -> Self {
        ObjectError::Elf(error.to_string())
    }
}

/// A named place of a code object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// Bytes from the start of the code object in memory.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// A function or a descriptor rather than a variable.
    pub is_code: bool,
}

/// A part of the file that is loaded.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// Place in memory, from the start of the code object.
    pub(crate) address: u64,
    /// Bytes in memory; what the file does not give is zero.
    pub(crate) size: u64,
    /// Bytes of the file.
    pub(crate) file: Range<usize>,
    /// Holds instructions.
    pub(crate) is_executable: bool,
}

/// What a relocation writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelocationKind {
    /// Address of the code object plus a number.
    Relative,
    /// Nothing more than a number: the address of what is not defined.
    Absolute,
}

/// Eight bytes that depend on where the code object is loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relocation {
    pub(crate) address: u64,
    pub(crate) kind: RelocationKind,
    pub(crate) value: u64,
}

/// A code object, read and checked.
#[derive(Debug, Clone)]
pub struct CodeObject {
    /// Version of the format, 4 to 6.
    pub version: u8,
    /// The target's name in the metadata, for example `amdgcn-amd-amdhsa--gfx90a`.
    pub target: Option<String>,
    /// Bytes in memory.
    pub memory_size: u64,
    pub(crate) flags: u32,
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) relocations: Vec<Relocation>,
    pub(crate) printf: Vec<String>,
    symbols: HashMap<String, Symbol>,
    /// Further symbols with names that others have: code that was linked in parts has functions of its own in each.
    repeated: Named,
    kernels: Vec<Kernel>,
}

type Header = FileHeader64<Le>;

impl CodeObject {
    /// Reads a code object. Damaged input is an error, never a panic.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject, ObjectError> {
        let header = Header::parse(bytes)?;
        let version = check_header(header)?;
        let segments = segments(header, bytes)?;
        let end = segments.iter().map(|segment| segment.address + segment.size).max().unwrap_or(0);
        let (symbols, repeated) = symbols(header, bytes)?;
        let metadata = metadata(header, bytes).ok_or(ObjectError::Metadata)?;
        let mut kernels = Vec::new();
        for (descriptor_name, note) in metadata.kernels {
            let found = symbols.get(&descriptor_name).and_then(|symbol| descriptor_at(bytes, &segments, symbol.offset));
            let Some(descriptor) = found else { return Err(ObjectError::Descriptor(descriptor_name)) };
            kernels.push(note.into_kernel(descriptor));
        }
        Ok(CodeObject {
            version,
            target: metadata.target,
            memory_size: end,
            flags: header.e_flags.get(Le).0,
            bytes: Arc::from(bytes),
            relocations: relocations(header, bytes, end)?,
            segments,
            printf: metadata.printf,
            symbols,
            repeated,
            kernels,
        })
    }

    /// All kernels.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel of a mangled name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The variable, function or descriptor of a mangled name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// All symbols of this name.
    pub(crate) fn all_named<'o>(&'o self, name: &'o str) -> impl Iterator<Item = Symbol> + 'o {
        let repeated = self.repeated.iter().filter(move |(known, _)| known == name).map(|(_, symbol)| *symbol);
        self.symbol(name).into_iter().chain(repeated)
    }

    /// The function or variable whose address the variable `name` holds from the start.
    pub fn pointee(&self, name: &str) -> Option<&str> {
        let place = self.symbol(name)?.offset;
        let mut pointers = self.relocations.iter().filter(|relocation| relocation.kind == RelocationKind::Relative);
        let pointer = pointers.find(|relocation| relocation.address == place)?;
        self.symbols().find(|(_, symbol)| symbol.offset == pointer.value).map(|(name, _)| name)
    }

    /// All symbols, in no order.
    pub fn symbols(&self) -> impl Iterator<Item = (&str, Symbol)> {
        self.symbols.iter().map(|(name, symbol)| (name.as_str(), *symbol))
    }

    /// Whether the code runs on `target`.
    pub fn fits(&self, target: &Target) -> bool {
        target.accepts_flags(self.flags)
    }
}

fn check_header(header: &Header) -> Result<u8, ObjectError> {
    let ident = header.e_ident();
    if header.e_machine(Le) != elf::EM_AMDGPU || ident.os_abi != elf::OsAbi(HSA) {
        return Err(ObjectError::Foreign);
    }
    match ident.abi_version {
        version @ 2..=4 => Ok(version + 2),
        version => Err(ObjectError::Version(version.saturating_add(2))),
    }
}

fn segments(header: &Header, bytes: &[u8]) -> Result<Vec<Segment>, ObjectError> {
    let mut segments = Vec::new();
    for program in header.program_headers(Le, bytes)? {
        if program.p_type(Le) != elf::PT_LOAD {
            continue;
        }
        let (start, size) = (program.p_offset(Le), program.p_filesz(Le));
        let end = start.checked_add(size).filter(|end| *end <= bytes.len() as u64).ok_or(ObjectError::Segments)?;
        let segment = Segment {
            address: program.p_vaddr(Le),
            size: program.p_memsz(Le),
            file: to_usize(start)?..to_usize(end)?,
            is_executable: program.p_flags(Le) & elf::PF_X != elf::ProgramFlags(0),
        };
        let memory_end = segment.address.checked_add(segment.size);
        if size > segment.size || memory_end.is_none_or(|end| end > LARGEST) {
            return Err(ObjectError::Segments);
        }
        segments.push(segment);
    }
    segments.sort_by_key(|segment| segment.address);
    let overlap = segments.windows(2).any(|pair| pair[0].address + pair[0].size > pair[1].address);
    if overlap { Err(ObjectError::Segments) } else { Ok(segments) }
}

fn to_usize(value: u64) -> Result<usize, ObjectError> {
    usize::try_from(value).map_err(|_| ObjectError::Segments)
}

/// Symbols, each with its name.
type Named = Vec<(String, Symbol)>;

/// The symbols by their names, and those with names that others have. Local names are in the full table only, exported ones in both.
fn symbols(header: &Header, bytes: &[u8]) -> Result<(HashMap<String, Symbol>, Named), ObjectError> {
    let sections = header.sections(Le, bytes)?;
    let mut found: HashMap<String, Symbol> = HashMap::new();
    let mut repeated = Named::new();
    for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
        let table = sections.symbols(Le, bytes, kind)?;
        for symbol in table.iter() {
            let is_code = match symbol.st_type() {
                elf::STT_FUNC => true,
                elf::STT_OBJECT => false,
                _ => continue,
            };
            if symbol.is_undefined(Le) {
                continue;
            }
            let name = symbol.name(Le, table.strings())?;
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let is_code = is_code || name.strip_suffix(".kd").is_some();
            let symbol = Symbol { offset: symbol.st_value(Le), size: symbol.st_size(Le), is_code };
            // What is in both tables is one.
            if let Some(known) = found.insert(name.to_owned(), symbol).filter(|known| known.offset != symbol.offset) {
                repeated.push((name.to_owned(), known));
            }
        }
    }
    Ok((found, repeated))
}

/// The metadata of all notes: code that was linked in parts has one for each part. `None` if there is none, or one is
/// malformed.
fn metadata(header: &Header, bytes: &[u8]) -> Option<Metadata> {
    let mut all: Option<Metadata> = None;
    for program in header.program_headers(Le, bytes).ok()? {
        let Ok(Some(mut notes)) = program.notes(Le, bytes) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if (note.name(), note.n_type(Le).0) == NOTE {
                let part = metadata::parse(note.desc())?;
                all.get_or_insert_default().extend(part);
            }
        }
    }
    all
}

fn descriptor_at(bytes: &[u8], segments: &[Segment], address: u64) -> Option<Descriptor> {
    let holds = |segment: &&Segment| (segment.address..segment.address + segment.size).contains(&address);
    let segment = segments.iter().find(holds)?;
    let start = usize::try_from(address - segment.address).ok()?.checked_add(segment.file.start)?;
    let end = start.checked_add(descriptor::SIZE).filter(|end| *end <= segment.file.end)?;
    Descriptor::parse(bytes.get(start..end)?, address)
}

fn relocations(header: &Header, bytes: &[u8], end: u64) -> Result<Vec<Relocation>, ObjectError> {
    let sections = header.sections(Le, bytes)?;
    let symbols = sections.symbols(Le, bytes, elf::SHT_DYNSYM)?;
    let mut found = Vec::new();
    for section in sections.iter() {
        let Some((entries, _)) = section.rela(Le, bytes)? else { continue };
        for entry in entries {
            let number = entry.r_type(Le, false).0;
            let addend = entry.r_addend(Le).cast_unsigned();
            let index = object::SymbolIndex(entry.r_sym(Le, false) as usize);
            let (kind, value) = match number {
                RELATIVE64 => (RelocationKind::Relative, addend),
                ABS64 => {
                    let symbol = symbols.symbol(index)?;
                    let value = symbol.st_value(Le).wrapping_add(addend);
                    let defined = !symbol.is_undefined(Le);
                    (if defined { RelocationKind::Relative } else { RelocationKind::Absolute }, value)
                }
                other => return Err(ObjectError::Relocation(other)),
            };
            let address = entry.r_offset(Le);
            if address.checked_add(8).is_none_or(|last| last > end) {
                return Err(ObjectError::Relocation(number));
            }
            found.push(Relocation { address, kind, value });
        }
    }
    Ok(found)
}
