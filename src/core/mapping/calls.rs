//! Calls whose arguments change, as templates: `hipMemcpyToSymbol(HIP_SYMBOL($0), $1..)`.
//!
//! The first rule of a function that fits a call wins, so special rules stand before general ones.

use serde::Deserialize;

use super::flavor::Flavor;
use super::intrinsics::HELPER_PREFIX;
use super::load::{MappingError, toml_table};
use super::version::{RocmVersion, VersionRange};

/// A call that HIP spells with other arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
pub struct CallRule {
    /// The CUDA function.
    pub cuda: Box<str>,
    /// Applies to calls with so many arguments only.
    pub arguments: Option<usize>,
    /// Applies to one flavour of library names only.
    pub flavor: Option<Flavor>,
    /// Applies to calls only whose argument of this number, from 0, is a null pointer or zero.
    pub null: Option<usize>,
    /// Applies to calls only whose argument starts so.
    pub only: Option<Starting>,
    /// Applies to calls only unless this argument starts so.
    pub unless: Option<Starting>,
    /// Applies to calls only that have template arguments: `surf2Dread<float>(…)`.
    pub template_arguments: bool,
    /// Applies to calls only whose argument has one of these types.
    pub typed: Option<Typed>,
    /// Applies to calls only where warps keep 32 lanes.
    pub keeps_32_lanes: bool,
    /// Applies to calls only where the default stream is one of each thread.
    pub per_thread_streams: bool,
    /// Applies to calls only whose argument of this number is a managed variable of the file.
    pub managed: Option<usize>,
    /// Applies to calls only that are statements by themselves, whose value nobody takes.
    pub alone: bool,
    /// Whether it also applies in functions that run on the host alone, where CUDA's headers overload a function of the C
    /// library.
    pub host: bool,
    /// The new call; empty if HIP has no form of such a call.
    pub template: Vec<Part>,
    /// Whether the new call means the same.
    pub safe: bool,
    /// Whether a safe new call still wants a person's eye.
    pub warn: bool,
    /// The releases that have the new call.
    pub range: VersionRange,
    /// What to know, for people.
    pub note: Box<str>,
}

/// How an argument starts that tells what a call needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Starting {
    /// The number of the argument, from 0.
    pub argument: usize,
    /// What it starts with.
    pub starts: Box<str>,
}

/// An argument whose type decides.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typed {
    /// The number of the argument, from 0.
    pub argument: usize,
    /// The types, with a star for pointers: `long long*`.
    pub types: Vec<Box<str>>,
}

impl CallRule {
    /// Whether the rule applies whatever the arguments are.
    pub fn is_for_any_call(&self) -> bool {
        self.arguments.is_none()
            && self.null.is_none()
            && self.only.is_none()
            && self.unless.is_none()
            && !self.template_arguments
            && self.typed.is_none()
            && !self.keeps_32_lanes
            && !self.per_thread_streams
            && !self.alone
            && self.managed.is_none()
    }

    /// The key of the definition that the new call needs: what `hipshift_` stands before in the template.
    pub fn definition(&self) -> Option<&str> {
        self.template.iter().find_map(|part| {
            let Part::Text(text) = part else { return None };
            let (_, rest) = text.split_once(HELPER_PREFIX)?;
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
        })
    }

    /// Whether all arguments stay, in their order and without others between them: each is at
    /// most wrapped. Renaming alone then loses nothing where the call cannot be seen.
    pub fn keeps_arguments(&self) -> bool {
        let numbers = self.template.iter().filter_map(|part| match part {
            Part::Argument(number) | Part::Rest(number) => Some(*number),
            _ => None,
        });
        let commas = self.template.iter().map(|part| match part {
            Part::Text(text) => text.matches(", ").count(),
            _ => 0,
        });
        let count = numbers.clone().count();
        numbers.eq(0..count) && commas.sum::<usize>() + 1 == count
    }
}

impl std::fmt::Display for CallRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in &self.template {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Argument(number) => write!(f, "${number}")?,
                Part::Rest(number) => write!(f, "${number}..")?,
                Part::Release => f.write_str("$rocm")?,
            }
        }
        match (self.arguments, &self.typed) {
            (_, Some(typed)) => write!(f, "  (for {})", typed.types.join(", ")),
            (Some(count), None) => write!(f, "  (with {count} arguments)"),
            (None, None) => Ok(()),
        }
    }
}

/// One part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// New text.
    Text(Box<str>),
    /// Argument number, from 0.
    Argument(usize),
    /// This argument and all after it, with what separates them.
    Rest(usize),
    /// The release of the settings as `hipGetProcAddress` wants it: 702 for 7.2.
    Release,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    call: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
struct Row {
    cuda: Box<str>,
    arguments: Option<usize>,
    null: Option<usize>,
    only: Option<Starting>,
    unless: Option<Starting>,
    #[serde(default)]
    template_arguments: bool,
    typed: Option<Typed>,
    #[serde(default)]
    keeps_32_lanes: bool,
    #[serde(default)]
    per_thread_streams: bool,
    managed: Option<usize>,
    #[serde(default)]
    alone: bool,
    #[serde(default)]
    host: bool,
    flavor: Option<Flavor>,
    #[serde(default)]
    to: String,
    #[serde(default = "yes")]
    safe: bool,
    #[serde(default)]
    warn: bool,
    since: Option<String>,
    until: Option<String>,
    #[serde(default)]
    note: Box<str>,
}

fn yes() -> bool {
    true
}

/// Reads `calls.toml`, sorted by name.
pub(super) fn read(text: &str) -> Result<Vec<CallRule>, MappingError> {
    let file: File = toml_table("calls.toml", text)?;
    let mut rules = file.call.into_iter().map(Row::into_rule).collect::<Result<Vec<_>, _>>()?;
    rules.sort_by(|a, b| a.cuda.cmp(&b.cuda));
    Ok(rules)
}

impl Row {
    fn into_rule(self) -> Result<CallRule, MappingError> {
        let problem = |problem: String| MappingError::Toml { table: "calls.toml".to_owned(), problem };
        let version = |text: Option<String>| {
            let parsed = text.map(|text| text.parse::<RocmVersion>()).transpose();
            parsed.map_err(|error| problem(format!("{}: {error}", self.cuda)))
        };
        Ok(CallRule {
            range: VersionRange { since: version(self.since)?, until: version(self.until)? },
            template: template(&self.to)
                .ok_or_else(|| problem(format!("{}: bad template `{}`", self.cuda, self.to)))?,
            cuda: self.cuda,
            arguments: self.arguments,
            null: self.null,
            only: self.only,
            unless: self.unless,
            template_arguments: self.template_arguments,
            typed: self.typed,
            keeps_32_lanes: self.keeps_32_lanes,
            per_thread_streams: self.per_thread_streams,
            managed: self.managed,
            alone: self.alone,
            host: self.host,
            flavor: self.flavor,
            safe: self.safe,
            warn: self.warn,
            note: self.note,
        })
    }
}

/// Reads a template. `$1` is an argument, `$1..` that one and all after it, `$rocm` the release.
pub fn template(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        if at > 0 {
            parts.push(Part::Text(rest[..at].into()));
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("rocm") {
            parts.push(Part::Release);
            rest = after;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        if let Some(after) = rest.strip_prefix("..") {
            parts.push(Part::Rest(number));
            rest = after;
        } else {
            parts.push(Part::Argument(number));
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.into()));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_four_kinds_of_parts() {
        let parts = template("f(S($0), $12, $rocm, $2..)").unwrap();
        let text = |text: &str| Part::Text(text.into());
        let expected = [
            text("f(S("),
            Part::Argument(0),
            text("), "),
            Part::Argument(12),
            text(", "),
            Part::Release,
            text(", "),
            Part::Rest(2),
            text(")"),
        ];
        assert_eq!(parts, expected);
        assert_eq!(template("f($x)"), None);
        assert_eq!(template(""), Some(Vec::new()));
    }
}
