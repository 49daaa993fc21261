//! Reads makefiles with what they include: variables get their values, rules are collected, conditions are followed.

use camino::Utf8Path;

use super::functions::{stem, substitute};
use super::rules::{OwnVariable, Rule, Rules};
use super::variables::Variables;
use crate::build::{Line, LineKind, make_lines};
use crate::project::model::tree::{Text, Tree};

/// What a call of make knows.
pub(super) struct Reader<'r> {
    pub(super) variables: Variables<'r>,
    pub(super) rules: Rules,
    /// Whether the last line that was no recipe is a rule whose recipe is wanted.
    in_rule: bool,
    /// How many files are open.
    depth: usize,
}

/// Files that include each other end here.
const DEEPEST: usize = 20;

impl<'r> Reader<'r> {
    /// Reads a makefile of `folder`; `given` are variables of the command line.
    pub(super) fn read(
        tree: &'r Tree<'r>,
        folder: &Utf8Path,
        file: &Utf8Path,
        given: &[(String, String)],
    ) -> Option<Reader<'r>> {
        let text = tree.text(file)?;
        let variables = Variables::new(tree, folder, given);
        let mut reader = Reader { variables, rules: Rules::default(), in_rule: false, depth: 0 };
        reader.file(&text);
        let search = reader.variables.value("VPATH", &[]);
        reader.rules.search.extend(search.split([' ', ':']).filter(|part| !part.is_empty()).map(str::to_owned));
        Some(reader)
    }

    fn file(&mut self, text: &Text) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        // For each open condition: whether its lines are read, and whether one of its branches was.
        let mut conditions: Vec<(bool, bool)> = Vec::new();
        let lines = make_lines(&text.text);
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let code = joined(&text.text[line.code]);
            let first = code.split_whitespace().next().unwrap_or_default().to_owned();
            if first == "define" && matches!(line.kind, LineKind::Directive) {
                let len = lines[at..].iter().take_while(|line| text.text[line.code].trim() != "endef").count();
                self.define(&code, (text, &lines[at..at + len]));
                at += len + 1;
            } else if !self.condition(&mut conditions, &first, &code) && conditions.iter().all(|(reads, _)| *reads) {
                self.line(text, line, &code);
            }
        }
        self.depth -= 1;
    }

    /// Follows a directive of conditions; whether the line is one.
    fn condition(&self, open: &mut Vec<(bool, bool)>, first: &str, code: &str) -> bool {
        match first {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let holds = self.holds(first, code);
                open.push((holds, holds));
            }
            "else" => {
                let rest = code.trim_start_matches("else").trim_start();
                let word = rest.split_whitespace().next().unwrap_or_default();
                let holds = word.is_empty() || self.holds(word, rest);
                if let Some((reads, done)) = open.last_mut() {
                    *reads = !*done && holds;
                    *done |= *reads;
                }
            }
            "endif" => drop(open.pop()),
            _ => return false,
        }
        true
    }

    fn holds(&self, word: &str, code: &str) -> bool {
        let rest = code.strip_prefix(word).unwrap_or_default().trim();
        if word == "ifdef" || word == "ifndef" {
            return self.variables.is_set(self.variables.expand(rest, &[]).trim()) == (word == "ifdef");
        }
        let (a, b) = sides(rest);
        let equal = self.variables.expand(a, &[]).trim() == self.variables.expand(b, &[]).trim();
        equal == (word == "ifeq")
    }

    fn line(&mut self, text: &Text, line: &Line, code: &str) {
        match line.kind {
            LineKind::Blank => {}
            LineKind::Recipe => self.recipe(text, line, code),
            LineKind::Assignment { name, operator } => {
                let name = self.variables.expand(&text.text[name], &[]);
                self.variables.assign(&name, &text.text[operator], code);
            }
            LineKind::Rule { .. } => self.rule(text, line, code),
            LineKind::Directive => self.directive(text, code),
            LineKind::Other => {
                self.in_rule = false;
                self.variables.expand(code, &[]);
            }
        }
    }

    fn recipe(&mut self, text: &Text, line: &Line, code: &str) {
        if !self.in_rule {
            return;
        }
        let place = text.place(line.range.start());
        if let Some(rule) = self.rules.list.last_mut() {
            rule.recipe.push((code.to_owned(), place));
        }
    }

    fn rule(&mut self, text: &Text, line: &Line, code: &str) {
        // The colon is looked for again, as continued lines were joined.
        let Some((targets, rest)) = split_colon(code) else { return };
        let targets = self.names(targets);
        let rest = rest.trim_start_matches(':');
        if let Some((name, operator, value)) = assignment(rest) {
            let own = |target: String| OwnVariable {
                target,
                name: name.to_owned(),
                operator: operator.to_owned(),
                value: value.to_owned(),
            };
            self.rules.own.extend(targets.into_iter().map(own));
            return;
        }
        let (rest, inline) = rest.split_once(';').map_or((rest, None), |(rest, recipe)| (rest, Some(recipe)));
        let recipe: Vec<_> =
            inline.map(|recipe| (recipe.trim().to_owned(), text.place(line.range.start()))).into_iter().collect();
        if let Some((pattern, from)) = split_colon(rest) {
            let (pattern, from) = (self.variables.expand(pattern.trim(), &[]), self.prerequisites(from));
            self.static_rules(&targets, (&pattern, &from));
        } else {
            let prerequisites = self.prerequisites(rest);
            self.rules.list.push(Rule { targets, prerequisites, recipe });
        }
        self.in_rule = true;
    }

    /// `targets: pattern: from`: a rule for each target that the pattern matches, all with the recipe that follows.
    fn static_rules(&mut self, targets: &[String], (pattern, from): (&str, &[String])) {
        // The stem differs for each target; a pattern rule that is bound to these says the same.
        for target in targets.iter().filter(|target| stem(pattern, target).is_some()) {
            let prerequisites = from.iter().filter_map(|name| substitute(pattern, name, target)).collect();
            self.rules.list.push(Rule { targets: vec![target.clone()], prerequisites, recipe: Vec::new() });
        }
        self.rules.list.push(Rule {
            targets: vec![pattern.to_owned()],
            prerequisites: from.to_vec(),
            recipe: Vec::new(),
        });
    }

    fn names(&self, text: &str) -> Vec<String> {
        self.variables.expand(text, &[]).split_whitespace().map(str::to_owned).collect()
    }

    /// What a rule names before `|`: the rest only has to be there first. Patterns find files.
    fn prerequisites(&self, text: &str) -> Vec<String> {
        let expanded = self.variables.expand(text, &[]);
        let before = expanded.split('|').next().unwrap_or_default();
        let find = |name: &str| {
            if !name.contains(['*', '?']) {
                return vec![name.to_owned()];
            }
            let found = self.variables.expand(&format!("$(wildcard {name})"), &[]);
            found.split_whitespace().map(str::to_owned).collect()
        };
        before.split_whitespace().flat_map(find).collect()
    }

    fn directive(&mut self, text: &Text, code: &str) {
        let (word, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        match word {
            "include" | "-include" | "sinclude" => {
                let names = self.variables.expand(rest, &[]);
                for name in names.split_whitespace() {
                    self.include(text, name, word == "include");
                }
            }
            "vpath" => {
                let folders = self.variables.expand(rest, &[]);
                let folders = folders.split([' ', ':']).skip(1).filter(|part| !part.is_empty());
                self.rules.search.extend(folders.map(str::to_owned));
            }
            _ => {}
        }
    }

    fn include(&mut self, text: &Text, name: &str, is_needed: bool) {
        let tree = self.variables.tree;
        let path = tree.resolve(&self.variables.folder, name);
        match tree.text(&path) {
            Some(included) => self.file(&included),
            None if is_needed => tree.note(None, format!("`{}` includes `{path}`, which is not there", text.path)),
            None => {}
        }
    }

    fn define(&mut self, code: &str, (text, lines): (&Text, &[Line])) {
        let name = code.trim_start_matches("define").trim().trim_end_matches('=').trim();
        let value: Vec<String> = lines.iter().map(|line| joined(&text.text[line.range])).collect();
        self.variables.assign(name, "=", &value.join("\n"));
    }
}

/// A line with those that continue it as one.
fn joined(code: &str) -> String {
    if !code.contains('\n') {
        return code.to_owned();
    }
    code.split('\n').map(|line| line.trim_end_matches(['\\', '\r']).trim()).collect::<Vec<_>>().join(" ")
}

/// Both sides of `(a,b)` or `"a" "b"`.
fn sides(rest: &str) -> (&str, &str) {
    if let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let mut depth = 0_usize;
        for (at, letter) in inside.char_indices() {
            match letter {
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return (&inside[..at], &inside[at + 1..]),
                _ => {}
            }
        }
        return (inside, "");
    }
    let quote = |text: &str| text.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    let Some((a, rest)) = quote(rest).and_then(|sign| rest[1..].split_once(sign)) else { return (rest, "") };
    let rest = rest.trim();
    let b = quote(rest).and_then(|sign| rest[1..].split_once(sign)).map_or(rest, |(b, _)| b);
    (a, b)
}

/// What stands before and behind the first colon outside of references.
fn split_colon(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && !text[at..].starts_with(":=") => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

/// `NAME += value` behind the colon of a target.
fn assignment(rest: &str) -> Option<(&str, &str, &str)> {
    let at = rest.find('=')?;
    let sign = rest[..at].trim_end_matches([':', '+', '?']);
    let name = sign.trim();
    let name =
        ["export ", "override ", "private "].iter().fold(name, |name, word| name.trim_start_matches(word).trim());
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    is_name.then(|| (name, &rest[sign.len()..=at], rest[at + 1..].trim()))
}
