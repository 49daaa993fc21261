//! NVIDIA's libraries that no table covers, known by the prefixes of their names.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A prefix of the names of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    prefix: &'static str,
    next: Next,
    /// The library, as NVIDIA writes it.
    pub library: &'static str,
    /// AMD's library in its place; empty where there is none.
    pub counterpart: &'static str,
    /// What a person should know.
    pub note: &'static str,
}

/// What has to follow the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Upper,
    Lower,
    Any,
}

/// Bytes of a name that choose the prefixes to look at.
const KEY_LEN: usize = 3;

/// By the first bytes of the prefix, the longest first.
static FAMILIES: LazyLock<FxHashMap<&'static str, Vec<Family>>> = LazyLock::new(|| {
    let mut families: FxHashMap<&'static str, Vec<Family>> = FxHashMap::default();
    for family in read(include_str!("../../../mappings/families.csv")) {
        families.entry(&family.prefix[..KEY_LEN]).or_default().push(family);
    }
    for all in families.values_mut() {
        all.sort_by_key(|family| std::cmp::Reverse(family.prefix.len()));
    }
    families
});

impl Family {
    /// The library that a name belongs to by its spelling.
    pub fn find(name: &str) -> Option<&'static Family> {
        let all = FAMILIES.get(name.get(..KEY_LEN)?)?;
        all.iter().find(|family| {
            let rest = name.strip_prefix(family.prefix).map(str::as_bytes);
            rest.and_then(|rest| rest.first()).is_some_and(|next| family.next.takes(*next))
        })
    }
}

impl Next {
    fn takes(self, byte: u8) -> bool {
        match self {
            Next::Upper => byte.is_ascii_uppercase(),
            Next::Lower => byte.is_ascii_lowercase(),
            Next::Any => true,
        }
    }
}

fn read(text: &'static str) -> impl Iterator<Item = Family> {
    text.lines().skip(1).filter_map(|line| {
        let mut columns = line.splitn(5, ',');
        let mut next = || columns.next().unwrap_or_default();
        let prefix = next();
        let follows = match next() {
            "upper" => Next::Upper,
            "lower" => Next::Lower,
            _ => Next::Any,
        };
        let family = Family { prefix, next: follows, library: next(), counterpart: next(), note: next() };
        (prefix.len() >= KEY_LEN).then_some(family)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_libraries_by_their_spelling() {
        let library = |name| Family::find(name).map(|family| family.library);
        assert_eq!(library("nppiFilterBox_8u_C1R"), Some("NPP"));
        assert_eq!(library("nvjpegCreateSimple"), Some("nvJPEG"));
        assert_eq!(library("cutensorCreate"), Some("cuTENSOR"));
        assert_eq!(library("cudaMalloc"), None);
        assert_eq!(library("np"), None);
    }

    #[test]
    fn every_row_is_read() {
        let text = include_str!("../../../mappings/families.csv");
        assert_eq!(read(text).count(), text.lines().count() - 1);
        assert!(text.lines().skip(1).is_sorted());
        assert!(text.lines().skip(1).all(|line| line.is_ascii() && line.split(',').count() == 5));
    }
}
