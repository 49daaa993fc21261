//! Development tasks of hipshift.
fn main() {}
