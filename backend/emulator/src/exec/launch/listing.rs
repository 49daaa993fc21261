//! The instructions of a code object by address: what waves, messages and jumps find them by.

use std::collections::HashMap;

use crate::isa::{Encoding, Entry, Field, Inst, Operand, Table, decode};
use crate::object::CodeObject;
use crate::target::{Generation, Processor};

/// What is known of a step beside what it does.
pub(crate) struct Step {
    /// Address in the code object.
    pub(crate) address: u64,
    /// The instruction; `None` where there is none.
    pub(crate) inst: Option<Inst>,
}

/// All instructions of a code object.
pub(crate) struct Listing {
    pub(crate) steps: Vec<Step>,
    pub(crate) generation: Generation,
    /// Numbers of steps by address.
    numbers: HashMap<u64, usize>,
    /// Where the functions begin that manage the heap, if they tell what they do.
    pub(crate) heap: Option<HeapCode>,
}

/// Steps at which the functions of AMD's device libraries begin that `malloc` and `free` of the device call. They take and give 64 bits
/// in the first two vector registers, and return to where two scalar registers say (LLVM's calling convention).
#[derive(Debug)]
pub(crate) struct HeapCode {
    pub(crate) allocate: Vec<usize>,
    pub(crate) free: Vec<usize>,
}

impl Listing {
    /// Decodes all that is executable.
    pub(crate) fn new(object: &CodeObject, processor: &Processor) -> Listing {
        let table = Table::of(processor);
        let mut steps = Vec::new();
        for segment in object.segments.iter().filter(|segment| segment.is_executable) {
            let bytes = object.bytes.get(segment.file.clone()).unwrap_or_default();
            let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let mut at = 0;
            while at < words.len() {
                let inst = decode(table, &words[at..]);
                let address = segment.address + 4 * at as u64;
                steps.push(Step { address, inst });
                at += inst.map_or(1, |inst| usize::from(inst.words));
            }
            // Running off the end is running into what is no instruction.
            let address = segment.address + 4 * words.len() as u64;
            steps.push(Step { address, inst: None });
        }
        let numbers: HashMap<u64, usize> =
            steps.iter().enumerate().map(|(number, step)| (step.address, number)).collect();
        let find = |name| object.all_named(name).filter_map(|symbol| numbers.get(&symbol.offset).copied()).collect();
        let code = HeapCode { allocate: find("__ockl_dm_alloc"), free: find("__ockl_dm_dealloc") };
        let tells = |code: &HeapCode| code.allocate.iter().all(|&start| takes_argument(&steps[start..]));
        let is_there = |code: &HeapCode| !code.allocate.is_empty() || !code.free.is_empty();
        let heap = Some(code).filter(|code| is_there(code) && tells(code));
        Listing { steps, generation: table.generation, numbers, heap }
    }

    /// A listing without instructions.
    #[cfg(test)]
    pub(crate) fn empty(generation: Generation) -> Listing {
        Listing { steps: Vec::new(), generation, numbers: HashMap::new(), heap: None }
    }

    /// The number of the step at an address.
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        self.numbers.get(&address).copied()
    }
}

/// Whether a function reads the first vector register before it writes it, as its text goes: compilers leave an argument away for which all
/// callers have the same value.
fn takes_argument(function: &[Step]) -> bool {
    let first = Operand::vector(0);
    // What spills has no address in a register, whose number is 0 then.
    let spills = |inst: &&Inst| matches!(inst.entry.encoding, Encoding::Mubuf | Encoding::Scratch);
    let has_first = |entry: &Entry, sources: &[Operand]| {
        let mut named = [Field::A, Field::B, Field::C].into_iter().zip(sources);
        named.any(|(field, source)| *source == first && entry.slot(field).is_some())
    };
    let reads = |inst: &Inst| {
        let other = inst.dual.as_ref().is_some_and(|(entry, _, sources)| has_first(entry, sources));
        other || has_first(inst.entry, &inst.src)
    };
    let writes =
        |inst: &Inst| inst.dst == first || inst.dual.as_ref().is_some_and(|(_, register, _)| *register == first);
    let mut code = function.iter().map_while(|step| step.inst.as_ref()).filter(|inst| !spills(inst));
    code.find(|inst| reads(inst) || writes(inst)).is_some_and(reads)
}
