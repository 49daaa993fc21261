//! Generator expressions ("cmake-generator-expressions(7)"), as they come out for a build of a language.

/// What an expression is evaluated for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'c> {
    /// Languages of the sources in question.
    pub(super) languages: &'c [&'c str],
}

/// Expressions within expressions end here.
const DEEPEST: usize = 60;

impl Context<'_> {
    /// A text with its generator expressions evaluated; nothing if one of them is not known.
    pub(super) fn evaluate(self, text: &str) -> Option<String> {
        self.within(text, 0)
    }

    fn within(self, text: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("$<") {
            out.push_str(&rest[..at]);
            let len = closed(&rest[at..])?;
            out.push_str(&self.expression(&rest[at + 2..at + len - 1], depth + 1)?);
            rest = &rest[at + len..];
        }
        out.push_str(rest);
        Some(out)
    }

    /// What stands within `$<…>`.
    fn expression(self, inside: &str, depth: usize) -> Option<String> {
        let evaluate = |text: &str| self.within(text, depth);
        let (name, arguments) = match split_at_depth(inside, ':') {
            Some((name, arguments)) => (evaluate(name)?, arguments),
            None => (evaluate(inside)?, ""),
        };
        let list = || arguments_of(arguments);
        let truth = |value: bool| Some(if value { "1" } else { "0" }.to_owned());
        match name.as_str() {
            "1" | "BUILD_INTERFACE" | "BUILD_LOCAL_INTERFACE" | "LINK_ONLY" | "HOST_LINK" => evaluate(arguments),
            "0" | "INSTALL_INTERFACE" | "DEVICE_LINK" => Some(String::new()),
            "COMPILE_LANGUAGE" | "LINK_LANGUAGE" => {
                truth(list().iter().any(|language| self.languages.contains(language)))
            }
            "COMPILE_LANG_AND_ID" => {
                let list = list();
                let compilers = list.get(1..).unwrap_or_default();
                let is_known = |compiler: &&str| matches!(*compiler, "NVIDIA" | "GNU");
                truth(
                    list.first().is_some_and(|first| self.languages.contains(first)) && compilers.iter().any(is_known),
                )
            }
            "CXX_COMPILER_ID" | "C_COMPILER_ID" => truth(list().contains(&"GNU")),
            "CUDA_COMPILER_ID" => truth(list().contains(&"NVIDIA")),
            "PLATFORM_ID" => truth(list().contains(&"Linux")),
            // A project is moved as it is released.
            "CONFIG" => truth(list().iter().any(|config| config.eq_ignore_ascii_case("Release"))),
            "NOT" => truth(evaluate(arguments)? != "1"),
            "AND" | "OR" => {
                let values = list().into_iter().map(&evaluate).collect::<Option<Vec<_>>>()?;
                let mut values = values.iter().map(|value| value == "1");
                truth(if name == "AND" { values.all(|value| value) } else { values.any(|value| value) })
            }
            "BOOL" => {
                let value = evaluate(arguments)?.to_ascii_uppercase();
                truth(!matches!(value.as_str(), "" | "0" | "OFF" | "NO" | "FALSE" | "N" | "NOTFOUND" | "IGNORE"))
            }
            "IF" => {
                let list = list();
                let first = evaluate(list.first()?)?;
                evaluate(list.get(if first == "1" { 1 } else { 2 })?)
            }
            "STREQUAL" => {
                let list = list();
                truth(evaluate(list.first()?)? == evaluate(list.get(1)?)?)
            }
            "SEMICOLON" => Some(";".to_owned()),
            "COMMA" => Some(",".to_owned()),
            "ANGLE-R" => Some(">".to_owned()),
            _ => None,
        }
    }
}

/// How many bytes `$<…>` at the start has.
fn closed(text: &str) -> Option<usize> {
    let (bytes, mut depth, mut at) = (text.as_bytes(), 0_usize, 0);
    while at < bytes.len() {
        if text[at..].starts_with("$<") {
            depth += 1;
            at += 1;
        } else if bytes[at] == b'>' {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
        at += 1;
        while !text.is_char_boundary(at.min(text.len())) {
            at += 1;
        }
    }
    None
}

/// Both sides of the first sign outside of inner expressions.
fn split_at_depth(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '<' if before == '$' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if letter == sign && depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
        before = letter;
    }
    None
}

fn arguments_of(text: &str) -> Vec<&str> {
    let (mut list, mut rest) = (Vec::new(), text);
    while let Some((first, more)) = split_at_depth(rest, ',') {
        list.push(first);
        rest = more;
    }
    list.push(rest);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, language: &str, expected: Option<&str>) {
        assert_eq!(Context { languages: &[language] }.evaluate(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn expressions_come_out_for_a_language() {
        check("$<$<COMPILE_LANGUAGE:CUDA>:--expt;-x=a,b>", "CUDA", Some("--expt;-x=a,b"));
        check("a$<$<COMPILE_LANGUAGE:CUDA>:--expt>b", "CXX", Some("ab"));
        check("$<BUILD_INTERFACE:/p/inc>$<INSTALL_INTERFACE:inc>", "C", Some("/p/inc"));
        check("$<IF:$<OR:$<CONFIG:Debug>,$<BOOL:ON>>,yes,no>", "C", Some("yes"));
        check("$<$<NOT:$<AND:1,0>>:x>$<$<CONFIG:Debug>:y>", "C", Some("x"));
        check("$<TARGET_FILE:x>", "C", None);
        check("$<open", "C", None);
    }
}
