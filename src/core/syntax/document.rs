//! A source file with everything that reading its tokens tells.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::brackets::{Brackets, match_brackets};
use super::directive::{Directive, DirectiveKind, Include};
use super::lexer::{Lexed, lex, splice_len};
use super::parts::{Item, Launch, LaunchProblem};
use super::spellings::Spellings;
use super::template_lists::{Step, TemplateLists};
use super::token::{Token, TokenIdx, TokenKind, among};
use super::tokens::Tokens;
use crate::build::BuildFile;
use crate::source::{LineIndex, Position, SourceFile, SourceText, TextRange, TextSize, range};

/// A file and its tokens. Trees of single items are parsed when a rule asks for them.
#[derive(Debug)]
pub struct Document {
    source: SourceText,
    lexed: Lexed,
    brackets: Brackets,
    pub(super) launches: Vec<Launch>,
    pub(super) launch_problems: Vec<(TextRange, LaunchProblem)>,
    pub(super) items: OnceLock<Vec<Item>>,
    template_lists: OnceLock<TemplateLists>,
    words: OnceLock<Spellings>,
    build: Option<BuildFile>,
}

impl Document {
    /// A file with its tokens and brackets.
    pub(super) fn of_tokens(file: SourceFile) -> Document {
        let build = BuildFile::of(&file);
        // A build file has no tokens of C++.
        let lexed = match &build {
            Some(build) => Lexed { comments: build.comments.clone(), ..Lexed::default() },
            None => lex(&file.text),
        };
        let brackets = match_brackets(&file.text, &lexed.tokens, &lexed.directives);
        Document {
            source: SourceText::new(file),
            lexed,
            brackets,
            launches: Vec::new(),
            launch_problems: Vec::new(),
            items: OnceLock::new(),
            template_lists: OnceLock::new(),
            words: OnceLock::new(),
            build,
        }
    }

    /// The text without what reading it told.
    pub fn source(&self) -> &SourceText {
        &self.source
    }

    /// The text alone; the memory for all else is free.
    pub fn into_source(self) -> SourceText {
        self.source
    }

    /// What is understood of a build file.
    pub fn build(&self) -> Option<&BuildFile> {
        self.build.as_ref()
    }

    /// The file.
    pub fn file(&self) -> &SourceFile {
        self.source.file()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The text of a range.
    pub fn slice(&self, range: TextRange) -> &str {
        self.source.slice(range)
    }

    /// All tokens; those of directives too.
    pub fn tokens(&self) -> &Tokens {
        &self.lexed.tokens
    }

    /// The identifiers by their spelling, gathered on the first call.
    pub(super) fn words(&self) -> &Spellings {
        self.words.get_or_init(|| Spellings::of(self.tokens(), |idx| self.name(idx)))
    }

    /// The identifiers that are spelt so, in the order of the text.
    pub(super) fn places(&self, word: &str) -> &[u32] {
        self.words().find(word, |idx| self.name(idx))
    }

    /// All comments.
    pub fn comments(&self) -> &[TextRange] {
        &self.lexed.comments
    }

    /// All directives.
    pub fn directives(&self) -> &[Directive] {
        &self.lexed.directives
    }

    /// All kernel launches, also those in macro bodies and in every `#if` branch.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// How many launches are written with chevrons.
    pub fn chevron_launches(&self) -> usize {
        self.launches.iter().filter(|launch| launch.has_chevrons()).count()
    }

    /// `<<<` that is no launch we understand.
    pub fn launch_problems(&self) -> &[(TextRange, LaunchProblem)] {
        &self.launch_problems
    }

    /// The token at `idx`.
    pub fn token(&self, idx: TokenIdx) -> Option<Token> {
        self.lexed.tokens.get(idx)
    }

    /// What the token at `idx` is.
    pub fn kind(&self, idx: TokenIdx) -> Option<TokenKind> {
        self.lexed.tokens.kind(idx)
    }

    /// Whether the token at `idx` is the single character `punct`.
    pub fn is(&self, idx: TokenIdx, punct: u8) -> bool {
        self.kind(idx) == Some(TokenKind::Punct(punct))
    }

    /// The text of a token as written; empty past the end.
    #[inline]
    pub fn token_text(&self, idx: TokenIdx) -> &str {
        let bounds = self.lexed.tokens.bounds(idx);
        bounds.and_then(|(start, end)| self.text().get(start as usize..end as usize)).unwrap_or_default()
    }

    /// The name that an identifier token spells, line continuations inside it removed.
    pub fn name(&self, idx: TokenIdx) -> Cow<'_, str> {
        let text = self.token_text(idx);
        if !self.lexed.has_split_names || memchr::memchr(b'\\', text.as_bytes()).is_none() {
            return Cow::Borrowed(text);
        }
        let mut name = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            name.push_str(&rest[..at]);
            rest = &rest[at + splice_len(&rest.as_bytes()[at..]).max(1)..];
        }
        name.push_str(rest);
        Cow::Owned(name)
    }

    /// The bracket that belongs to the bracket at `idx`.
    pub fn partner(&self, idx: TokenIdx) -> Option<TokenIdx> {
        self.brackets.partner(idx)
    }

    /// What the token at `idx` means for a list of template arguments in which it stands.
    pub(super) fn template_step(&self, idx: TokenIdx) -> Step {
        Step::of(&self.lexed.tokens, &self.brackets, idx)
    }

    /// The partners of all `<`, as far as tokens tell.
    pub(super) fn template_lists(&self) -> &TemplateLists {
        self.template_lists.get_or_init(|| TemplateLists::of(&self.lexed.tokens, &self.brackets))
    }

    /// How many brackets have no partner.
    pub fn unmatched_brackets(&self) -> usize {
        self.brackets.unmatched
    }

    /// The directive that the token at `idx` belongs to.
    pub fn directive_of(&self, idx: TokenIdx) -> Option<&Directive> {
        let after = self.directives().partition_point(|directive| directive.tokens.start <= idx);
        let directive = self.directives().get(after.checked_sub(1)?)?;
        directive.tokens.contains(&idx).then_some(directive)
    }

    /// The directives that start among some tokens.
    pub fn directives_in(&self, tokens: Range<TokenIdx>) -> &[Directive] {
        among(self.directives(), tokens, |found| found.tokens.start)
    }

    /// The token after the brackets that open at `idx`, or after this token.
    pub fn after_brackets(&self, idx: TokenIdx) -> TokenIdx {
        self.partner(idx).filter(|&close| close > idx).unwrap_or(idx) + 1
    }

    /// The token before the one at `idx`, unless a directive lies between them.
    pub fn before(&self, idx: TokenIdx) -> Option<TokenIdx> {
        let before = idx.checked_sub(1)?;
        let crosses = self.directive_of(before).is_some_and(|directive| !directive.tokens.contains(&idx));
        (!crosses).then_some(before)
    }

    /// Whether nothing stands between the token at `idx` and the next one.
    pub fn touches_next(&self, idx: TokenIdx) -> bool {
        self.token(idx).zip(self.token(idx + 1)).is_some_and(|(one, next)| one.end == next.start)
    }

    /// The first token that starts at or after `offset`.
    pub fn token_at(&self, offset: TextSize) -> TokenIdx {
        self.tokens().count_before(u32::from(offset))
    }

    /// The tokens within a range that starts and ends where tokens do.
    pub fn tokens_in(&self, range: TextRange) -> Range<TokenIdx> {
        self.token_at(range.start())..self.token_at(range.end())
    }

    /// The bytes from the first to the last of `tokens`; empty at its place if there are none.
    pub fn range_of(&self, tokens: Range<TokenIdx>) -> TextRange {
        if let (Some(first), Some(last)) = (self.token(tokens.start), tokens.end.checked_sub(1))
            && last >= tokens.start
            && let Some(last) = self.token(last)
        {
            return range(first.start as usize, last.end as usize);
        }
        let at = self.token(tokens.start).map_or(self.text().len(), |token| token.start as usize);
        range(at, at)
    }

    /// All includes whose file name is spelt out.
    pub fn includes(&self) -> impl Iterator<Item = Include<'_>> {
        self.directives().iter().filter_map(|directive| self.include(directive))
    }

    /// The include that a directive is, if its file name is spelt out.
    pub fn include<'d>(&'d self, directive: &'d Directive) -> Option<Include<'d>> {
        if directive.kind != DirectiveKind::Include {
            return None;
        }
        let name = self.token(directive.tokens.start + 2)?;
        let quoted = name.kind == TokenKind::Str;
        if !(quoted || name.kind == TokenKind::HeaderName) {
            return None;
        }
        // An unterminated name ends with its line.
        let terminated = name.end - name.start > 1 && self.slice(name.range()).ends_with(['"', '>']);
        let (start, end) = (name.start as usize + 1, name.end as usize - usize::from(terminated));
        let path_range = range(start, end.max(start));
        Some(Include { directive, path: self.slice(path_range), path_range, quoted })
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: TextSize) -> Position {
        self.source.position(offset)
    }

    /// The line that `offset` lies in, without its end.
    pub fn line_text(&self, offset: TextSize) -> &str {
        self.source.line_text(offset)
    }

    /// The line index, made on first use.
    pub fn lines(&self) -> &LineIndex {
        self.source.lines()
    }
}
