//! What the editor sets, and what it means together with `hipshift.toml`: what is set here goes before the file.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::Value;

use crate::project::{BoundsWord, Config, ExtensionWord, LaunchWord, WaveWord};

/// The settings of the section `hipshift`. Nothing has to be set.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Options {
    /// The GPUs that the result must run on; `arch` in the file.
    targets: Option<Vec<String>>,
    /// The release to convert for.
    rocm: Option<String>,
    /// How launches are written.
    launch: Option<LaunchWord>,
    /// What the second argument of `__launch_bounds__` becomes.
    launch_bounds: Option<BoundsWord>,
    /// How many lanes warps have.
    wave_policy: Option<WaveWord>,
    /// How converted files are named.
    ext: Option<ExtensionWord>,
    /// File patterns of the project.
    include: Option<Vec<String>>,
    /// File patterns to leave out.
    exclude: Option<Vec<String>>,
    lint: LintOptions,
    inlay_hints: InlayHintOptions,
}

#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
struct LintOptions {
    /// Only these rules run.
    select: Option<Vec<String>>,
    /// These rules do not run; added to those of the file.
    ignore: Option<Vec<String>>,
    /// A file of findings that do not count, from the top of the project on.
    baseline: Option<Utf8PathBuf>,
}

#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
struct InlayHintOptions {
    enable: Option<bool>,
}

impl Options {
    /// Reads settings as a client sends them, by themselves or as the section of a larger object. Values such as
    /// `null` and the empty text, which editors send for what nobody set, set nothing.
    pub(super) fn read(settings: &Value) -> serde_json::Result<Options> {
        let section = settings.get("hipshift").unwrap_or(settings);
        let mut section = section.clone();
        drop_unset(&mut section);
        if section.is_null() { Ok(Options::default()) } else { serde_json::from_value(section) }
    }

    /// Whether inlay hints are wanted.
    pub(super) fn shows_inlay_hints(&self) -> bool {
        self.inlay_hints.enable.unwrap_or(false)
    }

    /// The file with the baseline of the project at `root`.
    pub(super) fn baseline(&self, root: &Utf8Path) -> Option<Utf8PathBuf> {
        self.lint.baseline.as_ref().map(|file| root.join(file))
    }

    /// Puts what is set here in place of what the file says.
    pub(super) fn apply(&self, config: &mut Config) {
        fn set<T: Clone>(value: &mut Option<T>, option: Option<&T>) {
            if option.is_some() {
                *value = option.cloned();
            }
        }
        set(&mut config.arch, self.targets.as_ref());
        set(&mut config.rocm, self.rocm.as_ref());
        set(&mut config.launch, self.launch.as_ref());
        set(&mut config.launch_bounds, self.launch_bounds.as_ref());
        set(&mut config.wave_policy, self.wave_policy.as_ref());
        set(&mut config.ext, self.ext.as_ref());
        set(&mut config.include, self.include.as_ref());
        set(&mut config.exclude, self.exclude.as_ref());
        set(&mut config.select, self.lint.select.as_ref());
        if let Some(more) = &self.lint.ignore {
            config.ignore.get_or_insert_default().extend(more.iter().cloned());
        }
    }
}

fn drop_unset(value: &mut Value) {
    let Value::Object(members) = value else { return };
    members.values_mut().for_each(drop_unset);
    members.retain(|_, member| match member {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_set_goes_before_the_file() {
        let settings = json!({ "hipshift": {
            "targets": ["gfx942"], "rocm": "", "wavePolicy": "native", "include": [],
            "lint": { "select": null, "ignore": ["A005"] }, "inlayHints": { "enable": true },
        } });
        let options = Options::read(&settings).unwrap();
        let mut config = Config {
            rocm: Some("6.4".to_owned()),
            select: Some(vec!["W".to_owned()]),
            ignore: Some(vec!["W001".to_owned()]),
            ..Config::default()
        };
        options.apply(&mut config);
        let expected = Config {
            rocm: Some("6.4".to_owned()),
            arch: Some(vec!["gfx942".to_owned()]),
            wave_policy: Some(WaveWord::Native),
            select: Some(vec!["W".to_owned()]),
            ignore: Some(vec!["W001".to_owned(), "A005".to_owned()]),
            ..Config::default()
        };
        assert_eq!(config, expected);
        assert!(options.shows_inlay_hints());
    }

    #[test]
    fn settings_need_no_section_and_no_content() {
        assert_eq!(Options::read(&Value::Null).unwrap(), Options::default());
        assert!(Options::read(&json!({ "inlayHints": { "enable": true } })).unwrap().shows_inlay_hints());
        assert!(Options::read(&json!({ "wavePolicy": "both" })).is_err());
    }
}
