//! The libraries of its own that a program asks for, as the loader would find them (ld.so(8), "DESCRIPTION").

use std::fs::File;
use std::path::{Path, PathBuf};

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_STRSZ, DT_STRTAB, DynamicTag, FileHeader64, PT_LOAD};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _};
use object::{Endianness, ReadCache, ReadRef as _};

use crate::regular_file::open_regular;

/// The files of all libraries that the program at a path asks for, directly or through others, that are the project's own by their
/// names, and that lie in folders which it names or which are `searched`. What cannot be read as ELF asks for none.
pub(super) fn own_libraries(program: &Path, searched: &[PathBuf], is_own: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut folders = searched.to_vec();
    let mut pending = vec![program.to_owned()];
    while let Some(path) = pending.pop() {
        let Some(asked) = asked(&path) else { continue };
        let origin = path.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
        // A folder that a program names serves the libraries that it loads as well.
        for folder in asked.folders.iter().flat_map(|list| list.split(':')).filter(|folder| !folder.is_empty()) {
            let folder = folder.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", &origin.to_string_lossy());
            if !folders.contains(&PathBuf::from(&folder)) {
                folders.push(folder.into());
            }
        }
        for name in asked.names.into_iter().filter(|name| is_own(name)) {
            let file = folders.iter().map(|folder| folder.join(&name)).find(|file| file.is_file());
            if let Some(file) = file.filter(|file| !found.contains(file)) {
                found.push(file.clone());
                pending.push(file);
            }
        }
    }
    found
}

/// What the dynamic section of a file says.
#[derive(Default)]
struct Asked {
    /// Names of libraries.
    names: Vec<String>,
    /// Lists of folders.
    folders: Vec<String>,
}

fn asked(path: &Path) -> Option<Asked> {
    let file: ReadCache<File> = ReadCache::new(open_regular(path, u64::MAX).ok()?);
    let data = &file;
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    let entries = segments.iter().find_map(|segment| segment.dynamic(endian, data).ok().flatten())?;
    let value = |tag: DynamicTag| {
        let entry = entries.iter().find(|entry| entry.d_tag(endian) == tag);
        entry.map(|entry| entry.d_val(endian))
    };
    let (address, size) = (value(DT_STRTAB)?, value(DT_STRSZ)?);
    let start = segments.iter().filter(|segment| segment.p_type(endian) == PT_LOAD).find_map(|segment| {
        let inside =
            address.checked_sub(segment.p_vaddr(endian)).filter(|inside| *inside < segment.p_filesz(endian))?;
        segment.p_offset(endian).checked_add(inside)
    })?;
    let end = start.checked_add(size)?;
    let text = |at: u64| {
        let bytes = data.read_bytes_at_until(start.checked_add(at)?..end, 0).ok()?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    let mut asked = Asked::default();
    for entry in entries {
        match entry.d_tag(endian) {
            DT_NEEDED => asked.names.extend(text(entry.d_val(endian))),
            DT_RPATH | DT_RUNPATH => asked.folders.extend(text(entry.d_val(endian))),
            _ => {}
        }
    }
    Some(asked)
}
