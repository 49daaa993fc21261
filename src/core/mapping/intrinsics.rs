//! Intrinsics with definitions that compute the same in HIP: `intrinsics.toml` for those that HIP
//! lacks, `groups.toml` for cooperative groups, `lanes.toml` for those that cover more lanes there,
//! `overloads.toml` for types that HIP's functions do not take, `rounded.toml` for arithmetic that is rounded
//! in a direction, `short_floats.toml` for half and bfloat16, `copies.toml` for asynchronous copies,
//! `atomics.toml` for atomic objects of libcu++, `nvtx.toml` for attributes of NVTX.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::load::{MappingError, toml_table};
use super::version::RocmVersion;

/// What the names of all definitions start with.
pub const HELPER_PREFIX: &str = "hipshift_";

/// How the headers of `convert --emit compat-header` begin.
pub const WRITTEN_BY_US: &str = "// Written by hipshift ";

/// An intrinsic and its definition.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intrinsic {
    /// The intrinsic.
    pub cuda: Box<str>,
    /// Other intrinsics whose definitions the code calls, or which an entry without code stands for.
    #[serde(default)]
    pub needs: Vec<Box<str>>,
    /// The first release that has what the code calls.
    #[serde(default, deserialize_with = "release")]
    pub since: Option<RocmVersion>,
    /// The definition, without a guard.
    pub code: Box<str>,
    /// Which table it comes from.
    #[serde(skip)]
    pub kind: IntrinsicKind,
}

/// What a definition stands in for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntrinsicKind {
    /// Something that HIP lacks and that each lane computes by itself.
    #[default]
    Value,
    /// A function of cooperative groups that HIP lacks.
    Group,
    /// Something about the lanes of a warp that HIP has for a whole wave.
    Lanes,
    /// Something that HIP has for other types or in later releases only.
    Overload,
    /// Arithmetic that is rounded in a direction, by the device libraries.
    Rounding,
    /// Something about half or bfloat16 that HIP lacks.
    ShortFloat,
    /// An asynchronous copy, which AMD GPUs lack.
    Copy,
    /// An enumerator that HIP lacks, where it takes the number.
    Constant,
    /// An atomic object, or what its functions take.
    Atomic,
    /// What NVTX knows of the events that a profiler shows.
    Profiling,
}

impl IntrinsicKind {
    /// Whether the definition takes the place of a name that HIP lacks; those of the other kinds have places of their own.
    pub fn replaces_name(self) -> bool {
        !matches!(self, IntrinsicKind::Lanes | IntrinsicKind::Overload)
    }
}

impl Intrinsic {
    /// Whether a release has what the code calls.
    pub fn is_for(&self, release: RocmVersion) -> bool {
        self.since.is_none_or(|since| release >= since)
    }

    /// Whether the definition serves the host as it serves the device.
    pub fn is_for_both_sides(&self) -> bool {
        self.code.contains("__host__ __device__")
    }

    /// What the definition is called.
    pub fn helper(&self) -> String {
        let name = self.cuda.trim_start_matches('_').replace("cooperative_groups::", "group_");
        let name = name.replace("cuda::", "").replace("::", "_");
        format!("{HELPER_PREFIX}{name}")
    }

    /// The macro that tells that a file has the definition.
    pub fn guard(&self) -> String {
        self.helper().to_uppercase()
    }

    /// The definition in a guard of its own, so that several headers may bring it.
    pub fn guarded(&self) -> String {
        let guard = self.guard();
        format!("#ifndef {guard}\n#define {guard}\n{}#endif\n", self.code)
    }
}

/// All intrinsics that can be defined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intrinsics {
    entries: Vec<Intrinsic>,
    index: FxHashMap<Box<str>, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    intrinsic: Vec<Intrinsic>,
}

static INTRINSICS: LazyLock<Result<Intrinsics, MappingError>> = LazyLock::new(|| {
    let files = [
        ("intrinsics.toml", include_str!("../../../mappings/intrinsics.toml"), IntrinsicKind::Value),
        ("groups.toml", include_str!("../../../mappings/groups.toml"), IntrinsicKind::Group),
        ("lanes.toml", include_str!("../../../mappings/lanes.toml"), IntrinsicKind::Lanes),
        ("overloads.toml", include_str!("../../../mappings/overloads.toml"), IntrinsicKind::Overload),
        ("rounded.toml", include_str!("../../../mappings/rounded.toml"), IntrinsicKind::Rounding),
        ("short_floats.toml", include_str!("../../../mappings/short_floats.toml"), IntrinsicKind::ShortFloat),
        ("copies.toml", include_str!("../../../mappings/copies.toml"), IntrinsicKind::Copy),
        ("constants.toml", include_str!("../../../mappings/constants.toml"), IntrinsicKind::Constant),
        ("atomics.toml", include_str!("../../../mappings/atomics.toml"), IntrinsicKind::Atomic),
        ("nvtx.toml", include_str!("../../../mappings/nvtx.toml"), IntrinsicKind::Profiling),
    ];
    let mut all = Vec::new();
    for (file, text, kind) in files {
        all.extend(entries(file, text, kind)?);
    }
    Ok(Intrinsics::new(all))
});

impl Intrinsics {
    /// The built-in table.
    pub fn builtin() -> Result<&'static Intrinsics, &'static MappingError> {
        INTRINSICS.as_ref()
    }

    fn new(entries: Vec<Intrinsic>) -> Intrinsics {
        let index = entries.iter().enumerate().map(|(number, intrinsic)| (intrinsic.cuda.clone(), number)).collect();
        Intrinsics { entries, index }
    }

    /// All entries, each table sorted by name.
    pub fn entries(&self) -> &[Intrinsic] {
        &self.entries
    }

    /// The entry of an intrinsic.
    pub fn get(&self, cuda: &str) -> Option<&Intrinsic> {
        self.entries.get(*self.index.get(cuda)?)
    }

    /// The entry whose definition takes the place of a name that HIP lacks.
    pub fn replacing(&self, cuda: &str) -> Option<&Intrinsic> {
        self.get(cuda).filter(|intrinsic| intrinsic.kind.replaces_name())
    }

    /// The guarded definitions of intrinsics and of all that these call, callees first.
    pub fn definitions<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> String {
        self.chosen(names).into_iter().map(Intrinsic::guarded).collect()
    }

    /// The same without those about lanes, which a header has, and whether there are any of these.
    pub fn definitions_beside_header<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> (String, bool) {
        let is_in_header = |intrinsic: &&Intrinsic| intrinsic.kind == IntrinsicKind::Lanes;
        let (in_header, own): (Vec<_>, Vec<_>) = self.chosen(names).into_iter().partition(is_in_header);
        (own.into_iter().map(Intrinsic::guarded).collect(), !in_header.is_empty())
    }

    fn chosen<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<&Intrinsic> {
        let mut chosen: Vec<&Intrinsic> = Vec::new();
        for name in names {
            self.choose(name, &mut chosen);
        }
        chosen
    }

    fn choose<'i>(&'i self, name: &str, chosen: &mut Vec<&'i Intrinsic>) {
        let Some(intrinsic) = self.get(name).filter(|intrinsic| !chosen.contains(intrinsic)) else { return };
        for callee in &intrinsic.needs {
            self.choose(callee, chosen);
        }
        chosen.push(intrinsic);
    }
}

fn release<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<RocmVersion>, D::Error> {
    String::deserialize(reader)?.parse().map(Some).map_err(D::Error::custom)
}

fn entries(file: &'static str, text: &str, kind: IntrinsicKind) -> Result<Vec<Intrinsic>, MappingError> {
    let File { intrinsic: mut entries } = toml_table(file, text)?;
    for entry in &mut entries {
        entry.kind = kind;
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_read_and_are_sorted() {
        let table = Intrinsics::builtin().unwrap();
        assert!(table.entries.is_sorted_by(|a, b| (a.kind, &a.cuda) < (b.kind, &b.cuda)));
    }

    /// Whether `code` defines the function or class: a type or `struct` stands before its name.
    fn defines(code: &str, name: &str) -> bool {
        code.match_indices(name).any(|(at, _)| {
            let front = code[..at].trim_end_matches(' ');
            let before = front.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
            let ends = !code[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let follows = code[..at].ends_with(' ');
            let is_word = before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '*' | '>' | '&'));
            follows && ends && is_word && !matches!(before, "return" | "typename" | "const" | "else")
        })
    }

    #[test]
    fn an_entry_needs_what_its_code_calls() {
        let table = Intrinsics::builtin().unwrap();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for intrinsic in table.entries() {
            let words = intrinsic.code.split(|c| !is_word(c)).filter(|word| word.starts_with(HELPER_PREFIX));
            let called: Vec<&str> = words.filter(|word| !defines(&intrinsic.code, word)).collect();
            let needed = table.definitions(intrinsic.needs.iter().map(|name| &**name));
            for name in &called {
                assert!(defines(&needed, name), "{}: nothing that it needs defines {name}", intrinsic.cuda);
            }
            // An entry without code stands for all that it needs.
            for need in intrinsic.needs.iter().filter(|_| !intrinsic.code.is_empty()) {
                let code = table.definitions([&**need]);
                assert!(called.iter().any(|name| code.contains(name)), "{} calls nothing of {need}", intrinsic.cuda);
            }
        }
    }

    #[test]
    fn callees_are_defined_first_and_once() {
        let table = Intrinsics::builtin().unwrap();
        let text = table.definitions(["__vmaxu4", "__vsubus4", "__vcmpgeu4"]);
        let defined: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#define HIPSHIFT_")).collect();
        assert_eq!(defined, ["VCMPGEU4", "VMAXU4", "VSUBUS4"]);
    }
}
