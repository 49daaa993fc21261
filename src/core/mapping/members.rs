//! Members of CUDA's structures that HIP's namesakes lack, or have from some release on.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::RocmVersion;

/// A member that is not always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// As CUDA calls it.
    pub name: &'static str,
    /// The first release of ROCm that has it; none has it if this is `None`.
    pub since: Option<RocmVersion>,
    /// Another member that says the same; empty where there is none.
    pub instead: &'static str,
}

static MEMBERS: LazyLock<FxHashMap<&'static str, Vec<Member>>> = LazyLock::new(|| {
    let mut members: FxHashMap<&'static str, Vec<Member>> = FxHashMap::default();
    for (structure, member) in read(include_str!("../../../mappings/members.csv")) {
        members.entry(structure).or_default().push(member);
    }
    members
});

impl Member {
    /// The members that a structure of HIP lacks in some release.
    pub fn lacking(structure: &str) -> &'static [Member] {
        MEMBERS.get(structure).map_or(&[], Vec::as_slice)
    }

    /// The structures that lack members.
    pub fn structures() -> impl Iterator<Item = &'static str> {
        MEMBERS.keys().copied()
    }

    /// Whether a release lacks it.
    pub fn is_missing(&self, release: RocmVersion) -> bool {
        self.since.is_none_or(|since| release < since)
    }
}

fn read(text: &'static str) -> impl Iterator<Item = (&'static str, Member)> {
    text.lines().skip(1).filter_map(|line| {
        let mut columns = line.splitn(4, ',');
        let mut next = || columns.next().unwrap_or_default();
        let (structure, name) = (next(), next());
        let since = next().parse().ok();
        (!name.is_empty()).then(|| (structure, Member { name, since, instead: next() }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let text = include_str!("../../../mappings/members.csv");
        assert_eq!(read(text).count(), text.lines().count() - 1);
        assert!(text.lines().skip(1).is_sorted());
        let dated = text.lines().skip(1).filter(|line| !line.split(',').nth(2).unwrap_or_default().is_empty()).count();
        assert_eq!(read(text).filter(|(_, member)| member.since.is_some()).count(), dated);
    }

    #[test]
    fn members_are_missing_up_to_a_release() {
        let members = Member::lacking("hipDeviceProp_t");
        let find = |name: &str| members.iter().find(|member| member.name == name).copied().unwrap();
        assert!(find("unifiedAddressing").is_missing(RocmVersion::new(5, 7)));
        assert!(!find("unifiedAddressing").is_missing(RocmVersion::new(6, 0)));
        assert!(find("deviceNumaId").is_missing(RocmVersion::NEWEST));
        assert!(Member::lacking("hipMemcpy3DParms").is_empty());
    }
}
