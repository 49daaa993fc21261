//! Commands of CMake and what they say.

use super::planner::Plan;
use crate::build::{Argument, Command};
use crate::source::{Edit, TextRange};

/// A command with its name in small letters.
#[derive(Clone, Copy)]
pub(super) struct Call<'p> {
    pub(super) command: &'p Command,
    pub(super) plan: &'p Plan<'p>,
}

impl<'p> Call<'p> {
    /// Whether it is called so, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    pub(super) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Whether its arguments are names of properties and values by turns, of which each is one argument.
    pub(super) fn sets_pairs(&self) -> bool {
        self.is_any(&["set_source_files_properties", "set_target_properties"])
    }

    pub(super) fn name(&self) -> &'p str {
        self.plan.slice(self.command.name)
    }

    pub(super) fn arguments(&self) -> &'p [Argument] {
        &self.command.arguments
    }

    /// What stands in an argument; empty if there is none.
    pub(super) fn text(&self, number: usize) -> &'p str {
        self.arguments().get(number).map_or("", |argument| self.plan.slice(argument.inner))
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let plan = self.plan;
        self.arguments().iter().map(move |argument| plan.slice(argument.inner))
    }

    /// The number of an argument that reads so.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.texts().position(|argument| argument == text)
    }

    /// Who gets what stands at a place in a command for a target: `PUBLIC`, `INTERFACE`, or the variable that a function has for it.
    pub(super) fn scope_at(&self, place: TextRange) -> Option<&'p str> {
        let plan = self.plan;
        let before = self.arguments().iter().skip(1).take_while(|other| other.range.start() < place.start());
        let is_scope = |(at, text): &(usize, &str)| {
            matches!(*text, "INTERFACE" | "PUBLIC" | "PRIVATE") || *at == 0 && text.starts_with("${")
        };
        before.map(|other| plan.slice(other.inner)).enumerate().filter(is_scope).last().map(|(_, text)| text)
    }

    /// The blanks in front of it.
    pub(super) fn indent(&self) -> &'p str {
        self.plan.indent(self.command.range.start())
    }
}

/// Whether a word of `set` stands behind the values, and says where they count.
pub(super) fn ends_values(word: &str) -> bool {
    matches!(word, "CACHE" | "PARENT_SCOPE")
}

/// The commands of a file.
pub(super) fn calls<'p>(plan: &'p Plan<'p>) -> impl Iterator<Item = Call<'p>> + Clone {
    plan.build.commands.iter().map(move |command| Call { command, plan })
}

/// The command of a file that a place lies in.
pub(super) fn call_around<'p>(plan: &'p Plan<'p>, place: TextRange) -> Option<Call<'p>> {
    calls(plan).find(|call| call.command.range.contains_range(place))
}

/// Commands that make CMake compile a language.
pub(super) const ENABLING: &[&str] = &["project", "enable_language", "check_language"];

/// Whether a file makes CMake compile HIP already.
pub(super) fn enables_hip(plan: &Plan<'_>) -> bool {
    *plan.known.enables_hip.get_or_init(|| calls(plan).any(|call| is_enabling_hip(&call)))
}

/// Whether a command makes CMake compile HIP.
pub(super) fn is_enabling_hip(call: &Call<'_>) -> bool {
    let is_language = call.is_any(ENABLING) && call.texts().any(|text| text == "HIP");
    is_language || call.is("find_package") && matches!(call.text(0), "hip" | "HIP")
}

/// The command that names the GPUs.
pub(super) fn setting_targets(plan: &Plan<'_>) -> String {
    format!("set(CMAKE_HIP_ARCHITECTURES {})", plan.targets().collect::<Vec<_>>().join(" "))
}

/// Commands that open a block which is read under a condition, or when it is called, and those that close one.
const OPENING: &[&str] = &["if", "foreach", "while", "function", "macro"];
const CLOSING: &[&str] = &["endif", "endforeach", "endwhile", "endfunction", "endmacro"];

/// Lines in front of a command that name the GPUs, unless the file or the user does.
pub(super) fn default_targets(call: Call<'_>) -> Option<Edit> {
    let plan = call.plan;
    let names_gpus = |other: &Call<'_>| {
        other.is("set") && matches!(other.text(0), "CMAKE_CUDA_ARCHITECTURES" | "CMAKE_HIP_ARCHITECTURES")
    };
    // What a block sets counts where it is open: another branch may not have been taken.
    let mut named = vec![false];
    for other in calls(plan).take_while(|other| other.command.range.start() < call.command.range.start()) {
        if other.is_any(OPENING) {
            named.push(false);
        } else if other.is_any(CLOSING) && named.len() > 1 {
            named.pop();
        }
        if let Some(last) = named.last_mut() {
            *last |= names_gpus(&other);
        }
    }
    if named.contains(&true) {
        return None;
    }
    let (indent, end) = (call.indent(), plan.newline.as_str());
    let set = setting_targets(plan);
    let text = format!("if(NOT DEFINED CMAKE_HIP_ARCHITECTURES){end}{indent}  {set}{end}{indent}endif(){end}{indent}");
    Some(Edit::insert(call.command.range.start(), text))
}
