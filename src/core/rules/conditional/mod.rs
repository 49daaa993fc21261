//! Rules about conditional compilation and about tests of the GPU's generation at run time.

mod arch_test;
mod asked;
mod branches;
mod compute_capability_test;
mod false_branches;
mod features;
mod for_hip;
mod header_guard_test;
mod header_test;
mod helpers;
mod hip_code;
mod judgement;
mod left_out;
mod macros;
mod missing_header;
mod one_width;
mod parts;
mod polyfill;
mod register_keyword;
mod served;
mod toolchain_macro;
mod two_sided_condition;
mod undefined_macro;
mod version_query;
mod version_test;

pub(super) use arch_test::ArchTest;
pub(super) use asked::Branches;

pub(super) use compute_capability_test::ComputeCapabilityTest;
pub(super) use false_branches::is_within_false_at;
pub(super) use for_hip::is_for_hip;
pub(super) use header_guard_test::HeaderGuardTest;
pub(super) use header_test::HeaderTest;
pub(crate) use hip_code::blocks_for_cuda;
pub(super) use macros::{is_reserved, is_version};
pub(super) use one_width::is_for_one_width;
pub(super) use polyfill::is_left_to_headers;
pub(super) use register_keyword::RegisterKeyword;
pub(super) use toolchain_macro::ToolchainMacro;
pub(super) use two_sided_condition::TwoSidedCondition;
pub(super) use undefined_macro::UndefinedMacro;
pub(super) use version_query::VersionQuery;
pub(super) use version_test::VersionTest;
