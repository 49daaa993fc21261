//! Numbers that headers of a project give names to, for all who include these.

use std::sync::Arc;

use camino::Utf8Path;
use memchr::memmem;
use rustc_hash::FxHashMap;

use super::constants::Constants;
use super::own_names::{Includers, is_source};
use crate::syntax::Document;

/// What a header gives names to, as far as others can see it; a name without a number has several, or one that the header does not
/// tell.
pub type HeaderConstants = Vec<(String, Option<i64>)>;

/// The lanes of a warp in CUDA. Headers that give no name to this number, nor make others of it, are of no interest.
const LANES: &str = "32";

/// Whether a file may give a name to the lanes of a warp for others.
pub fn may_share_constants(path: &Utf8Path, bytes: &[u8]) -> bool {
    !is_source(path) && memmem::find(bytes, LANES.as_bytes()).is_some()
}

/// The constants of a header, if one of them may be the lanes of a warp.
pub fn header_constants(document: &Document) -> HeaderConstants {
    let mut found = Constants::of(document).shared(document);
    if !found.iter().any(|(_, value)| value.is_some_and(|value| value.to_string() == LANES)) {
        return HeaderConstants::new();
    }
    found.sort_unstable();
    found
}

/// What a header makes a name, and who sees that.
type Shared = (Option<i64>, Arc<Includers>);

/// The constants of all headers of a project that may be about lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedConstants {
    by_name: FxHashMap<String, Vec<Shared>>,
}

impl SharedConstants {
    /// Adds those of a header, which some files include.
    pub fn add(&mut self, constants: &[(String, Option<i64>)], includers: &Arc<Includers>) {
        for (name, value) in constants {
            self.by_name.entry(name.clone()).or_default().push((*value, Arc::clone(includers)));
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// What a name is in a file that does not declare it, if all headers that the file may see agree, and it surely sees one.
    pub fn value(&self, name: &str, file: &Utf8Path) -> Option<i64> {
        let known = self.by_name.get(name)?;
        let is_unclear = known.iter().any(|(_, seen)| seen.perhaps.contains(file) && !seen.surely.contains(file));
        let mut seen = known.iter().filter(|(_, seen)| seen.surely.contains(file)).map(|(value, _)| *value);
        let first = seen.next().flatten().filter(|_| !is_unclear)?;
        seen.all(|value| value == Some(first)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn headers_with_the_lanes_of_a_warp_share_their_constants() {
        let constants = |text: &str| header_constants(&Document::new(SourceFile::from_text("a.h", text)));
        let found = constants("#define W 32\nconstexpr int kHalf = W / 2; enum { E = 7 };\n#define W2 1\n#undef W2\n");
        let named = |name: &str, value| (name.to_owned(), value);
        assert_eq!(found, [named("E", Some(7)), named("W", Some(32)), named("W2", None), named("kHalf", Some(16))]);
        assert_eq!(constants("#define W 33\n#define B (320 / 2)\n"), []);
        assert_eq!(constants("struct S { enum { W = 32 }; }; void f() { const int w = 32; } int changes = 32;"), []);
        assert_eq!(
            constants("#define W 32\nint f(int V) { V = 2; } const int V = 3;"),
            [named("V", None), named("W", Some(32))]
        );
    }

    #[test]
    fn files_see_what_they_include_and_headers_agree_on() {
        let files = |names: &[&str]| names.iter().map(|name| (*name).into()).collect::<BTreeSet<_>>();
        let header = |surely: &[&str], perhaps: &[&str]| {
            Arc::new(Includers { surely: files(surely), perhaps: files(perhaps), ..Includers::default() })
        };
        let mut shared = SharedConstants::default();
        shared.add(&[("W".to_owned(), Some(32)), ("N".to_owned(), Some(4))], &header(&["a.cu", "b.cu", "d.cu"], &[]));
        shared.add(&[("W".to_owned(), Some(64)), ("N".to_owned(), Some(4))], &header(&["b.cu", "c.cu"], &["d.cu"]));
        let of = |file: &str| (shared.value("W", file.into()), shared.value("N", file.into()));
        assert_eq!(of("a.cu"), (Some(32), Some(4)));
        assert_eq!(of("b.cu"), (None, Some(4)));
        assert_eq!(of("c.cu"), (Some(64), Some(4)));
        assert_eq!(of("d.cu"), (None, None));
        assert_eq!(of("e.cu"), (None, None));
    }
}
