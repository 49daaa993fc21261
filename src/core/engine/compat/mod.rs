//! A header in front of unchanged CUDA sources, which lets them compile as HIP.

mod files;
mod look;
mod needs;
mod plan;
mod text;

pub use files::{HeaderFile, header_files, is_header_file};
pub use look::{SeenThrough, look, see_through};
pub use needs::Needs;
pub use plan::{HeaderPlan, Planned, Refusal};
pub use text::HEADER;
