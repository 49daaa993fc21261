//! Counts launches a second time, by means that share nothing with the program, and compares.

use crate::common;

use std::path::Path;

use crate::common::read;

/// The characters of code with their byte offsets. A comment is one blank, a literal one quote.
struct Code {
    characters: Vec<(usize, u8)>,
}

/// Splits off comments, literals and continuations, by hand and slowly.
fn code_of(text: &str) -> Code {
    let bytes = text.as_bytes();
    let mut code = Code { characters: Vec::new() };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some(length) = continuation(rest) {
            at += length;
            continue;
        }
        let (length, stands_for) = match (comment(rest), literal(rest, &code)) {
            (Some(length), _) => (length, b' '),
            (None, Some(length)) => (length, b'"'),
            (None, None) => (1, bytes[at]),
        };
        code.characters.push((at, stands_for));
        at += length;
    }
    code
}

fn continuation(rest: &[u8]) -> Option<usize> {
    [&b"\\\n"[..], b"\\\r\n"].iter().find(|splice| rest.starts_with(splice)).map(|splice| splice.len())
}

fn comment(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"/*") {
        let end = rest[2..].windows(2).position(|pair| pair == b"*/");
        return Some(end.map_or(rest.len(), |end| end + 4));
    }
    if !rest.starts_with(b"//") {
        return None;
    }
    let mut at = 2;
    while at < rest.len() && rest[at] != b'\n' {
        at += continuation(&rest[at..]).unwrap_or(1);
    }
    Some(at)
}

fn literal(rest: &[u8], before: &Code) -> Option<usize> {
    let word = last_word(before);
    match rest[0] {
        b'"' if word.ends_with('R') && ["R", "LR", "uR", "UR", "u8R"].contains(&word.as_str()) => {
            Some(raw_string(rest))
        }
        b'\'' if word.starts_with(|c: char| c.is_ascii_digit()) => None,
        b'"' | b'\'' => Some(quoted(rest)),
        _ => None,
    }
}

/// The word that ends here.
fn last_word(code: &Code) -> String {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'');
    let word: Vec<u8> = code.characters.iter().rev().map(|&(_, byte)| byte).take_while(|&byte| is_word(byte)).collect();
    word.iter().rev().map(|&byte| char::from(byte)).collect()
}

fn raw_string(rest: &[u8]) -> usize {
    let Some(open) = rest.iter().position(|&byte| byte == b'(') else { return quoted(rest) };
    let mut end = b")".to_vec();
    end.extend_from_slice(&rest[1..open]);
    end.push(b'"');
    rest.windows(end.len()).position(|window| window == end).map_or(rest.len(), |at| at + end.len())
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1 + continuation(&rest[at..]).map_or(1, |length| length - 1),
            b'\n' => return at,
            byte => {
                at += 1;
                if byte == rest[0] {
                    return at;
                }
            }
        }
    }
    rest.len()
}

/// Offsets of the first `<` of every `<<<` that is not part of `operator<<<…>`.
fn triple_chevrons(code: &Code) -> Vec<usize> {
    let mut found = Vec::new();
    let solid: Vec<(usize, u8)> =
        code.characters.iter().copied().filter(|(_, byte)| !byte.is_ascii_whitespace()).collect();
    let mut at = 0;
    while at + 2 < solid.len() {
        let is_triple = solid[at..at + 3].iter().all(|&(_, byte)| byte == b'<');
        if !is_triple {
            at += 1;
            continue;
        }
        let names_operator = solid[..at].ends_with(&operator_before(&solid[..at]));
        if !names_operator {
            found.push(solid[at].0);
        }
        at += 3;
    }
    found
}

/// The last characters, if they spell `operator`; else something that nothing ends with.
fn operator_before(solid: &[(usize, u8)]) -> Vec<(usize, u8)> {
    let tail = &solid[solid.len().saturating_sub(8)..];
    let spelt: Vec<u8> = tail.iter().map(|&(_, byte)| byte).collect();
    if spelt == b"operator" { tail.to_vec() } else { vec![(usize::MAX, 0)] }
}

fn compare(path: &Path, wrong: &mut Vec<String>) -> usize {
    let document = read(path);
    let expected = triple_chevrons(&code_of(document.text()));
    let launches = document
        .launches()
        .iter()
        .filter(|launch| launch.has_chevrons())
        .map(|launch| document.range_of(launch.open.clone()));
    let problems = document.launch_problems().iter().map(|(range, _)| *range);
    let mut found: Vec<usize> = launches.chain(problems).map(|range| usize::from(range.start())).collect();
    found.sort_unstable();
    if found != expected {
        wrong.push(format!("{}: counted at {expected:?}, found at {found:?}", common::shown(path)));
    }
    found.len()
}

#[test]
fn launches_of_the_fixtures_are_all_found() {
    let mut wrong = Vec::new();
    let files = common::files_below("fixtures", &["cu", "cuh"]);
    let count: usize = files.iter().map(|path| compare(path, &mut wrong)).sum();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} launches in the fixtures");
}

#[test]
fn launches_of_the_corpus_are_all_found() {
    let Some(files) = common::corpus() else { return };
    let mut wrong = Vec::new();
    let count: usize = files.iter().map(|path| compare(path, &mut wrong)).sum();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 300, "only {count} launches in the corpus");
}

#[track_caller]
fn check_count(text: &str, expected: usize) {
    assert_eq!(triple_chevrons(&code_of(text)).len(), expected, "{text}");
}

#[test]
fn the_second_counter_counts_right() {
    check_count("k<<<1, 2>>>(x); // l<<<1, 2>>>(x);", 1);
    check_count("/* k<<<1, 2>>>(x); */ \"k<<<\" '\"' R\"a(k<<<)a\" k<<<1, 2>>>();", 1);
    check_count("out <<\"a\"<< b << /* c */ d <<'<'<< e;", 0);
    check_count("operator<<<int>(a); operator<< <int>(a); a << 3 << b;", 0);
    check_count("k<\\\n<<1'000, 2>>>(x);", 1);
}
