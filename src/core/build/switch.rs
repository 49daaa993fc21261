//! Parts of a file of CMake that are read for CUDA or for HIP only, as a variable says.

use super::cmake::{Argument, Command};
use crate::source::TextRange;

/// The variable that is true where a project is built for HIP.
pub const SWITCH: &str = "USE_HIP";

/// How the value of the variable is written in a template that CMake fills in, where the variable itself is not known later on.
pub const FILLED_SWITCH: &str = "\"@USE_HIP@\"";

/// A command that begins a part for one side, or ends one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The number of the command.
    pub command: usize,
    /// What is read behind it: what is for HIP, or what is for CUDA; nothing where the parts end.
    pub hip: Option<bool>,
}

/// What opens blocks of CMake and what closes them (CMake documentation, "cmake-language(7)", "Control Structures",
/// "Command Definitions").
const BLOCKS: &[(&str, &str)] = &[
    ("if", "endif"),
    ("foreach", "endforeach"),
    ("while", "endwhile"),
    ("function", "endfunction"),
    ("macro", "endmacro"),
    ("block", "endblock"),
];

/// A block of CMake: the numbers of the commands that open, part and close it, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The commands; `elseif` and `else` between the first and the last.
    pub commands: Vec<usize>,
}

/// The blocks that `commands` of `text` form, inner ones first; nothing if they do not close as they open.
pub fn blocks(text: &str, commands: &[Command]) -> Option<Vec<Block>> {
    let mut open: Vec<(&str, Block)> = Vec::new();
    let mut found = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let name = text[command.name].to_ascii_lowercase();
        if let Some((_, end)) = BLOCKS.iter().find(|(start, _)| *start == name) {
            open.push((end, Block { commands: vec![number] }));
        } else if name == "elseif" || name == "else" {
            let (end, block) = open.last_mut()?;
            (*end == "endif").then(|| block.commands.push(number))?;
        } else if BLOCKS.iter().any(|(_, end)| *end == name) {
            let (end, mut block) = open.pop()?;
            (end == name).then(|| block.commands.push(number))?;
            found.push(block);
        }
    }
    open.is_empty().then_some(found)
}

/// Whether a command asks for the variable, and what is read behind it then.
fn asked(text: &str, command: &Command) -> Option<bool> {
    let is_switch = |argument: &Argument| text[argument.range] == *SWITCH || text[argument.range] == *FILLED_SWITCH;
    let is_if = text[command.name].eq_ignore_ascii_case("if");
    match command.arguments.as_slice() {
        [name] if is_if && is_switch(name) => Some(true),
        [not, name] if is_if && text[not.range] == *"NOT" && is_switch(name) => Some(false),
        _ => None,
    }
}

/// The commands of `text` that part what is for HIP from what is for CUDA, in order. What stands behind another `elseif` is for the
/// other side, too.
pub fn turns(text: &str, commands: &[Command]) -> Vec<Turn> {
    let mut found = Vec::new();
    for block in blocks(text, commands).unwrap_or_default() {
        let [first, parting @ .., last] = block.commands.as_slice() else { continue };
        let Some(hip) = asked(text, &commands[*first]) else { continue };
        found.push(Turn { command: *first, hip: Some(hip) });
        found.extend(parting.iter().map(|command| Turn { command: *command, hip: Some(!hip) }));
        found.push(Turn { command: *last, hip: None });
    }
    found.sort_by_key(|turn| turn.command);
    found
}

/// The parts of `text` that are read for CUDA only, in order and apart.
pub fn cuda_parts(text: &str, commands: &[Command]) -> Vec<TextRange> {
    let mut open: Vec<bool> = Vec::new();
    let mut found: Vec<TextRange> = Vec::new();
    let mut start = None;
    for turn in turns(text, commands) {
        let command = &commands[turn.command];
        let is_start = text[command.name].eq_ignore_ascii_case("if");
        if !is_start {
            open.pop();
        }
        open.extend(turn.hip);
        let is_cuda = open.contains(&false);
        match start {
            None if is_cuda => start = Some(command.range.end()),
            Some(from) if !is_cuda => {
                found.push(TextRange::new(from, command.range.start()));
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::cmake::{commands, tokens};
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        cuda_parts(text, &commands(text, &tokens(text))).into_iter().map(|part| text[part].trim()).collect()
    }

    #[test]
    fn parts_for_cuda_are_found() {
        assert_eq!(
            parts("if(USE_HIP)\na()\nelse()\nb()\nif(X)\nelse()\nc()\nendif()\nendif()\nd()\n"),
            ["b()\nif(X)\nelse()\nc()\nendif()"]
        );
        assert_eq!(parts("IF(NOT USE_HIP)\na()\nelseif(X)\nb()\nelse()\nc()\nendif()\n"), ["a()"]);
        assert_eq!(parts("if(\"@USE_HIP@\")\na()\nelseif(X)\nb()\nelse()\nc()\nendif()\n"), ["b()\nelse()\nc()"]);
        assert_eq!(parts("if(NOT USE_HIP)\na()\nif(USE_HIP)\nb()\nendif()\nc()\nendif()\n").len(), 1);
    }

    #[test]
    fn other_conditions_and_blocks_that_do_not_close_part_nothing() {
        assert!(parts("if(USE_HIP AND X)\na()\nelse()\nb()\nendif()\n").is_empty());
        assert!(parts("if(USE_HIP)\na()\nelse()\nb()\n").is_empty());
        assert!(parts("if(USE_HIP)\nforeach(x)\nelse()\nendif()\nendforeach()\n").is_empty());
    }
}
