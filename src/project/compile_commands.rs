//! `compile_commands.json`: how each file of a project is compiled (LLVM, "JSON Compilation Database Format Specification").

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::config::ConfigError;
use super::home::folder_of;
use super::read::read_named;

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileCommand {
    /// The source, with links resolved if it exists.
    pub file: Utf8PathBuf,
    /// The folder that the command is started in.
    pub directory: Utf8PathBuf,
    /// Its words, without the compiler.
    pub words: Vec<String>,
}

#[derive(Deserialize)]
struct Entry {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Reads the commands of a project.
pub fn compile_commands(path: &Utf8Path) -> Result<Vec<CompileCommand>, ConfigError> {
    let text = read_named(path).map_err(|source| ConfigError::Io { path: path.to_owned(), source })?;
    let syntax = |message: String| ConfigError::Syntax { path: path.to_owned(), message };
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| syntax(without_values(&error)))?;
    let base = folder_of(path);
    entries.into_iter().map(|entry| read(entry, &base).map_err(&syntax)).collect()
}

/// What is wrong, without the text that is there: the file may be a link that leads anywhere.
fn without_values(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    match error.classify() {
        serde_json::error::Category::Data if !said.starts_with("missing field") => {
            format!("line {line}, column {column}: no database of commands holds this")
        }
        _ => said,
    }
}

fn read(entry: Entry, base: &Utf8Path) -> Result<CompileCommand, String> {
    let directory = base.join(&entry.directory);
    let file = directory.join(&entry.file);
    let split =
        |command: String| shlex::split(&command).ok_or_else(|| format!("`{command}` has a quote without its end"));
    let words = match (entry.arguments, entry.command) {
        (Some(words), _) => words,
        (None, Some(command)) => split(command)?,
        (None, None) => return Err(format!("the entry of `{file}` has neither `arguments` nor `command`")),
    };
    let file = file.canonicalize_utf8().unwrap_or(file);
    // Launchers such as ccache stand in front of the compiler.
    let words = words.into_iter().skip_while(|word| !word.starts_with('-')).collect();
    Ok(CompileCommand { file, directory, words })
}

/// The commands of a project that lie where build tools put them: in the folder, or in `build` below it.
pub fn find_compile_commands(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    ["compile_commands.json", "build/compile_commands.json"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_broken_ones_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("compile_commands.json");
        assert_eq!(find_compile_commands(path.parent().unwrap()), None);
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            compile_commands(&path)
        };
        let found = read(
            r#"[{"directory": "/b", "file": "../s/a.cu", "command": "ccache nvcc -DTEXT='a b' -c ../s/a.cu"},
                {"directory": "/b", "file": "/s/b.cu", "arguments": ["nvcc", "-O3", "/s/b.cu"], "output": "b.o"}]"#,
        )
        .unwrap();
        assert_eq!((found[0].file.as_str(), found[0].directory.as_str()), ("/b/../s/a.cu", "/b"));
        assert_eq!(found[0].words, ["-DTEXT=a b", "-c", "../s/a.cu"]);
        assert_eq!(found[1].words, ["-O3", "/s/b.cu"]);
        assert!(find_compile_commands(path.parent().unwrap()).is_some());
        for (text, wanted) in [
            ("[{}]", "missing field `directory`"),
            (r#"[{"directory": "/b", "file": "a", "arguments": "secret"}]"#, "no database of commands holds this"),
            (r#"[{"directory": "/b", "file": "a.cu"}]"#, "neither `arguments` nor `command`"),
            (r#"[{"directory": "/b", "file": "a.cu", "command": "nvcc 'a"}]"#, "a quote without its end"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(wanted) && !error.contains("secret"), "{error}");
        }
    }
}
