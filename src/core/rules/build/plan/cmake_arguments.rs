//! Variables that a file of CMake gives to another run of CMake, `-DCMAKE_CUDA_ARCHITECTURES=…` among the arguments of a project that is
//! built by itself (CMake documentation, `ExternalProject`, `execute_process`).

use super::change::{Change, Topic};
use super::cmake_call::Call;
use super::cmake_definitions::PROGRAMS;
use super::options::{OptionContext, plan_options};
use super::style::{LineStyle, removal};
use crate::build::{Argument, ArgumentKind, words};
use crate::mapping::build_variable;
use crate::source::Edit;

/// Plans what the arguments of a command define.
pub(super) fn plan_arguments(call: Call<'_>) {
    for argument in call.arguments().iter().filter(|argument| argument.kind != ArgumentKind::Bracket) {
        let definition = call.plan.slice(argument.inner).strip_prefix("-DCMAKE_CUDA_");
        if definition.is_some_and(|definition| definition.contains('=')) {
            plan_argument(call, argument);
        }
    }
}

fn plan_argument(call: Call<'_>, argument: &Argument) -> Option<()> {
    let plan = call.plan;
    let (name, value) = plan.slice(argument.inner).strip_prefix("-D")?.split_once('=')?;
    let name = name.split(':').next()?;
    if PROGRAMS.contains(&name) && !value.contains("CMAKE_CUDA_COMPILER") {
        let message = format!("CMake finds the compiler for HIP by itself, without `{name}`");
        let edit = Edit::delete(removal(plan, argument.range));
        plan.add(Change::new(Topic::Compiler, argument.range, message, vec![edit]));
        return None;
    }
    let hip = build_variable(name)?.hip.as_deref()?;
    match name {
        // What CMake's own variable holds are AMD's by then.
        "CMAKE_CUDA_ARCHITECTURES" if !value.contains("CMAKE_CUDA_ARCHITECTURES") => {
            let message = format!("`{value}` are GPUs of NVIDIA's");
            let Some(gpus) = gpus(call, argument) else {
                let advice = "name AMD's GPUs by hand, as the list has to reach the other CMake whole";
                plan.add(Change::left(argument.inner, message, advice));
                return None;
            };
            let place = plan.place(value);
            plan.add(Change::new(Topic::Language, place, message, vec![Edit::replace(place, gpus)]));
        }
        _ if name.starts_with("CMAKE_CUDA_FLAGS") && value.starts_with('-') => {
            if argument.kind != ArgumentKind::Quoted {
                let message = format!("`{value}` are options for nvcc");
                plan.add(Change::left(argument.inner, message, "write clang's, with quotes around the argument"));
                return None;
            }
            let options = words(plan.text, plan.place(value));
            plan_options(plan, &options, OptionContext { for_nvcc: true, targets: Some(""), style: &LineStyle });
        }
        _ => {}
    }
    plan.add(Change::rename(Topic::Language, plan.place(name), (name, hip)));
    Some(())
}

/// The configured GPUs as one argument: a list that the project's own CMake does not take apart.
fn gpus(call: Call<'_>, argument: &Argument) -> Option<String> {
    let targets: Vec<&str> = call.plan.targets().collect();
    let is_evaluated = call.name().to_ascii_lowercase().starts_with("externalproject_");
    let separator = match argument.kind {
        _ if targets.len() < 2 => "",
        _ if is_evaluated => "$<SEMICOLON>",
        // A list of arguments would be taken apart where it is used.
        ArgumentKind::Quoted if call.is_any(&["execute_process", "add_custom_command", "add_custom_target"]) => ";",
        _ => return None,
    };
    Some(targets.join(separator))
}
