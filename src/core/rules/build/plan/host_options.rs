//! What nvcc makes of the value of `-Xcompiler` that has quotes in it.

/// The options for the host's compiler in a value as it stands in a command line, as words of a command line; nothing if its
/// quotes are not closed.
///
/// nvcc takes the value as the shell hands it on, splits it at commas (NVIDIA, "CUDA Compiler Driver NVCC", section 4.2: a
/// backslash keeps one), and puts it into a command line of a shell again. So the text loses one level of quotes.
pub(super) fn host_options(raw: &str) -> Option<Vec<String>> {
    split(&handed_over(raw)?)
}

/// Whether an option of the host's compiler lets it compute other floating-point numbers, which nvcc's device code does not take part in
/// (NVIDIA, "CUDA Compiler Driver NVCC", `--compiler-options`).
pub(super) fn is_about_floats(option: &str) -> bool {
    const FLOATS: &[&str] = &[
        "-ffast-math",
        "-Ofast",
        "-funsafe-math-optimizations",
        "-fassociative-math",
        "-freciprocal-math",
        "-ffinite-math-only",
        "-fno-signed-zeros",
    ];
    FLOATS.contains(&option) || ["-ffp-contract=", "-ffp-model="].iter().any(|start| option.starts_with(start))
}

/// What a shell hands over for one word.
fn handed_over(raw: &str) -> Option<String> {
    let (mut value, mut quote) = (String::new(), None);
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None) => value.push(rest.next()?),
            ('\\', Some('"')) => {
                let next = rest.next()?;
                if !matches!(next, '"' | '\\' | '$' | '`') {
                    value.push('\\');
                }
                value.push(next);
            }
            (c, _) => value.push(c),
        }
    }
    quote.is_none().then_some(value)
}

/// The parts between commas and blanks that no quotes and no backslash keep.
fn split(value: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut quote) = (Vec::new(), String::new(), None);
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                part.push(c);
            }
            (c, Some(open)) if c == open => {
                quote = None;
                part.push(c);
            }
            ('\\', None | Some('"')) => {
                let next = rest.next()?;
                if next != ',' {
                    part.push('\\');
                }
                part.push(next);
            }
            (c, None) if c == ',' || c.is_whitespace() => parts.push(std::mem::take(&mut part)),
            (c, _) => part.push(c),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    quote.is_none().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lose_one_level_of_quotes() {
        for (raw, expected) in [
            (r#""-DVERSION='\"1.0\"'""#, &[r#"-DVERSION='"1.0"'"#][..]),
            (r#"-DV=\\\"a\\\""#, &[r#"-DV=\"a\""#]),
            (r#"'-DV="a b"'"#, &[r#"-DV="a b""#]),
            (r#""-O3,-DX=a\,b""#, &["-O3", "-DX=a,b"]),
            (r"'-Wl\,-rpath\,/x'", &["-Wl,-rpath,/x"]),
            (r#""\"-DX=1 2\"""#, &[r#""-DX=1 2""#]),
        ] {
            assert_eq!(
                host_options(raw).as_deref(),
                Some(expected.iter().map(|&part| part.to_owned()).collect::<Vec<_>>().as_slice()),
                "{raw}"
            );
        }
        assert_eq!(host_options(r#""-DX='""#), None);
    }
}
