//! `hipshift review`: one hunk after the other, decided about by a person.

mod editor;
mod gather;
mod items;
mod keys;
mod prune;
mod run;
mod screen;
mod state;
mod terminal;

pub(super) use run::run;
