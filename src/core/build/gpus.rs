//! Options of nvcc and hipcc that name GPUs.

/// What their names hold, without the first dash.
pub const NAMING_GPUS: &[&str] = &["-arch", "-gencode", "-gpu-architecture", "-generate-code", "-gpu-code"];

/// Whether a text names GPUs for a compiler somewhere, or may do so.
pub fn speaks_of_gpus(text: &str) -> bool {
    NAMING_GPUS.iter().any(|option| text.contains(option))
}
