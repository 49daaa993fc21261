//! Names that are several in CUDA and one in HIP, where the language wants several.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::analysis::{Function, Place};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{RocmVersion, plain_pointer};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::name::Name;
use crate::rules::name_list::NameList;
use crate::rules::own_lines::{enclosed, whole_lines};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, split_arguments, words};

declare_rule! {
    /// ## What it does
    /// Finds what becomes the same for the compiler because two of CUDA's names have one name in HIP, or are names of one type:
    /// functions that differ in parameters of such types only (`cudaError_t` and `CUresult` are both `hipError_t`;
    /// `cublasHandle_t` and `cusparseHandle_t` become names of `void *`, as `CUdeviceptr` does), members that a class declares
    /// so, specialisations of a class or a function for them, and `case` labels of one `switch`.
    ///
    /// The second of two functions is left out, where the compiler reads the first one as well, both give the same, and their
    /// types get one name: its calls reach the first one. That is a warning, as the first one may do something else; everything
    /// else is an error. Two functions for types that are all `void *` do different things, so that neither is left out.
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
    /// Leave one of them out, and see that the one that stays does what callers of the other expect. Give functions for handles of
    /// two libraries different names, or wrap one of the handles in a `struct` of your own.
    MergedName { code: "A034", name: "merged-name", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for MergedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let names = Names::of(cx);
        if !names.has_merged(cx) {
            return;
        }
        let mut things = functions(&names, cx);
        things.extend(members(&names, cx));
        things.extend(specialisations(&names, cx));
        things.extend(labels(&names, cx));
        report_merged(&things, cx);
    }
}

/// What the tokens of a file become.
struct Names<'d> {
    all: Rc<NameList<'d>>,
    rocm: RocmVersion,
}

/// How some tokens are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    /// With CUDA's names, as they are written.
    Written,
    /// With HIP's names.
    Renamed,
    /// As the compiler compares types: a pointer to anything is one whatever it is called.
    Types,
}

/// The name that a name gets in HIP, where it gets another one.
fn hip_name<'d>(name: &Name<'d>) -> Option<&'d str> {
    match name.meaning {
        Meaning::Renamed(to, _) => Some(to),
        _ => None,
    }
}

impl<'d> Names<'d> {
    fn of(cx: &Context<'d>) -> Names<'d> {
        Names { all: cx.names.clone(), rocm: cx.settings.rocm }
    }

    /// HIP's name of a token that gets one.
    fn renamed(&self, idx: TokenIdx) -> Option<&'d str> {
        self.all.within(idx..idx + 1).find_map(|name| hip_name(&name))
    }

    /// Whether two names of the file have one in HIP, or one is another name of a pointer. In most files none are, and nothing has
    /// to be looked at.
    fn has_merged(&self, cx: &Context<'_>) -> bool {
        let mut originals = FxHashMap::default();
        self.all.iter().filter_map(|name| Some((name.token, hip_name(&name)?))).any(|(idx, hip)| {
            let text = cx.document.token_text(idx);
            *originals.entry(hip).or_insert(text) != text || plain_pointer(hip, self.rocm).is_some()
        })
    }

    /// Whether the type of a token may be the same as one that is written in another way.
    fn may_merge(&self, document: &Document, idx: TokenIdx) -> bool {
        self.renamed(idx).is_some() || document.token_text(idx) == "void"
    }

    /// Some tokens as one text.
    fn spelt(&self, document: &Document, tokens: Range<TokenIdx>, how: As) -> String {
        let mut words: Vec<&str> = Vec::new();
        let mut idx = tokens.start;
        while idx < tokens.end {
            let is_pointer = || document.token_text(idx) == "void" && document.is(idx + 1, b'*');
            if how == As::Types && is_pointer() {
                let is_constant = words.pop_if(|word| *word == "const").is_some();
                words.push(if is_constant { "const void *" } else { "void *" });
                idx += 2;
                continue;
            }
            let hip = (how != As::Written).then(|| self.renamed(idx)).flatten();
            let pointer = hip.filter(|_| how == As::Types).and_then(|hip| plain_pointer(hip, self.rocm));
            words.push(pointer.or(hip).unwrap_or_else(|| document.token_text(idx)));
            idx += 1;
        }
        // A pointer is one word, so that a constant one is none to something constant.
        words.join("\n")
    }
}

/// Something of which there may be one only.
struct Thing {
    /// Where the finding stands.
    at: TokenIdx,
    /// What it is called in messages.
    what: String,
    /// What it is for the compiler after conversion, with HIP's names, and before.
    after: String,
    renamed: String,
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
fn functions(names: &Names<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let thing = |function: &Function| {
        let (name, tokens) = (function.name?, function.head.start..function.body.end);
        let is_member = cx.facts.scopes(cx.document).is_in_class(name);
        let kind = if is_member { ThingKind::Member } else { ThingKind::Function };
        declared(kind, (name, function.head.end, tokens), names, cx)
    };
    cx.facts.functions.iter().filter_map(thing).collect()
}

/// Members without bodies, which a class declares once each.
fn members(names: &Names<'_>, cx: &Context<'_>) -> Vec<Thing> {
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
        is_member.then(|| declared(ThingKind::Member, (name, end, start..end + 1), names, cx)).flatten()
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
    names: &Names<'_>,
    cx: &Context<'_>,
) -> Option<Thing> {
    let document: &Document = cx.document;
    let is_template = document.token_text(tokens.start) == "template";
    let is_specialisation = is_template && document.is(tokens.start + 2, b'>');
    let open = parameters_of(document, name)?;
    let close = document.partner(open)?;
    let parameters: Vec<_> =
        split_arguments(document, open + 1..close).into_iter().map(|one| type_of(document, one)).collect();
    let may_merge =
        (name + 1..open).chain(parameters.iter().cloned().flatten()).any(|idx| names.may_merge(document, idx));
    if is_template && !is_specialisation || !may_merge {
        return None;
    }
    let text = document.slice(document.range_of(start_of_name(document, name)..name + 1));
    // A member that is constant is another one; what is `virtual`, and what a constructor sets first, makes no other.
    let ends = |idx: &TokenIdx| matches!(document.token_text(*idx), ":" | "=" | "override" | "final");
    let tail_end = (close + 1..head_end).find(ends).unwrap_or(head_end);
    let tail = names.spelt(document, close + 1..tail_end, As::Written);
    let of = |how: As| {
        let types: Vec<String> = parameters.iter().map(|one| names.spelt(document, one.clone(), how)).collect();
        let arguments = names.spelt(document, name + 1..open, how);
        format!("{text}{arguments}({}){tail}", types.join(", "))
    };
    let definition = Definition {
        front: names.spelt(document, tokens.start..name, As::Renamed),
        tokens,
        has_default: (open..close).any(|idx| document.is(idx, b'=')),
    };
    Some(Thing {
        at: name,
        what: format!("`{}`", document.slice(document.range_of(start_of_name(document, name)..open))),
        after: of(As::Types),
        renamed: of(As::Renamed),
        before: of(As::Written),
        kind: if is_specialisation { ThingKind::Specialisation } else { kind },
        definition: (!is_specialisation).then_some(definition),
    })
}

/// Where the name of a function starts: `operator` of `operator==`, of which the last sign is known.
fn start_of_name(document: &Document, name: TokenIdx) -> TokenIdx {
    (name.saturating_sub(2)..name).find(|&idx| document.token_text(idx) == "operator").unwrap_or(name)
}

/// The parenthesis behind the name of a function, `operator()`, `operator T` or `name<…>` of a specialisation.
fn parameters_of(document: &Document, name: TokenIdx) -> Option<TokenIdx> {
    let is_operator = document.token_text(name) == "operator";
    let is_call = is_operator && document.is(name + 1, b'(');
    let behind = if is_call { name + 3 } else { name + 1 };
    let has_more = document.is(behind, b'<') || is_operator && !is_call;
    let end = if has_more { (behind..behind + FAR).find(|&idx| document.is(idx, b'('))? } else { behind };
    document.is(end, b'(').then_some(end)
}

/// The tokens of a parameter without its name and default, and of a value without `const`, which makes no other function.
fn type_of(document: &Document, tokens: Range<TokenIdx>) -> Range<TokenIdx> {
    let end = tokens.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(tokens.end);
    let is_word = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
    let last = end.saturating_sub(1);
    let is_only_type = || document.token_text(last - 1) == "const" && last - 1 == tokens.start;
    let has_name = last > tokens.start && is_word(last) && document.token_text(last - 1) != "::" && !is_only_type();
    let end = if has_name { last } else { end };
    let is_value = !tokens.clone().any(|idx| document.is(idx, b'*') || document.is(idx, b'&'));
    let is_const_behind = is_value && end > tokens.start + 1 && document.token_text(end - 1) == "const";
    let end = end - usize::from(is_const_behind);
    let is_constant = is_value && document.token_text(tokens.start) == "const";
    tokens.start + usize::from(is_constant)..end
}

/// `template <> struct Name<…>`
fn specialisations(names: &Names<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let document: &Document = cx.document;
    let thing = |idx: TokenIdx| {
        let is_explicit = document.is(idx + 1, b'<') && document.is(idx + 2, b'>');
        let is_class = matches!(document.token_text(idx + 3), "struct" | "class");
        let (name, open) = (idx + 4, idx + 5);
        if !is_explicit || !is_class || !document.is(open, b'<') {
            return None;
        }
        let close = (open..open + FAR).find(|&at| document.is(at, b'>'))?;
        let of = |how: As| names.spelt(document, name..close, how);
        Some(Thing {
            at: name,
            what: format!("the specialisation of `{}`", document.token_text(name)),
            after: of(As::Types),
            renamed: of(As::Renamed),
            before: of(As::Written),
            kind: ThingKind::Specialisation,
            definition: None,
        })
    };
    words(document, "template").filter_map(thing).collect()
}

/// Tokens of the arguments of a specialisation, and behind the parameters of a member; what has more is something else.
const FAR: usize = 24;

/// `case NAME:`, by the braces around.
fn labels(names: &Names<'_>, cx: &Context<'_>) -> Vec<Thing> {
    let document: &Document = cx.document;
    let blocks = cx.facts.blocks(document);
    let thing = |idx: TokenIdx| {
        let name = idx + 1;
        let hip = document.is(name + 1, b':').then(|| names.renamed(name)).flatten()?;
        let around = blocks.around(idx)?;
        Some(Thing {
            at: name,
            what: format!("the label `{}`", document.token_text(name)),
            after: format!("{around} {hip}"),
            renamed: format!("{around} {hip}"),
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
    for (number, thing) in things.iter().enumerate() {
        alike.entry((thing.kind, &thing.after)).or_default().push(number);
    }
    let mut pairs: Vec<(usize, usize)> =
        alike.into_values().filter(|all| all.len() > 1).flat_map(|all| merged_in_scopes(&all, things, cx)).collect();
    pairs.sort_by_key(|(_, second)| *second);
    pairs
}

/// Those of some things of one name and types that are in one scope. Where a thing stands takes time to find out.
fn merged_in_scopes(all: &[usize], things: &[Thing], cx: &Context<'_>) -> Vec<(usize, usize)> {
    let document: &Document = cx.document;
    let mut known: FxHashMap<Option<String>, Vec<usize>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for &number in all {
        let thing = &things[number];
        // Labels know the braces around them.
        let has_scope = thing.kind != ThingKind::Label;
        let scope = has_scope.then(|| format!("{:?}", cx.facts.scopes(document).place_of(document, thing.at)));
        let others = known.entry(scope).or_default();
        let is_same = |other: &Thing| other.before != thing.before && !are_exclusive(other.at, thing.at, cx);
        pairs.extend(others.iter().find(|&&other| is_same(&things[other])).map(|&other| (other, number)));
        others.push(number);
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
    if first.renamed != second.renamed {
        finding.note("their types are names of one pointer type in HIP: `void *` or `const void *`");
    }
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
        || first.renamed != second.renamed
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
