//! The language server: what `hipshift lint` and `hipshift convert` know, in an editor. It never writes to disk: every
//! change goes to the client as an edit.
//!
//! The main loop (`server.rs`) takes messages in their order and changes documents; three threads (`jobs.rs`) check,
//! answer and do what takes long.

mod actions;
mod capabilities;
mod checks;
mod client;
mod commands;
mod completion;
mod convert;
mod diagnostics;
mod documents;
mod edits;
mod hover;
mod inlay;
mod jobs;
mod links;
mod locks;
mod options;
mod positions;
mod preview;
mod progress;
mod projects;
mod requests;
mod server;
mod shared;
mod updates;
mod uris;
mod wire;
mod workspace;

pub use server::{serve, serve_on};
