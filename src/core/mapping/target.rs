//! AMD GPU targets: wave size, local memory and other limits.

use std::sync::LazyLock;

use serde::Deserialize;

use super::load::toml_table;

/// A target of the AMD compiler.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// `--offload-arch` name, such as `gfx90a`, without feature suffixes.
    pub name: String,
    /// Marketing or family name.
    pub family: String,
    /// Lanes of a wavefront: 32 or 64.
    pub wave_size: u32,
    /// Bytes of LDS that one block can have.
    pub lds: u32,
    /// Execution units (SIMDs) that share one block's waves.
    pub execution_units: u32,
    /// Most waves that one execution unit holds.
    pub max_waves: u32,
    /// Vector registers per lane and execution unit.
    pub vgprs: u32,
    /// Whether the target has image (texture) instructions.
    pub images: bool,
    /// Whether it has those that take a level of detail or gradients, or gather four texels (LLVM, `FeatureExtendedImageInsts`).
    pub extended_images: bool,
}

/// A target that the table does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown target `{name}`; known targets: {known}")]
pub struct TargetError {
    name: String,
    known: String,
}

#[derive(Deserialize)]
struct File {
    target: Vec<Target>,
}

static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let file = toml_table::<File>("targets.toml", include_str!("../../../mappings/targets.toml"));
    // A test reads the table, so an error here cannot reach a release.
    file.map(|file| file.target).unwrap_or_default()
});

/// All known targets.
pub fn targets() -> &'static [Target] {
    &TARGETS
}

impl Target {
    /// The target of a name as given to `--offload-arch`; features such as `:xnack+` are ignored.
    pub fn find(name: &str) -> Result<&'static Target, TargetError> {
        let base = name.split(':').next().unwrap_or(name);
        TARGETS.iter().find(|target| target.name == base).ok_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.name.as_str()).collect();
            TargetError { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Whether a wavefront has 64 lanes.
    pub fn is_wave64(&self) -> bool {
        self.wave_size == 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads() {
        toml_table::<File>("targets.toml", include_str!("../../../mappings/targets.toml")).unwrap();
        assert!(Target::find("gfx90a:xnack+").unwrap().is_wave64());
        assert!(!Target::find("gfx1100").unwrap().is_wave64());
        assert!(Target::find("sm_80").unwrap_err().to_string().contains("gfx942"));
    }
}
