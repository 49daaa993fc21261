//! Options of the compiler: typed ones, those of `hipshift.toml`, and those of the CUDA build.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::args::Validate;
use super::layout::Layout;
use crate::cli::output::note;
use crate::cli::settings::Resolved;
use crate::cli::trust;
use crate::mapping::AS_NVCC;
use crate::project::{
    CompileCommand, ModelSource, ModelTarget, compile_commands, compiler_options, find_compile_commands,
};
use crate::toolchain::{Include, MappedOptions, map_options};

/// Options of all files, and of single ones.
pub(super) struct Options {
    /// Options that come before those of a file.
    general: Vec<String>,
    /// Folders of headers that all files have.
    folders: Vec<Include>,
    /// Options that come after, as they were typed.
    pub(super) typed: Vec<String>,
    commands: Vec<CompileCommand>,
    remarks: BTreeSet<String>,
    /// Options that nobody knows, with the files.
    unknown: BTreeMap<String, BTreeSet<Utf8PathBuf>>,
}

impl Options {
    /// Reads what is configured, typed, and lies beside the sources.
    pub(super) fn new(arguments: &Validate, resolved: &Resolved) -> anyhow::Result<Options> {
        let config = &resolved.validate;
        let first = arguments.paths.first().map_or(Utf8Path::new("."), Utf8PathBuf::as_path);
        let named = arguments.compile_commands.as_ref().or(config.compile_commands.as_ref());
        let path = named.cloned().or_else(|| find_compile_commands(first));
        if let Some((file, powers)) = &resolved.found {
            trust::require(file, powers, "--config")?;
        }
        if let (Some(path), None) = (&path, &arguments.compile_commands) {
            trust::require(path, &trust::powers_of_commands(path)?, "--compile-commands")?;
        }
        let commands = path.map(|path| compile_commands(&path)).transpose()?.unwrap_or_default();
        let mut options = Options {
            general: Vec::new(),
            folders: Vec::new(),
            typed: arguments.flag.clone(),
            commands,
            remarks: BTreeSet::new(),
            unknown: BTreeMap::new(),
        };
        let words: Vec<String> = config.nvcc_flags.iter().chain(&arguments.nvcc_flag).cloned().collect();
        let mapped = map_options(&words, Utf8Path::new("."));
        let configured = config.include.iter().map(|folder| Include { folder: folder.clone(), is_system: false });
        options.folders = mapped.include.iter().cloned().chain(configured).collect();
        options.general = options.take(mapped, Utf8Path::new(""));
        options.general.extend(config.define.iter().map(|macro_| format!("-D{macro_}")));
        options.general.extend(config.standard.iter().map(|standard| format!("-std={standard}")));
        options.general.extend(config.flags.iter().cloned());
        Ok(options)
    }

    /// The options of one file.
    pub(super) fn of_file(&mut self, file: &Utf8Path, layout: &Layout) -> Vec<String> {
        let whole = file.canonicalize_utf8().unwrap_or_else(|_| file.to_owned());
        let command = self.commands.iter().find(|command| command.file == whole);
        let mapped = command.map(|command| map_options(&command.words, &command.directory)).unwrap_or_default();
        let folders = include_flags(&mapped.include, layout);
        let own = self.take(mapped, file);
        [self.general_for(file, layout), folders, own].concat()
    }

    /// The folders of headers of the configuration, the command line and the compile commands, absolute.
    pub(super) fn folders(&self) -> Vec<Utf8PathBuf> {
        let of_command = |command: &CompileCommand| map_options(&command.words, &command.directory).include;
        let commands = self.commands.iter().flat_map(of_command);
        // Most commands name the same ones, and each is looked up on the disk.
        let mut seen = BTreeSet::new();
        let all = self.folders.iter().cloned().chain(commands).filter(|include| seen.insert(include.folder.clone()));
        all.map(|include| whole_folder(&include)).collect()
    }

    /// The options of a source of a target, whose paths are relative to `root`.
    pub(super) fn of_target(
        &mut self,
        (target, source): (&ModelTarget, &ModelSource),
        (root, file): (&Utf8Path, &Utf8Path),
        layout: &Layout,
    ) -> Vec<String> {
        let folders = target.include.iter().map(|folder| Include { folder: root.join(folder), is_system: false });
        let definitions = target.definitions.iter().map(|name| format!("-D{name}"));
        let mapped = map_options(&source.flags, root);
        let flags = include_flags(&folders.chain(mapped.include.iter().cloned()).collect::<Vec<_>>(), layout);
        let own: Vec<String> = definitions.chain(self.take(mapped, file)).collect();
        let own = self.harmless(&own);
        [self.general_for(file, layout), flags, own].concat()
    }

    /// Options of build files without those that load code, name programs or write files.
    fn harmless(&mut self, flags: &[String]) -> Vec<String> {
        let mut kept = Vec::new();
        for option in compiler_options(flags) {
            if option.is_powerful() {
                self.remarks.insert(format!(
                    "`{option}` of the build files was left out, as it decides what is read or executed outside of the project; `--flag` adds it"
                ));
            } else {
                kept.extend(option.words().map(str::to_owned));
            }
        }
        kept
    }

    /// What holds for all files; a standard of C++ is none of C.
    fn general_for(&self, file: &Utf8Path, layout: &Layout) -> Vec<String> {
        let is_c = file.extension() == Some("c");
        // As in converted build files.
        let as_nvcc = if file.extension() == Some("cu") { &AS_NVCC[..] } else { &[] };
        let general = self.general.iter().filter(|flag| !is_c || !flag.starts_with("-std=c++")).cloned();
        include_flags(&self.folders, layout)
            .into_iter()
            .chain(as_nvcc.iter().map(|&word| word.to_owned()))
            .chain(general)
            .collect()
    }

    /// The flags of mapped options without folders; what a person has to know about them is kept for [`Self::tell`].
    fn take(&mut self, mapped: MappedOptions, file: &Utf8Path) -> Vec<String> {
        self.remarks.extend(mapped.notes);
        for option in mapped.unknown {
            self.unknown.entry(option).or_default().insert(file.to_owned());
        }
        mapped.flags
    }

    /// Tells what became of the options of the CUDA build.
    pub(super) fn tell(&self) {
        for remark in &self.remarks {
            note(remark);
        }
        if !self.unknown.is_empty() {
            let list = self.unknown.iter().map(|(option, files)| format!("`{option}` ({})", files.len()));
            let list = list.collect::<Vec<_>>().join(", ");
            note(&format!(
                "options of the CUDA build that nothing is known about were left out, with how often: {list}"
            ));
        }
    }
}

/// The options for folders of headers; the converted ones first, as far as they are part of what is converted.
fn include_flags(folders: &[Include], layout: &Layout) -> Vec<String> {
    let places = folders.iter().flat_map(|include| {
        let folders = layout.header_folders(&whole_folder(include)).into_iter();
        folders.map(|folder| (if include.is_system { "-isystem" } else { "-I" }, folder))
    });
    // A folder that is not there keeps its name, which must not look like a file of options.
    let plain = |path: Utf8PathBuf| if path.is_absolute() { path } else { Utf8Path::new(".").join(path) };
    places.flat_map(|(option, folder)| [option.to_owned(), plain(folder).into_string()]).collect()
}

fn whole_folder(include: &Include) -> Utf8PathBuf {
    include.folder.canonicalize_utf8().unwrap_or_else(|_| include.folder.clone())
}
