//! One row of a validation: a program as it is started, and what it should come to.

use std::borrow::Cow;
use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::compare::{compare, compare_runs};
use super::execute::{Ending, Execution};
use super::expected::Expected;
use super::kernel::{Kernel, LONGEST_DATA, Variant, compare_arrays, read_npy, words};
use super::mismatch::Mismatch;
use super::outcome::Verdict;
use super::program::Program;
use super::said::failure_line;
use crate::mapping::Target;
use crate::regular_file::read_regular;

/// A run, and what checks found in it.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) execution: Execution,
    pub(super) findings: Vec<String>,
    /// The arrays of a kernel, in the order of its outputs.
    arrays: Vec<Vec<u8>>,
}

/// A program as it is started.
#[derive(Debug)]
pub(super) struct Case<'c> {
    /// What reports call it.
    pub(super) name: String,
    reference: Reference<'c>,
    expected: &'c Expected,
}

#[derive(Debug)]
enum Reference<'c> {
    /// What it should print, if anything says so.
    Text(Option<Cow<'c, str>>),
    /// What each output of a kernel should hold, if anything says so.
    Arrays { kernel: &'c Kernel, variant: Variant, expected: Vec<Option<Vec<u8>>> },
}

/// The cases of a program: one, or for a kernel one for each size of blocks.
///
/// Fails if there is an expected output that cannot be read.
pub(super) fn cases<'c>(
    program: &'c Program,
    source: &Utf8Path,
    expected: &'c Expected,
    vary_block: bool,
) -> io::Result<Vec<Case<'c>>> {
    let Some(kernel) = &program.kernel else {
        let reference = Reference::Text(expected.for_program(source)?);
        return Ok(vec![Case { name: program.name.clone(), reference, expected }]);
    };
    let case = |variant: Variant| {
        let [x, y, z] = variant.launch.block;
        let size = if (y, z) == (1, 1) { x.to_string() } else { format!("{x}x{y}x{z}") };
        let name = if variant.is_varied { format!("{} (block {size})", program.name) } else { program.name.clone() };
        let wanted = |(array, output)| if variant.is_varied { Ok(None) } else { kernel.expected(array, output) };
        let arrays = kernel.outputs().map(wanted).collect::<io::Result<Vec<_>>>()?;
        Ok(Case { name, reference: Reference::Arrays { kernel, variant, expected: arrays }, expected })
    };
    kernel.variants(vary_block).into_iter().map(case).collect()
}

impl Case<'_> {
    /// What the program is called with; the user's arguments are for programs of the user.
    pub(super) fn arguments(&self, given: &[String]) -> Vec<String> {
        match &self.reference {
            Reference::Text(_) => given.to_vec(),
            Reference::Arrays { kernel, variant, .. } => words(kernel, variant.launch),
        }
    }

    /// Takes away what an earlier run in a folder has left.
    pub(super) fn clean(&self, folder: &Utf8Path) -> io::Result<()> {
        for path in self.files(folder) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes in a run in a folder. A program that ended with code 0 has written its arrays.
    pub(super) fn observe(
        &self,
        execution: Execution,
        findings: Vec<String>,
        folder: &Utf8Path,
    ) -> io::Result<Observed> {
        let mut arrays = Vec::new();
        if execution.ending == Ending::Code(0) {
            for path in self.files(folder) {
                arrays.push(read_npy(&read_regular(path.as_std_path(), LONGEST_DATA)?)?.data.to_vec());
            }
        }
        Ok(Observed { execution, findings, arrays })
    }

    /// The files that a kernel's outputs are written to.
    fn files(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        match &self.reference {
            Reference::Text(_) => Vec::new(),
            Reference::Arrays { kernel, .. } => {
                kernel.outputs().map(|(array, _)| folder.join(format!("{}.npy", array.name))).collect()
            }
        }
    }

    /// What a single run comes to.
    pub(super) fn verdict(&self, run: &Observed) -> Verdict {
        if run.execution.ending != Ending::Code(0) {
            return Verdict::Failed(run.execution.ending);
        }
        let mismatch = match &self.reference {
            Reference::Text(None) => return without_reference(run),
            Reference::Arrays { expected, .. } if expected.iter().all(Option::is_none) => return Verdict::Ran,
            Reference::Text(Some(wanted)) => self.text(wanted, &String::from_utf8_lossy(&run.execution.output)),
            Reference::Arrays { kernel, expected, .. } => arrays(kernel, expected, &run.arrays),
        };
        mismatch.map_or(Verdict::Matched, Verdict::Differs)
    }

    /// How two runs differ in what came out, each on its target.
    pub(super) fn mismatch(&self, runs: [(&Target, &Observed); 2]) -> Option<Mismatch> {
        let [(_, first), (_, second)] = runs;
        match &self.reference {
            Reference::Text(_) => {
                let texts = runs.map(|(target, run)| (target, String::from_utf8_lossy(&run.execution.output)));
                let texts = texts.each_ref().map(|(target, text)| (*target, &**text));
                compare_runs(texts, &self.expected.tolerance).map(Mismatch::Text)
            }
            Reference::Arrays { kernel, .. } => {
                let first: Vec<_> = first.arrays.iter().cloned().map(Some).collect();
                arrays(kernel, &first, &second.arrays)
            }
        }
    }

    fn text(&self, expected: &str, actual: &str) -> Option<Mismatch> {
        compare(expected, actual, &self.expected.tolerance).map(Mismatch::Text)
    }
}

/// What a run comes to that is compared with nothing: as well as the program itself says.
fn without_reference(run: &Observed) -> Verdict {
    let output = String::from_utf8_lossy(&run.execution.output);
    failure_line(&output).map_or(Verdict::Ran, |line| Verdict::SaysFailed(line.to_owned()))
}

/// The first array that is not as expected.
fn arrays(kernel: &Kernel, expected: &[Option<Vec<u8>>], actual: &[Vec<u8>]) -> Option<Mismatch> {
    let pairs = kernel.outputs().zip(expected.iter().zip(actual));
    let mut differences = pairs.filter_map(|((array, output), (wanted, found))| {
        compare_arrays(&array.name, array.element, wanted.as_ref()?, found, &output.tolerance)
    });
    differences.next().map(Mismatch::Array)
}
