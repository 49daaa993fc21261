//! CUDA C++ as tokens, and as tolerant trees of single top-level items on demand.
//!
//! Reading never fails. Offsets are bytes of the original text throughout: masking replaces
//! bytes one for one. `parse-design` in `ARCHITECTURE.md` says why tokens come first.

mod brackets;
mod call;
mod directive;
mod document;
mod item;
mod keywords;
mod launch;
mod lexer;
mod literal;
mod macro_definition;
mod mask;
mod operand;
mod parts;
mod postfix;
mod spellings;
mod template_lists;
mod token;
mod tokens;
mod words;

pub use call::{Call, arguments, end_of_value, has_bare_comma, opening, split_arguments, template_end};
pub use directive::{Directive, DirectiveKind, Include};
pub use document::Document;
pub use item::ParseGap;
pub use keywords::{is_asm, is_keyword, is_specifier, less_of, path_start, statement_start};
pub use launch::LAUNCH_MACRO;
pub use lexer::{Lexed, lex};
pub use literal::Literals;
pub use macro_definition::MacroDefinition;
pub use mask::mask;
pub use operand::{Arithmetic, BinaryOperator, Operand, OperandKind, OperatorKind, is_type_word};
pub use parts::{Item, Launch, LaunchProblem};
pub use postfix::start_of_postfix;
pub use token::{Token, TokenIdx, TokenKind, among};
pub use tokens::Tokens;
pub use words::{spellings, words, words_among, words_in, words_that};
