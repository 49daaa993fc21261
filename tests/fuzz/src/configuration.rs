//! `hipshift.toml`: read and applied, or refused.

use camino::Utf8Path;
use hipshift::project::{Config, powerful_flags};
use hipshift::settings::Settings;

use super::place::within;

/// The text of a configuration.
pub fn run(bytes: &[u8]) {
    within(|folder| {
        let Some(folder) = Utf8Path::from_path(folder) else { return };
        let file = folder.join("hipshift.toml");
        std::fs::write(&file, bytes).expect("a file can be written");
        let Ok(config) = Config::read(&file) else { return };
        let _ = config.apply(&mut Settings::default());
        let _ = config.table_powers(&file);
        let _ = powerful_flags(&config.validate.flags);
    });
}
