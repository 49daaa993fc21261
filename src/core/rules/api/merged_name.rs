//! Names that are several in CUDA and one in HIP, where the language wants several.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::analysis::{Function, Place};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::own_lines::{enclosed, whole_lines};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, split_arguments, words};

declare_rule! {
    /// ## What it does
    /// Finds what becomes the same for the compiler because two of CUDA's names have one name in HIP: functions that differ in
    /// parameters of such types only (`cudaError_t` and `CUresult` are both `hipError_t`), members that a class declares so,
    /// specialisations of a class for them, and `case` labels of one `switch`.
    ///
    /// The second of two functions is left out, where the compiler reads the first one as well and both give the same: its calls
    /// reach the first one. That is a warning, as the first one may do something else; everything else is an error.
    ///
    /// ## Why is this bad?
    /// A second definition and a second label of the same value do not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda.h>
    /// #include <cuda_runtime.h>
    /// bool failed(cudaError_t error) { return error != cudaSuccess; }
    /// bool failed(CUresult error) { return error != CUDA_SUCCESS; }
    /// ```
    ///
    /// ## What to do
    /// Leave one of them out, and see that the one that stays does what callers of the other expect.
    MergedName { code: "A034", name: "merged-name", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for MergedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let renamed = renamed(cx);
        if !has_merged(&renamed, cx.document) {
            return;
        }
        let mut things = functions(&renamed, cx);
        things.extend(members(&renamed, cx));
        things.extend(specialisations(&renamed, cx));
        things.extend(labels(&renamed, cx));
        report_merged(&things, cx);
    }
}

/// HIP's names of the tokens that get one.
type Renamed<'d> = FxHashMap<TokenIdx, &'d str>;

fn renamed<'d>(cx: &Context<'d>) -> Renamed<'d> {
    let hip = |meaning| match meaning {
        Meaning::Renamed(to, _) => Some(to),
        _ => None,
    };
    cx.names.iter().filter_map(|name| Some((name.token, hip(name.meaning)?))).collect()
}

/// Whether two names of the file have one in HIP. In most files none have, and nothing has to be looked at.
fn has_merged(renamed: &Renamed<'_>, document: &Document) -> bool {
    let mut originals = FxHashMap::default();
    renamed.iter().any(|(&idx, &hip)| {
        let text = document.token_text(idx);
        *originals.entry(hip).or_insert(text) != text
    })
}

/// Something of which there may be one only.
struct Thing {
    /// Where the finding stands.
    at: TokenIdx,
    /// What it is called in messages.
    what: String,
    /// What it is for the compiler after conversion, and before.
    after: String,
    before: String,
    kind: ThingKind,
    /// Of a function.
    definition: Option<Definition>,
}

/// A definition of a function, or the declaration of a member.
struct Definition {
    tokens: Range<TokenIdx>,
    /// What stands in front of its name, with HIP's names.
    front: String,
    has_default: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ThingKind {
    Function,
    Member,
    Specialisation,
    Label,
}

/// Functions with bodies, by scope, name and types of parameters.
fn functions(renamed: &Renamed<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let thing = |function: &Function| {
        let (name, tokens) = (function.name?, function.head.start..function.body.end);
        let is_member = cx.facts.scopes(cx.document).is_in_class(name);
        let kind = if is_member { ThingKind::Member } else { ThingKind::Function };
        declared(kind, (name, function.head.end, tokens), renamed, cx)
    };
    cx.facts.functions.iter().filter_map(thing).collect()
}

/// Members without bodies, which a class declares once each.
fn members(renamed: &Renamed<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let document: &Document = cx.document;
    let scopes = cx.facts.scopes(document);
    let is_name = |idx: TokenIdx| {
        document.kind(idx) == Some(TokenKind::Ident)
            && document.is(idx + 1, b'(')
            && document.directive_of(idx).is_none()
            && !is_keyword(document.token_text(idx))
    };
    let thing = |name: TokenIdx| {
        let close = document.partner(name + 1)?;
        let end =
            (close + 1..close + FAR).find(|&idx| matches!(document.token_text(idx), ";" | "{" | "}" | "(" | "="))?;
        // `= 0;`, `= default;`, `= delete;`
        let end = if document.is(end, b'=') && document.is(end + 2, b';') { end + 2 } else { end };
        if !document.is(end, b';') || !scopes.is_in_class(name) || cx.facts.functions.holding(name).is_some() {
            return None;
        }
        let (start, has_type) = start_of_member(document, name)?;
        let is_constructor = || matches!(scopes.place_of(document, name), Place::Named(path) if last_of(&path) == document.token_text(name));
        // Else it is a macro.
        let is_member = has_type || is_constructor();
        is_member.then(|| declared(ThingKind::Member, (name, end, start..end + 1), renamed, cx)).flatten()
    };
    (0..document.tokens().len()).filter(|&idx| is_name(idx)).filter_map(thing).collect()
}

/// Where the declaration of the member `name` starts, behind what is before it and words such as `public:`, and whether a type stands
/// there. `None` where the name belongs to something else, as the first value of another one.
fn start_of_member(document: &Document, name: TokenIdx) -> Option<(TokenIdx, bool)> {
    let ends = |idx: &TokenIdx| matches!(document.token_text(*idx), ";" | "{" | "}" | ":");
    let start = (name.saturating_sub(FAR)..name).rev().find(ends)? + 1;
    let front = || (start..name).map(|idx| document.token_text(idx));
    let count = |sign: &str| front().filter(|text| *text == sign).count();
    let is_other = front().any(|text| matches!(text, "(" | "=" | "using" | "typedef" | "friend" | "operator"));
    let has_type = front().any(|text| !matches!(text, "explicit" | "virtual" | "static" | "inline" | "constexpr"));
    (!is_other && count("<") == count(">")).then_some((start, has_type))
}

/// The last name of a path.
fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A function by its name, the end of its head, and all of its tokens, if a type among its parameters gets a name of HIP's.
fn declared(
    kind: ThingKind,
    (name, head_end, tokens): (TokenIdx, TokenIdx, Range<TokenIdx>),
    renamed: &Renamed<'_>,
    cx: &Context<'_>,
) -> Option<Thing> {
    let document: &Document = cx.document;
    let is_template = document.token_text(tokens.start) == "template";
    let open = name + 1;
    let close = document.partner(open).filter(|_| document.is(open, b'('))?;
    let parameters: Vec<_> =
        split_arguments(document, open + 1..close).into_iter().map(|one| type_of(document, one)).collect();
    let has_merged = parameters.iter().any(|one| one.clone().any(|idx| renamed.contains_key(&idx)));
    if is_template || !has_merged {
        return None;
    }
    let text = document.token_text(name);
    let scope = format!("{:?}", cx.facts.scopes(document).place_of(document, name));
    // A member that is constant is another one; what is `virtual`, and what a constructor sets first, makes no other.
    let ends = |idx: &TokenIdx| matches!(document.token_text(*idx), ":" | "=" | "override" | "final");
    let tail_end = (close + 1..head_end).find(ends).unwrap_or(head_end);
    let tail = spelt(document, close + 1..tail_end, &Renamed::default());
    let of = |names: &Renamed<'_>| {
        let types: Vec<String> = parameters.iter().map(|one| spelt(document, one.clone(), names)).collect();
        format!("{scope} {text}({}){tail}", types.join(", "))
    };
    Some(Thing {
        at: name,
        what: format!("`{text}`"),
        after: of(renamed),
        before: of(&Renamed::default()),
        kind,
        definition: Some(Definition {
            front: spelt(document, tokens.start..name, renamed),
            tokens,
            has_default: (open..close).any(|idx| document.is(idx, b'=')),
        }),
    })
}

/// The tokens of a parameter without its name and default, and of a value without `const`, which makes no other function.
fn type_of(document: &Document, tokens: Range<TokenIdx>) -> Range<TokenIdx> {
    let end = tokens.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(tokens.end);
    let is_word = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
    let last = end.saturating_sub(1);
    let has_name = last > tokens.start && is_word(last) && document.token_text(last - 1) != "::";
    let end = if has_name { last } else { end };
    let is_value = !tokens.clone().any(|idx| document.is(idx, b'*') || document.is(idx, b'&'));
    let is_constant = is_value && document.token_text(tokens.start) == "const";
    tokens.start + usize::from(is_constant)..end
}

fn spelt(document: &Document, tokens: Range<TokenIdx>, names: &Renamed<'_>) -> String {
    let words = tokens.map(|idx| names.get(&idx).copied().unwrap_or_else(|| document.token_text(idx)));
    words.collect::<Vec<_>>().join(" ")
}

/// `template <> struct Name<…>`
fn specialisations(renamed: &Renamed<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let document: &Document = cx.document;
    let thing = |idx: TokenIdx| {
        let is_explicit = document.is(idx + 1, b'<') && document.is(idx + 2, b'>');
        let is_class = matches!(document.token_text(idx + 3), "struct" | "class");
        let (name, open) = (idx + 4, idx + 5);
        if !is_explicit || !is_class || !document.is(open, b'<') {
            return None;
        }
        let close = (open..open + FAR).find(|&at| document.is(at, b'>'))?;
        let of = |names: &Renamed<'_>| spelt(document, name..close, names);
        Some(Thing {
            at: name,
            what: format!("the specialisation of `{}`", document.token_text(name)),
            after: of(renamed),
            before: of(&Renamed::default()),
            kind: ThingKind::Specialisation,
            definition: None,
        })
    };
    words(document, "template").filter_map(thing).collect()
}

/// Tokens of the arguments of a specialisation, and behind the parameters of a member; what has more is something else.
const FAR: usize = 24;

/// `case NAME:`, by the braces around.
fn labels(renamed: &Renamed<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let document: &Document = cx.document;
    let blocks = cx.facts.blocks(document);
    let thing = |idx: TokenIdx| {
        let name = idx + 1;
        let hip = renamed.get(&name).filter(|_| document.is(name + 1, b':'))?;
        let around = blocks.around(idx)?;
        Some(Thing {
            at: name,
            what: format!("the label `{}`", document.token_text(name)),
            after: format!("{around} {hip}"),
            before: format!("{around} {}", document.token_text(name)),
            kind: ThingKind::Label,
            definition: None,
        })
    };
    words(document, "case").filter_map(thing).collect()
}

fn report_merged(things: &[Thing], cx: &mut Context<'_>) {
    let pairs = merged(things, cx);
    let lines: Vec<Option<TextRange>> =
        pairs.iter().map(|&(first, second)| lines_left_out(&things[first], &things[second], cx)).collect();
    let blocks = joined(lines.iter().flatten().copied());
    for ((first, second), lines) in pairs.into_iter().zip(lines) {
        let block = lines.and_then(|lines| blocks.get(blocks.partition_point(|block| block.end() <= lines.start())));
        report((&things[first], &things[second]), block.copied(), cx);
    }
}

/// Things that are the same, by their numbers: the one that stays, and the other.
fn merged(things: &[Thing], cx: &Context<'_>) -> Vec<(usize, usize)> {
    let mut alike: FxHashMap<(ThingKind, &str), Vec<usize>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (number, thing) in things.iter().enumerate() {
        let known = alike.entry((thing.kind, &thing.after)).or_default();
        let is_same = |other: &Thing| other.before != thing.before && !are_exclusive(other.at, thing.at, cx);
        pairs.extend(known.iter().find(|&&other| is_same(&things[other])).map(|&other| (other, number)));
        known.push(number);
    }
    pairs
}

/// Lines that follow each other become one block: two edits at one place would contradict each other.
fn joined(lines: impl Iterator<Item = TextRange>) -> Vec<TextRange> {
    let mut sorted: Vec<TextRange> = lines.collect();
    sorted.sort_by_key(|lines| lines.start());
    let mut blocks: Vec<TextRange> = Vec::new();
    for lines in sorted {
        match blocks.last_mut().filter(|block| block.end() == lines.start()) {
            Some(block) => *block = block.cover(lines),
            None => blocks.push(lines),
        }
    }
    blocks
}

fn report((first, second): (&Thing, &Thing), left_out: Option<TextRange>, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(second.at..second.at + 1);
    let of_first = document.range_of(first.at..first.at + 1);
    let finding = cx.report(range, format!("{} is the same as another one in HIP", second.what));
    finding.label(of_first, "this one");
    if let Some(lines) = left_out {
        let note = "this one is left out, and its calls reach the other one: see that it does what they expect";
        let edits = enclosed(document, lines, "#if 0 // the same as the one above in HIP", "#endif // 0");
        finding.severity(Severity::Warning).note(note).fix(Fix::safe("leave it out", edits));
        if second.definition.as_ref().is_some_and(|one| document.is(one.tokens.end - 1, b';')) {
            finding.note("its definition, where that is in another file, has to be left out as well");
        }
    }
}

/// The lines of the second of two functions, which can be left out where the first one is there whenever it is, and gives the same type.
fn lines_left_out(first: &Thing, second: &Thing, cx: &Context<'_>) -> Option<TextRange> {
    let document: &Document = cx.document;
    let (one, other) = (first.definition.as_ref()?, second.definition.as_ref()?);
    // The first one would call itself where it hands over to the second.
    let name = document.token_text(first.at);
    let calls_second = one.tokens.clone().any(|idx| idx > first.at && document.token_text(idx) == name);
    let is_access = |idx: TokenIdx| {
        matches!(document.token_text(idx), "public" | "private" | "protected") && document.is(idx + 1, b':')
    };
    // Others may reach the one and not the other.
    let differ_in_access = first.kind == ThingKind::Member && (first.at..second.at).any(is_access);
    if differ_in_access
        || one.front != other.front
        || other.has_default
        || calls_second
        || !is_read_with(first.at, second.at, cx)
    {
        return None;
    }
    whole_lines(document, document.range_of(other.tokens.clone()))
}

/// Whether the compiler reads a place whenever it reads another.
fn is_read_with(one: TokenIdx, other: TokenIdx, cx: &Context<'_>) -> bool {
    let mut branches = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches);
    branches.all(|branch| !branch.body.contains(&one) || branch.body.contains(&other))
}

/// Whether the compiler reads one of two places only.
fn are_exclusive(one: TokenIdx, other: TokenIdx, cx: &Context<'_>) -> bool {
    cx.facts.conditions.chains().iter().any(|chain| {
        let branch = |idx: TokenIdx| chain.branches.iter().position(|branch| branch.body.contains(&idx));
        matches!((branch(one), branch(other)), (Some(a), Some(b)) if a != b)
    })
}
