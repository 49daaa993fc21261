//! What a compiler says of its own crash.

use super::message::{Gravity, Message, place};

/// How LLVM's programs begin to say that they crashed.
const BEGIN: &str = "PLEASE submit a bug report";

/// How the driver says which signal ended a step.
const SIGNAL: &str = "unable to execute command: ";

/// What a compiler that crashed was doing, if one did. LLVM lists it from the outermost step to the innermost, each with a number and a
/// tab in front; the first of them are the arguments.
pub(super) fn crash(output: &str) -> Option<Message> {
    let (_, told) = output.split_once(BEGIN)?;
    let steps: Vec<&str> = told.lines().skip(2).map_while(step).skip(1).collect();
    let placed = steps.iter().find_map(|text| {
        let (before, what) = text.split_once(": ")?;
        Some((place(&format!("{before}:"))?, what))
    });
    let of_function = steps.iter().rev().find(|text| text.starts_with("Running pass"));
    let what = of_function.copied().or(placed.as_ref().map(|(_, what)| *what)).or(steps.last().copied());
    let text = format!("the compiler crashed{}", what.map(|what| format!(": {what}")).unwrap_or_default());
    let details = vec!["a compiler that crashes is at fault itself, whatever it was given".to_owned()];
    Some(Message { place: placed.map(|(place, _)| place), details, ..Message::new(Gravity::Error, text) })
}

/// Whether a message is what a driver says of a step that crashed.
pub(super) fn is_of_signal(message: &Message) -> bool {
    message.text.starts_with(SIGNAL)
}

/// The text of a step.
fn step(line: &str) -> Option<&str> {
    let (number, text) = line.split_once(".\t")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(steps: &str) -> Option<Message> {
        crash(&format!(
            "a.h:1:1: warning: before\n{BEGIN} to LLVM.\nStack dump:\n0.\tProgram arguments: clang -cc1 a: b\n{steps} #0 0x00 f()\n9.\tnot this\n"
        ))
    }

    #[test]
    fn the_place_is_that_of_the_first_step_with_one() {
        let found =
            told("1.\ta b/x.hip:2:7: current parser token 'pragma'\n2.\tb.h:9:1: parsing namespace 'std'\n").unwrap();
        assert_eq!(found.place.unwrap().to_string(), "a b/x.hip:2:7");
        assert_eq!(found.text, "the compiler crashed: current parser token 'pragma'");
    }

    #[test]
    fn a_pass_is_told_with_its_function() {
        let steps =
            "1.\t<eof> parser at end of file\n2.\tCode generation\n3.\tRunning pass 'ISel' on function '@_Z1kPi'\n";
        let found = told(steps).unwrap();
        assert_eq!(
            (found.place, &*found.text),
            (None, "the compiler crashed: Running pass 'ISel' on function '@_Z1kPi'")
        );
        assert_eq!(told("1.\tOptimizer\n").unwrap().text, "the compiler crashed: Optimizer");
        assert_eq!(told("").unwrap().text, "the compiler crashed");
    }

    #[test]
    fn errors_are_no_crashes() {
        assert_eq!(crash("x.hip:1:1: error: unknown type name 'a'\n"), None);
    }
}
