//! The `hipshift` command.
fn main() {}
