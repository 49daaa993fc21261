//! `printf`: text from a format and words.

use std::fmt::Write as _;

/// The arguments of a message: numbers take a word, strings as many as they need with their end.
pub(crate) struct Words<'w> {
    rest: &'w [u64],
}

impl<'w> Words<'w> {
    pub(crate) fn new(words: &'w [u64]) -> Words<'w> {
        Words { rest: words }
    }

    /// The next number; zero if there is none.
    fn number(&mut self) -> u64 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// The next string, without its end.
    pub(crate) fn string(&mut self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        while let Some((word, rest)) = self.rest.split_first() {
            self.rest = rest;
            let bytes = word.to_le_bytes();
            match bytes.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&bytes[..end]);
                    return Some(text);
                }
                None => text.extend_from_slice(&bytes),
            }
        }
        None
    }
}

/// One conversion of a format.
#[derive(Debug, Default, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "the flags that C has")]
struct Conversion {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
}

/// The text of a message.
pub(crate) fn printf(format: &[u8], words: &mut Words) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let (conversion, letter, after) = conversion(rest, words);
        rest = after;
        match letter {
            Some(b'%') => out.push(b'%'),
            Some(letter) => out.extend(converted(&conversion, letter, words)),
            None => {}
        }
    }
    out
}

fn conversion<'f>(format: &'f [u8], words: &mut Words) -> (Conversion, Option<u8>, &'f [u8]) {
    let mut conversion = Conversion { bits: 32, ..Conversion::default() };
    let mut rest = format;
    while let Some((flag, after)) = rest.split_first() {
        match flag {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.blank = true,
            b'#' => conversion.alternate = true,
            b'0' => conversion.zero = true,
            _ => break,
        }
        rest = after;
    }
    let (width, after) = size(rest, words);
    let width = width.unwrap_or(0);
    conversion.left |= width < 0;
    conversion.width = width.unsigned_abs().min(4096) as usize;
    rest = after;
    if let Some(after) = rest.strip_prefix(b".") {
        let (precision, after) = size(after, words);
        conversion.precision = usize::try_from(precision.unwrap_or(0)).ok().map(|precision| precision.min(4096));
        rest = after;
    }
    for (prefix, bits) in
        [(&b"hh"[..], 8), (b"h", 16), (b"ll", 64), (b"l", 64), (b"z", 64), (b"j", 64), (b"t", 64), (b"L", 64)]
    {
        if let Some(after) = rest.strip_prefix(prefix) {
            (conversion.bits, rest) = (bits, after);
            break;
        }
    }
    match rest.split_first() {
        Some((letter, after)) => (conversion, Some(*letter), after),
        None => (conversion, None, rest),
    }
}

/// A number in the format, or one of the arguments.
fn size<'f>(format: &'f [u8], words: &mut Words) -> (Option<i64>, &'f [u8]) {
    if let Some(after) = format.strip_prefix(b"*") {
        return (Some(i64::from(words.number() as i32)), after);
    }
    let digits = format.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = format.split_at(digits);
    (std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()), after)
}

fn converted(conversion: &Conversion, letter: u8, words: &mut Words) -> Vec<u8> {
    match letter {
        b's' => {
            let mut text = words.string().unwrap_or_default();
            text.truncate(conversion.precision.unwrap_or(usize::MAX));
            padded(conversion, "", text, false)
        }
        b'c' => padded(conversion, "", vec![words.number() as u8], false),
        b'd' | b'i' => {
            let unused = 64 - conversion.bits;
            let value = words.number().cast_signed() << unused >> unused;
            integer(conversion, sign(conversion, value < 0), value.unsigned_abs().to_string())
        }
        b'u' | b'x' | b'X' | b'o' => {
            let value = words.number() & (u64::MAX >> (64 - conversion.bits));
            let (prefix, digits) = match letter {
                b'x' => ("0x", format!("{value:x}")),
                b'X' => ("0X", format!("{value:X}")),
                b'o' => ("0", format!("{value:o}")),
                _ => ("", value.to_string()),
            };
            integer(conversion, if conversion.alternate && value != 0 { prefix } else { "" }, digits)
        }
        b'p' => match words.number() {
            0 => padded(conversion, "", b"(nil)".to_vec(), false),
            value => padded(conversion, "", format!("{value:#x}").into_bytes(), false),
        },
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            float(conversion, letter, f64::from_bits(words.number()))
        }
        b'n' => {
            words.number();
            Vec::new()
        }
        other => vec![b'%', other],
    }
}

fn sign(conversion: &Conversion, negative: bool) -> &'static str {
    match (negative, conversion.plus, conversion.blank) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(conversion: &Conversion, prefix: &str, mut digits: String) -> Vec<u8> {
    if conversion.precision == Some(0) && digits == "0" {
        digits.clear();
    }
    let missing = conversion.precision.unwrap_or(0).saturating_sub(digits.len());
    let text = "0".repeat(missing) + &digits;
    padded(conversion, prefix, text.into_bytes(), conversion.precision.is_none())
}

/// Fills up to the width: with blanks, or with zeros behind the sign.
fn padded(conversion: &Conversion, prefix: &str, text: Vec<u8>, takes_zeros: bool) -> Vec<u8> {
    let missing = conversion.width.saturating_sub(prefix.len() + text.len());
    let zeros = takes_zeros && conversion.zero && !conversion.left;
    let mut out = Vec::new();
    if !conversion.left && !zeros {
        out.resize(missing, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if zeros {
        out.resize(out.len() + missing, b'0');
    }
    out.extend(text);
    if conversion.left {
        out.resize(out.len() + missing, b' ');
    }
    out
}

fn float(conversion: &Conversion, letter: u8, value: f64) -> Vec<u8> {
    let prefix = sign(conversion, value.is_sign_negative());
    let magnitude = value.abs();
    let upper = letter.is_ascii_uppercase();
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match letter.to_ascii_lowercase() {
            b'f' => fixed(conversion, magnitude, conversion.precision.unwrap_or(6)),
            b'e' => exponential(conversion, magnitude, conversion.precision.unwrap_or(6)),
            b'g' => shortest(conversion, magnitude),
            _ => hexadecimal(conversion, magnitude),
        }
    };
    let text = if upper { text.to_uppercase() } else { text };
    padded(conversion, prefix, text.into_bytes(), value.is_finite())
}

fn fixed(conversion: &Conversion, value: f64, precision: usize) -> String {
    let point = if conversion.alternate && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// The exponent has a sign and two digits at least.
fn exponential(conversion: &Conversion, value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    let point = if conversion.alternate && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{sign}{digits:0>2}")
}

fn shortest(conversion: &Conversion, value: f64) -> String {
    let digits = conversion.precision.unwrap_or(6).max(1);
    let scientific = format!("{value:.0$e}", digits - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let is_fixed = (-4..digits as i32).contains(&exponent);
    let text = if is_fixed {
        fixed(conversion, value, (digits as i32 - 1 - exponent) as usize)
    } else {
        exponential(conversion, value, digits - 1)
    };
    if conversion.alternate {
        return text;
    }
    let (mantissa, tail) = text.find('e').map_or((text.as_str(), ""), |at| text.split_at(at));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{tail}")
}

fn hexadecimal(conversion: &Conversion, value: f64) -> String {
    let bits = value.to_bits();
    let (mut exponent, mut mantissa) = ((bits >> 52 & 0x7ff) as i32 - 1023, bits & 0xf_ffff_ffff_ffff);
    let mut lead = u64::from(exponent != -1023);
    if exponent == -1023 {
        exponent = if mantissa == 0 { 0 } else { -1022 };
    }
    let mut digits = 13;
    if let Some(precision) = conversion.precision.filter(|precision| *precision < 13) {
        let dropped = 4 * (13 - precision as u32);
        let (whole, half) = (lead << 52 | mantissa, 1 << (dropped - 1));
        let kept = whole >> dropped;
        let rest = whole & ((1 << dropped) - 1);
        let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 != 0));
        (lead, mantissa, digits) = (rounded >> (52 - dropped), rounded & ((1 << (52 - dropped)) - 1), precision);
    }
    let mut text = if digits == 0 { String::new() } else { format!("{mantissa:0digits$x}") };
    if conversion.precision.is_none() {
        text = text.trim_end_matches('0').to_owned();
    }
    let point = if text.is_empty() && !conversion.alternate { "" } else { "." };
    let mut out = String::new();
    let _ = write!(out, "0x{lead}{point}{text}p{exponent:+}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: &str, words: &[u64]) -> String {
        String::from_utf8(printf(format.as_bytes(), &mut Words::new(words))).unwrap()
    }

    fn float(format: &str, value: f64) -> String {
        text(format, &[value.to_bits()])
    }

    #[test]
    fn integers_are_cut_to_their_size() {
        assert_eq!(
            text("%d %u %hhd %lld", &[u64::from(u32::MAX), u64::from(u32::MAX), 255, u64::MAX]),
            "-1 4294967295 -1 -1"
        );
        assert_eq!(text("[%5d|%-5d|%05d|%+d|% d]", &[42, 42, 42, 42, 42]), "[   42|42   |00042|+42| 42]");
        assert_eq!(text("%x %#X %o %.3d %*d", &[255, 255, 8, 7, 4, 1]), "ff 0XFF 10 007    1");
    }

    #[test]
    fn floats_look_as_c_prints_them() {
        assert_eq!(float("%f", 1.5), "1.500000");
        assert_eq!(float("%8.2f|", -2.71459), "   -2.71|");
        assert_eq!(float("%e", 12345.678), "1.234568e+04");
        assert_eq!(float("%.0e", 0.00096), "1e-03");
        assert_eq!(float("%g", 0.0001), "0.0001");
        assert_eq!(float("%g", 1e-5), "1e-05");
        assert_eq!(float("%g", 123_456_789.0), "1.23457e+08");
        assert_eq!(float("%g", 100.0), "100");
        assert_eq!(float("%a", 1.0), "0x1p+0");
        assert_eq!(float("%a", 10.5), "0x1.5p+3");
        assert_eq!(float("%f", f64::INFINITY), "inf");
        assert_eq!(float("%08.1f", -2.5), "-00002.5");
    }

    #[test]
    fn strings_take_the_words_they_need() {
        let words = [u64::from_le_bytes(*b"elephant"), u64::from_le_bytes(*b"s\0\0\0\0\0\0\0"), 7];
        assert_eq!(text("%s: %d%%", &words), "elephants: 7%");
        assert_eq!(text("%.3s|%c", &[u64::from_le_bytes(*b"abcd\0\0\0\0"), 65]), "abc|A");
    }
}
