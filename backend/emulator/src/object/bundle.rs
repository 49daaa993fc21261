//! Bundles: one image with code objects for several targets, plain or compressed.

use std::borrow::Cow;
use std::io::Read;

use super::bytes::{size_at, slice, u16_at, u32_at, u64_at};
use crate::target::Target;

const PLAIN: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";
const ELF: &[u8] = b"\x7fELF";

/// A bundle has fewer entries than this; more is damage.
const MOST_ENTRIES: u64 = 4096;
/// What a compressed bundle may unpack to, in bytes.
const LARGEST: usize = 4 << 30;

/// Why no code object was found in an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// Neither a bundle nor an ELF file.
    #[error("neither an offload bundle nor a code object")]
    Unknown,
    /// An offset or size points outside of the image, or a header is cut off.
    #[error("the offload bundle is damaged")]
    Damaged,
    /// The image is compressed in a way that is not known.
    #[error("the offload bundle is compressed by method {method} of version {version}")]
    Compression {
        /// Version of the header.
        version: u16,
        /// Number of the method.
        method: u16,
    },
    /// The image does not tell its length.
    #[error("an offload bundle of this version does not tell its length")]
    NoLength,
    /// No entry runs on the target.
    #[error("no code object for {target} among {entries:?}")]
    NoMatch {
        /// The device.
        target: String,
        /// Ids of the entries.
        entries: Vec<String>,
    },
}

/// What a prefix of an image tells about its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The image has so many bytes.
    Bytes(usize),
    /// Ask again with so many bytes of the image.
    Needs(usize),
}

/// The length of an image of which only the address is known: give the first 32 bytes, then as many as asked for,
/// until the answer is [`Extent::Bytes`]. Each [`Extent::Needs`] asks for more bytes than were given.
pub fn extent(prefix: &[u8]) -> Result<Extent, BundleError> {
    if prefix.len() < 32 {
        return Ok(Extent::Needs(32));
    }
    if prefix.starts_with(PLAIN) {
        return plain_extent(prefix);
    }
    if prefix.starts_with(COMPRESSED) {
        let total = match u16_at(prefix, 4) {
            Some(3) => size_at(prefix, 8),
            Some(2) => u32_at(prefix, 8).and_then(|total| usize::try_from(total).ok()),
            _ => return Err(BundleError::NoLength),
        };
        return total.filter(|total| *total <= LARGEST).map(Extent::Bytes).ok_or(BundleError::Damaged);
    }
    if prefix.starts_with(ELF) {
        return elf_extent(prefix);
    }
    Err(BundleError::Unknown)
}

/// An ELF file made by a linker ends with its table of sections.
fn elf_extent(prefix: &[u8]) -> Result<Extent, BundleError> {
    if prefix.len() < 64 {
        return Ok(Extent::Needs(64));
    }
    let table = size_at(prefix, 40).ok_or(BundleError::Damaged)?;
    let entry = usize::from(u16_at(prefix, 58).unwrap_or(0));
    let entries = usize::from(u16_at(prefix, 60).unwrap_or(0));
    let end = table.checked_add(entry * entries).filter(|end| *end <= LARGEST);
    end.map(Extent::Bytes).ok_or(BundleError::Damaged)
}

fn plain_extent(prefix: &[u8]) -> Result<Extent, BundleError> {
    let count = u64_at(prefix, 24).filter(|count| *count <= MOST_ENTRIES).ok_or(BundleError::Damaged)?;
    let (mut at, mut end) = (32_usize, 32_usize);
    for _ in 0..count {
        let needs = |more: usize| at.checked_add(more).filter(|end| *end <= LARGEST).ok_or(BundleError::Damaged);
        let Some(id_length) = size_at(prefix, at + 16) else { return Ok(Extent::Needs(needs(24)?)) };
        let (offset, size) = (size_at(prefix, at).unwrap_or(0), size_at(prefix, at + 8).unwrap_or(0));
        let next = needs(id_length.checked_add(24).ok_or(BundleError::Damaged)?)?;
        let entry_end = offset.checked_add(size).filter(|end| *end <= LARGEST).ok_or(BundleError::Damaged)?;
        (at, end) = (next, end.max(next).max(entry_end));
    }
    Ok(Extent::Bytes(end))
}

/// One entry of a plain bundle.
struct Entry<'b> {
    id: &'b str,
    content: &'b [u8],
}

/// The code object of an image that runs on `target`: of the entries of a bundle the one that fits best, or the image
/// itself if it is a code object.
pub fn select<'i>(image: &'i [u8], target: &Target) -> Result<Cow<'i, [u8]>, BundleError> {
    if image.starts_with(PLAIN) {
        return select_plain(image, target).map(Cow::Borrowed);
    }
    if image.starts_with(COMPRESSED) {
        let plain = decompress(image)?;
        return select_plain(&plain, target).map(|content| Cow::Owned(content.to_vec()));
    }
    if image.starts_with(ELF) {
        let flags = u32_at(image, 48).ok_or(BundleError::Damaged)?;
        if target.accepts_flags(flags) {
            return Ok(Cow::Borrowed(image));
        }
        return Err(BundleError::NoMatch { target: target.to_string(), entries: vec![format!("flags {flags:#x}")] });
    }
    Err(BundleError::Unknown)
}

fn select_plain<'b>(bundle: &'b [u8], target: &Target) -> Result<&'b [u8], BundleError> {
    let entries = entries(bundle).ok_or(BundleError::Damaged)?;
    let fit = |entry: &Entry| target.fit(target_of(entry.id)?);
    let best = entries.iter().filter_map(|entry| Some((fit(entry)?, entry))).max_by_key(|(score, _)| *score);
    best.map(|(_, entry)| entry.content).ok_or_else(|| BundleError::NoMatch {
        target: target.to_string(),
        entries: entries.iter().map(|entry| entry.id.to_owned()).collect(),
    })
}

fn entries(bundle: &[u8]) -> Option<Vec<Entry<'_>>> {
    let count = u64_at(bundle, 24).filter(|count| *count <= MOST_ENTRIES)?;
    let mut at = 32;
    let mut entries = Vec::new();
    for _ in 0..count {
        let (offset, size, length) = (size_at(bundle, at)?, size_at(bundle, at + 8)?, size_at(bundle, at + 16)?);
        let id = std::str::from_utf8(slice(bundle, at + 24, length)?).ok()?;
        entries.push(Entry { id, content: slice(bundle, offset, size)? });
        at = at.checked_add(24)?.checked_add(length)?;
    }
    Some(entries)
}

/// The target of an entry's id: `gfx90a:xnack-` of `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-`.
fn target_of(id: &str) -> Option<&str> {
    let triple = id.strip_prefix("hipv4-").or_else(|| id.strip_prefix("hip-"))?;
    let (_environment, target) = triple.strip_prefix("amdgcn-amd-amdhsa-")?.split_once('-')?;
    Some(target)
}

fn decompress(image: &[u8]) -> Result<Vec<u8>, BundleError> {
    let number = |at| u16_at(image, at).ok_or(BundleError::Damaged);
    let (version, method) = (number(4)?, number(6)?);
    let (header, total, size) = match version {
        1 => (20, Some(image.len()), u32_at(image, 8).map(|size| size as usize)),
        2 => (24, u32_at(image, 8).map(|total| total as usize), u32_at(image, 12).map(|size| size as usize)),
        3 => (32, size_at(image, 8), size_at(image, 16)),
        _ => return Err(BundleError::Compression { version, method }),
    };
    let size = size.filter(|size| *size <= LARGEST).ok_or(BundleError::Damaged)?;
    let payload = total.and_then(|total| image.get(header..total)).ok_or(BundleError::Damaged)?;
    let plain = match method {
        0 => {
            miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(payload, size).map_err(|_| BundleError::Damaged)?
        }
        1 => unzstd(payload, size).ok_or(BundleError::Damaged)?,
        _ => return Err(BundleError::Compression { version, method }),
    };
    if plain.len() == size { Ok(plain) } else { Err(BundleError::Damaged) }
}

/// Unpacks at most `size` bytes; the caller compares what came.
fn unzstd(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(payload).ok()?;
    let mut plain = Vec::new();
    decoder.take(size as u64 + 1).read_to_end(&mut plain).ok()?;
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut header = PLAIN.to_vec();
        header.extend((entries.len() as u64).to_le_bytes());
        let table: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
        let mut contents = Vec::new();
        for (id, content) in entries {
            let offset = 32 + table + contents.len();
            header.extend((offset as u64).to_le_bytes());
            header.extend((content.len() as u64).to_le_bytes());
            header.extend((id.len() as u64).to_le_bytes());
            header.extend(id.as_bytes());
            contents.extend_from_slice(content);
        }
        header.extend(contents);
        header
    }

    #[test]
    fn the_most_specific_fitting_entry_is_chosen() {
        let image = bundle(&[
            ("host-x86_64-unknown-linux-gnu-", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", b"with retry"),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a", b"any"),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", b"exact"),
            ("hip-amdgcn-amd-amdhsa--gfx11-generic", b"generic"),
        ]);
        assert_eq!(&*select(&image, &Target::GFX90A).unwrap(), b"exact");
        assert_eq!(&*select(&image, &Target::GFX1100).unwrap(), b"generic");
        let without_ecc = Target::parse("gfx90a:sramecc-").unwrap();
        assert_eq!(&*select(&image, &without_ecc).unwrap(), b"any");
        let other = Target::parse("gfx906").unwrap();
        assert!(matches!(select(&image, &other), Err(BundleError::NoMatch { .. })));
    }

    #[test]
    fn the_length_is_found_from_a_growing_prefix() {
        let image =
            bundle(&[("host-x86_64-unknown-linux-gnu-", b""), ("hip-amdgcn-amd-amdhsa--gfx90a", b"0123456789")]);
        let mut known = 32;
        loop {
            match extent(&image[..known]).unwrap() {
                Extent::Bytes(bytes) => break assert_eq!(bytes, image.len()),
                Extent::Needs(more) => {
                    assert!(more > known);
                    known = more;
                }
            }
        }
    }

    #[test]
    fn zlib_bundles_are_unpacked() {
        let plain = bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx1100", &[7; 500])]);
        let payload = miniz_oxide::deflate::compress_to_vec_zlib(&plain, 6);
        let mut image = b"CCOB\x02\0\0\0".to_vec();
        image.extend((24 + payload.len() as u32).to_le_bytes());
        image.extend((plain.len() as u32).to_le_bytes());
        image.extend(0_u64.to_le_bytes());
        image.extend(&payload);
        assert_eq!(extent(&image), Ok(Extent::Bytes(image.len())));
        assert_eq!(&*select(&image, &Target::GFX1100).unwrap(), &[7; 500]);
        image[40] ^= 0x55;
        assert_eq!(select(&image, &Target::GFX1100), Err(BundleError::Damaged));
    }
}
