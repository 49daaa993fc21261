//! Mapping tables of a user: read beside the built-in ones, or refused.

use hipshift::mapping::Table;

/// The text of a table.
pub fn run(bytes: &[u8]) {
    // Texts of tables live as long as the process.
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.len() < 1 << 12) else { return };
    let Ok(table) = Table::with_user_tables(&[text.to_owned()]) else { return };
    assert!(table.contains("cudaMalloc"), "a user's table takes built-in names away");
}
