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
        let wanted = (name.to_ascii_lowercase(), name.chars().count());
        let mut names: Vec<&str> = self.entries().iter().map(|entry| entry.cuda).collect();
        names.dedup();
        let mut scored: Vec<(f64, &str)> = names
            .into_iter()
            .map(|cuda| (likeness(&wanted, &cuda.to_ascii_lowercase()), cuda))
            .filter(|(score, _)| *score > ENOUGH)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.into_iter().take(limit).map(|(_, cuda)| cuda).collect()
    }
}

/// What is less like a name than this is not told.
const ENOUGH: f64 = 0.75;

/// How alike two names are, from 0 to 1; the one that is wanted comes with its number of characters.
fn likeness((wanted, length): &(String, usize), name: &str) -> f64 {
    // Each character that one has more than the other is a difference, so that most names need not be compared.
    let other = name.chars().count();
    let (short, long) = (other.min(*length), other.max(*length));
    let may_be = short * 4 > long * 3;
    let spelling = if may_be { strsim::normalized_damerau_levenshtein(wanted, name) } else { 0.0 };
    let is_part = wanted.len() >= 4 && name.contains(wanted.as_str());
    if is_part { spelling.max(0.8) } else { spelling }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name of a megabyte is like none, which takes no time to find.
    #[test]
    fn only_names_of_about_the_same_length_are_compared() {
        let table = Table::builtin().unwrap();
        assert_eq!(table.similar(&"a".repeat(1_000_000), 8), Vec::<&str>::new());
        assert_eq!(table.similar("cudaMaloc", 1), ["cudaMalloc"]);
        assert_eq!(table.similar("cudaMemcpyAsyn", 1), ["cudaMemcpyAsync"]);
    }
}
