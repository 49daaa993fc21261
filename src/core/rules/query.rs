//! What rules look at, and how the engine calls them.

pub(super) use super::asm::Asm;
use super::context::Context;
pub(super) use super::name::Name;
use crate::syntax::{Include, Launch, TokenIdx};

/// A kind of thing that a rule can look at.
pub trait Query {
    /// One such thing.
    type Of<'d>;
    /// Erases the type of a rule's check.
    fn checker(check: for<'d> fn(Self::Of<'d>, &mut Context<'d>)) -> Checker;
}

/// The check of a rule, by what it looks at.
#[derive(Clone, Copy)]
pub enum Checker {
    /// Looks at names that a table knows or that are spelt like CUDA's.
    Name(for<'d> fn(Name<'d>, &mut Context<'d>)),
    /// Looks at includes.
    Include(for<'d> fn(Include<'d>, &mut Context<'d>)),
    /// Looks at kernel launches.
    Launch(for<'d> fn(&'d Launch, &mut Context<'d>)),
    /// Looks at inline assembly.
    Asm(for<'d> fn(Asm, &mut Context<'d>)),
    /// Looks at string literals.
    Text(for<'d> fn(TextLiteral, &mut Context<'d>)),
    /// Looks at the file as a whole, once.
    File(for<'d> fn(WholeFile, &mut Context<'d>)),
    /// Looks at a build file as a whole, once; at no other file.
    Build(for<'d> fn(WholeFile, &mut Context<'d>)),
}

/// A string literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLiteral {
    /// Its token.
    pub token: TokenIdx,
}

/// The whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WholeFile;

/// Looks at names.
pub(crate) struct Names;
/// Looks at includes.
pub(crate) struct Includes;
/// Looks at launches.
pub(crate) struct Launches;
/// Looks at inline assembly.
pub(crate) struct Asms;
/// Looks at string literals.
pub(crate) struct Texts;
/// Looks at the file.
pub(crate) struct Files;
/// Looks at a build file.
pub(crate) struct BuildFiles;

macro_rules! queries {
    ($($query:ident: $of:ty => $checker:ident;)+) => {
        $(impl Query for $query {
            type Of<'d> = $of;
            fn checker(check: for<'d> fn(Self::Of<'d>, &mut Context<'d>)) -> Checker {
                Checker::$checker(check)
            }
        })+
    };
}

queries! {
    Names: Name<'d> => Name;
    Includes: Include<'d> => Include;
    Launches: &'d Launch => Launch;
    Asms: Asm => Asm;
    Texts: TextLiteral => Text;
    Files: WholeFile => File;
    BuildFiles: WholeFile => Build;
}
