//! Commands that describe targets, and what folders hand on to them.

use super::draft::{Draft, Handed, Usage};
use super::run::{Call, Run};
use crate::mapping::build_command;
use crate::project::model::types::TargetKind;

/// Follows a command; whether it is one of these.
pub(super) fn run(run: &mut Run<'_>, call: &Call) -> bool {
    match call.name.as_str() {
        "add_executable" | "cuda_add_executable" => add(run, call, TargetKind::Program),
        "add_library" | "cuda_add_library" => add(run, call, TargetKind::Library),
        "target_sources" => sources(run, call),
        "target_include_directories"
        | "target_compile_definitions"
        | "target_compile_options"
        | "target_link_libraries" => {
            usage(run, call);
        }
        "target_compile_features" => features(run, call),
        "set_target_properties" => properties(run, call),
        "include_directories"
        | "cuda_include_directories"
        | "add_definitions"
        | "add_compile_definitions"
        | "add_compile_options"
        | "link_libraries" => {
            of_folder(run, call);
        }
        _ => {
            // FindCUDA links libraries by commands of their own.
            let Some(library) = build_command(&call.name).and_then(|known| known.link.clone()) else { return false };
            if let Some(draft) = draft(run, call.at(0)) {
                draft.usage.libraries.push(Handed { text: library, own: true, others: true });
            }
        }
    }
    true
}

/// Words between the name of a target and its sources.
const KINDS: &[&str] = &[
    "STATIC",
    "SHARED",
    "MODULE",
    "OBJECT",
    "INTERFACE",
    "EXCLUDE_FROM_ALL",
    "WIN32",
    "MACOSX_BUNDLE",
    "UNKNOWN",
    "GLOBAL",
];

fn add(run: &mut Run<'_>, call: &Call, kind: TargetKind) {
    let Some((name, words)) = call.arguments.split_first() else { return };
    if call.find("IMPORTED").is_some() {
        run.imported.insert(name.clone());
        return;
    }
    if call.at(1) == "ALIAS" {
        run.aliases.insert(name.clone(), call.at(2).to_owned());
        return;
    }
    let Some(directory) = run.directory().filter(|_| !run.is_target(name)) else { return };
    let is_interface = words.first().is_some_and(|word| word == "INTERFACE");
    // FindCUDA takes options behind the sources.
    let words: Vec<&String> =
        words.iter().take_while(|word| *word != "OPTIONS").filter(|word| !KINDS.contains(&word.as_str())).collect();
    let standard = |language: &'static str| Some((language, run.scopes.get(&format!("CMAKE_{language}_STANDARD"))?));
    let mut draft = Draft {
        name: name.clone(),
        kind: if is_interface { TargetKind::Interface } else { kind },
        directory,
        sources: words.into_iter().map(|word| path(run, word)).collect(),
        usage: Usage::default(),
        standards: ["C", "CXX", "CUDA"].into_iter().filter_map(standard).collect(),
        is_separable: is_on(run.scopes.get("CMAKE_CUDA_SEPARABLE_COMPILATION").as_deref()),
        place: call.place.clone(),
    };
    if let Some(at) = call.find("OPTIONS") {
        let options = call.arguments[at + 1..].iter();
        draft.usage.options.extend(options.map(|text| Handed { text: text.clone(), own: true, others: false }));
    }
    run.add(draft);
}

fn is_on(value: Option<&str>) -> bool {
    value.is_some_and(|value| matches!(value.to_ascii_uppercase().as_str(), "ON" | "1" | "TRUE" | "YES"))
}

/// A path from the folder of the project on; generator expressions stay as they are.
fn path(run: &Run<'_>, word: &str) -> String {
    if word.contains("$<") { word.to_owned() } else { run.tree.resolve(run.folder(), word).into_string() }
}

/// The target of a name or of another name for it.
fn draft<'d>(run: &'d mut Run<'_>, name: &str) -> Option<&'d mut Draft> {
    let number = run.number_of(name)?;
    run.drafts.get_mut(number)
}

/// The words behind the name of a target, each with who gets it.
fn handed(words: &[String], (own, others): (bool, bool)) -> Vec<Handed> {
    let (mut own, mut others, mut list) = (own, others, Vec::new());
    for word in words {
        // A `;` within a generator expression separates values that come out of it.
        if let Some(last) = list.last_mut().filter(|last: &&mut Handed| is_open(&last.text)) {
            last.text = format!("{};{word}", last.text);
            continue;
        }
        match word.as_str() {
            "PUBLIC" | "LINK_PUBLIC" => (own, others) = (true, true),
            "PRIVATE" | "LINK_PRIVATE" => (own, others) = (true, false),
            "INTERFACE" | "LINK_INTERFACE_LIBRARIES" => (own, others) = (false, true),
            "SYSTEM" | "BEFORE" | "AFTER" | "debug" | "optimized" | "general" => {}
            _ => list.push(Handed { text: word.clone(), own, others }),
        }
    }
    list
}

/// Whether a generator expression begins in a text that does not end there.
fn is_open(text: &str) -> bool {
    text.matches("$<").count() > text.matches('>').count()
}

fn sources(run: &mut Run<'_>, call: &Call) {
    let words = handed(call.arguments.get(1..).unwrap_or_default(), (true, false));
    let is_file =
        |word: &&Handed| !matches!(word.text.as_str(), "FILE_SET" | "TYPE" | "HEADERS" | "BASE_DIRS" | "FILES");
    let paths: Vec<String> = words.iter().filter(is_file).map(|word| path(run, &word.text)).collect();
    match draft(run, call.at(0)) {
        Some(draft) => draft.sources.extend(paths),
        None => unknown_target(run, call),
    }
}

fn unknown_target(run: &Run<'_>, call: &Call) {
    if !run.imported.contains(call.at(0)) {
        run.tree.note(
            Some(call.place.clone()),
            format!("`{}` is about `{}`, which is no target here", call.name, call.at(0)),
        );
    }
}

fn usage(run: &mut Run<'_>, call: &Call) {
    let mut words = handed(call.arguments.get(1..).unwrap_or_default(), (true, true));
    if call.name == "target_include_directories" {
        for word in &mut words {
            word.text = folder(run, &word.text);
        }
    }
    let Some(draft) = draft(run, call.at(0)) else { return unknown_target(run, call) };
    list_of(&mut draft.usage, &call.name).extend(words);
}

/// A folder of headers; those in generator expressions are resolved when they come out.
fn folder(run: &Run<'_>, word: &str) -> String {
    if word.starts_with("$<") { word.to_owned() } else { run.tree.root.join(path(run, word)).into_string() }
}

fn list_of<'u>(usage: &'u mut Usage, command: &str) -> &'u mut Vec<Handed> {
    match command {
        "target_include_directories" | "include_directories" | "cuda_include_directories" => &mut usage.include,
        "target_compile_definitions" | "add_compile_definitions" => &mut usage.definitions,
        "target_link_libraries" | "link_libraries" => &mut usage.libraries,
        _ => &mut usage.options,
    }
}

fn of_folder(run: &mut Run<'_>, call: &Call) {
    let mut words = handed(&call.arguments, (true, false));
    if matches!(call.name.as_str(), "include_directories" | "cuda_include_directories") {
        for word in &mut words {
            word.text = folder(run, &word.text);
        }
    }
    let Some(number) = run.directory() else { return };
    list_of(&mut run.directories[number].usage, &call.name).extend(words);
}

/// `cxx_std_17`, `cuda_std_17`
fn features(run: &mut Run<'_>, call: &Call) {
    let features: Vec<(&'static str, String)> = call.arguments.iter().filter_map(|word| standard_of(word)).collect();
    if let Some(draft) = draft(run, call.at(0)) {
        for (language, standard) in features {
            draft.standards.retain(|(known, _)| *known != language);
            draft.standards.push((language, standard));
        }
    }
}

fn standard_of(feature: &str) -> Option<(&'static str, String)> {
    let (language, standard) = feature.split_once("_std_")?;
    let language = match language {
        "c" => "C",
        "cxx" => "CXX",
        "cuda" => "CUDA",
        _ => return None,
    };
    Some((language, standard.to_owned()))
}

fn properties(run: &mut Run<'_>, call: &Call) {
    let Some(at) = call.find("PROPERTIES") else { return };
    let pairs: Vec<(String, String)> =
        call.arguments[at + 1..].chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    for name in &call.arguments[..at] {
        let Some(draft) = draft(run, name) else { continue };
        for (property, value) in &pairs {
            property_of(draft, property, value);
        }
    }
}

fn property_of(draft: &mut Draft, property: &str, value: &str) {
    let own = |text: &str| Handed { text: text.to_owned(), own: true, others: false };
    match property {
        "CUDA_SEPARABLE_COMPILATION" => draft.is_separable = is_on(Some(value)),
        "COMPILE_DEFINITIONS" => draft.usage.definitions.extend(value.split(';').map(own)),
        "COMPILE_FLAGS" | "COMPILE_OPTIONS" => draft.usage.options.extend(value.split([' ', ';']).map(own)),
        "INCLUDE_DIRECTORIES" => draft.usage.include.extend(value.split(';').map(own)),
        "LINK_LIBRARIES" => draft.usage.libraries.extend(value.split(';').map(own)),
        _ => {
            let language = match property {
                "C_STANDARD" => "C",
                "CXX_STANDARD" => "CXX",
                "CUDA_STANDARD" => "CUDA",
                _ => return,
            };
            draft.standards.retain(|(known, _)| *known != language);
            draft.standards.push((language, value.to_owned()));
        }
    }
}
