//! Objects of one target that another takes: they bring their device code, and nothing of how it is linked.

use super::change::{Change, Topic};
use super::cmake_call::Call;
use super::cmake_properties::{LINK_DEVICE_CODE, is_linked_apart};

/// Has a target link device code that is compiled apart, where it takes the objects of one that compiles so:
/// `add_library(all SHARED $<TARGET_OBJECTS:kernels>)`.
pub(super) fn plan_taken_objects(call: Call<'_>) {
    if !call.is_any(&["add_executable", "add_library", "target_sources"]) {
        return;
    }
    let taken = call.arguments().iter().zip(call.texts()).find_map(|(argument, text)| {
        let (_, behind) = text.split_once("$<TARGET_OBJECTS:")?;
        Some((argument.range, behind.split_once('>')?.0))
    });
    let Some((place, objects)) = taken.filter(|(_, objects)| is_linked_apart(call.plan, objects)) else { return };
    let target = call.text(0);
    if is_linked_apart(call.plan, target) {
        return;
    }
    let scope = if call.find("INTERFACE").is_some() { "INTERFACE" } else { "PUBLIC" };
    let line = format!("{}target_link_options({target} {scope} {LINK_DEVICE_CODE})", call.indent());
    let edit = call.plan.lines_after(call.command.range.end(), &[line]);
    let message = format!("the device code of `{objects}` is compiled apart, and linked here");
    call.plan.add(Change::new(Topic::Language, place, message, vec![edit]));
}
