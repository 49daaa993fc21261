//! Programs as the build of a project has them: each target with all its sources, options and libraries.

use camino::{Utf8Path, Utf8PathBuf};

use super::args::Validate;
use super::layout::Layout;
use super::options::Options;
use super::prepare::Prepared;
use crate::cli::output::note;
use crate::cli::project::model_of;
use crate::cli::settings::Resolved;
use crate::mapping::build_library;
use crate::project::{LibraryUse, ModelOrigin, ModelTarget, ProjectModel, TargetKind};
use crate::validate::{Given, Program, Unit, programs};

/// What is known of the build of the sources.
pub(super) struct Targets {
    /// The folder of the project, with links resolved.
    root: Utf8PathBuf,
    model: Option<ProjectModel>,
}

impl Targets {
    /// Reads the build of the folder that was named; of several paths or files there is none.
    pub(super) fn find(arguments: &Validate, resolved: &Resolved) -> anyhow::Result<Targets> {
        let [path] = arguments.paths.as_slice() else { return Ok(Targets::none()) };
        if !path.is_dir() {
            return Ok(Targets::none());
        }
        let model = model_of(path, resolved, arguments.compile_commands.as_deref())?;
        Ok(Targets { root: path.canonicalize_utf8()?, model: Some(model) })
    }

    fn none() -> Targets {
        Targets { root: Utf8PathBuf::new(), model: None }
    }

    /// The folders of headers of all targets, absolute.
    pub(super) fn folders(&self) -> Vec<Utf8PathBuf> {
        let targets = self.model.iter().flat_map(|model| &model.targets);
        targets.flat_map(|target| &target.include).map(|folder| whole(&self.root.join(folder))).collect()
    }

    /// Takes away what is compiled where it is included.
    pub(super) fn without_included(&self, units: &mut Vec<Unit>) {
        let Some(model) = &self.model else { return };
        let included: Vec<Utf8PathBuf> = model.included.iter().map(|path| self.root.join(path)).collect();
        units.retain(|unit| !included.contains(&whole(&unit.source)));
    }

    /// The programs of the targets, then those of each `main` that is in none.
    pub(super) fn programs(&self, prepared: &mut Prepared, options: &mut Options, layout: &Layout) -> Vec<Program> {
        let Some(model) = self.model.as_ref().filter(|model| model.origin != ModelOrigin::Sources) else {
            return programs(&prepared.units);
        };
        let mut found = Vec::new();
        let own = prepared.units.clone();
        for target in model.targets.iter().filter(|target| target.kind == TargetKind::Program) {
            let mut maker = Maker { root: &self.root, model, options: &mut *options, layout };
            found.extend(maker.program(target, &own, &mut prepared.units));
        }
        let used = |unit: &Unit| {
            let path = whole(&unit.source);
            let sources = model.targets.iter().flat_map(|target| &target.sources);
            sources.into_iter().any(|source| self.root.join(&source.path) == path)
        };
        let alone = own.iter().enumerate().filter(|(_, unit)| unit.has_main && !used(unit));
        let alone: Vec<Program> = alone.map(|(at, unit)| self.alone(at, unit)).collect();
        if !alone.is_empty() && !found.is_empty() {
            note(&format!(
                "files with `main` that no target of the build has are programs by themselves: {}",
                names(&alone)
            ));
        }
        found.extend(alone);
        found
    }

    fn alone(&self, at: usize, unit: &Unit) -> Program {
        let path = whole(&unit.source);
        let name = path.strip_prefix(&self.root).unwrap_or(&path).with_extension("").into_string();
        Program { name, units: vec![at], kernel: None, libraries: Vec::new(), given: Given::default() }
    }
}

fn names(programs: &[Program]) -> String {
    programs.iter().map(|program| format!("`{}`", program.name)).collect::<Vec<_>>().join(", ")
}

fn whole(path: &Utf8Path) -> Utf8PathBuf {
    path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned())
}

struct Maker<'m> {
    root: &'m Utf8Path,
    model: &'m ProjectModel,
    options: &'m mut Options,
    layout: &'m Layout,
}

impl Maker<'_> {
    /// A target with the libraries of the project that it is linked with; nothing if none of its sources is validated.
    fn program(&mut self, target: &ModelTarget, own: &[Unit], units: &mut Vec<Unit>) -> Option<Program> {
        let (mut parts, mut libraries) = (Vec::new(), Vec::new());
        for part in self.model.linked(target) {
            for source in &part.sources {
                let path = self.root.join(&source.path);
                let Some(unit) = own.iter().find(|unit| whole(&unit.source) == path) else { continue };
                let flags = self.options.of_target((part, source), (self.root, &unit.source), self.layout);
                let unit = Unit { flags, ..unit.clone() };
                let known = units.iter().position(|known| *known == unit);
                parts.push(known.unwrap_or_else(|| {
                    units.push(unit);
                    units.len() - 1
                }));
            }
            let others = part.libraries.iter().filter_map(linked);
            libraries.extend(others.filter(|name| !name.is_empty()));
        }
        libraries.dedup();
        // The one with `main` comes first: what is expected lies beside it.
        parts.sort_by_key(|at| !units[*at].has_main);
        (!parts.is_empty()).then(|| Program {
            name: target.name.clone(),
            units: parts,
            kernel: None,
            libraries,
            given: Given::default(),
        })
    }
}

/// The name behind `-l` of a library that is none of the project's, in HIP's words; nothing if HIP needs none.
fn linked(library: &LibraryUse) -> Option<String> {
    let LibraryUse::Other(name) = library else { return None };
    let name = name.strip_prefix("CUDA::").unwrap_or(name);
    match build_library(name) {
        // The runtime is linked in any case.
        Some(known) => known.link.clone().filter(|link| link != "amdhip64"),
        // Imported targets of other packages have no name for the linker.
        None => Some(name.to_owned()).filter(|name| !name.contains("::") && !name.contains(['/', '$'])),
    }
}
