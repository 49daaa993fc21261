//! Reads the PTX in the template of an `asm` statement.

use super::statement::HOLE;

/// Instructions in their order, and the registers that they declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// Declared registers: type such as `.u32`, and name.
    pub(super) registers: Vec<(String, String)>,
    /// The instructions.
    pub(super) instructions: Vec<Instruction>,
    /// There are labels, other directives than `.reg`, or text that cannot be read.
    pub(super) is_odd: bool,
    /// It opens or closes a block of several statements.
    pub(super) is_part: bool,
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    /// The predicate `@p` or `@!p` with its sign.
    pub(super) guard: Option<(bool, Arg)>,
    /// The name with all its parts, cache hints that promise nothing left out.
    pub(super) op: String,
    /// The operands; `None` if they cannot be read.
    pub(super) args: Option<Vec<Arg>>,
}

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arg {
    /// `%0`
    Operand(usize),
    /// A register or constant; special registers begin with `%`.
    Name(String),
    /// An immediate value as written.
    Number(String),
    /// `{a, b}`
    Vector(Vec<Arg>),
    /// `a|p`, two results
    Pair(Box<Arg>, Box<Arg>),
    /// `[a+16]`
    Memory(Box<Arg>, i64),
}

/// Reads a template. `names` are the symbolic names of the operands.
pub(super) fn read(template: &str, names: &[Option<&str>]) -> Body {
    let text = without_comments(template);
    let mut body = Body { is_part: !is_balanced(&text), ..Body::default() };
    for statement in statements(&text) {
        read_statement(statement.trim(), names, &mut body);
    }
    body
}

/// Whether all blocks that a text opens end in it, and no others.
fn is_balanced(text: &str) -> bool {
    let (mut depth, mut is_whole) = (0_i32, true);
    for byte in text.bytes() {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        is_whole &= depth >= 0;
    }
    is_whole && depth == 0
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let len = match tail.as_bytes().get(1) {
            Some(b'/') => tail.find('\n').unwrap_or(tail.len()),
            Some(b'*') => tail.find("*/").map_or(tail.len(), |end| end + 2),
            _ => 1,
        };
        out.push_str(if len == 1 { "/" } else { " " });
        rest = &tail[len..];
    }
    out.push_str(rest);
    out
}

/// Splits at `;`, and at the braces of blocks, which unlike those of operands start a statement.
fn statements(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let (mut start, mut depth, mut is_first) = (0, 0_usize, true);
    for (at, char) in text.char_indices() {
        match char {
            '{' if !is_first => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ';' | '{' | '}' => {
                statements.push(&text[start..at]);
                (start, depth, is_first) = (at + 1, 0, true);
            }
            _ => is_first &= char.is_whitespace(),
        }
    }
    statements.push(&text[start..]);
    statements.retain(|statement| !statement.trim().is_empty());
    statements
}

fn read_statement(statement: &str, names: &[Option<&str>], body: &mut Body) {
    if let Some(declared) = statement.strip_prefix(".reg") {
        let (kind, list) = declared.trim().split_once(char::is_whitespace).unwrap_or((declared, ""));
        let list = list.split(',').map(|name| (kind.to_owned(), name.trim().to_owned()));
        body.registers.extend(list.filter(|(_, name)| !name.is_empty()));
        return;
    }
    let (guard, rest) = read_guard(statement, names);
    let (op, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if op.starts_with('.') || op.ends_with(':') || op.contains(HOLE) {
        body.is_odd = true;
    }
    let args = split_commas(args).into_iter().map(|arg| read_arg(arg.trim(), names)).collect();
    body.instructions.push(Instruction { guard, op: without_hints(op), args });
}

fn read_guard<'t>(statement: &'t str, names: &[Option<&str>]) -> (Option<(bool, Arg)>, &'t str) {
    let Some(guarded) = statement.strip_prefix('@') else { return (None, statement) };
    let (guard, rest) = guarded.split_once(char::is_whitespace).unwrap_or((guarded, ""));
    let (sign, name) = guard.strip_prefix('!').map_or((true, guard), |name| (false, name));
    (Some((sign, read_arg(name, names).unwrap_or(Arg::Name(name.to_owned())))), rest.trim_start())
}

/// `.L1::evict_last`, `.L2::128B` and the like are hints about speed.
fn without_hints(op: &str) -> String {
    let is_hint = |part: &&str| part.starts_with("L1::") || (part.starts_with("L2::") && *part != "L2::cache_hint");
    op.split('.').filter(|part| !is_hint(part)).collect::<Vec<_>>().join(".")
}

/// Splits at the commas outside of brackets.
pub(super) fn split_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_i32);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() || !parts.is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

/// The text between `open` and `close`, if these surround it.
pub(super) fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn read_arg(text: &str, names: &[Option<&str>]) -> Option<Arg> {
    if let Some(parts) = inside(text, '{', '}') {
        return split_commas(parts)
            .into_iter()
            .map(|part| read_arg(part.trim(), names))
            .collect::<Option<_>>()
            .map(Arg::Vector);
    }
    if let Some((first, second)) = text.split_once('|') {
        let (first, second) = (read_arg(first.trim(), names)?, read_arg(second.trim(), names)?);
        return Some(Arg::Pair(Box::new(first), Box::new(second)));
    }
    if let Some(address) = inside(text, '[', ']') {
        let (base, offset) = split_offset(address.trim())?;
        return Some(Arg::Memory(Box::new(read_arg(base, names)?), offset));
    }
    if let Some(operand) = text.strip_prefix('%') {
        if let Some(name) = inside(operand, '[', ']') {
            return names.iter().position(|known| *known == Some(name)).map(Arg::Operand);
        }
        if let Ok(number) = operand.parse() {
            return Some(Arg::Operand(number));
        }
        // In a template with operands `%%name` stands for `%name`; nvcc takes the latter too.
        let name = operand.trim_start_matches('%');
        return is_name(name).then(|| Arg::Name(format!("%{name}")));
    }
    if is_number(text) {
        return Some(Arg::Number(text.to_owned()));
    }
    is_name(text).then(|| Arg::Name(text.to_owned()))
}

fn split_offset(address: &str) -> Option<(&str, i64)> {
    let Some(at) = address.find(['+', '-']).filter(|&at| at > 0) else { return Some((address, 0)) };
    let offset = address[at..].replace(' ', "");
    let offset = offset.strip_prefix('+').unwrap_or(&offset);
    Some((address[..at].trim_end(), number(offset)?.cast_signed()))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'))
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The value of an integer as PTX writes it: decimal, `0x`, `0b` or octal, with `U` behind it.
pub(super) fn number(text: &str) -> Option<u64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    let value = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => u64::from_str_radix(&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => u64::from_str_radix(&digits[2..], 2),
        [b'0', _, ..] => u64::from_str_radix(&digits[1..], 8),
        _ => digits.parse(),
    };
    value.ok().map(|value| if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ops(template: &str) -> Vec<String> {
        read(template, &[]).instructions.into_iter().map(|instruction| instruction.op).collect()
    }

    #[test]
    fn blocks_and_registers_are_taken_apart() {
        let body = read(
            "{\n\t.reg .pred p, q; // two\n setp.ne.b32 p, %0, 0;\n@!p st.v2.u32 [%1+8], {%2, %[x]};}",
            &[None, None, None, Some("x")],
        );
        assert_eq!(body.registers, [(".pred".to_owned(), "p".to_owned()), (".pred".to_owned(), "q".to_owned())]);
        let last = body.instructions.last().unwrap();
        assert_eq!(last.guard, Some((false, Arg::Name("p".to_owned()))));
        let address = Arg::Memory(Box::new(Arg::Operand(1)), 8);
        assert_eq!(last.args, Some(vec![address, Arg::Vector(vec![Arg::Operand(2), Arg::Operand(3)])]));
        assert!(!body.is_odd);
    }

    #[test]
    fn special_registers_have_one_or_two_signs() {
        let args = |text: &str| read(text, &[]).instructions[0].args.clone().unwrap();
        assert_eq!(args("mov.u32 %0, %%laneid;"), args("mov.u32 %0,%laneid;\n"));
        assert_eq!(args("mov.u32 %0, %laneid")[1], Arg::Name("%laneid".to_owned()));
    }

    #[test]
    fn hints_are_left_out() {
        assert_eq!(ops("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];"), ["ld.global.nc.u32"]);
        assert_eq!(ops("ld.global.L2::cache_hint.u32 %0, [%1], %2;"), ["ld.global.L2::cache_hint.u32"]);
    }

    #[test]
    fn numbers_have_four_bases() {
        let values = ["12", "0x1f", "0b101", "017", "-1", "0xFFU", "0f3F800000"].map(number);
        assert_eq!(values, [Some(12), Some(31), Some(5), Some(15), Some(u64::MAX), Some(255), None]);
    }
}
