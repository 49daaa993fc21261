//! What is said before code of a project runs for the first time.

use camino::Utf8PathBuf;

use crate::cli::output::note;
use crate::project::{Home, ran_before, remember_run};
use crate::validate::Program;

/// More programs than these are counted.
const NAMED: usize = 5;

/// What is about to run.
pub(super) struct FirstRun<'r> {
    /// What was named on the command line.
    pub(super) paths: &'r [Utf8PathBuf],
    pub(super) programs: &'r [Program],
    /// The program that compiles them.
    pub(super) compiler: &'r str,
    /// What runs them, for people.
    pub(super) executors: &'r [String],
    /// The options that run nothing.
    pub(super) instead: &'r str,
}

impl FirstRun<'_> {
    /// Tells it, if no code of the project ran before.
    pub(super) fn tell(&self) -> std::io::Result<()> {
        let project = Home::of(self.paths)?;
        // Where nothing can be remembered, it is told each time.
        if ran_before(&project).unwrap_or(false) {
            return Ok(());
        }
        let FirstRun { compiler, executors, instead, .. } = self;
        note(&format!(
            "this runs code of `{}` for the first time: {}, compiled by {compiler}, on {}. Kernels run there, all else on this \
             machine with your rights. {instead}",
            project.root(),
            list(self.programs),
            executors.join(" and "),
        ));
        let _ = remember_run(&project);
        Ok(())
    }
}

/// The first programs by name, and how many there are.
fn list(programs: &[Program]) -> String {
    let names: Vec<String> = programs.iter().take(NAMED).map(|program| format!("`{}`", program.name)).collect();
    let names = names.join(", ");
    if programs.len() > NAMED { format!("{} programs, {names} and others", programs.len()) } else { names }
}
