//! The names of a file in little memory: a large file has millions of them, most alike.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::name::{Meaning, Name};
use crate::syntax::{Document, TokenIdx};

/// The names of a file that rules look at, in the order of the text.
#[derive(Debug, Default)]
pub struct NameList<'d> {
    document: Option<&'d Document>,
    /// Token and number of the kind.
    names: Vec<(u32, u32)>,
    kinds: Vec<Kind<'d>>,
}

/// What names have in common that are spelt and meant alike.
#[derive(Debug, PartialEq)]
struct Kind<'d> {
    /// The text, where it is not that of the token.
    path: Option<String>,
    meaning: Meaning<'d>,
}

impl<'d> NameList<'d> {
    /// Collects names of `document`.
    pub(crate) fn new(document: &'d Document, names: impl Iterator<Item = Name<'d>>) -> NameList<'d> {
        let mut list = NameList { document: Some(document), names: Vec::new(), kinds: Vec::new() };
        // The kind that each text had last.
        let mut recent: FxHashMap<Cow<'d, str>, u32> = FxHashMap::default();
        for name in names {
            let is_path = name.text != document.name(name.token);
            let kind = Kind { path: is_path.then(|| name.text.clone().into_owned()), meaning: name.meaning };
            let known = recent.get(&name.text).copied();
            let known = known.filter(|&number| list.kinds.get(number as usize) == Some(&kind));
            let number = known.unwrap_or_else(|| {
                list.kinds.push(kind);
                let number = to_u32(list.kinds.len() - 1);
                recent.insert(name.text, number);
                number
            });
            list.names.push((to_u32(name.token), number));
        }
        list
    }

    /// All names.
    pub fn iter(&self) -> impl Iterator<Item = Name<'d>> {
        let document = self.document.into_iter();
        document.flat_map(|document| self.names.iter().filter_map(|&(token, kind)| self.name(document, token, kind)))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names among some tokens.
    pub fn within(&self, tokens: Range<TokenIdx>) -> impl Iterator<Item = Name<'d>> {
        let place = |token: TokenIdx| self.names.partition_point(|&(name, _)| (name as TokenIdx) < token);
        let (start, end) = (place(tokens.start), place(tokens.end));
        let names = self.names.get(start..end).unwrap_or_default();
        let document = self.document.into_iter();
        document.flat_map(|document| names.iter().filter_map(|&(token, kind)| self.name(document, token, kind)))
    }

    fn name(&self, document: &'d Document, token: u32, kind: u32) -> Option<Name<'d>> {
        let (token, kind) = (token as TokenIdx, self.kinds.get(kind as usize)?);
        let text = kind.path.clone().map_or_else(|| document.name(token), Cow::Owned);
        Some(Name { token, range: document.token(token)?.range(), text, meaning: kind.meaning })
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
