//! One of several parts of the work on a project, each of which another machine may do.
//!
//! Which files a part takes hangs on their names below what was named alone, neither on the order in which a file
//! system tells them nor on where the project lies. What files say together is still asked of all of them.

use std::fmt;
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::survey::Looked;
use crate::mapping::Table;
use crate::source::digest;

/// Which part of how many: `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// How many parts there are.
    pub of: u32,
    /// Which of them it is, from 1.
    pub number: u32,
}

/// Digits of a digest that decide; more than any number of parts needs.
const DIGITS: usize = 15;

impl Shard {
    /// Whether it takes what goes by this name.
    pub fn takes(self, name: &str) -> bool {
        let digest = digest(name.as_bytes());
        let number = digest.get(..DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
        number % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What is no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write K/N, with K from 1 to N")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let (number, of) = text.split_once('/').filter(|(k, n)| is_number(k) && is_number(n)).ok_or(NoShard)?;
        let shard = Shard { of: of.parse().map_err(|_| NoShard)?, number: number.parse().map_err(|_| NoShard)? };
        Some(shard).filter(|shard| (1..=shard.of).contains(&shard.number)).ok_or(NoShard)
    }
}

/// The part of the files below some roots that a run takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardFiles {
    shard: Shard,
    roots: Vec<Utf8PathBuf>,
}

impl ShardFiles {
    /// The part `shard` of what lies below `roots`, as these were named.
    pub fn new(shard: Shard, roots: &[Utf8PathBuf]) -> ShardFiles {
        ShardFiles { shard, roots: roots.to_vec() }
    }

    /// Whether it takes a file.
    pub fn takes(&self, path: &Utf8Path) -> bool {
        let below = self.roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        let below = if below.as_str().is_empty() { Utf8Path::new(path.file_name().unwrap_or_default()) } else { below };
        let parts: Vec<&str> = below.components().map(|part| part.as_str()).filter(|part| *part != ".").collect();
        self.shard.takes(&parts.join("/"))
    }
}

/// Whether a run takes a file; without a share it takes all.
pub(super) fn is_taken(share: Option<&ShardFiles>, path: &Utf8Path) -> bool {
    share.is_none_or(|share| share.takes(path))
}

/// The CUDA-like names that the files of the other parts declare.
pub(super) fn declared_elsewhere<'f>(
    share: Option<&ShardFiles>,
    files: impl Iterator<Item = Looked<'f>>,
    table: &Table,
) -> FxHashSet<String> {
    let Some(share) = share else { return FxHashSet::default() };
    let others: Vec<Looked<'_>> = files.filter(|file| !share.takes(file.path)).collect();
    others.par_iter().flat_map_iter(|file| file.declared(table)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_of_a_whole_are_parts() {
        assert_eq!("2/4".parse(), Ok(Shard { of: 4, number: 2 }));
        assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
        for wrong in ["", "2", "0/4", "5/4", "0/0", "a/b", "1/", "/4", "-1/4", "+1/4", "1/4/4", " 1/4", "1/99999999999"]
        {
            assert_eq!(wrong.parse::<Shard>(), Err(NoShard), "{wrong}");
        }
    }

    #[test]
    fn each_file_is_in_one_part_wherever_the_project_lies() {
        let shards: Vec<Shard> = (1..=4).map(|number| Shard { of: 4, number }).collect();
        let takers = |root: &str, path: &str| -> Vec<u32> {
            let takes = |shard: &&Shard| ShardFiles::new(**shard, &[root.into()]).takes(path.into());
            shards.iter().filter(takes).map(|shard| shard.number).collect()
        };
        let mut taken = [0; 4];
        for number in 0..400 {
            let name = format!("src/kernel_{number}.cu");
            let here = takers(".", &name);
            assert_eq!(here.len(), 1, "{name}");
            assert_eq!(takers(".", &format!("./{name}")), here);
            assert_eq!(takers("/else/where", &format!("/else/where/{name}")), here);
            assert_eq!(takers("../there/", &format!("../there/{name}")), here);
            taken[usize::try_from(here[0]).unwrap() - 1] += 1;
        }
        assert!(taken.iter().all(|count| (60..140).contains(count)), "{taken:?}");
        assert_eq!(takers("a/one.cu", "a/one.cu"), takers("b/one.cu", "b/one.cu"));
    }
}
