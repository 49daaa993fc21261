//! Reverse and fuzzy look-up, for people who ask.

use super::entry::Entry;
use super::table::Table;

impl Table {
    /// All entries whose HIP or ROCm library name is `name`.
    pub fn reverse(&self, name: &str) -> Vec<&Entry> {
        let matches = |entry: &&Entry| entry.hip == name || entry.roc == name;
        self.entries().iter().filter(matches).collect()
    }

    /// The `limit` CUDA names most like `name`, best first.
    pub fn similar(&self, name: &str, limit: usize) -> Vec<&str> {
        let wanted = name.to_ascii_lowercase();
        let mut names: Vec<&str> = self.entries().iter().map(|entry| entry.cuda).collect();
        names.dedup();
        let mut scored: Vec<(f64, &str)> = names
            .into_iter()
            .map(|cuda| (likeness(&wanted, &cuda.to_ascii_lowercase()), cuda))
            .filter(|(score, _)| *score > 0.75)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.into_iter().take(limit).map(|(_, cuda)| cuda).collect()
    }
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let spelling = strsim::normalized_damerau_levenshtein(wanted, name);
    let is_part = wanted.len() >= 4 && name.contains(wanted);
    if is_part { spelling.max(0.8) } else { spelling }
}
