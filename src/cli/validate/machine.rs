//! What a validation compiles with and runs on.

use anyhow::Context as _;
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{ChecksWord, ExecutorWord, StageWord, Validate};
use super::executors::{executors, library_to_link, targets};
use crate::cli::output::note;
use crate::cli::settings::Resolved;
use crate::mapping::{Table, Target};
use crate::toolchain::{Toolchain, find_program, make_cache_folder};
use crate::validate::{
    Build, Builder, Cache, Executor, NvidiaBuild, ProgramResult, Search, Stage, keep_measured, write_aliases,
};

/// Compilers, and what runs their programs.
pub(super) struct Machine {
    compiler: Compiler,
    /// What runs programs, best first.
    pub(super) executors: Vec<Executor>,
}

enum Compiler {
    Amd(Box<Amd>),
    Nvidia { nvcc: Utf8PathBuf, aliases: Utf8PathBuf },
}

struct Amd {
    toolchain: Toolchain,
    targets: Vec<&'static Target>,
    cache: Option<Cache>,
    /// The folder of the library that programs are linked with, if they are.
    runtime: Option<Utf8PathBuf>,
    /// Whether the compiler may make odd addresses of its own: not where they are looked for.
    merges_bytes: bool,
}

impl Machine {
    /// Finds all that a run needs, and prepares `folder` for it.
    pub(super) fn find(
        word: ExecutorWord,
        arguments: &Validate,
        resolved: &Resolved,
        folder: &Utf8Path,
    ) -> anyhow::Result<Machine> {
        if word == ExecutorWord::Nvidia {
            return Machine::nvidia(arguments, &resolved.table, folder);
        }
        let named = arguments.toolchain.as_deref().or(resolved.validate.toolchain.as_deref());
        let toolchain = Toolchain::find(named.map(Utf8Path::as_std_path), resolved.settings.rocm)
            .context("`hipshift doctor` shows what is installed")?;
        let executors = executors(word, arguments, &toolchain, folder)?;
        let targets = targets(&arguments.target.arch, &executors)?;
        let cache = if arguments.no_cache { None } else { cache(&toolchain) };
        let runtime = match executors.first() {
            Some(executor) => executor.library().map(Utf8Path::to_owned),
            // Nothing runs, but what cannot be linked is told.
            None if arguments.stage == StageWord::Link => library_to_link(&toolchain, folder)?,
            None => None,
        };
        let merges_bytes = arguments.emulation.checks != ChecksWord::All;
        let amd = Amd { toolchain, targets, cache, runtime, merges_bytes };
        Ok(Machine { compiler: Compiler::Amd(Box::new(amd)), executors })
    }

    fn nvidia(arguments: &Validate, table: &Table, folder: &Utf8Path) -> anyhow::Result<Machine> {
        let nvcc = Utf8PathBuf::try_from(find_program("nvcc").context("nvcc is not on PATH")?)?;
        let aliases = folder.join("hip-on-cuda");
        write_aliases(table, &aliases).with_context(|| format!("writing {aliases}"))?;
        let wanted = arguments.emulation.checks != ChecksWord::None;
        let sanitizer = find_program("compute-sanitizer").filter(|_| wanted).map(Utf8PathBuf::try_from).transpose()?;
        let executors = vec![Executor::Nvidia { sanitizer }];
        Ok(Machine { compiler: Compiler::Nvidia { nvcc, aliases }, executors })
    }

    /// How programs are compiled.
    pub(super) fn builder<'b>(
        &'b self,
        search: &'b Search,
        flags: &'b [String],
        stage: Stage,
        folder: &'b Utf8Path,
    ) -> Builder<'b> {
        match &self.compiler {
            Compiler::Amd(amd) => {
                let Amd { toolchain, targets, cache, runtime, merges_bytes } = amd.as_ref();
                let (cache, runtime, merges_bytes) = (cache.as_ref(), runtime.as_deref(), *merges_bytes);
                Builder::Amd(Build { toolchain, targets, search, flags, folder, runtime, stage, merges_bytes, cache })
            }
            Compiler::Nvidia { nvcc, aliases } => Builder::Nvidia(NvidiaBuild { nvcc, aliases, search, flags, folder }),
        }
    }

    /// Whether the compiler can be told to read files in place of others.
    pub(super) fn takes_overlay(&self) -> bool {
        matches!(self.compiler, Compiler::Amd(_))
    }

    /// The compiler, for messages.
    pub(super) fn compiler(&self) -> String {
        match &self.compiler {
            Compiler::Amd(amd) => amd.toolchain.compiler.display().to_string(),
            Compiler::Nvidia { nvcc, .. } => nvcc.to_string(),
        }
    }

    /// Keeps for editors what a run measured of the user's kernels, and the cache below its limit.
    pub(super) fn keep(&self, results: &[ProgramResult]) {
        let Compiler::Amd(amd) = &self.compiler else { return };
        let Some(cache) = &amd.cache else { return };
        cache.trim();
        if let Err(error) = keep_measured(results) {
            note(&format!("what kernels need could not be kept for editors: {error}"));
        }
    }
}

/// Where objects are kept; nowhere, with a note, if there is no place that is the user's alone.
fn cache(toolchain: &Toolchain) -> Option<Cache> {
    match make_cache_folder("compile") {
        Ok(folder) => Some(Cache::new(folder, toolchain)),
        Err(error) => {
            note(&format!("what is compiled is not kept for later runs: {error}"));
            None
        }
    }
}
