//! What is known to be wrong.

/// Kinds of snippets that are converted wrongly today, and why. Whoever repairs one takes it out.
pub(crate) const KNOWN: &[(&str, &str)] = &[];

/// Kinds that are right themselves, and make others beside them wrong.
pub(crate) const SPOILERS: &[(&str, &str)] = &[];
