//! What commands of CMake say about the variable that chooses between CUDA and HIP, and about files that are read elsewhere.

use camino::Utf8Path;

use super::cmake::Command;
use super::switch::SWITCH;

/// The macro by which sources that a compiler for C++ reads know that they are built for HIP.
pub const PLATFORM: &str = "__HIP_PLATFORM_AMD__";

/// Whether a command gives the variable a value: `set`, `option`, and functions that are called after it, such as
/// `cmake_dependent_option`.
pub fn sets_switch(text: &str, command: &Command) -> bool {
    let name = text[command.name].to_ascii_lowercase();
    (name == "set" || name.ends_with("option")) && word(text, command, 0) == SWITCH
}

/// Whether a command names [`PLATFORM`].
pub fn names_platform(text: &str, command: &Command) -> bool {
    text[command.range].contains(PLATFORM)
}

/// Whether the name of a file says that CMake fills it in.
pub fn is_template(path: &Utf8Path) -> bool {
    path.extension() == Some("in") || path.file_name().is_some_and(|name| name.contains(".in."))
}

/// The file that a command has CMake fill in, without the variable that its path begins with.
pub fn filled<'t>(text: &'t str, command: &Command) -> Option<&'t str> {
    let name = text[command.name].to_ascii_lowercase();
    let is_copied = command.arguments.iter().any(|argument| text[argument.inner] == *"COPYONLY");
    let fills = name == "configure_file" && !is_copied || name == "configure_package_config_file";
    source(word(text, command, 0)).filter(|_| fills)
}

/// The files of CMake that a command installs as they are, without the variables that their paths begin with.
pub fn installed<'t>(text: &'t str, command: &Command) -> Vec<&'t str> {
    let installs = text[command.name].eq_ignore_ascii_case("install");
    let arguments = command.arguments.iter().filter(|_| installs).filter_map(|argument| source(&text[argument.inner]));
    arguments.filter(|name| Utf8Path::new(name).extension() == Some("cmake")).collect()
}

/// The name of the file or module that a command has CMake read at once, without folder and extension.
pub fn included<'t>(text: &'t str, command: &Command) -> Option<&'t str> {
    let name = Utf8Path::new(word(text, command, 0)).file_stem()?;
    text[command.name].eq_ignore_ascii_case("include").then_some(name)
}

/// Whether `find_package` reads files of this name (`CMake` documentation, "`find_package`, Config Mode Search Procedure").
pub fn is_package_file(path: &Utf8Path) -> bool {
    let is_named = |stem: &str| stem.ends_with("Config") || stem.ends_with("-config");
    path.extension() == Some("cmake") && path.file_stem().is_some_and(is_named)
}

fn word<'t>(text: &'t str, command: &Command, number: usize) -> &'t str {
    command.arguments.get(number).map_or("", |argument| &text[argument.inner])
}

/// A path behind the variable that it begins with; nothing for what the build makes.
fn source(path: &str) -> Option<&str> {
    let rest = path.rsplit('}').next().unwrap_or(path).trim_start_matches('/');
    (!path.contains("BINARY_DIR") && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::cmake::{commands, tokens};
    use super::*;

    fn read(text: &str) -> Vec<Command> {
        commands(text, &tokens(text))
    }

    #[test]
    fn commands_that_set_the_variable_are_known() {
        let text = "set(USE_HIP ON)\nOPTION(USE_HIP a)\nour_option(USE_HIP a)\nmessage(USE_HIP)\nset(X USE_HIP)\n";
        let setting = read(text).into_iter().map(|command| sets_switch(text, &command));
        assert_eq!(setting.collect::<Vec<_>>(), [true, true, true, false, false]);
    }

    #[test]
    fn files_of_the_project_are_named_without_variables() {
        let text = "configure_file(${A}/b/c.cmake d)\nconfigure_file(a b COPYONLY)\nconfigure_file(\"x.in\" y)\n";
        let names = read(text).into_iter().map(|command| filled(text, &command));
        assert_eq!(names.collect::<Vec<_>>(), [Some("b/c.cmake"), None, Some("x.in")]);
        let text = "install(FILES a.cmake b.h ${PROJECT_BINARY_DIR}/c.cmake ${X}/d.cmake DESTINATION e)\n";
        assert_eq!(installed(text, &read(text)[0]), ["a.cmake", "d.cmake"]);
        let text = "include(${A}/b.cmake)\ninclude(C)\n";
        let names = read(text).into_iter().map(|command| included(text, &command));
        assert_eq!(names.collect::<Vec<_>>(), [Some("b"), Some("C")]);
    }
}
