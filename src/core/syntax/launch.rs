//! Kernel launches `kernel<<<grid, block, shared, stream>>>(arguments)` by bracket matching, and the calls of HIP's macro that
//! do the same.

use std::ops::Range;

use super::call::{skip, split_arguments};
use super::directive::{Directive, DirectiveKind};
use super::document::Document;
use super::parts::{Launch, LaunchProblem};
use super::token::{TokenIdx, TokenKind};
use crate::source::{SourceFile, TextRange};

impl Document {
    /// Reads a file. Cannot fail: what is broken is read as far as it goes.
    pub fn new(file: SourceFile) -> Document {
        let mut document = Document::of_tokens(file);
        let found = find(&document);
        document.launches = found.launches;
        document.launch_problems = found.problems;
        document
    }
}

impl Launch {
    /// All tokens of the launch.
    pub fn tokens(&self) -> Range<TokenIdx> {
        self.callee.start.min(self.open.start)..self.arguments.1 + 1
    }

    /// Whether it is written in CUDA's own syntax.
    pub fn has_chevrons(&self) -> bool {
        self.open.len() == CHEVRONS
    }

    /// All bytes of the launch.
    pub fn range(&self, document: &Document) -> TextRange {
        document.range_of(self.tokens())
    }

    /// The last name of the callee before its template arguments: the kernel's own name.
    pub fn kernel_name<'d>(&self, document: &'d Document) -> Option<&'d str> {
        let mut name = None;
        let mut idx = self.callee.start;
        while idx < self.callee.end {
            if document.token(idx)?.kind == TokenKind::Ident {
                name = Some(document.token_text(idx));
            }
            idx = skip(document, idx, self.callee.end);
        }
        name
    }
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) launches: Vec<Launch>,
    pub(super) problems: Vec<(TextRange, LaunchProblem)>,
}

/// All launches of a document.
fn find(document: &Document) -> Found {
    let mut found = Found::default();
    let mut idx = 0;
    let has_macro = document.text().contains(LAUNCH_MACRO);
    while idx + 2 < document.tokens().len() {
        if let Some(launch) = has_macro.then(|| read_macro(document, idx)).flatten() {
            idx = launch.open.end;
            found.launches.push(launch);
            continue;
        }
        if !is_triple(document, idx, b'<') || follows_operator(document, idx) {
            idx += 1;
            continue;
        }
        match read(document, idx) {
            Ok(launch) => found.launches.push(launch),
            Err(problem) => found.problems.push((document.range_of(idx..idx + 3), problem)),
        }
        idx += 3;
    }
    found
}

fn is_triple(document: &Document, idx: TokenIdx, punct: u8) -> bool {
    (idx..idx + 3).all(|idx| document.is(idx, punct))
}

/// `operator<<<T>` and `operator<< <>` name a template, they launch nothing.
fn follows_operator(document: &Document, idx: TokenIdx) -> bool {
    idx > 0 && document.token_text(idx - 1) == "operator"
}

fn read(document: &Document, open: TokenIdx) -> Result<Launch, LaunchProblem> {
    let callee = callee_start(document, open).ok_or(LaunchProblem::Incomplete)?..open;
    let close = find_close(document, open + 3)?;
    let arguments_open = skip_directives(document, close + 3);
    let arguments_close = document.partner(arguments_open).filter(|_| document.is(arguments_open, b'('));
    Ok(Launch {
        callee,
        open: open..open + 3,
        config: split_arguments(document, open + 3..close),
        close: close..close + 3,
        arguments: (arguments_open, arguments_close.ok_or(LaunchProblem::Incomplete)?),
    })
}

/// How many `<` open a launch.
const CHEVRONS: usize = 3;

/// HIP's macro for launches, and the macro that holds names with commas for it (HIP porting guide, "Kernel launch").
pub const LAUNCH_MACRO: &str = "hipLaunchKernelGGL";
const NAME_MACRO: &str = "HIP_KERNEL_NAME";

/// The launch by a macro whose name stands at `name`: kernel, grid, block, shared memory, stream, and the kernel's arguments.
fn read_macro(document: &Document, name: TokenIdx) -> Option<Launch> {
    let is_call = document.token(name)?.kind == TokenKind::Ident && document.token_text(name) == LAUNCH_MACRO;
    let is_defined = name.checked_sub(1).is_some_and(|before| document.token_text(before) == "define");
    let open = Some(name + 1).filter(|&open| is_call && !is_defined && document.is(open, b'('))?;
    let end = document.partner(open)?;
    let mut parts = split_arguments(document, open + 1..end).into_iter();
    let callee = within_name_macro(document, parts.next()?);
    let config: Vec<Range<TokenIdx>> = parts.by_ref().take(4).collect();
    let behind = config.get(3)?.end;
    let has_arguments = document.is(behind, b',');
    Some(Launch {
        callee,
        open: name..open + 1,
        config,
        close: behind..behind + usize::from(has_arguments),
        arguments: (if has_arguments { behind } else { end - 1 }, end),
    })
}

/// What `HIP_KERNEL_NAME(…)` holds, or the name itself.
fn within_name_macro(document: &Document, name: Range<TokenIdx>) -> Range<TokenIdx> {
    let open = name.start + 1;
    let is_held = document.token_text(name.start) == NAME_MACRO && document.partner(open) == Some(name.end - 1);
    if is_held && open < name.end { open + 1..name.end - 1 } else { name }
}

fn skip_directives(document: &Document, mut idx: TokenIdx) -> TokenIdx {
    while document.token(idx).is_some_and(|token| token.kind == TokenKind::Hash) {
        idx = skip(document, idx, document.tokens().len());
    }
    idx
}

/// The first `>` of the `>>>` that ends the configuration. Template argument lists in it are
/// skipped where that leads to an end; else every `>>>` before a parenthesis is one.
fn find_close(document: &Document, start: TokenIdx) -> Result<TokenIdx, LaunchProblem> {
    let by_templates = scan_close(document, start, skip);
    if by_templates.is_ok() {
        return by_templates;
    }
    scan_close(
        document,
        start,
        |document, idx, end| {
            if document.is(idx, b'<') { idx + 1 } else { skip(document, idx, end) }
        },
    )
}

fn scan_close(
    document: &Document,
    start: TokenIdx,
    next: impl Fn(&Document, TokenIdx, TokenIdx) -> TokenIdx,
) -> Result<TokenIdx, LaunchProblem> {
    let end = document.directive_of(start).map_or(document.tokens().len(), |directive| directive.tokens.end);
    let mut idx = start;
    let mut problem = LaunchProblem::Unterminated;
    while idx < end {
        if is_triple(document, idx, b'>') {
            if document.is(skip_directives(document, idx + 3), b'(') {
                return Ok(idx);
            }
            problem = LaunchProblem::Incomplete;
        }
        if is_triple(document, idx, b'<') {
            return Err(LaunchProblem::SharedTail);
        }
        let ends_statement = [b';', b')', b']', b'}'].iter().any(|&punct| document.is(idx, punct));
        if ends_statement {
            return Err(problem);
        }
        idx = next(document, idx, end);
    }
    Err(problem)
}

/// Where the expression that names the kernel starts, read backwards from the `<<<` at `open`.
fn callee_start(document: &Document, open: TokenIdx) -> Option<TokenIdx> {
    let first = match document.directive_of(open) {
        Some(directive) => body_start(document, directive),
        None => end_of_directives(document, open),
    };
    let mut start = primary_start(document, open.checked_sub(1)?, first)?;
    while let Some(before) = start.checked_sub(1).filter(|&before| before >= first) {
        match document.token(before)?.kind {
            TokenKind::PathSep => {
                let outer = before.checked_sub(1).and_then(|idx| qualifier_start(document, idx, first));
                start = outer.unwrap_or(before);
                if outer.is_none() {
                    break;
                }
            }
            TokenKind::Arrow | TokenKind::Punct(b'.') => {
                start = primary_start(document, before.checked_sub(1)?, first)?;
            }
            TokenKind::Ident if document.token_text(before) == "template" => start = before,
            _ => break,
        }
    }
    Some(start)
}

/// The first token after the last directive before `idx`.
fn end_of_directives(document: &Document, idx: TokenIdx) -> TokenIdx {
    let after = document.directives().partition_point(|directive| directive.tokens.start <= idx);
    let last = after.checked_sub(1).and_then(|at| document.directives().get(at));
    last.map_or(0, |directive| directive.tokens.end)
}

/// The first token of what a directive holds; for `#define`, of the macro's body.
fn body_start(document: &Document, directive: &Directive) -> TokenIdx {
    let name = directive.tokens.start + 2;
    if directive.kind != DirectiveKind::Define {
        return directive.tokens.start + 1;
    }
    let has_parameters = document.touches_next(name) && document.is(name + 1, b'(');
    match document.partner(name + 1).filter(|_| has_parameters) {
        Some(close) => close + 1,
        None => name + 1,
    }
}

/// Start of a name, name with template arguments, parenthesis or index expression ending at `end`.
fn primary_start(document: &Document, mut end: TokenIdx, first: TokenIdx) -> Option<TokenIdx> {
    let mut parenthesis = None;
    loop {
        let token = document.token(end).filter(|_| end >= first)?;
        let before = match token.kind {
            TokenKind::Ident if is_keyword(document.token_text(end)) => return parenthesis,
            TokenKind::Ident => return Some(end),
            TokenKind::Punct(b'>') => {
                let name = template_start(document, end, first).and_then(|open| open.checked_sub(1));
                let name = name.filter(|&idx| document.token(idx).is_some_and(|t| t.kind == TokenKind::Ident));
                return name.or(parenthesis);
            }
            TokenKind::Punct(b')') => {
                let open = document.partner(end)?;
                parenthesis = Some(open);
                open.checked_sub(1)
            }
            TokenKind::Punct(b']') => {
                parenthesis = None;
                document.partner(end)?.checked_sub(1)
            }
            _ => return parenthesis,
        };
        match before.filter(|&idx| idx >= first) {
            Some(idx) => end = idx,
            None => return parenthesis,
        }
    }
}

fn qualifier_start(document: &Document, end: TokenIdx, first: TokenIdx) -> Option<TokenIdx> {
    let is_name = matches!(document.token(end)?.kind, TokenKind::Ident | TokenKind::Punct(b'>'));
    if is_name { primary_start(document, end, first) } else { None }
}

/// The `<` that opens the template argument list closed at `close`.
fn template_start(document: &Document, close: TokenIdx, first: TokenIdx) -> Option<TokenIdx> {
    let mut depth = 0;
    let mut idx = close;
    loop {
        match document.token(idx)?.kind {
            TokenKind::Punct(b'>') => depth += 1,
            TokenKind::Punct(b'<') => depth -= 1,
            TokenKind::Punct(b')' | b']' | b'}') => idx = document.partner(idx).filter(|&open| open < idx)?,
            TokenKind::Punct(b';' | b'{' | b'(' | b'[') => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(idx);
        }
        idx = idx.checked_sub(1).filter(|&idx| idx >= first)?;
    }
}

fn is_keyword(name: &str) -> bool {
    matches!(name, "return" | "else" | "do" | "case" | "if" | "while" | "for" | "switch" | "throw" | "co_return")
}
