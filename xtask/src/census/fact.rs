//! What a program can write of CUDA's: a row for each function, type, member, enumerator and macro.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::repository_root;

/// A row of `tests/data/census/LIBRARY.csv`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) struct Fact {
    pub(super) kind: Kind,
    pub(super) space: Space,
    /// With its namespace; of a member, with its type.
    pub(super) name: String,
    /// Parameters of a template, each a name, or `TYPE NAME` for values; joined by `; `.
    pub(super) template: String,
    /// The type that a function returns.
    pub(super) result: String,
    /// Types of a function's parameters, joined by `; `.
    pub(super) parameters: String,
    /// The header that declares it.
    pub(super) header: String,
    /// Releases of CUDA whose headers have it, as major numbers with blanks between.
    pub(super) cuda: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Enumerator,
    Function,
    Macro,
    Member,
    /// A name of a namespace of templates, such as `cub`, of which only that it is there is asked.
    Name,
    Type,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Space {
    Both,
    Device,
    Host,
}

/// The facts of one file.
pub(super) struct Library {
    pub(super) name: String,
    pub(super) facts: Vec<Fact>,
}

impl Library {
    /// The headers that its facts are written with.
    pub(super) fn includes(&self) -> &'static [&'static str] {
        LIBRARIES.iter().find(|(name, _)| *name == self.name).map_or(&[], |(_, headers)| headers)
    }
}

/// Each library with the headers that a program includes for it. A header that several read belongs to the first.
pub(super) const LIBRARIES: &[(&str, &[&str])] = &[
    ("runtime", &["cuda_runtime.h", "cuda_profiler_api.h"]),
    ("driver", &["cuda.h", "cudaProfiler.h"]),
    ("pipeline", &["cuda_pipeline_primitives.h", "cuda_awbarrier_primitives.h"]),
    ("fp16", &["cuda_fp16.h"]),
    ("bf16", &["cuda_bf16.h"]),
    ("fp8", &["cuda_fp8.h"]),
    ("fp4", &["cuda_fp4.h", "cuda_fp6.h"]),
    ("complex", &["cuComplex.h"]),
    ("cooperative_groups", &["cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"]),
    ("wmma", &["mma.h"]),
    ("cublas", &["cublas_v2.h"]),
    ("cublaslt", &["cublasLt.h"]),
    ("cublasxt", &["cublasXt.h"]),
    ("cufft", &["cufft.h", "cufftXt.h"]),
    ("curand", &["curand.h"]),
    ("curand_kernel", &["curand_kernel.h"]),
    ("cusparse", &["cusparse.h"]),
    ("cusolver", &["cusolverDn.h", "cusolverSp.h", "cusolverRf.h"]),
    ("cudnn", &["cudnn.h"]),
    ("nccl", &["nccl.h"]),
    ("nvrtc", &["nvrtc.h"]),
    ("nvjitlink", &["nvJitLink.h"]),
    ("nvtx", &["nvtx3/nvToolsExt.h"]),
    ("nvml", &["nvml.h"]),
    ("nvjpeg", &["nvjpeg.h"]),
    ("npp", &["npp.h"]),
    ("cupti", &["cupti.h"]),
    ("cub", &["cub/cub.cuh"]),
    (
        "thrust",
        &[
            "thrust/device_vector.h",
            "thrust/host_vector.h",
            "thrust/device_ptr.h",
            "thrust/device_malloc.h",
            "thrust/device_free.h",
            "thrust/adjacent_difference.h",
            "thrust/binary_search.h",
            "thrust/complex.h",
            "thrust/copy.h",
            "thrust/count.h",
            "thrust/equal.h",
            "thrust/execution_policy.h",
            "thrust/extrema.h",
            "thrust/fill.h",
            "thrust/find.h",
            "thrust/for_each.h",
            "thrust/functional.h",
            "thrust/gather.h",
            "thrust/generate.h",
            "thrust/inner_product.h",
            "thrust/logical.h",
            "thrust/merge.h",
            "thrust/mismatch.h",
            "thrust/pair.h",
            "thrust/partition.h",
            "thrust/random.h",
            "thrust/reduce.h",
            "thrust/remove.h",
            "thrust/replace.h",
            "thrust/reverse.h",
            "thrust/scan.h",
            "thrust/scatter.h",
            "thrust/sequence.h",
            "thrust/set_operations.h",
            "thrust/shuffle.h",
            "thrust/sort.h",
            "thrust/swap.h",
            "thrust/system_error.h",
            "thrust/tabulate.h",
            "thrust/transform.h",
            "thrust/transform_reduce.h",
            "thrust/transform_scan.h",
            "thrust/tuple.h",
            "thrust/uninitialized_copy.h",
            "thrust/uninitialized_fill.h",
            "thrust/unique.h",
            "thrust/universal_vector.h",
            "thrust/zip_function.h",
            "thrust/iterator/constant_iterator.h",
            "thrust/iterator/counting_iterator.h",
            "thrust/iterator/discard_iterator.h",
            "thrust/iterator/permutation_iterator.h",
            "thrust/iterator/reverse_iterator.h",
            "thrust/iterator/transform_iterator.h",
            "thrust/iterator/transform_output_iterator.h",
            "thrust/iterator/zip_iterator.h",
        ],
    ),
];

/// The folder of the facts.
pub(super) fn folder() -> PathBuf {
    repository_root().join("tests/data/census")
}

/// Reads the facts of all libraries, without those that no table can speak of by their names.
pub(super) fn read_all() -> Result<Vec<Library>> {
    let names = fs::read_to_string(repository_root().join("mappings/too_general.txt"))?;
    let too_general: Vec<&str> = names.lines().filter(|line| !line.starts_with('#')).collect();
    let files = LIBRARIES.iter().map(|(name, _)| (*name, folder().join(format!("{name}.csv"))));
    files
        .filter(|(_, path)| path.is_file())
        .map(|(name, path)| Ok(Library { name: name.into(), facts: read(&path, &too_general)? }))
        .collect()
}

fn read(path: &Path, too_general: &[&str]) -> Result<Vec<Fact>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("reading `{}`", path.display()))?;
    let facts = reader.deserialize().collect::<Result<Vec<Fact>, _>>();
    let mut facts = facts.with_context(|| format!("reading `{}`", path.display()))?;
    facts.retain(|fact| !too_general.contains(&fact.name.as_str()));
    Ok(facts)
}

/// Writes the facts of a library, in their order.
pub(super) fn write(library: &Library) -> Result<()> {
    fs::create_dir_all(folder())?;
    let path = folder().join(format!("{}.csv", library.name));
    let mut writer = csv::Writer::from_path(&path).with_context(|| format!("writing `{}`", path.display()))?;
    for fact in &library.facts {
        writer.serialize(fact)?;
    }
    Ok(writer.flush()?)
}
