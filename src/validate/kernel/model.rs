//! A kernel with what it is given, and what should come out.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::arrays::ArrayTolerance;
use super::element::Element;
use super::launch::{Launch, Variant};
use super::npy::{Npy, read_npy};
use crate::regular_file::read_regular;

/// A file with the elements of an array has no more bytes: all of it is held in memory.
pub(crate) const LONGEST_DATA: u64 = 4 << 30;

/// A kernel that is started by a program of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// What reports and files call it.
    pub name: String,
    /// The function as C++ names it, without template arguments.
    pub function: String,
    /// The user's file that defines it.
    pub source: Utf8PathBuf,
    /// Template arguments.
    pub template: Vec<String>,
    /// Sizes of grid and block.
    pub launch: Launch,
    /// Widths of blocks that it can also be started with; without any, those that leave parts of waves.
    pub widths: Option<Vec<u32>>,
    /// Arguments, in order.
    pub arguments: Vec<Argument>,
}

/// One argument of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A value.
    Scalar(Scalar),
    /// Memory of the GPU.
    Array(Array),
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalar {
    /// Its type.
    pub element: Element,
    /// The value.
    pub value: Number,
}

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Without a point.
    Integer(i64),
    /// With one.
    Real(f64),
}

/// Memory of the GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// What reports and files call it.
    pub name: String,
    /// Type of the elements.
    pub element: Element,
    /// Number of elements.
    pub length: usize,
    /// What the parameter of the kernel points to, if that is another type.
    pub pointee: Option<String>,
    /// What it holds at first.
    pub fill: Fill,
    /// What it should hold at the end, if it is looked at.
    pub output: Option<Output>,
}

/// What an array holds at first.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// The same everywhere.
    Constant(Number),
    /// `start`, and `step` more for each element.
    Ramp {
        /// The first value.
        start: f64,
        /// What each has more than the one before.
        step: f64,
    },
    /// From `low` up to `high`, which it never is; the same on every machine.
    Random {
        /// Another seed gives other values.
        seed: u64,
        /// The least value.
        low: f64,
        /// What all values are below.
        high: f64,
    },
    /// The bytes of a file.
    File {
        /// The file.
        path: Utf8PathBuf,
        /// Bytes before the first element.
        offset: usize,
    },
}

/// What an array should hold at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The file that has it, `.npy` or plain bytes. Without one, what was recorded beside the source holds.
    pub expected: Option<Utf8PathBuf>,
    /// What counts as equal.
    pub tolerance: ArrayTolerance,
}

impl Fill {
    /// The elements of a file, and how many they are: of a `.npy` file, or else all its bytes.
    pub fn from_file(path: &Utf8Path, element: Element) -> io::Result<(Fill, usize)> {
        let bytes = read_regular(path.as_std_path(), LONGEST_DATA).map_err(|error| about(path, &error))?;
        let data = elements(path, element, &bytes)?;
        let offset = bytes.len() - data.len();
        Ok((Fill::File { path: path.to_owned(), offset }, data.len() / element.size()))
    }
}

impl Kernel {
    /// The ways in which it is started: one, or with `vary` others with blocks of other widths.
    pub(crate) fn variants(&self, vary: bool) -> Vec<Variant> {
        let widths = self.widths.clone().unwrap_or_else(|| self.launch.partial_widths());
        self.launch.variants(if vary { &widths } else { &[] })
    }

    /// The arrays that are compared at the end.
    pub fn outputs(&self) -> impl Iterator<Item = (&Array, &Output)> {
        self.arrays().filter_map(|array| Some((array, array.output.as_ref()?)))
    }

    /// All arrays.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Array(array) => Some(array),
            Argument::Scalar(_) => None,
        })
    }

    /// Where the output of the CUDA program is kept: beside the source, in `expected`.
    pub fn recorded(&self, array: &Array) -> Utf8PathBuf {
        self.source.with_file_name("expected").join(format!("{}.{}.npy", self.name, array.name))
    }

    /// What an array should hold at the end: what a named file says, or else what was recorded, if anything was.
    ///
    /// Fails if there is a file that cannot be read or holds something else than so many elements.
    pub fn expected(&self, array: &Array, output: &Output) -> io::Result<Option<Vec<u8>>> {
        let recorded = self.recorded(array);
        let path = output.expected.as_ref().unwrap_or(&recorded);
        if output.expected.is_none() && !path.exists() {
            return Ok(None);
        }
        let bytes = read_regular(path.as_std_path(), LONGEST_DATA).map_err(|error| about(path, &error))?;
        let data = elements(path, array.element, &bytes)?;
        let count = data.len() / array.element.size();
        if count != array.length {
            let text = format!("{path} holds {count} elements, and `{}` of {} {}", array.name, self.name, array.length);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(Some(data.to_vec()))
    }
}

/// The elements in the bytes of a file. Plain bytes that make no whole element at the end are an error.
fn elements<'b>(path: &Utf8Path, element: Element, bytes: &'b [u8]) -> io::Result<&'b [u8]> {
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, format!("{path}: {text}"));
    if path.extension() != Some("npy") {
        let is_whole = bytes.len().is_multiple_of(element.size());
        return if is_whole { Ok(bytes) } else { Err(invalid("its last element is cut off".to_owned())) };
    }
    let npy = read_npy(bytes).map_err(|error| about(path, &error))?;
    if !is_same_type(&npy, element) {
        return Err(invalid(format!("its elements are `{}`, not `{}`", npy.descr, element.descr())));
    }
    Ok(npy.data)
}

/// Whether a file holds elements of a type. Nobody agrees on what bfloat16 is called.
fn is_same_type(npy: &Npy<'_>, element: Element) -> bool {
    npy.descr == element.descr() || element == Element::Bfloat16 && npy.descr.ends_with('2')
}

fn about(path: &Utf8Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::npy::write_npy;
    use super::*;

    #[test]
    fn expected_arrays_come_from_the_named_file_or_from_the_recorded_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let array = |expected: Option<&str>| {
            let output =
                Output { expected: expected.map(|name| root.join(name)), tolerance: ArrayTolerance::default() };
            let (element, fill) = (Element::Signed(2), Fill::Constant(Number::Integer(0)));
            Array { name: "y".to_owned(), element, length: 2, pointee: None, fill, output: Some(output) }
        };
        let expected = |name: Option<&str>| {
            let kernel = Kernel {
                name: "k".to_owned(),
                function: "k".to_owned(),
                source: root.join("a.cu"),
                template: Vec::new(),
                launch: Launch { grid: [1; 3], block: [1; 3], shared: 0 },
                widths: None,
                arguments: vec![Argument::Array(array(name))],
            };
            let (array, output) = kernel.outputs().next().unwrap();
            kernel.expected(array, output).map_err(|error| error.to_string())
        };
        assert_eq!(expected(None), Ok(None));
        fs::create_dir(root.join("expected")).unwrap();
        fs::write(root.join("expected/k.y.npy"), write_npy("<i2", 2, &[1, 0, 2, 0])).unwrap();
        assert_eq!(expected(None), Ok(Some(vec![1, 0, 2, 0])));
        fs::write(root.join("plain.bin"), [3, 0, 4, 0]).unwrap();
        assert_eq!(expected(Some("plain.bin")), Ok(Some(vec![3, 0, 4, 0])));
        assert!(expected(Some("missing.bin")).unwrap_err().contains("missing.bin"));
        fs::write(root.join("long.bin"), [0; 6]).unwrap();
        assert!(expected(Some("long.bin")).unwrap_err().contains("holds 3 elements, and `y` of k 2"));
        fs::write(root.join("odd.bin"), [0; 5]).unwrap();
        assert!(expected(Some("odd.bin")).unwrap_err().contains("cut off"));
        fs::write(root.join("other.npy"), write_npy("<u2", 2, &[0; 4])).unwrap();
        assert!(expected(Some("other.npy")).unwrap_err().contains("`<u2`, not `<i2`"));
    }

    #[test]
    fn files_fill_arrays_from_behind_their_header() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("x.npy");
        fs::write(&path, write_npy("<f4", 3, &[0; 12])).unwrap();
        assert_eq!(Fill::from_file(&path, Element::Float).unwrap(), (Fill::File { path, offset: 128 }, 3));
    }
}
