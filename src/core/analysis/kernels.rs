//! What the kernels and launches of one file say about the size of blocks, for all other files.

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use super::block_size::{BlockAxes, threads_of};
use super::constants::Constants;
use super::functions::Functions;
use super::launch_bounds::{Bounds, LAUNCH_BOUNDS, Owner};
use crate::syntax::{Document, words};

/// The largest block that a kernel is bound to, and where that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelBound {
    /// Threads of a block.
    pub threads: i64,
    /// The file of the bound.
    pub path: Utf8PathBuf,
    /// Its line, from 1.
    pub line: u32,
}

/// Kernels and launches by the name of the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernels {
    /// The largest bound of a kernel; `None` where one of that name has no bound, or one that is not known.
    bounds: FxHashMap<String, Option<KernelBound>>,
    /// What the launches of a kernel have for blocks.
    blocks: FxHashMap<String, LaunchBlocks>,
    /// How the blocks of a kernel's launches are shaped.
    axes: FxHashMap<String, BlockAxes>,
}

/// The blocks of all launches of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchBlocks {
    /// All have so many threads.
    Same(i64),
    /// They differ, or their size is not known.
    Open,
}

impl Kernels {
    /// Reads the kernels and launches of a file.
    pub fn of(document: &Document, functions: &Functions) -> Kernels {
        let mut kernels = Kernels::default();
        let bounds = Bounds::all(document, words(document, LAUNCH_BOUNDS));
        if bounds.is_empty() && document.launches().is_empty() && functions.iter().all(|function| !function.is_kernel) {
            return kernels;
        }
        let constants = Constants::of(document);
        let mut bound_names = FxHashSet::default();
        for bound in &bounds {
            let Owner::Kernel(name) = bound.owner else { continue };
            bound_names.insert(name);
            let own = bound.threads(&constants, document).map(|threads| KernelBound {
                threads,
                path: document.file().path.clone(),
                line: document.position(bound.range.start()).line,
            });
            kernels.add_bound(document.token_text(name), own);
        }
        for name in functions.iter().filter(|function| function.is_kernel).filter_map(|function| function.name) {
            if !bound_names.contains(&name) {
                kernels.add_bound(document.token_text(name), None);
            }
        }
        for launch in document.launches() {
            if let Some(name) = launch.kernel_name(document) {
                let threads = threads_of(launch, &constants, document);
                kernels.add_blocks(name, threads.map_or(LaunchBlocks::Open, LaunchBlocks::Same));
                kernels.add_axes(name, BlockAxes::of(launch, &constants, document));
            }
        }
        kernels
    }

    /// Adds those of another file.
    pub fn extend(&mut self, more: Kernels) {
        for (name, bound) in more.bounds {
            self.add_bound(&name, bound);
        }
        for (name, blocks) in more.blocks {
            self.add_blocks(&name, blocks);
        }
        for (name, axes) in more.axes {
            self.add_axes(&name, axes);
        }
    }

    /// The largest block that all kernels of a name allow.
    pub fn bound(&self, kernel: &str) -> Option<&KernelBound> {
        self.bounds.get(kernel)?.as_ref()
    }

    /// The kernels of which no bound is known, in order.
    pub fn unbounded(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.bounds.iter().filter(|(_, bound)| bound.is_none()).map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
    }

    /// The blocks of the launches of a kernel, if it is launched.
    pub fn blocks(&self, kernel: &str) -> Option<LaunchBlocks> {
        self.blocks.get(kernel).copied()
    }

    /// How the blocks of a kernel's launches are shaped, if it is launched.
    pub fn axes(&self, kernel: &str) -> Option<BlockAxes> {
        self.axes.get(kernel).copied()
    }

    fn add_axes(&mut self, name: &str, axes: BlockAxes) {
        let known = self.axes.entry(name.to_owned()).or_insert(axes);
        *known = known.or(axes);
    }

    fn add_bound(&mut self, name: &str, bound: Option<KernelBound>) {
        match self.bounds.get_mut(name) {
            Some(known) => {
                let both = known.take().zip(bound);
                *known = both.map(|(known, new)| if new.threads > known.threads { new } else { known });
            }
            None => drop(self.bounds.insert(name.to_owned(), bound)),
        }
    }

    fn add_blocks(&mut self, name: &str, blocks: LaunchBlocks) {
        match self.blocks.get_mut(name) {
            Some(known) if *known != blocks => *known = LaunchBlocks::Open,
            Some(_) => {}
            None => drop(self.blocks.insert(name.to_owned(), blocks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    fn kernels(files: &[(&str, &str)]) -> Kernels {
        let mut all = Kernels::default();
        for (path, text) in files {
            let document = Document::new(SourceFile::from_text(*path, *text));
            all.extend(Kernels::of(&document, &Functions::of(&document)));
        }
        all
    }

    #[test]
    fn the_largest_bound_of_all_files_counts() {
        let first = "__global__ void __launch_bounds__(128) k(int* x) {}";
        let second = "\n#define N 256\n__global__ __launch_bounds__(N, 2) void k(long* x) {}";
        let all = kernels(&[("a.cu", first), ("b.cu", second)]);
        assert_eq!(all.bound("k"), Some(&KernelBound { threads: 256, path: "b.cu".into(), line: 3 }));
        let unbound = kernels(&[("a.cu", first), ("c.cu", "__global__ void k(char* x) {}"), ("b.cu", second)]);
        assert_eq!((unbound.bound("k"), unbound.bound("other")), (None, None));
        assert_eq!((unbound.unbounded(), all.unbounded()), (vec!["k"], vec![]));
    }

    #[test]
    fn blocks_count_where_all_launches_agree() {
        let launch = |size: &str| format!("void f() {{ k<<<1, {size}>>>(); }}");
        let of = |sizes: &[&str]| {
            let texts: Vec<String> = sizes.iter().map(|size| launch(size)).collect();
            kernels(&texts.iter().map(|text| ("a.cu", text.as_str())).collect::<Vec<_>>()).blocks("k")
        };
        assert_eq!(of(&["64", "dim3(8, 8)"]), Some(LaunchBlocks::Same(64)));
        assert_eq!(of(&["64", "128", "128"]), Some(LaunchBlocks::Open));
        assert_eq!(of(&["64", "n"]), Some(LaunchBlocks::Open));
        assert_eq!(of(&[]), None);
    }
}
