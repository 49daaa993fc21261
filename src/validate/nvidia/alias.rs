//! Headers with which nvcc takes HIP: generated from the mapping tables, and what tables cannot say by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;

use camino::Utf8Path;

use crate::mapping::{Entry, Kind, Support, Table};

/// What differs by more than a name.
const BY_HAND: &str = include_str!("hip_on_cuda.cuh");

/// The header that all others include.
const NAME: &str = "hip_on_cuda.cuh";

/// Tables whose names win over those of all others, best first. The driver's functions have other types.
const FIRST: &[&str] = &["runtime", "device", "cooperative_groups", "fp16", "complex", "cub"];

/// Writes the headers into a folder, for `-I`.
pub fn write_aliases(table: &Table, folder: &Utf8Path) -> io::Result<()> {
    for (header, text) in headers(table.entries()) {
        let path = folder.join(header);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    fs::write(folder.join(NAME), format!("{BY_HAND}\n{}", names(table.entries())))
}

/// A header for each of HIP's, which includes one of CUDA's.
fn headers(entries: &[Entry]) -> BTreeMap<&'static str, String> {
    let mut candidates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // A header of the same name in both worlds would include itself.
    let is_own = |entry: &&Entry| entry.kind == Kind::Header && !entry.hip.is_empty() && entry.hip != entry.cuda;
    for entry in entries.iter().filter(is_own) {
        candidates.entry(entry.hip).or_default().push(entry.cuda);
    }
    let text = |header: &str, all: &[&str]| {
        format!("#pragma once\n#include <{}>\n#include <{NAME}>\n", best_header(header, all))
    };
    candidates.into_iter().map(|(header, all)| (header, text(header, &all))).collect()
}

/// Of several headers of CUDA the one whose name is that of HIP's.
fn best_header<'c>(hip: &str, cuda: &[&'c str]) -> &'c str {
    let name = hip.rsplit('/').next().unwrap_or(hip);
    let short = name.replace("hip", "cu");
    let wanted = [name.replace("hip_", "cuda_"), name.replace("hip_", ""), short.replace(".h", "_v2.h"), short];
    let found = wanted.iter().find_map(|wanted| cuda.iter().find(|header| *header == wanted));
    found.or(cuda.first()).copied().unwrap_or_default()
}

/// A macro for each of HIP's names that has one of CUDA's.
fn names(entries: &[Entry]) -> String {
    let mut best: BTreeMap<&str, &Entry> = BTreeMap::new();
    let is_name = |entry: &&Entry| {
        let is_other = entry.hip != entry.cuda && entry.support > Support::None && entry.kind != Kind::Header;
        let is_hip = entry.hip.trim_start_matches('_').get(..3).is_some_and(|start| start.eq_ignore_ascii_case("hip"));
        is_other && is_hip && is_identifier(entry.hip) && is_identifier(entry.cuda)
    };
    for entry in entries.iter().filter(is_name) {
        let known = best.entry(entry.hip).or_insert(entry);
        if rank(entry) < rank(known) {
            *known = entry;
        }
    }
    let mut text = String::new();
    for (hip, entry) in best {
        // A string takes everything.
        let _ = writeln!(text, "#ifndef {hip}\n#define {hip} {}\n#endif", entry.cuda);
    }
    text
}

/// The lower, the better a CUDA name stands for its HIP name.
fn rank(entry: &Entry) -> (usize, bool, bool) {
    let table = FIRST.iter().position(|library| *library == entry.library).unwrap_or(FIRST.len());
    // Several names of CUDA can have become one; the one that only differs in its beginning is not the outdated one.
    let same = |prefix: &str| entry.hip.to_lowercase().replace("hip", prefix) == entry.cuda.to_lowercase();
    let is_same = ["cuda", "cu", "nv", ""].iter().any(|prefix| same(prefix));
    (table, !is_same, entry.support != Support::Full)
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_headers_come_from_the_tables() {
        let table = Table::builtin().unwrap();
        let text = names(table.entries());
        for line in [
            "#define hipMalloc cudaMalloc\n",
            "#define hipError_t cudaError_t\n",
            "#define hipDeviceSynchronize cudaDeviceSynchronize\n",
            "#define hipcub cub\n",
            "#define __hip_bfloat16 __nv_bfloat16\n",
            "#define hipErrorInvalidValue cudaErrorInvalidValue\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
        let headers = headers(table.entries());
        for (hip, cuda) in [
            ("hip/hip_runtime.h", "<cuda_runtime.h>"),
            ("hip/hip_cooperative_groups.h", "<cooperative_groups.h>"),
            ("hip/hip_fp16.h", "<cuda_fp16.h>"),
            ("hipcub/hipcub.hpp", "<cub/cub.cuh>"),
            ("hipblas/hipblas.h", "<cublas_v2.h>"),
            ("hiprand/hiprand_kernel.h", "<curand_kernel.h>"),
        ] {
            assert!(headers[hip].contains(cuda), "{hip}: {}", headers[hip]);
        }
        assert!(!headers.contains_key("thrust/sort.h"));
    }
}
