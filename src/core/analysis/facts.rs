//! All that the analysis of one file found, and what a project adds.

use std::cell::OnceCell;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::aliases::Aliases;
use super::blocks::Blocks;
use super::build_facts::BuildFacts;
use super::conditions::Conditions;
use super::declared::Declared;
use super::device_variables::DeviceVariable;
use super::excluded::excluded;
use super::functions::Functions;
use super::guard::left_to_cuda;
use super::helper_header::HelperHeader;
use super::kept_warps::KeptWarps;
use super::kernels::Kernels;
use super::lane_needs::LaneNeeds;
use super::lanes::MaskFunctions;
use super::managed_variables::SharedManaged;
use super::name_starts::{HandedNames, NameStarts};
use super::own_names::OwnNames;
use super::pasted::{MacroParameters, PastedArguments};
use super::scopes::Scopes;
use super::shared_constants::SharedConstants;
use super::switch_role::SwitchRole;
use super::wave::WaveEvidence;
use crate::source::{Spans, TextRange, TextSize};
use crate::syntax::{Document, TokenIdx};

/// What one file means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Functions with a body.
    pub functions: Functions,
    /// CUDA-like names that the file declares.
    pub declared: Declared,
    /// Other names of namespaces.
    pub aliases: Aliases,
    /// What its `#if`s test.
    pub conditions: Conditions,
    /// Blocks that the preprocessor skips whatever macros are defined.
    pub excluded: Spans<TextSize>,
    /// Blocks that have their form for HIP beside them, as `--emit guarded` writes them.
    pub left_to_cuda: Spans<TextSize>,
    /// How many lanes it takes a warp to have.
    pub wave: WaveEvidence,
    /// Whether the file is written for HIP already.
    pub is_hip: bool,
    /// Code that keeps warps of 32 lanes though whole waves were asked for.
    pub kept_warps: Spans<TextSize>,
    blocks: OnceCell<Blocks>,
    device_variables: OnceCell<Vec<DeviceVariable>>,
    scopes: OnceCell<Scopes>,
    pasted: OnceCell<PastedArguments>,
    name_starts: OnceCell<(NameStarts, HandedNames)>,
    /// The branches that depend on the pass of the compiler, once they were asked for.
    pub(super) of_passes: OnceCell<Spans<TokenIdx>>,
}

impl Facts {
    /// Analyses a file.
    pub fn of(document: &Document) -> Facts {
        let bounds = |block: TextRange| block.start()..block.end();
        let functions = Functions::of(document);
        let declared = Declared::of(document, &functions);
        let (aliases, conditions) = (Aliases::of(document), Conditions::of(document));
        let excluded = excluded(document, &conditions).into_iter().map(bounds).collect();
        let left_to_cuda = left_to_cuda(document, &conditions).into_iter().map(bounds).collect();
        let wave = WaveEvidence::of(document, &functions, &declared);
        let is_hip = is_hip(document);
        Facts {
            functions,
            declared,
            aliases,
            conditions,
            excluded,
            left_to_cuda,
            wave,
            is_hip,
            kept_warps: Spans::default(),
            blocks: OnceCell::new(),
            device_variables: OnceCell::new(),
            scopes: OnceCell::new(),
            pasted: OnceCell::new(),
            name_starts: OnceCell::new(),
            of_passes: OnceCell::new(),
        }
    }

    /// The braces of the file, found on the first call.
    pub fn blocks(&self, document: &Document) -> &Blocks {
        self.blocks.get_or_init(|| Blocks::of(document))
    }

    /// The variables of the device that the file declares, found on the first call.
    pub fn device_variables(&self, document: &Document) -> &[DeviceVariable] {
        self.device_variables.get_or_init(|| DeviceVariable::all(document, &self.functions, &self.conditions))
    }

    /// The scopes of the file, which most files need not: found on the first call.
    pub fn scopes(&self, document: &Document) -> &Scopes {
        self.scopes.get_or_init(|| Scopes::of(document))
    }

    /// The names that macros make parts of other names, found on the first call.
    pub fn pasted(&self, document: &Document, project: &ProjectFacts) -> &PastedArguments {
        self.pasted.get_or_init(|| PastedArguments::of(document, &project.macro_parameters))
    }

    /// The starts of names in the macros of the file, and what the file hands over to these; found on the first call.
    pub fn name_starts(&self, document: &Document) -> &(NameStarts, HandedNames) {
        self.name_starts.get_or_init(|| {
            let starts = NameStarts::of(document);
            let handed = HandedNames::within(document, &starts);
            (starts, handed)
        })
    }

    /// The CUDA-like names that a file declares, without the rest of the analysis; if it `is_telling`, also how many lanes it takes
    /// a warp to have, and what it says of kernels.
    pub fn told(document: &Document, is_telling: bool) -> (Option<(WaveEvidence, Kernels)>, Declared) {
        let functions = Functions::of(document);
        let declared = Declared::of(document, &functions);
        let wave = || WaveEvidence::of(document, &functions, &declared);
        let look = is_telling.then(|| (wave(), Kernels::of(document, &functions)));
        (look, declared)
    }
}

/// What the other files of a run mean for one file; empty when a file is looked at alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    /// File names (without directory) of the project's own files that are renamed.
    pub renamed_files: FxHashSet<String>,
    /// Names of CUDA's that files declare as their own.
    pub own_names: OwnNames,
    /// Other names that headers give to namespaces; none if two headers disagree.
    pub aliases: FxHashMap<String, Option<String>>,
    /// Namespaces that headers bring into view for all who are in another one, by the path of that.
    pub shared_namespaces: FxHashMap<String, Vec<String>>,
    /// Files that are called like headers of CUDA's.
    pub own_headers: Vec<Utf8PathBuf>,
    /// Files with CUDA that others include within brackets, where no include can stand; with a source that does so without having
    /// CUDA's runtime header from anywhere but nvcc.
    pub fragments: FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    /// Functions of all files that return lane masks or take them.
    pub mask_functions: MaskFunctions,
    /// What functions, macros and classes of all files need lanes for.
    pub lane_needs: LaneNeeds,
    /// The constants of headers that may be about lanes.
    pub constants: SharedConstants,
    /// The managed variables that headers declare.
    pub managed_variables: SharedManaged,
    /// What macros of all files make of their arguments.
    pub macro_parameters: MacroParameters,
    /// What files hand over to macros that put the start of a name before it.
    pub handed_names: HandedNames,
    /// What keeps warps of 32 lanes though whole waves were asked for; each file decides for itself if it is not known.
    pub kept_warps: Option<KeptWarps>,
    /// Kernels of all files, and their launches.
    pub kernels: Kernels,
    /// The header that definitions for warps of 32 lanes go to; without it each file has those that it uses.
    pub helper_header: Option<HelperHeader>,
    /// What the build files say.
    pub builds: BuildFacts,
    /// What files of CMake have to do with the variable that chooses between CUDA and HIP; none where projects are built for one.
    pub switch_roles: FxHashMap<Utf8PathBuf, SwitchRole>,
}

impl ProjectFacts {
    /// What a file of CMake has to do with the variable that chooses between CUDA and HIP.
    pub fn switch_role(&self, path: &Utf8Path) -> SwitchRole {
        self.switch_roles.get(path).copied().unwrap_or_default()
    }

    /// The namespaces that headers bring into view for all who include them.
    pub fn shared_by_all(&self) -> &[String] {
        self.shared_namespaces.get("").map_or(&[], Vec::as_slice)
    }
}

/// Whether the name of a file says that it is HIP: `a.hip`, `a.hip.cpp`, `a.hip.h`.
pub fn has_hip_extension(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.split('.').skip(1).any(|part| part == "hip"))
}

/// Whether a file is called HIP, or includes HIP's headers and none of CUDA's.
fn is_hip(document: &Document) -> bool {
    if has_hip_extension(&document.file().path) {
        return true;
    }
    let mut includes_hip = false;
    for include in document.includes() {
        if include.path.starts_with("cuda") {
            return false;
        }
        includes_hip |= include.path.starts_with("hip/");
    }
    includes_hip
}
