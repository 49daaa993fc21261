//! What the variables of a makefile say about GPUs, for the makefiles that read it.

use std::collections::{BTreeMap, BTreeSet};

use crate::build::{BuildKind, LineKind, make_lines, references, speaks_of_gpus, users};

/// The variables of a file that is read as a makefile.
#[derive(Default)]
pub(super) struct GpuVariables {
    /// Those that name GPUs, by themselves or by way of others.
    pub(super) naming: BTreeSet<String>,
    /// Those that name none, and refer to nothing that the file does not set.
    pub(super) plain: BTreeSet<String>,
}

impl GpuVariables {
    pub(super) fn of(kind: BuildKind, text: &str) -> GpuVariables {
        if kind != BuildKind::Make {
            return GpuVariables::default();
        }
        let mut held: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in make_lines(text) {
            if let LineKind::Assignment { name, .. } = line.kind {
                held.entry(&text[name]).or_default().push(&text[line.code]);
            }
        }
        let speaks = |name: &str| held[name].iter().any(|value| speaks_of_gpus(value));
        let given = || held.iter().flat_map(|(name, values)| values.iter().map(|value| (*name, *value)));
        let naming = users(given(), held.keys().copied().filter(|name| speaks(name)).collect());
        let is_open = |name: &str| {
            let mut used = held[name].iter().flat_map(|value| references(value));
            used.any(|used| !held.contains_key(used))
        };
        let open = users(given(), held.keys().copied().filter(|name| is_open(name)).collect());
        let is_plain = |name: &&str| !naming.contains(name) && !open.contains(name);
        let plain = held.keys().copied().filter(is_plain).map(str::to_owned).collect();
        GpuVariables { naming: naming.into_iter().map(str::to_owned).collect(), plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_name_gpus_by_way_of_others() {
        let text = "SM = -arch=sm_70\nNVCCFLAGS = $(SM) -O3\nOPT = -O3\nWARN = $(OPT) -Wall\nMORE = $(USER_FLAGS)\nALL = $(MORE)\n";
        let found = GpuVariables::of(BuildKind::Make, text);
        assert_eq!(found.naming.iter().map(String::as_str).collect::<Vec<_>>(), ["NVCCFLAGS", "SM"]);
        assert_eq!(found.plain.iter().map(String::as_str).collect::<Vec<_>>(), ["OPT", "WARN"]);
    }
}
