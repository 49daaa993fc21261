//! `asm` statements.

use crate::syntax::TokenIdx;

/// An `asm` statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asm {
    /// The keyword.
    pub keyword: TokenIdx,
    /// The opening parenthesis.
    pub open: TokenIdx,
    /// The closing parenthesis.
    pub close: TokenIdx,
    /// What the keyword is.
    pub keyword_is: AsmKeyword,
}

/// How an `asm` statement begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsmKeyword {
    /// With `asm`, or a macro of the file that stands for that and nothing else.
    Asm,
    /// With a name that the file does not explain, and text as assembly has it in parentheses.
    OtherName,
}
