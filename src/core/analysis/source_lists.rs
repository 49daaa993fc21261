//! Variables of CMake that may hold sources of CUDA, by what the files of a project say together.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

/// What files of CMake put into variables. Properties stand for themselves, and `name()` for what a function gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLists {
    /// The variables in which a file names sources.
    pub named: BTreeSet<NamedList>,
    /// What goes from one variable into another.
    pub flows: BTreeSet<ListFlow>,
}

/// A variable in which a file names sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedList {
    /// The variable.
    pub name: String,
    /// The file.
    pub file: Utf8PathBuf,
    /// Whether the file hands it to other folders, and tells these the language.
    pub handed_on: bool,
}

/// A value that goes from one variable into another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListFlow {
    /// Where it comes from.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// The file that says so.
    pub file: Utf8PathBuf,
}

impl SourceLists {
    /// Takes in what another file says.
    pub fn add(&mut self, other: &SourceLists) {
        self.named.extend(other.named.iter().cloned());
        self.flows.extend(other.flows.iter().cloned());
    }

    /// The variables that hold sources whose language nothing tells in the folder of `file`. What that file names itself counts
    /// with `own` only; `is_read` says which others are read as a part of it.
    pub fn untold_in(&self, file: &Utf8Path, own: bool, is_read: impl Fn(&Utf8Path) -> bool) -> BTreeSet<&str> {
        let folder = |path: &'_ Utf8Path| path.parent().map(Utf8Path::to_owned).unwrap_or_default();
        let here = folder(file);
        // Files that others include speak for the folders of these.
        let is_near = |other: &Utf8Path| {
            let above = folder(other);
            other.file_name() != Some("CMakeLists.txt") || here.starts_with(&above) || above.starts_with(&here)
        };
        let start = |list: &'_ NamedList| {
            let is_told = list.handed_on || list.file == file || is_read(&list.file);
            is_told.then(|| list.file.clone()).filter(|_| !own)
        };
        let near = self.named.iter().filter(|list| is_near(&list.file));
        let mut open: Vec<(&str, Option<Utf8PathBuf>)> = near.map(|list| (list.name.as_str(), start(list))).collect();
        let (mut seen, mut untold) = (BTreeSet::new(), BTreeSet::new());
        while let Some((name, told)) = open.pop().filter(|_| seen.len() < MOST) {
            if !seen.insert((name, told.clone())) {
                continue;
            }
            if told.is_none() {
                untold.insert(name);
            }
            let first = ListFlow { from: name.to_owned(), to: String::new(), file: Utf8PathBuf::new() };
            let flows = self.flows.range(first..).take_while(|flow| flow.from == name);
            // What the file that names sources does with them, it tells as well.
            open.extend(flows.map(|flow| (flow.to.as_str(), told.clone().filter(|told| *told == flow.file))));
        }
        untold
    }
}

/// More variables than projects have.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_followed_from_folder_to_folder() {
        let named = |name: &str, file: &str, handed_on| NamedList { name: name.into(), file: file.into(), handed_on };
        let flow = |from: &str, to: &str, file: &str| ListFlow { from: from.into(), to: to.into(), file: file.into() };
        let lists = SourceLists {
            named: BTreeSet::from([
                named("A", "CMakeLists.txt", false),
                named("B", "x/y/CMakeLists.txt", true),
                named("D", "z/CMakeLists.txt", false),
            ]),
            flows: BTreeSet::from([flow("B", "C", "x/CMakeLists.txt"), flow("B", "E", "x/y/CMakeLists.txt")]),
        };
        let untold = |file: &str, own| Vec::from_iter(lists.untold_in(Utf8Path::new(file), own, |_| false));
        assert_eq!(untold("x/CMakeLists.txt", false), ["A", "C"]);
        assert_eq!(untold("CMakeLists.txt", false), ["C", "D"]);
        assert_eq!(untold("x/y/CMakeLists.txt", true), ["A", "B", "C", "E"]);
    }
}
