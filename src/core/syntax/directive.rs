//! Preprocessor directives, as logical lines.

use std::ops::Range;

use super::token::TokenIdx;
use crate::source::TextRange;

/// Which directive it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `#include`, `#include_next`, `#import`
    Include,
    /// `#define`
    Define,
    /// `#undef`
    Undef,
    /// `#if`
    If,
    /// `#ifdef`
    Ifdef,
    /// `#ifndef`
    Ifndef,
    /// `#elif`, `#elifdef`, `#elifndef`
    Elif,
    /// `#else`
    Else,
    /// `#endif`
    Endif,
    /// `#pragma`
    Pragma,
    /// Any other.
    Other,
}

impl DirectiveKind {
    pub(super) fn from_name(name: &[u8]) -> DirectiveKind {
        match name {
            b"include" | b"include_next" | b"import" => DirectiveKind::Include,
            b"define" => DirectiveKind::Define,
            b"undef" => DirectiveKind::Undef,
            b"if" => DirectiveKind::If,
            b"ifdef" => DirectiveKind::Ifdef,
            b"ifndef" => DirectiveKind::Ifndef,
            b"elif" | b"elifdef" | b"elifndef" => DirectiveKind::Elif,
            b"else" => DirectiveKind::Else,
            b"endif" => DirectiveKind::Endif,
            b"pragma" => DirectiveKind::Pragma,
            _ => DirectiveKind::Other,
        }
    }

    /// Whether it opens a conditional region.
    pub fn opens_condition(self) -> bool {
        matches!(self, DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef)
    }

    /// Whether it has a condition that names macros.
    pub fn has_condition(self) -> bool {
        self.opens_condition() || self == DirectiveKind::Elif
    }
}

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Which one.
    pub kind: DirectiveKind,
    /// From `#` to the end of the logical line, without its line end.
    pub range: TextRange,
    /// Its tokens; the first is `#`.
    pub tokens: Range<TokenIdx>,
}

/// An `#include` and the file it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Include<'d> {
    /// The directive.
    pub directive: &'d Directive,
    /// The file name without quotes or brackets.
    pub path: &'d str,
    /// Where the name stands, without quotes or brackets.
    pub path_range: TextRange,
    /// `"name"` rather than `<name>`.
    pub quoted: bool,
}
