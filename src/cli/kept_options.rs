//! Options that a manifest keeps, so that a later update converts as the last time.

use serde::{Deserialize, Serialize};

use super::args::{BuildWord, Convert, EmitWord, FileSelection, RuleChoice, RuleOptions, TargetOptions};

/// The options that decide about results.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct KeptOptions {
    pub(super) sources_only: bool,
    /// Whether definitions went into a header though nobody asked for that. Earlier versions put them into each file.
    pub(super) helper_header: bool,
    /// What is written where CUDA and HIP differ.
    pub(super) emit: Option<EmitWord>,
    /// What becomes of files of CMake.
    pub(super) build_mode: Option<BuildWord>,
    pub(super) files: FileSelection,
    pub(super) target: TargetOptions,
    pub(super) rules: RuleOptions,
}

impl KeptOptions {
    /// Those of a conversion.
    pub(super) fn of(arguments: &Convert, helper_header: bool) -> KeptOptions {
        KeptOptions {
            sources_only: arguments.sources_only,
            helper_header,
            emit: arguments.emit,
            build_mode: arguments.build_mode,
            files: arguments.selection.clone(),
            target: arguments.target.clone(),
            rules: arguments.rules.clone(),
        }
    }

    /// As a manifest has them: those that were given.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self).unwrap_or_default();
        drop_defaults(&mut json);
        json
    }

    /// As a manifest has them.
    pub(super) fn from_json(json: &serde_json::Value) -> serde_json::Result<KeptOptions> {
        serde_json::from_value(json.clone())
    }

    /// These where they were given, else `earlier` ones.
    pub(super) fn or(self, earlier: KeptOptions) -> KeptOptions {
        let (files, rules) = (self.files, self.rules);
        KeptOptions {
            sources_only: self.sources_only || earlier.sources_only,
            helper_header: self.helper_header || earlier.helper_header,
            emit: self.emit.or(earlier.emit),
            build_mode: self.build_mode.or(earlier.build_mode),
            files: FileSelection {
                include: first_given(files.include, earlier.files.include),
                exclude: first_given(files.exclude, earlier.files.exclude),
                no_build_files: files.no_build_files || earlier.files.no_build_files,
                threads: files.threads,
            },
            target: self.target.or(earlier.target),
            rules: RuleOptions {
                unsafe_fixes: rules.unsafe_fixes || earlier.rules.unsafe_fixes,
                no_decisions: rules.no_decisions || earlier.rules.no_decisions,
                choice: RuleChoice {
                    select: first_given(rules.choice.select, earlier.rules.choice.select),
                    ignore: first_given(rules.choice.ignore, earlier.rules.choice.ignore),
                    config: rules.choice.config.or(earlier.rules.choice.config),
                },
            },
        }
    }
}

impl TargetOptions {
    fn or(self, earlier: TargetOptions) -> TargetOptions {
        TargetOptions {
            rocm: self.rocm.or(earlier.rocm),
            arch: first_given(self.arch, earlier.arch),
            launch: self.launch.or(earlier.launch),
            launch_bounds: self.launch_bounds.or(earlier.launch_bounds),
            wave_policy: self.wave_policy.or(earlier.wave_policy),
            helpers: self.helpers.or(earlier.helpers),
            helpers_header: self.helpers_header.or(earlier.helpers_header),
            ext: self.ext.or(earlier.ext),
            blas: self.blas.or(earlier.blas),
            sparse: self.sparse.or(earlier.sparse),
            rand: self.rand.or(earlier.rand),
            solver: self.solver.or(earlier.solver),
            strings: self.strings || earlier.strings,
        }
    }
}

fn first_given(given: Vec<String>, earlier: Vec<String>) -> Vec<String> {
    if given.is_empty() { earlier } else { given }
}

/// Takes away what says nothing.
fn drop_defaults(json: &mut serde_json::Value) {
    if let serde_json::Value::Object(members) = json {
        members.values_mut().for_each(drop_defaults);
        members.retain(|_, value| !says_nothing(value));
    }
}

fn says_nothing(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null | serde_json::Value::Bool(false) => true,
        serde_json::Value::Array(items) => items.is_empty(),
        serde_json::Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{ExtWord, LaunchWord};

    #[test]
    fn only_what_was_given_is_kept_and_comes_back() {
        let mut options = KeptOptions::default();
        assert_eq!(options.to_json().to_string(), "{}");
        options.target.ext = Some(ExtWord::HipCpp);
        options.target.arch = vec!["gfx90a".to_owned()];
        options.rules.unsafe_fixes = true;
        let json = options.to_json();
        let expected = r#"{"rules":{"unsafe-fixes":true},"target":{"arch":["gfx90a"],"ext":"hip.cpp"}}"#;
        assert_eq!(json.to_string(), expected);
        assert_eq!(KeptOptions::from_json(&json).unwrap().to_json(), json);
    }

    #[test]
    fn what_is_given_now_counts_before_what_was_given_then() {
        let mut earlier = KeptOptions::default();
        earlier.target.launch = Some(LaunchWord::Chevron);
        earlier.target.rocm = Some("6.4".to_owned());
        let mut now = KeptOptions::default();
        now.target.rocm = Some("7.0".to_owned());
        let json = now.or(earlier).to_json();
        assert_eq!(json.to_string(), r#"{"target":{"launch":"chevron","rocm":"7.0"}}"#);
    }
}
