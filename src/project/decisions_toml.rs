//! The text of `.hipshift/decisions.toml`: made to be read and compared by people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use camino::Utf8Path;
use serde::Deserialize;
use toml::Spanned;

use super::relative_path::RelativePath;
use crate::diagnostic::{Decision, FixKey, Verdict};

/// The number of the format.
const SCHEMA: u32 = 1;

const HEAD: &str = "\
# What `hipshift review` decided. Runs of hipshift follow it; keep it under version control.
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema: Spanned<u32>,
    #[serde(default)]
    decision: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: Spanned<String>,
    decision: Spanned<Word>,
    #[serde(default)]
    reason: String,
    fixes: Spanned<Vec<Fix>>,
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
    text: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Accept,
    Reject,
    Edit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fix {
    rule: Spanned<String>,
    #[serde(default)]
    at: String,
    line: String,
    #[serde(default = "first")]
    number: usize,
}

fn first() -> usize {
    1
}

/// Reads decisions, each with its file. An error names line and column.
pub(super) fn parse(text: &str) -> Result<Vec<(String, Decision)>, String> {
    let written: Written = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    if *written.schema.get_ref() != SCHEMA {
        let found = written.schema.get_ref();
        return Err(at(text, &written.schema, &format!("its format is {found}, this hipshift reads {SCHEMA}")));
    }
    let mut decisions = Vec::with_capacity(written.decision.len());
    let mut seen = BTreeSet::new();
    for entry in written.decision {
        let file = entry.file.get_ref().clone();
        if let Err(error) = RelativePath::new(Utf8Path::new(&file)) {
            return Err(at(text, &entry.file, &error.to_string()));
        }
        let keys = keys(text, &entry.fixes)?;
        for key in &keys {
            if !seen.insert((file.clone(), key.clone())) {
                let message = format!("a decision about `{}` on `{}` stands above", key.rule, key.line);
                return Err(at(text, &entry.fixes, &message));
            }
        }
        decisions.push((file, decision(text, entry, keys)?));
    }
    Ok(decisions)
}

fn keys(text: &str, fixes: &Spanned<Vec<Fix>>) -> Result<Vec<FixKey>, String> {
    if fixes.get_ref().is_empty() {
        return Err(at(text, fixes, "a decision names at least one fix"));
    }
    let mut keys = Vec::new();
    for fix in fixes.get_ref() {
        let name = fix.rule.get_ref();
        let Some(rule) = crate::engine::rules().find(|rule| rule.name == name || rule.code == name) else {
            let message = format!("no rule is called `{name}`; `hipshift explain` lists all rules");
            return Err(at(text, &fix.rule, &message));
        };
        keys.push(FixKey { line: fix.line.clone(), at: fix.at.clone(), number: fix.number, rule: rule.name });
    }
    keys.sort();
    Ok(keys)
}

fn decision(text: &str, entry: Entry, fixes: Vec<FixKey>) -> Result<Decision, String> {
    let verdict = match (*entry.decision.get_ref(), entry.text) {
        (Word::Accept, None) => Verdict::Accept,
        (Word::Reject, None) => Verdict::Reject,
        (Word::Edit, Some(text)) => Verdict::Edit(text),
        (Word::Edit, None) => return Err(at(text, &entry.decision, "`edit` needs `text`")),
        (_, Some(_)) => return Err(at(text, &entry.decision, "only `edit` has `text`")),
    };
    Ok(Decision { fixes, verdict, reason: entry.reason, before: entry.before, after: entry.after })
}

/// A message with the place of `what`, as errors of TOML have it.
fn at<T>(text: &str, what: &Spanned<T>, message: &str) -> String {
    let before = text.get(..what.span().start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

/// The text of the file: the same for the same decisions.
pub(super) fn print(files: &BTreeMap<String, Vec<Decision>>) -> String {
    let mut out = format!("{HEAD}schema = {SCHEMA}\n");
    for (file, decisions) in files {
        for decision in decisions {
            // Writing to a string cannot fail.
            let _ = write_decision(&mut out, file, decision);
        }
    }
    out
}

fn write_decision(out: &mut String, file: &str, decision: &Decision) -> std::fmt::Result {
    writeln!(out, "\n[[decision]]\nfile = {}\ndecision = \"{}\"", quoted(file), decision.verdict.as_str())?;
    if !decision.reason.is_empty() {
        writeln!(out, "reason = {}", quoted(&decision.reason))?;
    }
    writeln!(out, "fixes = [")?;
    for fix in &decision.fixes {
        let number = if fix.number == 1 { String::new() } else { format!(", number = {}", fix.number) };
        let (at, line) = (quoted(&fix.at), quoted(&fix.line));
        writeln!(out, "    {{ rule = \"{}\", at = {at}, line = {line}{number} }},", fix.rule)?;
    }
    writeln!(out, "]\nbefore = {}\nafter = {}", lines(&decision.before), lines(&decision.after))?;
    if let Verdict::Edit(text) = &decision.verdict {
        writeln!(out, "text = {}", lines(text))?;
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Lines as they are, wherever TOML can hold them so.
fn lines(text: &str) -> String {
    let is_plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if text.is_empty() || text.contains("'''") || text.ends_with('\'') || !text.chars().all(is_plain) {
        return quoted(text);
    }
    format!("'''\n{text}'''")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(at: &str, number: usize) -> FixKey {
        FixKey { line: format!("{at}(\"x\");"), at: at.to_owned(), number, rule: "renamed-name" }
    }

    fn decision(verdict: Verdict) -> Decision {
        let (before, after) = ("    cudaFree(\"x\");\n".to_owned(), "    hipFree(\"x\");\n".to_owned());
        Decision { fixes: vec![key("cudaFree", 2)], verdict, reason: String::new(), before, after }
    }

    const SHOWN: &str = r#"# What `hipshift review` decided. Runs of hipshift follow it; keep it under version control.
schema = 1

[[decision]]
file = "src/a.cu"
decision = "reject"
reason = 'as "is"'
fixes = [
    { rule = "renamed-name", at = "cudaFree", line = 'cudaFree("x");', number = 2 },
]
before = '''
    cudaFree("x");
'''
after = '''
    hipFree("x");
'''

[[decision]]
file = "src/a.cu"
decision = "edit"
fixes = [
    { rule = "renamed-name", at = "a", line = 'a("x");' },
    { rule = "renamed-name", at = "b", line = 'b("x");' },
]
before = '''
    cudaFree("x");
'''
after = '''
    hipFree("x");
'''
text = '''
x
'''
"#;

    #[test]
    fn the_file_is_read_by_people() {
        let reject = Decision { reason: "as \"is\"".to_owned(), ..decision(Verdict::Reject) };
        let edit = Decision { fixes: vec![key("a", 1), key("b", 1)], ..decision(Verdict::Edit("x\n".to_owned())) };
        let files = BTreeMap::from([("src/a.cu".to_owned(), vec![reject, edit])]);
        assert_eq!(print(&files), SHOWN);
    }

    #[test]
    fn errors_name_line_and_column() {
        let entry = "schema = 1\n[[decision]]\nfile = \"a\"\ndecision = \"reject\"\nfixes = [{ rule = \"A001\", line = \"x\" }]\n";
        assert_eq!(parse(entry).unwrap()[0].1.fixes[0].number, 1);
        let check = |text: &str, place: &str, message: &str| {
            let error = parse(text).unwrap_err();
            assert!(error.contains(place) && error.contains(message), "{error}");
        };
        check(&entry.replace("A001", "Z999"), "line 5, column 19", "no rule is called `Z999`");
        check(&entry.replace("reject", "maybe"), "line 4, column 12", "maybe");
        check(&entry.replace("reject", "edit"), "line 4, column 12", "needs `text`");
        check(&entry.replace("schema = 1", "schema = 2"), "line 1, column 10", "this hipshift reads 1");
        check(&format!("{entry}{}", &entry[11..]), "line 9, column 9", "stands above");
        check(&entry.replace("file", "fill"), "line 3, column 1", "fill");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(texts in proptest::collection::vec("[ -~é\n\t\r']{0,20}", 6), number in 1_usize..9) {
            let [line, at, reason, before, after, text] = <[String; 6]>::try_from(texts).unwrap();
            let fixes = vec![FixKey { line, at, number, rule: "chevron-launch" }];
            let made = Decision { fixes, verdict: Verdict::Edit(text), reason, before, after };
            let files = BTreeMap::from([("a b.cu".to_owned(), vec![made.clone()])]);
            prop_assert_eq!(parse(&print(&files)).unwrap(), [("a b.cu".to_owned(), made)]);
        }
    }
}
