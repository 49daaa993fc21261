//! Results that serve CUDA and HIP: what is written in sources and build files where the two differ.

use anyhow::bail;

use super::args::{BuildWord, EmitWord};
use super::settings::Resolved;
use crate::settings::{BuildMode, Emit, ExtensionStyle, Settings};

/// Decides what is written where CUDA and HIP differ, and refuses what files for both compilers cannot say. What was typed counts
/// before what the configuration says.
pub(super) fn apply_emit(
    (emit, build_mode): (Option<EmitWord>, Option<BuildWord>),
    settings: &mut Settings,
) -> anyhow::Result<()> {
    match build_mode {
        Some(BuildWord::Replace) => settings.build_mode = BuildMode::Replace,
        Some(BuildWord::Option) => settings.build_mode = BuildMode::Option,
        None => {}
    }
    let keeps_cuda = settings.build_mode == BuildMode::Option;
    settings.emit = match emit {
        Some(EmitWord::Guarded) => Emit::Guarded,
        None if keeps_cuda => Emit::Guarded,
        Some(EmitWord::Hip | EmitWord::CompatHeader) if keeps_cuda => bail!(
            "`--build-mode option` keeps the build for CUDA, and that needs sources for both compilers: `--emit guarded`"
        ),
        _ => return Ok(()),
    };
    if settings.extension != ExtensionStyle::Keep {
        bail!("a file for both compilers keeps its name; add `--ext keep`");
    }
    Ok(())
}

impl Resolved {
    /// Whether build files are converted: one has a single form, unless it shall have both.
    pub(super) fn converts_builds(&self) -> bool {
        let keeps_cuda = self.settings.build_mode == BuildMode::Option;
        self.build_files && (self.settings.emit == Emit::Hip || keeps_cuda)
    }
}
