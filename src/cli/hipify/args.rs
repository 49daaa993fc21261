//! Reads arguments the way hipify-clang and hipify-perl do: one dash or two, values behind `=` or
//! in the next argument.

use std::ffi::OsString;

use anyhow::{Context as _, bail};

use super::options::{Effect, Flag, Key, OptionInfo, Tool, find};

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) tool: Tool,
    pub(super) sources: Vec<String>,
    flags: Vec<Flag>,
    values: Vec<(Key, String)>,
    /// Options that the tool does not know and passes over.
    pub(super) unknown: Vec<String>,
}

impl Arguments {
    /// Whether the flag was given.
    pub(super) fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// The value that was given last.
    pub(super) fn value(&self, key: Key) -> Option<&str> {
        self.values.iter().rev().find(|(of, _)| *of == key).map(|(_, value)| value.as_str())
    }

    /// The parts of all values that were given, split at commas.
    pub(super) fn list(&self, key: Key) -> impl Iterator<Item = &str> {
        let values = self.values.iter().filter(move |(of, _)| *of == key);
        values.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|part| !part.is_empty())
    }

    /// Reads `typed`. `--as` overrides `tool`.
    pub(super) fn parse(tool: Tool, typed: &[OsString]) -> anyhow::Result<Arguments> {
        let text = |word: &OsString| word.to_str().map(str::to_owned);
        let words = typed.iter().map(|word| text(word).with_context(|| format!("`{}` is not UTF-8", word.display())));
        let words = words.collect::<anyhow::Result<Vec<String>>>()?;
        let own = words.split(|word| word == "--").next().unwrap_or_default();
        let tool = chosen_tool(own)?.unwrap_or(tool);
        let mut arguments =
            Arguments { tool, sources: Vec::new(), flags: Vec::new(), values: Vec::new(), unknown: Vec::new() };
        let mut rest = own.iter();
        while let Some(word) = rest.next() {
            arguments.take(word, &mut rest)?;
        }
        arguments.take_behind_dashes(words.get(own.len() + 1..).unwrap_or_default());
        Ok(arguments)
    }

    fn take<'w>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'w String>) -> anyhow::Result<()> {
        let Some(option) = option_text(word) else {
            self.sources.push(word.to_owned());
            return Ok(());
        };
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if let Some(info) = find(name, self.tool) {
            return self.apply(info, attached, rest);
        }
        if is_joined(option, self.tool) {
            return Ok(());
        }
        match self.tool {
            Tool::Perl => self.unknown.push(word.to_owned()),
            Tool::Clang => bail!("unknown option `{word}`; `--help` lists all options{}", hint(name)),
        }
        Ok(())
    }

    fn apply<'w>(
        &mut self,
        info: &OptionInfo,
        attached: Option<&str>,
        rest: &mut impl Iterator<Item = &'w String>,
    ) -> anyhow::Result<()> {
        let name = info.name;
        if info.value.is_empty() && attached.is_some_and(is_no) {
            return Ok(());
        }
        let value = match (info.value.is_empty(), attached) {
            (true, None) => "",
            (true, Some(value)) if is_yes(value) => "",
            (true, Some(value)) => bail!("`{name}` takes no value, but got `{value}`"),
            (false, Some(value)) => value,
            (false, None) => rest.next().with_context(|| format!("`{name}` needs a value"))?,
        };
        match info.effect {
            Effect::Set(flag) => self.flags.push(flag),
            Effect::Give(key) => self.values.push((key, value.to_owned())),
            Effect::Nothing => {}
            Effect::Refuse(instead) => bail!("`--{name}` is not supported: {instead}"),
        }
        Ok(())
    }

    /// hipify-clang takes compiler options behind `--`; hipify-perl takes sources.
    fn take_behind_dashes(&mut self, words: &[String]) {
        if self.tool == Tool::Perl {
            self.sources.extend(words.iter().filter(|word| option_text(word).is_none()).cloned());
        }
    }
}

/// The tool that `--as` names.
fn chosen_tool(words: &[String]) -> anyhow::Result<Option<Tool>> {
    let mut chosen = None;
    for (at, word) in words.iter().enumerate() {
        let Some(option) = option_text(word) else { continue };
        let value = match option.split_once('=') {
            Some(("as", value)) => value,
            None if option == "as" => words.get(at + 1).map_or("", String::as_str),
            _ => continue,
        };
        chosen = Some(match value {
            "clang" => Tool::Clang,
            "perl" => Tool::Perl,
            _ => bail!("`--as` takes `clang` or `perl`"),
        });
    }
    Ok(chosen)
}

/// An option without its dashes.
fn option_text(word: &str) -> Option<&str> {
    let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    (!option.is_empty()).then_some(option)
}

/// `-DMACRO` and `-IDIR`
fn is_joined(option: &str, tool: Tool) -> bool {
    let first = option.get(..1).and_then(|name| find(name, tool));
    first.is_some_and(|info| matches!(info.name, "D" | "I"))
}

fn is_yes(value: &str) -> bool {
    matches!(value, "true" | "TRUE" | "True" | "1")
}

fn is_no(value: &str) -> bool {
    matches!(value, "false" | "FALSE" | "False" | "0")
}

fn hint(name: &str) -> &'static str {
    if find(name, Tool::Perl).is_some() { ", and `--as perl` takes the options of hipify-perl" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(tool: Tool, line: &str) -> anyhow::Result<Arguments> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Arguments::parse(tool, &words)
    }

    #[test]
    fn one_dash_or_two_and_values_either_way() {
        for line in ["-o out a.cu -inplace", "a.cu --inplace --o=out", "-o=out -inplace=true a.cu"] {
            let arguments = parse(Tool::Clang, line).unwrap();
            assert_eq!(arguments.sources, ["a.cu"], "{line}");
            assert_eq!(arguments.value(Key::Output), Some("out"), "{line}");
            assert!(arguments.has(Flag::InPlace), "{line}");
        }
        assert!(!parse(Tool::Clang, "--inplace=false").unwrap().has(Flag::InPlace));
        assert!(parse(Tool::Clang, "--inplace=maybe").is_err());
        assert!(parse(Tool::Clang, "a.cu -o").is_err());
    }

    #[test]
    fn compiler_options_need_nothing() {
        let line = "-DX=1 -D Y -Iinclude -I dir --cuda-path=/usr/cuda a.cu -v -- -x cuda b.cu";
        assert_eq!(parse(Tool::Clang, line).unwrap().sources, ["a.cu"]);
    }

    #[test]
    fn behind_dashes_perl_takes_sources() {
        assert_eq!(parse(Tool::Perl, "a.cu -- b.cu -std=c++17").unwrap().sources, ["a.cu", "b.cu"]);
    }

    #[test]
    fn unknown_options_fail_in_one_and_are_passed_over_in_the_other() {
        assert!(parse(Tool::Clang, "-quiet-warnings a.cu").unwrap_err().to_string().contains("--as perl"));
        assert_eq!(parse(Tool::Perl, "-o-dirs a.cu").unwrap().unknown, ["-o-dirs"]);
        assert_eq!(parse(Tool::Clang, "--as perl -o-dirs a.cu").unwrap().tool, Tool::Perl);
        assert!(parse(Tool::Clang, "--as python a.cu").is_err());
    }

    #[test]
    fn lists_are_split_at_commas() {
        let arguments = parse(Tool::Perl, "-whitelist cudaA,cudaB -whitelist=cudaC a.cu").unwrap();
        assert_eq!(arguments.list(Key::KeepNames).collect::<Vec<_>>(), ["cudaA", "cudaB", "cudaC"]);
    }
}
