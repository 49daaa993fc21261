//! The folder of CUDA in makefiles and scripts: variables that name it, and where it usually is.

use std::collections::BTreeSet;

use crate::mapping::{is_cuda_folder, shell_default, usual_cuda_folder};
use crate::source::{Edit, TextRange, range};

/// The variable that names the folder of ROCm.
pub(super) const ROCM: &str = "ROCM_PATH";
/// Where ROCm usually is.
pub(super) const ROCM_FOLDER: &str = "/opt/rocm";

/// Folders below CUDA's that are called otherwise below ROCm's, longest first.
const BELOW: &[(&str, &str)] = &[
    ("/targets/x86_64-linux/include", "/include"),
    ("/targets/x86_64-linux/lib/stubs", "/lib"),
    ("/targets/x86_64-linux/lib", "/lib"),
    ("/lib64/stubs", "/lib"),
    ("/lib/stubs", "/lib"),
    ("/lib64", "/lib"),
];

/// Where ROCm's libraries are, on all machines.
const LIBRARIES: &str = "/lib";

/// What CUDA's folder has and ROCm's has not, by its first names.
const ONLY_OF_CUDA: &[&str] = &[
    "samples",
    "nvvm",
    "nvml",
    "compute-sanitizer",
    "extras/CUPTI",
    "extras/demo_suite",
    "extras/Debugger",
    "nsightee_plugins",
    "libnvvp",
    "version.json",
    "version.txt",
    "bin/bin2c",
    "bin/fatbinary",
    "bin/cuda-gdb",
    "bin/cuda-memcheck",
    "bin/ptxas",
    "bin/cuobjdump",
    "bin/nvdisasm",
    "bin/nvprof",
];

/// What references to the folder become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference {
    /// `$(ROCM_PATH)`, in the form that the reference has.
    Variable,
    /// `${ROCM_PATH:-/opt/rocm}`, as nobody may have set it.
    WithDefault,
    /// The folder itself.
    Folder,
}

/// The variables of a file that name CUDA's folder.
#[derive(Default)]
pub(super) struct FolderNames<'p> {
    /// The first one of those that usually do, which gets ROCm's name where it gets its value.
    pub(super) folder: Option<&'p str>,
    /// Others of those that usually do, which keep their names.
    pub(super) kept: Vec<&'p str>,
    /// Those that keep their names, and whose value is the folder: `CUDA = /usr/local/cuda`.
    pub(super) leading: BTreeSet<&'p str>,
}

impl FolderNames<'_> {
    /// Whether a path is the folder of headers below one of the variables that keep their names: `$(CUDA)/include`.
    pub(super) fn are_headers(&self, path: &str) -> bool {
        let folder = path.trim_end_matches('/').strip_suffix("/include");
        folder.is_some_and(|folder| self.begins(folder).is_some_and(|len| len == folder.len()))
    }

    /// How many bytes the reference to one of the variables that keep their names has that a text begins with.
    pub(super) fn begins(&self, text: &str) -> Option<usize> {
        reference_at(text, |name| self.leading.contains(name)).map(|(len, _)| len)
    }
}

/// The edits that lead a path below CUDA's folder to ROCm's. Without `reference`, variables stay.
pub(super) fn folder_edits(
    text: &str,
    part: TextRange,
    (reference, names): (Option<Reference>, &FolderNames<'_>),
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut at, end) = (usize::from(part.start()), usize::from(part.end()));
    while at < end {
        let rest = &text[at..end];
        let found = reference.and_then(|reference| {
            let (len, name) = reference_at(rest, |name| is_cuda_folder(name) && !names.kept.contains(&name))?;
            // `$(shell echo $$CUDA_HOME)`: half of what make hands on as one `$`.
            let reference = if text[..at].ends_with('$') { Reference::Variable } else { reference };
            Some((len, of_variable(&rest[..len], name, reference)))
        });
        let found = found.or_else(|| usual_cuda_folder(rest).map(|len| (len, ROCM_FOLDER.to_owned())));
        if let Some((len, new)) = found {
            edits.push(Edit::replace(range(at, at + len), new));
            at += len;
        } else if let Some(len) = reference.and_then(|_| names.begins(rest).or_else(|| defaulted(rest))) {
            // A default may lead to CUDA: `${CUDA:-/usr/local/cuda}`.
            let default = len - default_in(&rest[..len]).map_or(0, str::len);
            let usual = usual_cuda_folder(&rest[default..len]).map(|len| range(at + default, at + default + len));
            edits.extend(usual.map(|usual| Edit::replace(usual, ROCM_FOLDER)));
            at += len;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        // `/usr/local/cuda*/lib64`
        at += text[at..end].bytes().take_while(|sign| matches!(sign, b'*' | b'?')).count();
        // `"$CUDA_HOME"/lib64`
        at += usize::from(text[at..end].starts_with('"'));
        let known =
            || BELOW.iter().find(|(below, _)| ends_name(&text[at..end], below)).map(|(below, to)| (below.len(), *to));
        let computed = || computed_libraries(&text[at..end]).map(|len| (len, LIBRARIES));
        if let Some((len, to)) = known().or_else(computed) {
            if !is_asked_for(text.as_bytes(), at, len) {
                edits.push(Edit::replace(range(at, at + len), to));
            }
            at += len;
        }
    }
    edits
}

/// Bytes within which the start of a call is looked for.
const FAR: usize = 200;

/// Whether a path is what `$(if $(wildcard …),lib64,lib)` asks for: the folder of the other name is the one that ROCm has.
fn is_asked_for(text: &[u8], at: usize, len: usize) -> bool {
    const CALL: &[u8] = b"$(if $(wildcard ";
    let before = &text[at.saturating_sub(FAR)..at];
    let behind = &text[at + len..];
    let call = memchr::memmem::rfind(before, CALL).filter(|_| behind.starts_with(b"),lib64,lib)"));
    call.is_some_and(|call| !before[call + CALL.len()..].contains(&b' '))
}

/// How many bytes the folder of libraries has that a text begins with, if a variable has a say in its name: `/$(LIBDIR)`,
/// `/lib${BITS}/stubs`.
fn computed_libraries(text: &str) -> Option<usize> {
    let name = text.strip_prefix("/lib").or_else(|| text.strip_prefix('/'))?;
    let is_whole = !text.starts_with(LIBRARIES);
    let (len, _) = reference_at(name, |name| !name.is_empty() && (!is_whole || names_libraries(name)))?;
    let behind = text.len() - name.len() + len;
    let stubs = if ends_name(&text[behind..], STUBS) { STUBS.len() } else { 0 };
    // `lib$(NAME).a` is a file.
    let ends = ['/', '"', '\'', ' ', '\t', '\n', '\r', ')', ':', ';', ',', '`'];
    (text[behind..].is_empty() || text[behind..].starts_with(ends)).then_some(behind + stubs)
}

/// What is linked where no GPU is, below CUDA's libraries.
const STUBS: &str = "/stubs";

/// Whether a variable is called as those are that hold the name of a folder of libraries.
fn names_libraries(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.contains("LIB") && (name.contains("DIR") || name.ends_with("64") || name.ends_with("LIB"))
}

/// The reference to one of some variables that a text begins with: how many bytes it has, and the name.
fn reference_at(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('$')?;
    let open = usize::from(rest.starts_with(['(', '{']));
    let name = &rest[open..];
    let name = &name[..name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()];
    // Looking for the end of each reference would take the square of how deep they lie.
    if !is_meant(name) {
        return None;
    }
    let start = 1 + open + name.len();
    if open == 0 {
        return Some((start, name));
    }
    let mut depth = 0_usize;
    let close = text[start..].find(|c: char| match c {
        '(' | '{' => {
            depth += 1;
            false
        }
        ')' | '}' if depth > 0 => {
            depth -= 1;
            false
        }
        _ => matches!(c, ')' | '}'),
    })?;
    Some((start + close + 1, name))
}

fn of_variable(whole: &str, name: &str, reference: Reference) -> String {
    match reference {
        // `CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}` lets the user name another folder.
        Reference::Folder if default_in(whole).is_none() => ROCM_FOLDER.to_owned(),
        // `${CUDA_HOME:=/usr/local/cuda}` sets the variable as well.
        _ if default_in(whole).is_some() && whole.contains(":=") => format!("${{{ROCM}:={ROCM_FOLDER}}}"),
        Reference::Folder | Reference::WithDefault => format!("${{{ROCM}:-{ROCM_FOLDER}}}"),
        // `${CUDA_HOME:-/usr/local/cuda}` has a default of its own.
        _ if default_in(whole).is_some() => format!("${{{ROCM}:-{ROCM_FOLDER}}}"),
        Reference::Variable => whole.replacen(name, ROCM, 1),
    }
}

/// The default of its own that a reference has, with what ends the reference.
fn default_in(reference: &str) -> Option<&str> {
    let behind = reference.strip_prefix("${")?;
    shell_default(behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// How many bytes the reference has that a text begins with, if its default is CUDA's folder: `${TOOLKIT:-/usr/local/cuda}`.
fn defaulted(text: &str) -> Option<usize> {
    let default = default_in(text)?;
    let behind = &default[usual_cuda_folder(default)?..];
    behind.starts_with('}').then(|| text.len() - behind.len() + 1)
}

/// Whether `rest` begins with `name`, and no longer name.
/// The folder below CUDA's that a text begins with, and what it is called below ROCm's.
pub(super) fn renamed_below(rest: &str) -> Option<(&'static str, &'static str)> {
    BELOW.iter().find(|(below, _)| ends_name(rest, below)).copied()
}

fn ends_name(rest: &str, name: &str) -> bool {
    rest.strip_prefix(name).is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// The part of a path below CUDA's folder that ROCm has nothing for.
pub(super) fn only_of_cuda(path: &str) -> Option<&'static str> {
    let is_there = |below: &&&str| {
        path.match_indices(**below).any(|(at, _)| {
            let behind = &path[at + below.len()..];
            path[..at].ends_with('/') && (behind.is_empty() || behind.starts_with(['/', '"', ')']))
        })
    };
    ONLY_OF_CUDA.iter().find(is_there).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Patch;

    #[track_caller]
    fn check(text: &str, reference: Reference, expected: &str) {
        let names = FolderNames { kept: vec!["CUDA_DIR"], leading: BTreeSet::from(["CUDA"]), ..FolderNames::default() };
        let mut patch = Patch::default();
        patch.try_add(&folder_edits(text, range(0, text.len()), (Some(reference), &names))).unwrap();
        assert_eq!(patch.apply(text), expected);
    }

    #[test]
    fn paths_lead_to_rocm() {
        check("-L$(CUDA_HOME)/lib64 $(CUDA_DIR)/x", Reference::Variable, "-L$(ROCM_PATH)/lib $(CUDA_DIR)/x");
        check(
            "-I/usr/local/cuda-12.4/include:/usr/local/cudafoo",
            Reference::Variable,
            "-I/opt/rocm/include:/usr/local/cudafoo",
        );
        check(
            "$CUDA_PATH/bin ${CUDA_HOME}",
            Reference::WithDefault,
            "${ROCM_PATH:-/opt/rocm}/bin ${ROCM_PATH:-/opt/rocm}",
        );
        check("${CUDA_HOME:-/usr/local/cuda}/lib64/stubs", Reference::Variable, "${ROCM_PATH:-/opt/rocm}/lib");
        check("${CUDA_HOME:-/usr/local/cuda}", Reference::Folder, "${ROCM_PATH:-/opt/rocm}");
        check("${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}/x", Reference::Folder, "${ROCM_PATH:-/opt/rocm}/x");
        check(
            "-L$(CUDA_HOME)/$(LIBDIR) $(CUDA_HOME)/$(SUB)",
            Reference::Variable,
            "-L$(ROCM_PATH)/lib $(ROCM_PATH)/$(SUB)",
        );
        check("-L$(CUDA)/lib$(BITS)/stubs -L${CUDA}/lib$B", Reference::Variable, "-L$(CUDA)/lib -L${CUDA}/lib");
        check("$CUDA_HOME/libx$B $CUDA_HOME/lib$B.so", Reference::Variable, "$ROCM_PATH/libx$B $ROCM_PATH/lib$B.so");
        check("\"$CUDA_HOME\"/lib64", Reference::WithDefault, "\"${ROCM_PATH:-/opt/rocm}\"/lib");
        check("$(MY_CUDA_HOME)/lib64", Reference::Variable, "$(MY_CUDA_HOME)/lib64");
        check("-L$(CUDA)/lib64 ${CUDA}/include $CUDA/x", Reference::Variable, "-L$(CUDA)/lib ${CUDA}/include $CUDA/x");
        check("${CUDA:-/usr/local/cuda}/lib64", Reference::Variable, "${CUDA:-/opt/rocm}/lib");
        check("${CUDA-/usr/local/cuda}/lib64", Reference::Variable, "${CUDA-/opt/rocm}/lib");
        check("${CUDA_PATH-/usr/local/cuda}", Reference::Folder, "${ROCM_PATH:-/opt/rocm}");
        check("$(shell echo $$CUDA_PATH)", Reference::Folder, "$(shell echo $$ROCM_PATH)");
        check("$(shell echo $${CUDA_HOME}/bin)", Reference::WithDefault, "$(shell echo $${ROCM_PATH}/bin)");
    }
}
