//! What files of CMake mean for each other where a project is built for CUDA and HIP: which begins it, and which are read elsewhere.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Reader, SwitchRole};
use crate::build::{
    BuildKind, Command, blocks, build_kind, commands, filled, included, installed, is_package_file, names_platform,
    sets_switch, tokens, turns,
};

/// What is known of a file of CMake before it is converted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CMakeFile {
    path: Utf8PathBuf,
    /// Whether it calls `project`.
    begins: bool,
    /// Whether it names CUDA.
    pub(super) speaks: bool,
    /// What it does with the variable.
    switch: Switch,
    /// Files that it has CMake fill in.
    filled: Vec<String>,
    /// Files of CMake that it installs.
    installed: Vec<String>,
    /// Names of files of CMake that it reads.
    included: Vec<String>,
}

/// What a file does with the variable that chooses between CUDA and HIP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Switch {
    /// Whether it has parts for one side, as the variable says.
    is_parted: bool,
    /// Whether it sets the variable, and outside of blocks.
    sets: Option<bool>,
    /// Whether it tells sources that a compiler for C++ reads that they are built for HIP.
    names_platform: bool,
}

/// Words without which nothing is to be known but whether a file speaks of CUDA.
const WORDS: &[&str] = &["project", "use_hip", "configure_", "install", "include", "__hip_platform"];

/// A look at a file; nothing for one that is not of CMake.
pub(super) fn cmake_file(path: &Utf8Path, bytes: &[u8]) -> Option<CMakeFile> {
    if build_kind(path) != Some(BuildKind::CMake) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let small = text.to_ascii_lowercase();
    let speaks = small.contains("cuda") || small.contains("nvcc") || small.contains(".cu");
    let found = CMakeFile { path: path.to_owned(), speaks, ..CMakeFile::default() };
    if !WORDS.iter().any(|word| small.contains(word)) {
        return Some(found);
    }
    let all = commands(&text, &tokens(&text));
    let is_project = |command: &Command| text[command.name].eq_ignore_ascii_case("project");
    let sets = |number: &usize| sets_switch(&text, &all[*number]);
    let within = |number: usize| {
        let holds = |(first, last): (&usize, &usize)| *first < number && number < *last;
        let blocks = blocks(&text, &all).unwrap_or_default();
        blocks.iter().filter_map(|block| block.commands.first().zip(block.commands.last())).any(holds)
    };
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    Some(CMakeFile {
        begins: path.file_name() == Some("CMakeLists.txt") && all.iter().any(is_project),
        switch: Switch {
            is_parted: !turns(&text, &all).is_empty(),
            sets: (0..all.len()).find(sets).map(|number| !within(number)),
            names_platform: all.iter().any(|command| names_platform(&text, command)),
        },
        filled: owned(all.iter().filter_map(|command| filled(&text, command)).collect()),
        installed: owned(all.iter().flat_map(|command| installed(&text, command)).collect()),
        included: owned(all.iter().filter_map(|command| included(&text, command)).collect()),
        ..found
    })
}

/// What files mean for each other, by their paths; those for whom nothing is to be said are left out. `changed` are those of which
/// parts will be for HIP only.
pub(super) fn switch_roles(files: &[&CMakeFile], changed: &FxHashSet<&Utf8Path>) -> FxHashMap<Utf8PathBuf, SwitchRole> {
    let beginning: FxHashSet<&Utf8Path> =
        files.iter().filter(|file| file.begins).filter_map(|file| file.path.parent()).collect();
    let top_of = |file: &CMakeFile| {
        let above = file.path.ancestors().skip(1).filter(|folder| beginning.contains(folder));
        above.last().map(Utf8Path::to_owned)
    };
    let is_switched =
        |file: &&&CMakeFile| file.speaks && (file.switch.is_parted || changed.contains(file.path.as_path()));
    let tops: FxHashSet<Utf8PathBuf> = files.iter().filter(is_switched).filter_map(|file| top_of(file)).collect();
    let with_top = |is_wanted: fn(&CMakeFile) -> bool| {
        let wanted = files.iter().copied().filter(move |file| is_wanted(file));
        wanted.map(|file| (top_of(file), file)).collect::<Vec<_>>()
    };
    let setting = with_top(|file| file.switch.sets.is_some());
    let telling = with_top(|file| file.switch.names_platform);
    let mut roles: FxHashMap<Utf8PathBuf, SwitchRole> = FxHashMap::default();
    for top in tops {
        let path = top.join("CMakeLists.txt");
        // Who reads a file that lies below no project is not known.
        let is_of_it =
            |(other, _): &&(Option<Utf8PathBuf>, &CMakeFile)| other.as_ref().is_none_or(|other| *other == top);
        let tells = telling.iter().any(|file| is_of_it(&file));
        let setting: Vec<&CMakeFile> = setting.iter().filter(is_of_it).map(|(_, file)| *file).collect();
        if setting.is_empty()
            || !tells && setting.iter().any(|file| file.path == path && file.switch.sets == Some(true))
        {
            roles.entry(path).or_default().declares = true;
        } else if !tells {
            for file in setting {
                roles.entry(file.path.clone()).or_default().lacks_platform = true;
            }
        }
    }
    read_elsewhere(files, &mut roles);
    roles
}

/// Notes which files are templates, and which users of an installed package read.
fn read_elsewhere(files: &[&CMakeFile], roles: &mut FxHashMap<Utf8PathBuf, SwitchRole>) {
    let known: FxHashSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    let included: FxHashSet<&str> = files.iter().flat_map(|file| &file.included).map(String::as_str).collect();
    let mut note = |path: Utf8PathBuf, reader: Reader| roles.entry(path).or_default().reader = reader;
    for file in files {
        file.installed
            .iter()
            .filter_map(|name| named(&file.path, name, &known))
            .for_each(|path| note(path, Reader::User));
        let is_included = file.path.file_stem().is_some_and(|stem| included.contains(stem));
        if is_package_file(&file.path) && !is_included {
            note(file.path.clone(), Reader::User);
        }
    }
    for file in files {
        file.filled
            .iter()
            .filter_map(|name| named(&file.path, name, &known))
            .for_each(|path| note(path, Reader::Filling));
    }
}

/// The file that another one names: in its folder, or in one above, as modules are read from other folders.
fn named(from: &Utf8Path, name: &str, known: &FxHashSet<&Utf8Path>) -> Option<Utf8PathBuf> {
    let joined = |folder: &Utf8Path| {
        let mut path = folder.to_owned();
        for component in Utf8Path::new(name).components() {
            match component {
                Utf8Component::ParentDir => _ = path.pop(),
                Utf8Component::Normal(part) => path.push(part),
                _ => {}
            }
        }
        path
    };
    from.ancestors().skip(1).map(joined).find(|path| known.contains(path.as_path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, SwitchRole)> {
        let files: Vec<_> =
            files.iter().filter_map(|(path, text)| cmake_file(Utf8Path::new(path), text.as_bytes())).collect();
        let changed = files.iter().filter(|file| file.speaks).map(|file| file.path.as_path()).collect();
        let roles = switch_roles(&files.iter().collect::<Vec<_>>(), &changed);
        let mut found: Vec<_> = roles.into_iter().map(|(path, role)| (path.into_string(), role)).collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    fn declaring(files: &[(&str, &str)]) -> Vec<String> {
        found(files).into_iter().filter(|(_, role)| role.declares).map(|(path, _)| path).collect()
    }

    #[test]
    fn the_outermost_project_counts_that_speaks_of_cuda_itself_or_below() {
        let files = [
            ("p/CMakeLists.txt", "project(p CXX)\n"),
            ("p/lib/CMakeLists.txt", "project(lib CUDA)\n"),
            ("p/test/CMakeLists.txt", "add_executable(a a.cpp)\n"),
            ("q/CMakeLists.txt", "project(q CXX)\n"),
            ("r/tools.cmake", "find_package(CUDA)\nproject(r)\n"),
        ];
        assert_eq!(declaring(&files), ["p/CMakeLists.txt"]);
        assert_eq!(declaring(&files[1..]), ["p/lib/CMakeLists.txt"]);
        assert!(declaring(&files[2..]).is_empty());
    }

    #[test]
    fn a_variable_of_another_project_does_not_count() {
        let files = [
            ("p/CMakeLists.txt", "project(p CUDA)\n"),
            ("p/cmake/a.cmake", "if(X)\nour_option(USE_HIP a)\nendif()\n"),
            ("q/CMakeLists.txt", "project(q CUDA)\n"),
        ];
        assert_eq!(declaring(&files), ["q/CMakeLists.txt"]);
        assert!(found(&files).iter().any(|(path, role)| path == "p/cmake/a.cmake" && role.lacks_platform));
        let files = [files[0], files[2], ("common/a.cmake", files[1].1)];
        assert!(declaring(&files).is_empty());
    }

    #[test]
    fn files_that_are_read_elsewhere_are_found_from_other_folders() {
        let files = [
            ("p/CMakeLists.txt", "project(p)\ninclude(cmake/fillConfig.cmake)\n"),
            ("p/cmake/fillConfig.cmake", "configure_file(${X}/cmake/one.cmake a)\ninstall(FILES ../two.cmake)\n"),
            ("p/cmake/one.cmake", ""),
            ("p/two.cmake", ""),
            ("p/three-config.cmake", ""),
        ];
        let seen: Vec<_> = found(&files).into_iter().map(|(path, role)| (path, role.reader)).collect();
        let expected = [
            ("p/cmake/one.cmake", Reader::Filling),
            ("p/three-config.cmake", Reader::User),
            ("p/two.cmake", Reader::User),
        ];
        assert_eq!(seen, expected.map(|(path, reader)| (path.to_owned(), reader)));
    }
}
