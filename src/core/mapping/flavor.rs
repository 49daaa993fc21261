//! Which of two libraries does a job: hipBLAS or rocBLAS.

use serde::Deserialize;

/// Which library names to emit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavor {
    /// The portable wrapper: hipBLAS, hipSPARSE, …
    Hip,
    /// AMD's own library: rocBLAS, rocSPARSE, MIOpen, …
    Roc,
}
