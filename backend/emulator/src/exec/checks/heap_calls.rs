//! Blocks of the heap of device code: what `malloc` in a kernel gives, and `free` takes back.

use crate::exec::launch::context::Context;
use crate::exec::state::evidence::HeapCall;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::isa::Operand;
use crate::memory::Cache;

/// The registers that hold where a function returns to.
const RETURN: Operand = Operand(30);

/// A wave has jumped: into a function that manages the heap, or back from it.
pub(crate) fn arrive(wave: &mut Wave, context: &Context) {
    let Some(code) = &context.listing.heap else { return };
    let returned = wave.heap_call.take_if(|call| call.back == wave.pc);
    if let Some(call) = returned {
        finish(wave, context, &call);
    } else if wave.heap_call.is_none() && (code.allocate.contains(&wave.pc) || code.free.contains(&wave.pc)) {
        begin(wave, context, code.allocate.contains(&wave.pc));
    }
}

fn begin(wave: &mut Wave, context: &Context, allocates: bool) {
    let address = wave.scalars.get64(RETURN).wrapping_sub(context.shared.base);
    let Some(back) = context.listing.find(address) else {
        context.memory().forget_blocks();
        return;
    };
    let lanes = wave.scalars.exec();
    let values = Box::new(std::array::from_fn(|lane| wave.rows.lane64(0, lane)));
    if !allocates {
        // From here on nobody may use a block that is given back.
        each(lanes).for_each(|lane| context.memory().note_returned(values[lane]));
    }
    wave.heap_call = Some(HeapCall { back, lanes, wanted: allocates.then_some(values) });
    wave.cache = Cache::new(true);
}

fn finish(wave: &mut Wave, context: &Context, call: &HeapCall) {
    wave.cache = Cache::default();
    let Some(wanted) = &call.wanted else { return };
    for lane in each(call.lanes) {
        let given = wave.rows.lane64(0, lane);
        if given != 0 {
            context.memory().note_given(given, wanted[lane]);
        }
    }
}
