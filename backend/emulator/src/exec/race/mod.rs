//! Races in LDS: what is known of each word.

pub(super) mod shadow;
#[cfg(test)]
mod shadow_tests;
mod summary;
mod word_parts;
