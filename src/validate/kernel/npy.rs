//! Arrays in NumPy's `.npy` files (NumPy reference, "numpy.lib.format", versions 1.0 to 3.0).
//!
//! Only what a flat comparison needs: the bytes of the elements, what they are, and how many.

use std::io;

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array as it lies in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Npy<'b> {
    /// Kind and size of the elements, such as `<f4`.
    pub(super) descr: String,
    /// Lengths of the dimensions; none for a single number.
    pub(super) shape: Vec<usize>,
    /// The elements in row-major order.
    pub(crate) data: &'b [u8],
}

impl Npy<'_> {
    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Reads the bytes of a file.
///
/// Fails if they are no such file, if the elements are structures, stand in the order of Fortran or of big-endian
/// machines, or if some are missing.
pub(crate) fn read_npy(bytes: &[u8]) -> io::Result<Npy<'_>> {
    let (header, data) = split(bytes).ok_or_else(|| invalid("it is no .npy file"))?;
    let value = |key: &str| after(header, &format!("'{key}':")).ok_or_else(|| invalid(&format!("it has no `{key}`")));
    let descr = value("descr")?;
    let descr = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
    let (descr, _) = descr.ok_or_else(|| invalid("its elements are structures"))?;
    if descr.starts_with('>') {
        return Err(invalid("its elements are big-endian"));
    }
    let dimensions = value("shape")?.trim_start_matches('(').split(')').next().unwrap_or_default();
    let dimensions = dimensions.split(',').map(str::trim).filter(|text| !text.is_empty());
    let shape = dimensions.map(str::parse).collect::<Result<Vec<usize>, _>>();
    let shape = shape.map_err(|_| invalid("its shape cannot be read"))?;
    // Of a single row or column both orders are the same.
    let is_flat = shape.iter().filter(|length| **length != 1).count() <= 1;
    if value("fortran_order")?.starts_with("True") && !is_flat {
        return Err(invalid("its elements are in the order of Fortran"));
    }
    let npy = Npy { descr: descr.to_owned(), shape, data };
    let digits = descr.trim_start_matches(|c: char| !c.is_ascii_digit());
    let size: usize = digits.parse().map_err(|_| invalid(&format!("nothing is known about elements `{descr}`")))?;
    if npy.count().checked_mul(size) != Some(data.len()) {
        return Err(invalid(&format!("it does not hold {} elements of {size} bytes", npy.count())));
    }
    Ok(npy)
}

/// The header and the elements.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (&[major, _minor], rest) = rest.split_first_chunk()?;
    let (length, rest) = if major == 1 {
        let (length, rest) = rest.split_first_chunk()?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk()?;
        (usize::try_from(u32::from_le_bytes(*length)).ok()?, rest)
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// What stands behind a word, without blanks.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    Some(text.split_once(word)?.1.trim_start())
}

/// Headers are filled with blanks, so that the elements begin at a multiple of this.
#[cfg(test)]
const ALIGNMENT: usize = 64;

/// The bytes of a file with one row of elements.
#[cfg(test)]
pub(super) fn write_npy(descr: &str, count: usize, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}");
    let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(ALIGNMENT) - MAGIC.len() - 4;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    let length = u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this header, padded as NumPy does.
    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap();
        let wide = u32::from(length).to_le_bytes();
        let length = if version == 1 { &length.to_le_bytes()[..] } else { &wide };
        [MAGIC, &[version, 0], length, header.as_bytes(), data].concat()
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = write_npy("<f4", 2, &[0, 0, 128, 63, 0, 0, 0, 64]);
        assert_eq!(bytes.len() % ALIGNMENT, 8);
        let npy = read_npy(&bytes).unwrap();
        assert_eq!((npy.descr.as_str(), npy.shape.as_slice(), npy.data.len()), ("<f4", &[2][..], 8));
    }

    #[test]
    fn shapes_and_versions_are_read() {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }   \n";
        let file_2 = file(2, header, b"abcdef");
        let npy = read_npy(&file_2).unwrap();
        assert_eq!((npy.shape.as_slice(), npy.count(), npy.data), (&[2, 3][..], 6, &b"abcdef"[..]));
        let single = file(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n", &[0; 8]);
        assert_eq!(read_npy(&single).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let refused = |header: &str, data: &[u8]| read_npy(&file(1, header, data)).unwrap_err().to_string();
        let plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
        assert!(refused(plain, &[0; 7]).contains("2 elements of 4 bytes"));
        assert!(refused(&plain.replace('<', ">"), &[0; 8]).contains("big-endian"));
        assert!(refused(&plain.replace("False", "True").replace("2,", "2, 2"), &[0; 16]).contains("Fortran"));
        assert!(refused(&plain.replace("'<f4'", "[('a', '<f4')]"), &[0; 8]).contains("structures"));
        assert!(read_npy(b"PK").is_err());
        assert!(read_npy(&write_npy("<f4", 2, &[0; 8])[..40]).is_err());
    }
}
