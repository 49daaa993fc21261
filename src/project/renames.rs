//! Finds out which new file an old one became.

use rustc_hash::FxHashMap;

/// So much of two texts must be alike for one to be the other under a new name.
const LEAST_ALIKE: f64 = 0.6;

/// A file that is new, or one that is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'c> {
    /// What it was before conversion, as a digest.
    pub(super) input: &'c str,
    /// What it is after conversion.
    pub(super) text: &'c [u8],
}

/// Numbers of `gone` files with the numbers of the `new` files that they became. Each file has one partner
/// at the most; the same input goes before texts that are alike.
pub(super) fn pair(gone: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<(usize, usize)> {
    let counted: Vec<_> = new.iter().map(|candidate| Lines::of(candidate.text)).collect();
    let mut all = Vec::new();
    for (old, was) in gone.iter().enumerate() {
        let lines = Lines::of(was.text);
        for (now, (is, their_lines)) in new.iter().zip(&counted).enumerate() {
            let alike = if was.input == is.input { 2.0 } else { lines.alike(their_lines) };
            if alike >= LEAST_ALIKE {
                all.push((alike, old, now));
            }
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut has_partner, mut is_partner) = (vec![false; gone.len()], vec![false; new.len()]);
    all.retain(|&(_, old, now)| {
        let is_free = !has_partner[old] && !is_partner[now];
        (has_partner[old], is_partner[now]) = (has_partner[old] || is_free, is_partner[now] || is_free);
        is_free
    });
    all.into_iter().map(|(_, old, now)| (old, now)).collect()
}

/// How often each line is in a text; empty ones do not count.
struct Lines<'t> {
    counts: FxHashMap<&'t [u8], u32>,
    total: u32,
}

impl<'t> Lines<'t> {
    fn of(text: &'t [u8]) -> Lines<'t> {
        let mut lines = Lines { counts: FxHashMap::default(), total: 0 };
        for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
            *lines.counts.entry(line).or_default() += 1;
            lines.total += 1;
        }
        lines
    }

    /// The part of both texts that is in both, from 0 to 1.
    fn alike(&self, other: &Lines<'_>) -> f64 {
        let in_both = |(line, count): (&&[u8], &u32)| (*count).min(other.counts.get(line).copied().unwrap_or(0));
        let both: u32 = self.counts.iter().map(in_both).sum();
        let all = self.total + other.total;
        if all == 0 { 0.0 } else { f64::from(2 * both) / f64::from(all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates<'c>(texts: &[(&'c str, &'c str)]) -> Vec<Candidate<'c>> {
        texts.iter().map(|(input, text)| Candidate { input, text: text.as_bytes() }).collect()
    }

    #[test]
    fn the_most_alike_are_partners() {
        let gone = candidates(&[("1", "a\nb\nc\nd\n"), ("2", "x\ny\nz\n"), ("3", "q\n")]);
        let new = candidates(&[("4", "x\ny\n"), ("5", "a\nb\nc\ne\n"), ("6", "a\nb\nc\nd\nf\n"), ("3", "other\n")]);
        assert_eq!(pair(&gone, &new), [(2, 3), (0, 2), (1, 0)]);
    }

    #[test]
    fn files_that_share_little_are_not_partners() {
        let gone = candidates(&[("1", "a\nb\nc\n"), ("2", "\n\n\n")]);
        let new = candidates(&[("3", "a\nx\ny\n"), ("4", "\n\n")]);
        assert_eq!(pair(&gone, &new), []);
    }
}
