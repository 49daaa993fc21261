//! Races in LDS: what is known of each word.

pub(super) mod shadow;
mod summary;
mod word_parts;
