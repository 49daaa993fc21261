//! Source lines of instructions, where the code object has them.

use std::borrow::Cow;

use addr2line::Context;
use addr2line::gimli::{self, EndianSlice, LittleEndian};
use object::{Object, ObjectSection};

use crate::object::CodeObject;

/// The line tables of a code object.
pub(crate) struct Lines {
    bytes: std::sync::Arc<[u8]>,
}

impl Lines {
    pub(crate) fn new(object: &CodeObject) -> Lines {
        Lines { bytes: std::sync::Arc::clone(&object.bytes) }
    }

    /// File and line of an address; and the place in the kernel that it was inlined at, where that is in another file.
    pub(crate) fn find(&self, address: u64) -> Option<String> {
        let file = object::File::parse(&*self.bytes).ok()?;
        let load = |id: gimli::SectionId| -> Result<Cow<[u8]>, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            Ok(data.unwrap_or_default())
        };
        let sections = gimli::DwarfSections::load(load).ok()?;
        let context = Context::from_dwarf(sections.borrow(|data| EndianSlice::new(data, LittleEndian))).ok()?;
        let mut frames = context.find_frames(address).skip_all_loads().ok()?;
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let place = frame.location.and_then(|place| Some((place.file?, place.line?)));
            places.extend(place);
        }
        let (file, line) = *places.first()?;
        match places.last() {
            Some((caller, at)) if *caller != file => Some(format!("{file}:{line}, inlined at {caller}:{at}")),
            _ => Some(format!("{file}:{line}")),
        }
    }
}
