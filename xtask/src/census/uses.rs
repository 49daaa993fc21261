//! Writes a use of each fact: one line each, which ends with the number of the fact.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::fact::{Fact, Kind, Library, Space};

/// The line behind which the uses are.
const START: &str = "//#start";

/// Writes a file for each library.
pub(super) fn write_all(libraries: &[Library], folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("removing `{}`", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
    for library in libraries {
        let path = folder.join(format!("{}.cu", library.name));
        fs::write(&path, text(library)).with_context(|| format!("writing `{}`", path.display()))?;
    }
    Ok(())
}

/// The source that uses all facts of a library.
pub(super) fn text(library: &Library) -> String {
    let mut text = String::new();
    for header in library.includes() {
        let _ = writeln!(text, "#include <{header}>");
    }
    text.push_str("template <class T>\nstruct Same {\n    using type = T;\n};\ntemplate <class T>\nusing Arg = typename Same<T>::type;\n");
    let _ = writeln!(text, "{START}");
    for (number, fact) in library.facts.iter().enumerate() {
        let _ = writeln!(text, "namespace n{number} {{ {} }} //#{number}", use_of(fact));
    }
    text
}

/// For each line of a text, counted from 0, the fact whose use it belongs to.
pub(super) fn facts_of_lines(text: &str) -> Vec<Option<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| line.trim() == START).unwrap_or(lines.len());
    let mut facts = vec![None; lines.len()];
    let mut last = None;
    for (at, line) in lines.iter().enumerate().skip(start + 1).rev() {
        last = line.rsplit_once("//#").and_then(|(_, number)| number.trim().parse().ok()).or(last);
        facts[at] = last;
    }
    facts
}

fn use_of(fact: &Fact) -> String {
    match fact.kind {
        Kind::Function => functions(fact),
        Kind::Type => format!("inline void use({} *) {{}}", fact.name),
        Kind::Member => {
            let (of, member) = fact.name.rsplit_once('.').unwrap_or(("", &fact.name));
            format!("inline void use({of} &object) {{ (void) object.{member}; }}")
        }
        Kind::Enumerator | Kind::Macro => format!("inline void use() {{ (void) ({}); }}", fact.name),
        Kind::Name => format!("using {};", fact.name),
    }
}

/// A function that calls the one of the fact with its own parameters, for each side that can.
fn functions(fact: &Fact) -> String {
    let template = template(fact);
    let parameters =
        list(&fact.parameters).enumerate().map(|(at, of)| parameter(of, at)).collect::<Vec<_>>().join(", ");
    let arguments = (0..list(&fact.parameters).count()).map(|at| format!("a{at}")).collect::<Vec<_>>().join(", ");
    let result = match fact.result.as_str() {
        // A trait of the header.
        result if result.contains("__nv_") && result.contains("trait") => "auto".to_owned(),
        result if plain(result) => result.to_owned(),
        result => format!("Arg<{result}>"),
    };
    let keyword = if result == "void" { "" } else { "return " };
    let function = |space: &str, name: &str| {
        format!("{space}inline {result} {name}({parameters}) {{ {keyword}{}({arguments}); }}", fact.name)
    };
    let sides = match fact.space {
        Space::Host => function("", "host"),
        Space::Device => function("__device__ ", "device"),
        Space::Both => format!("{} {}", function("", "host"), function("__device__ ", "device")),
    };
    format!("{template}{sides}")
}

/// Stands in for the parameters of a template: values are 2, kernels take an `int`, other types are `float`.
fn template(fact: &Fact) -> String {
    let by_value = |name: &str| list(&fact.parameters).any(|of| of == name);
    let stand_in = |parameter: &str| match parameter.rsplit_once(' ') {
        Some((of, name)) => format!("constexpr {of} {name} = {of}(2); "),
        None if fact.result == "cudaError_t" && by_value(parameter) => format!("using {parameter} = void (*)(int); "),
        None if KERNELS.iter().any(|part| fact.name.contains(part)) => format!("using {parameter} = void(int); "),
        None => format!("using {parameter} = float; "),
    };
    list(&fact.template).map(stand_in).collect()
}

/// Parts of the names of functions whose templates take kernels.
const KERNELS: &[&str] = &["Func", "Kernel", "Occupancy"];

fn parameter(of: &str, at: usize) -> String {
    if plain(of) { format!("{of} a{at}") } else { format!("Arg<{of}> a{at}") }
}

/// Whether a name may follow the type.
fn plain(of: &str) -> bool {
    !of.contains(['(', '['])
}

fn list(joined: &str) -> impl Iterator<Item = &str> {
    joined.split("; ").filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(kind: Kind, space: Space, name: &str, parameters: &str) -> Fact {
        Fact {
            kind,
            space,
            name: name.to_owned(),
            template: String::new(),
            result: "int".to_owned(),
            parameters: parameters.to_owned(),
            header: "h.h".to_owned(),
            cuda: "12".to_owned(),
        }
    }

    #[test]
    fn both_sides_call_what_both_can() {
        let text = use_of(&fact(Kind::Function, Space::Both, "std::abs", "int"));
        assert_eq!(
            text,
            "inline int host(int a0) { return std::abs(a0); } __device__ inline int device(int a0) { return std::abs(a0); }"
        );
    }

    #[test]
    fn types_that_surround_their_name_are_wrapped() {
        let text = use_of(&fact(Kind::Function, Space::Host, "f", "void (*)(int); float *"));
        assert_eq!(text, "inline int host(Arg<void (*)(int)> a0, float * a1) { return f(a0, a1); }");
    }

    #[test]
    fn lines_before_a_number_belong_to_it() {
        let facts = facts_of_lines("x //#7\n//#start\na\nb //#0\nc //#1\nd\n");
        assert_eq!(facts, [None, None, Some(0), Some(0), Some(1), None]);
    }
}
