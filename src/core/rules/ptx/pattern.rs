//! Compiles the rows of the PTX table and matches instructions against them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::body::{Arg, Instruction, inside, number, split_commas};
use super::statement::Operand;
use crate::mapping::{PtxLanes, PtxRewrite, PtxSpelling, PtxTable};
use crate::settings::WaveWidth;

/// A row of the table, ready for use.
pub(super) struct Pattern {
    /// The row.
    pub(super) row: &'static PtxRewrite,
    args: Vec<Shape>,
    /// The replacement.
    pub(super) hip: Vec<Part>,
}

/// What an operand of the instruction must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    Slot { name: Box<str>, written: bool, classes: Box<str> },
    Name(Box<str>),
    Vector(Vec<Shape>),
    Pair(Box<Shape>, Box<Shape>),
    Memory(Box<Shape>),
}

/// A part of a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text.
    Text(Box<str>),
    /// `$name`
    Slot(Box<str>),
    /// `$lut(table, a, b, c)`: the Boolean function of three values with that truth table.
    Lut([Box<str>; 4]),
}

/// What a slot stands for in one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// An operand of the statement.
    Operand(usize),
    /// An operand that holds an address, and an offset in bytes.
    Address(usize, i64),
    /// C++ text.
    Text(String),
}

/// Slots and what they stand for.
pub(super) type Bindings<'p> = Vec<(&'p str, Bound)>;

static PATTERNS: LazyLock<FxHashMap<String, Vec<Pattern>>> = LazyLock::new(|| {
    let mut patterns: FxHashMap<String, Vec<Pattern>> = FxHashMap::default();
    // A test reads the table, so an error here cannot reach a release.
    let Ok(table) = PtxTable::builtin() else { return patterns };
    for row in &table.rewrites {
        for spelling in &row.ops {
            if let Some(pattern) = Pattern::compile(row, spelling) {
                patterns.entry(key(&spelling.op)).or_default().push(pattern);
            }
        }
    }
    patterns
});

/// The patterns for an instruction name that hold for warps of that width.
pub(super) fn patterns_of(op: &str, width: WaveWidth) -> impl Iterator<Item = &'static Pattern> {
    let lanes = match width {
        WaveWidth::Logical32 => PtxLanes::Logical32,
        WaveWidth::Native => PtxLanes::Native,
    };
    let patterns: &[Pattern] = PATTERNS.get(&key(op)).map_or(&[], Vec::as_slice);
    patterns.iter().filter(move |pattern| pattern.row.lanes.is_none_or(|wanted| wanted == lanes))
}

/// The name, its parts sorted where their order means nothing: assemblers take
/// `ld.acquire.gpu.global.u32` and `ld.global.acquire.gpu.u32` alike.
fn key(op: &str) -> String {
    let mut parts: Vec<&str> = op.split('.').collect();
    if let [head @ ("ld" | "st" | "atom" | "red"), rest @ ..] = &mut *parts {
        rest.sort_unstable();
        return format!("{head}.{}", rest.join("."));
    }
    op.to_owned()
}

impl Pattern {
    fn compile(row: &'static PtxRewrite, spelling: &PtxSpelling) -> Option<Pattern> {
        let args = split_commas(&row.args).into_iter().map(shape).collect::<Option<_>>()?;
        Some(Pattern { row, args, hip: template(&spelling.choose(&row.hip))? })
    }

    /// What the slots stand for, if `instruction` has this form.
    pub(super) fn bind<'p>(
        &'p self,
        instruction: &Instruction,
        operands: &[Operand],
        value: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<Bindings<'p>> {
        let args = instruction.args.as_ref()?;
        let mut bindings = Vec::new();
        bind_all(&self.args, args, operands, &mut bindings)?;
        let holds = |(name, bound): &(&str, Bound)| self.limits_hold(name, bound, value);
        bindings.iter().all(holds).then_some(bindings)
    }

    /// Whether the row holds for the immediate value in the slot `name`.
    fn limits_hold(&self, name: &str, bound: &Bound, value: &dyn Fn(usize) -> Option<u64>) -> bool {
        let limit =
            |limits: &[(Box<str>, u64)]| limits.iter().find(|(slot, _)| **slot == *name).map(|(_, limit)| *limit);
        let (max, unset) = (limit(&self.row.max), limit(&self.row.unset));
        let needs_value = max.is_some() || unset.is_some() || self.is_lut(name);
        let value = match bound {
            Bound::Operand(idx) => value(*idx),
            Bound::Address(..) => None,
            Bound::Text(text) => number(text.trim_matches(['(', ')'])),
        };
        match value {
            Some(value) => max.is_none_or(|max| value <= max) && unset.is_none_or(|mask| value & mask == 0),
            None => !needs_value,
        }
    }

    fn is_lut(&self, name: &str) -> bool {
        self.hip.iter().any(|part| matches!(part, Part::Lut([table, ..]) if **table == *name))
    }
}

/// Reads the shape of an operand: `d:=r`, `a:r`, `i:n`, `{x:=r, y:=r}`, `d:=r|p:=p`, `[p:l]` or a fixed name.
fn shape(text: &str) -> Option<Shape> {
    let text = text.trim();
    if let Some(parts) = inside(text, '{', '}') {
        return split_commas(parts).into_iter().map(shape).collect::<Option<_>>().map(Shape::Vector);
    }
    if let Some((first, second)) = text.split_once('|') {
        return Some(Shape::Pair(Box::new(shape(first)?), Box::new(shape(second)?)));
    }
    if let Some(address) = inside(text, '[', ']') {
        return shape(address).map(|address| Shape::Memory(Box::new(address)));
    }
    let Some((name, classes)) = text.split_once(':') else { return Some(Shape::Name(text.into())) };
    let (written, classes) = classes.strip_prefix('=').map_or((false, classes), |classes| (true, classes));
    Some(Shape::Slot { name: name.into(), written, classes: classes.into() })
}

fn bind_all<'p>(shapes: &'p [Shape], args: &[Arg], operands: &[Operand], out: &mut Bindings<'p>) -> Option<()> {
    if shapes.len() != args.len() {
        return None;
    }
    shapes.iter().zip(args).try_for_each(|(shape, arg)| bind(shape, arg, operands, out))
}

fn bind<'p>(shape: &'p Shape, arg: &Arg, operands: &[Operand], out: &mut Bindings<'p>) -> Option<()> {
    match (shape, arg) {
        (Shape::Name(wanted), Arg::Name(name) | Arg::Number(name)) => (**wanted == *name).then_some(()),
        (Shape::Vector(shapes), Arg::Vector(args)) => bind_all(shapes, args, operands, out),
        (Shape::Pair(one, other), Arg::Pair(first, second)) => {
            bind(one, first, operands, out)?;
            bind(other, second, operands, out)
        }
        (Shape::Memory(shape), Arg::Memory(base, offset)) => {
            bind(shape, base, operands, out)?;
            if let (Some((_, bound)), 1..) = (out.last_mut(), offset.unsigned_abs()) {
                let Bound::Operand(idx) = *bound else { return None };
                *bound = Bound::Address(idx, *offset);
            }
            Some(())
        }
        (Shape::Slot { name, written, classes }, arg) => {
            let bound = if *written { output(classes, arg, operands)? } else { input(classes, arg, operands)? };
            out.push((name, bound));
            Some(())
        }
        _ => None,
    }
}

fn output(classes: &str, arg: &Arg, operands: &[Operand]) -> Option<Bound> {
    let Arg::Operand(idx) = *arg else { return None };
    let operand = operands.get(idx)?;
    (operand.is_output() && is_one_of(operand.class(), classes)).then_some(Bound::Operand(idx))
}

/// A letter of `classes`. Integers may be immediate too, floats if their bits are spelt out;
/// `n` takes immediate values only.
fn input(classes: &str, arg: &Arg, operands: &[Operand]) -> Option<Bound> {
    let takes_integer = classes.contains(['r', 'l', 'h', 'n']);
    match arg {
        Arg::Operand(idx) => {
            let operand = operands.get(*idx)?;
            let is_read = !operand.is_output() || operand.is_in_and_out();
            let is_constant = takes_integer && matches!(operand.class(), "n" | "i");
            (is_read && (is_constant || is_one_of(operand.class(), classes))).then_some(Bound::Operand(*idx))
        }
        Arg::Number(text) if takes_integer && number(text).is_some() => Some(Bound::Text(integer(text)?)),
        Arg::Number(text) if classes == "f" => {
            let bits = text.strip_prefix("0f").or(text.strip_prefix("0F")).filter(|bits| bits.len() == 8)?;
            Some(Bound::Text(format!("__uint_as_float(0x{bits}u)")))
        }
        Arg::Number(text) if classes == "d" => {
            let bits = text.strip_prefix("0d").or(text.strip_prefix("0D")).filter(|bits| bits.len() == 16)?;
            Some(Bound::Text(format!("__longlong_as_double(0x{bits}ll)")))
        }
        _ => None,
    }
}

fn is_one_of(class: &str, classes: &str) -> bool {
    class.len() == 1 && classes.contains(class)
}

/// An integer as C++ writes it.
fn integer(text: &str) -> Option<String> {
    number(text)?;
    Some(if text.starts_with('-') { format!("({text})") } else { text.to_owned() })
}

/// Reads a replacement.
fn template(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        if !before.is_empty() {
            parts.push(Part::Text(before.into()));
        }
        if let Some(arguments) = after.strip_prefix("lut(") {
            let (arguments, tail) = arguments.split_once(')')?;
            let slots: Vec<Box<str>> = arguments.split(',').map(|slot| slot.trim().into()).collect();
            parts.push(Part::Lut(slots.try_into().ok()?));
            rest = tail;
            continue;
        }
        let len = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, tail) = after.split_at_checked(len).filter(|(name, _)| !name.is_empty())?;
        parts.push(Part::Slot(name.into()));
        rest = tail;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.into()));
    }
    Some(parts)
}

/// Slots of `hip` that `args` does not bind, and rows that do not compile: mistakes in the table.
#[cfg(test)]
fn mistakes(row: &'static PtxRewrite) -> Vec<String> {
    fn slots<'s>(shape: &'s Shape, out: &mut Vec<&'s str>) {
        match shape {
            Shape::Slot { name, .. } => out.push(name),
            Shape::Name(_) => {}
            Shape::Vector(shapes) => shapes.iter().for_each(|shape| slots(shape, out)),
            Shape::Pair(one, other) => [one, other].into_iter().for_each(|shape| slots(shape, out)),
            Shape::Memory(shape) => slots(shape, out),
        }
    }
    let Some(pattern) = row.ops.first().and_then(|spelling| Pattern::compile(row, spelling)) else {
        return vec![format!("{:?} does not compile", row.ops)];
    };
    let mut bound = Vec::new();
    pattern.args.iter().for_each(|shape| slots(shape, &mut bound));
    let used = pattern.hip.iter().flat_map(|part| match part {
        Part::Text(_) => Vec::new(),
        Part::Slot(name) => vec![&**name],
        Part::Lut(names) => names.iter().map(|name| &**name).collect(),
    });
    let unknown = used.filter(|name| !bound.contains(name));
    unknown.map(|name| format!("{:?} uses `${name}`, which it does not bind", row.ops)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_compiles_and_binds_what_it_uses() {
        let table = PtxTable::builtin().unwrap();
        let found: Vec<String> = table.rewrites.iter().flat_map(mistakes).collect();
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn shapes_read() {
        let slot =
            |name: &str, written, classes: &str| Shape::Slot { name: name.into(), written, classes: classes.into() };
        assert_eq!(shape(" d:=r"), Some(slot("d", true, "r")));
        assert_eq!(shape("[p:l]"), Some(Shape::Memory(Box::new(slot("p", false, "l")))));
        assert_eq!(shape("{x:=r, y:=f}"), Some(Shape::Vector(vec![slot("x", true, "r"), slot("y", true, "f")])));
        assert_eq!(shape("%laneid"), Some(Shape::Name("%laneid".into())));
    }
}
