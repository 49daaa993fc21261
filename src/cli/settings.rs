//! What the arguments and the configuration file mean together.

use anyhow::Context as _;
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{
    BoundsWord, ExtWord, FileSelection, HelpersWord, LaunchWord, LibraryWord, RuleOptions, TargetOptions, WaveWord,
};
use super::narrowed::note_narrowed;
use super::trust;
use crate::diagnostic::Applicability;
use crate::mapping::{Table, WARP_HEADER};
use crate::project::{
    Config, Decisions, HelpersWord as HelpersConfig, Run, Survey, ValidateConfig, check_header_name, check_rules,
    find_config, parse_rocm, parse_targets, read_named,
};
use crate::settings::{ExtensionStyle, LaunchBounds, LaunchStyle, Settings, WavePolicy};

/// Everything that is decided before the first file is read.
pub(super) struct Resolved {
    pub(super) settings: Settings,
    pub(super) table: std::borrow::Cow<'static, Table>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    /// Whether build files are converted.
    pub(super) build_files: bool,
    /// What was decided about fixes; nothing if that is not wanted.
    pub(super) decisions: Option<Decisions>,
    /// Where definitions go; for runs that write.
    pub(super) helpers: Helpers,
    /// How `validate` compiles.
    pub(super) validate: ValidateConfig,
    /// The configuration file that was not named on the command line, and what it decides about programs.
    pub(super) found: Option<(Utf8PathBuf, Vec<String>)>,
}

/// Where definitions for warps of 32 lanes go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Helpers {
    /// Into each file that uses them.
    Inline,
    /// To the header of this name.
    Header {
        /// What it is called.
        name: String,
        /// Whether that was asked for: files that were named alone have it beside them only then.
        is_asked: bool,
    },
}

impl Helpers {
    /// Whether they go to a header though nobody asked for that.
    pub(super) fn is_header_by_default(&self) -> bool {
        matches!(self, Helpers::Header { is_asked: false, .. })
    }
}

impl Resolved {
    /// A run over what `survey` looked at that writes nothing and tells nobody.
    pub(super) fn run<'r>(&'r self, survey: &'r Survey) -> Run<'r> {
        Run {
            table: &self.table,
            settings: &self.settings,
            survey: Some(survey),
            staging: None,
            decisions: self.decisions.as_ref(),
            observer: None,
            ledger: None,
            share: None,
            helpers: None,
        }
    }
}

/// Reads the configuration and lets the arguments override it.
pub(super) fn resolve(
    first_path: &Utf8Path,
    files: &FileSelection,
    target: &TargetOptions,
    rules: &RuleOptions,
) -> anyhow::Result<Resolved> {
    resolve_with((first_path, config_of(first_path, rules)), files, target, rules)
}

/// The same with the configuration file `file`, which is trusted only if it was typed, or by `hipshift trust`.
pub(super) fn resolve_with(
    (first_path, file): (&Utf8Path, Option<Utf8PathBuf>),
    files: &FileSelection,
    target: &TargetOptions,
    rules: &RuleOptions,
) -> anyhow::Result<Resolved> {
    let is_named = |file: &Utf8PathBuf| rules.choice.config.as_ref() == Some(file);
    let read = |file: &Utf8PathBuf| if is_named(file) { Config::read(file) } else { Config::found(file) };
    let config = file.as_ref().map(read).transpose()?.unwrap_or_default();
    let found = file.filter(|file| !is_named(file));
    if let Some(file) = &found {
        trust::require(file, &config.table_powers(file), "--config")?;
    }
    let mut settings = Settings::default();
    config.apply(&mut settings)?;
    apply_target(target, &mut settings)?;
    apply_rules(rules, &mut settings)?;
    if let Some(file) = &found {
        note_narrowed((file, &config), files, (rules, &settings));
    }
    let pick = |typed: &[String], configured: &Option<Vec<String>>| {
        if typed.is_empty() { configured.clone().unwrap_or_default() } else { typed.to_vec() }
    };
    let decisions = if rules.no_decisions || first_path == "-" { None } else { Decisions::find(first_path)? };
    Ok(Resolved {
        decisions,
        settings,
        table: table(&config)?,
        include: pick(&files.include, &config.include),
        exclude: pick(&files.exclude, &config.exclude),
        helpers: helpers(target, &config)?,
        build_files: !files.no_build_files && config.build_files.unwrap_or(true),
        found: found.map(|file| {
            let powers = trust::powers_of(&config, &file);
            (file, powers)
        }),
        validate: config.validate,
    })
}

/// The configuration file, if there is one.
pub(super) fn config_of(first_path: &Utf8Path, rules: &RuleOptions) -> Option<Utf8PathBuf> {
    let start = if first_path == "-" { Utf8Path::new(".") } else { first_path };
    rules.choice.config.clone().or_else(|| find_config(start))
}

/// Where definitions go.
fn helpers(target: &TargetOptions, config: &Config) -> anyhow::Result<Helpers> {
    let configured = config.helpers.map(|word| word == HelpersConfig::Header);
    let asked = target.helpers.map(|word| word == HelpersWord::Header).or(configured);
    let name = target.helpers_header.as_ref().or(config.helpers_header.as_ref());
    if let Some(name) = name {
        check_header_name(name)?;
    }
    let name = name.map_or(WARP_HEADER, String::as_str).to_owned();
    Ok(if asked == Some(false) { Helpers::Inline } else { Helpers::Header { name, is_asked: asked.is_some() } })
}

fn table(config: &Config) -> anyhow::Result<std::borrow::Cow<'static, Table>> {
    if config.mappings.is_empty() {
        return Ok(std::borrow::Cow::Borrowed(builtin_table()?));
    }
    let read =
        |path: &camino::Utf8PathBuf| read_named(path).with_context(|| format!("reading the mapping table {path}"));
    let texts = config.mappings.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(std::borrow::Cow::Owned(Table::with_user_tables(&texts)?))
}

/// The built-in tables.
pub(super) fn builtin_table() -> anyhow::Result<&'static Table> {
    Table::builtin().map_err(|error| anyhow::anyhow!("built-in tables: {error}"))
}

fn apply_target(target: &TargetOptions, settings: &mut Settings) -> anyhow::Result<()> {
    if let Some(rocm) = &target.rocm {
        settings.rocm = parse_rocm(rocm)?;
    }
    if !target.arch.is_empty() {
        settings.targets = parse_targets(&target.arch)?;
    }
    match target.launch {
        Some(LaunchWord::Ggl) => settings.launch = LaunchStyle::Ggl,
        Some(LaunchWord::Chevron) => settings.launch = LaunchStyle::Chevron,
        None => {}
    }
    match target.launch_bounds {
        Some(BoundsWord::PerEu) => settings.launch_bounds = LaunchBounds::PerEu,
        Some(BoundsWord::RocmDocs) => settings.launch_bounds = LaunchBounds::RocmDocs,
        None => {}
    }
    match target.wave_policy {
        Some(WaveWord::Auto) => settings.wave_policy = WavePolicy::Auto,
        Some(WaveWord::Logical32) => settings.wave_policy = WavePolicy::Logical32,
        Some(WaveWord::Native) => settings.wave_policy = WavePolicy::Native,
        None => {}
    }
    match target.ext {
        Some(ExtWord::Keep) => settings.extension = ExtensionStyle::Keep,
        Some(ExtWord::Hip) => settings.extension = ExtensionStyle::Hip,
        Some(ExtWord::HipCpp) => settings.extension = ExtensionStyle::HipCpp,
        None => {}
    }
    let choices =
        [("cublas", target.blas), ("cusparse", target.sparse), ("curand", target.rand), ("cusolver", target.solver)];
    for (library, choice) in choices {
        match choice {
            Some(LibraryWord::Roc) => settings.libraries.prefer_roc(library),
            Some(LibraryWord::Hip) => settings.libraries.prefer_hip(library),
            None => {}
        }
    }
    settings.strings |= target.strings;
    Ok(())
}

fn apply_rules(rules: &RuleOptions, settings: &mut Settings) -> anyhow::Result<()> {
    check_rules("select", rules.choice.select.iter())?;
    check_rules("ignore", rules.choice.ignore.iter())?;
    if rules.unsafe_fixes {
        settings.applicability = Applicability::Unsafe;
    }
    if !rules.choice.select.is_empty() {
        settings.rules.select.clone_from(&rules.choice.select);
    }
    settings.rules.ignore.extend(rules.choice.ignore.iter().cloned());
    Ok(())
}
