//! What is known to be wrong.

/// A kind of statements that computes something else without a word today, or does not compile.
pub(crate) struct Known {
    pub(crate) policy: &'static str,
    pub(crate) kind: &'static str,
    /// Wrong on targets whose waves have 32 lanes, too.
    pub(crate) on_32: bool,
    pub(crate) reason: &'static str,
}

/// Kinds that are wrong today, and why. Whoever repairs one takes it out.
pub(crate) const KNOWN: &[Known] = &[];

/// Policies and kinds at which clang 22.1.8 breaks down with an error of its own for gfx1100 (`Unsupported instruction`). What
/// kernels of these compute on gfx90a is judged.
pub(crate) const NO_CODE: &[(&str, &str)] = &[
    ("logical32", "warp_tile_ballot"),
    ("logical32", "warp_tile_votes"),
    ("logical32", "binary_parts_of_tile"),
    ("native", "warp_tile_ballot"),
    ("native", "warp_tile_votes"),
    ("native", "binary_parts_of_tile"),
];

/// Whether kernels of these kinds are compiled alone.
pub(crate) fn breaks_compiler(policy: &str, kinds: &[&str]) -> bool {
    NO_CODE.iter().any(|(known, kind)| *known == policy && kinds.contains(kind))
}

/// All known kinds of a policy.
pub(crate) fn kinds(policy: &str) -> Vec<&'static str> {
    let wrong = KNOWN.iter().filter(|known| known.policy == policy).map(|known| known.kind);
    wrong.chain(NO_CODE.iter().filter(|(known, _)| *known == policy).map(|(_, kind)| *kind)).collect()
}
