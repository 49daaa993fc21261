//! Arguments that take numbers one after the other, in an order that compilers choose.

use rustc_hash::{FxHashMap, FxHashSet};

use super::device_code::{is_for_nvcc, is_left_out};
use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, words, words_that};

declare_rule! {
    /// ## What it does
    /// Finds calls in host code with several arguments that take a random number each, by `rand` and its like, an engine of
    /// `<random>` or a function of the file that does, and those that step a variable in several arguments.
    ///
    /// ## Why is this bad?
    /// C++ leaves the order of arguments open ("Function call", `[expr.call]`). nvcc has GCC compile host code, which begins with the
    /// last one; HIP's compiler is Clang, which begins with the first: of `make_float2(rand(), rand())`, `x` is the other number
    /// (nvcc 13.0 with GCC 13, Clang 22). What the program computes from these is another result, though none that is wrong. Device
    /// code of both begins with the first.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// float2 point() { return make_float2(rand(), rand()); }
    /// ```
    ///
    /// ## What to do
    /// Where numbers have to be those of the CUDA program, take them one by one before the call, that of the last argument first.
    ArgumentOrder { code: "K060", name: "argument-order", severity: Info, fix: None, since: "0.2.0" }
}

/// Functions of C that give the next number (ISO C, "Pseudo-random sequence generation functions"; POSIX, `<stdlib.h>`).
const RANDOM: [&str; 7] = ["rand", "random", "drand48", "lrand48", "mrand48", "erand48", "rand_r"];

/// Engines of `<random>`.
const ENGINES: [&str; 7] =
    ["mt19937", "mt19937_64", "minstd_rand", "minstd_rand0", "default_random_engine", "random_device", "ranlux24"];

/// How the distributions of `<random>` are called.
const DISTRIBUTION: &str = "_distribution";

impl Rule for ArgumentOrder {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip || !is_for_nvcc(cx) {
            return;
        }
        let document: &Document = cx.document;
        let random = random_names(cx);
        let mut found = Vec::new();
        for function in cx.facts.functions.iter().filter(|function| !function.runs_on_device()) {
            if may_take_several(document, function, &random) {
                Reader::new(document, &random).read(function, &mut found);
            }
        }
        found.retain(|&name| !is_left_out(name, cx));
        for name in found {
            let message = "GCC evaluates these arguments from the last to the first, and HIP's compiler from the first";
            let note =
                "take the numbers before the call, the last one first, where they have to be those of the CUDA program";
            cx.report(document.range_of(name..name + 1), message).note(note);
        }
    }
}

/// Whether a function names what gives random numbers, or steps something within parentheses.
fn may_take_several(document: &Document, function: &Function, random: &FxHashSet<&str>) -> bool {
    let is_one = |idx: TokenIdx| random.contains(document.token_text(idx)) || stepped(document, idx).is_some();
    function.body.clone().filter(|&idx| is_one(idx)).nth(1).is_some()
}

/// What gives another random number with each call: functions of C, objects of `<random>`, functions of the file that call such.
fn random_names<'d>(cx: &Context<'d>) -> FxHashSet<&'d str> {
    let document: &'d Document = cx.document;
    let known = RANDOM.iter().flat_map(|name| words(document, name)).map(|idx| document.token_text(idx));
    let mut random: FxHashSet<&str> = known.chain(objects(document)).collect();
    // Functions that call such are called by few others.
    for _ in 0..2 {
        let calls = |function: &&Function| function.body.clone().any(|idx| random.contains(document.token_text(idx)));
        let functions = cx.facts.functions.iter().filter(|function| !function.runs_on_device()).filter(calls);
        let callers = functions.filter_map(|function| Some(document.token_text(function.name?)));
        let callers: Vec<&str> = callers.filter(|name| *name != "main").collect();
        random.extend(callers);
    }
    random
}

/// Tokens of a distribution's type of numbers.
const FAR: usize = 8;

/// The engines and distributions that a file declares: `std::uniform_real_distribution<float> uniform(0, 1);`
fn objects(document: &Document) -> impl Iterator<Item = &str> {
    let engines = ENGINES.iter().flat_map(|name| words(document, name));
    engines.chain(words_that(document, |name| name.ends_with(DISTRIBUTION))).filter_map(|kind| {
        let closing = |kind: TokenIdx| (kind + 2..kind + FAR).find(|&idx| document.is(idx, b'>'));
        let behind = if document.is(kind + 1, b'<') { closing(kind)? + 1 } else { kind + 1 };
        let name = behind + usize::from(document.is(behind, b'&'));
        (document.kind(name) == Some(TokenKind::Ident)).then(|| document.token_text(name))
    })
}

/// The variable that a `++` or `--` beside the name at a token steps.
fn stepped(document: &Document, idx: TokenIdx) -> Option<&str> {
    let is_step = |sign: TokenIdx| {
        matches!(document.token_text(sign), "+" | "-")
            && document.token_text(sign) == document.token_text(sign + 1)
            && document.touches_next(sign)
    };
    let is_name = document.kind(idx) == Some(TokenKind::Ident);
    let is_stepped = is_name && (is_step(idx + 1) || idx.checked_sub(2).is_some_and(is_step));
    is_stepped.then(|| document.token_text(idx))
}

/// A bracket that is open.
struct Open<'d> {
    /// The name in front of the arguments of a call.
    call: Option<TokenIdx>,
    /// Whether it holds statements, which have an order.
    is_block: bool,
    argument: usize,
    /// In which argument each thing was used first: random numbers have no name.
    used: FxHashMap<&'d str, usize>,
}

/// Walks through the body of a function.
struct Reader<'r, 'd> {
    document: &'d Document,
    random: &'r FxHashSet<&'d str>,
    around: Vec<Open<'d>>,
}

impl<'r, 'd> Reader<'r, 'd> {
    fn new(document: &'d Document, random: &'r FxHashSet<&'d str>) -> Reader<'r, 'd> {
        Reader { document, random, around: Vec::new() }
    }

    /// Adds the names of calls whose arguments take what depends on their order.
    fn read(&mut self, function: &Function, found: &mut Vec<TokenIdx>) {
        let document = self.document;
        for idx in function.body.clone() {
            match document.kind(idx) {
                Some(TokenKind::Punct(b'(' | b'{' | b'[')) => self.open(idx),
                Some(TokenKind::Punct(b')' | b'}' | b']')) => drop(self.around.pop()),
                Some(TokenKind::Punct(b',')) => {
                    if let Some(open) = self.around.last_mut() {
                        open.argument += 1;
                    }
                }
                Some(TokenKind::Ident) => {
                    let is_random = document.is(idx + 1, b'(') && self.random.contains(document.token_text(idx));
                    let key = if is_random { Some("") } else { stepped(document, idx) };
                    found.extend(key.and_then(|key| self.take(key)));
                }
                _ => {}
            }
        }
    }

    fn open(&mut self, idx: TokenIdx) {
        let document = self.document;
        let before = idx.checked_sub(1);
        let is_named = |before: &TokenIdx| {
            document.kind(*before) == Some(TokenKind::Ident) && !is_keyword(document.token_text(*before))
        };
        let call = before.filter(is_named).filter(|_| document.is(idx, b'('));
        let text = before.map_or("", |before| document.token_text(before));
        let is_block = document.is(idx, b'{') && matches!(text, ")" | "]" | ";" | "{" | "}" | "else" | "do" | "try");
        self.around.push(Open { call, is_block, argument: 0, used: FxHashMap::default() });
    }

    /// Notes that the arguments around take something; gives the innermost call of which another argument took it.
    fn take(&mut self, key: &'d str) -> Option<TokenIdx> {
        let mut found = None;
        for open in self.around.iter_mut().rev().take_while(|open| !open.is_block) {
            let Some(call) = open.call else { continue };
            let first = *open.used.entry(key).or_insert(open.argument);
            if first != open.argument && found.is_none() {
                found = Some(call);
                // One finding for a call.
                open.call = None;
            }
        }
        found
    }
}
