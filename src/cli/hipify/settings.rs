//! What the options mean for the conversion. No configuration file is read: the tools have none.

use anyhow::bail;

use super::args::Arguments;
use super::options::{Flag, Key, Tool};
use crate::diagnostic::Applicability;
use crate::mapping::{RocmVersion, Table};
use crate::project::parse_rocm;
use crate::settings::{LaunchStyle, Settings};

/// The rules that do what the tools do: about names, headers, launches, and `__CUDACC__`.
const RULES: &[&str] = &["A", "H", "L", "toolchain-macro"];

/// Rules of these groups that do what the tools do not.
const OTHER_RULES: &[&str] = &[
    "launch-bounds-units",
    "cluster-bound",
    "bound-without-kernel",
    "bare-comma-in-bounds",
    "oversized-block",
    "missing-type-header",
];

/// The tables whose names `--roc` takes from AMD's own libraries.
const ROC_TABLES: &[&str] = &["cublas", "cusparse", "curand", "cusolver", "device", "fp16", "complex"];

/// What `--use-hip-data-types` lays over the tables.
const HIP_DATA_TYPES: &str = "\
cuda,hip,roc,kind,support,since,until,note
cudaDataType,hipDataType,,type,full,,,
cudaDataType_t,hipDataType,,type,full,,,
";

/// What `--roc` lays over the tables: HIPIFY names these functions although their calls need
/// other arguments, so the tables leave them to hipBLAS and the like.
const ROC_NAMES: &str = include_str!("roc_names.csv");

/// What takes cuDNN to hipDNN, as the tools do up to ROCm 6.4.
const HIPDNN_NAMES: &str = include_str!("hipdnn_names.csv");

/// What `--miopen` lays over the tables: names that HIPIFY writes, and that MIOpen's headers lack or mean otherwise.
const MIOPEN_NAMES: &str = include_str!("miopen_names.csv");

/// The last release with names of hipDNN.
const LAST_HIPDNN: RocmVersion = RocmVersion::new(6, 4);

/// Settings and tables for what was typed.
pub(super) fn resolve(arguments: &Arguments) -> anyhow::Result<(Settings, Table)> {
    let mut settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
    settings.rules.select.extend(RULES.iter().copied().map(str::to_owned));
    settings.rules.ignore.extend(OTHER_RULES.iter().copied().map(str::to_owned));
    settings.launch = match arguments.tool {
        _ if !arguments.has(Flag::HipLaunch) || arguments.has(Flag::CudaLaunch) => LaunchStyle::Chevron,
        Tool::Clang => LaunchStyle::Hipify,
        Tool::Perl => LaunchStyle::Ggl,
    };
    if let Some(rocm) = arguments.value(Key::Rocm) {
        settings.rocm = parse_rocm(rocm)?;
    }
    if arguments.has(Flag::HipDnn) && settings.rocm > LAST_HIPDNN {
        bail!("`--hipdnn`: ROCm {} has no hipDNN; use `--miopen`, or `--rocm {LAST_HIPDNN}`", settings.rocm);
    }
    if arguments.has(Flag::Roc) {
        for table in ROC_TABLES {
            settings.libraries.prefer_roc(table);
        }
    }
    settings.skip_excluded = arguments.has(Flag::SkipExcluded);
    settings.ignored_names = arguments.list(Key::KeepNames).map(str::to_owned).collect();
    let dnn = if arguments.has(Flag::Miopen) { MIOPEN_NAMES } else { HIPDNN_NAMES };
    let chosen = [(Flag::UseHipDataTypes, HIP_DATA_TYPES), (Flag::Roc, ROC_NAMES)];
    let chosen = chosen.into_iter().filter(|(flag, _)| arguments.has(*flag)).map(|(_, text)| text);
    let overlays: Vec<String> = chosen.chain([dnn]).map(str::to_owned).collect();
    Ok((settings, Table::with_user_tables(&overlays)?))
}
