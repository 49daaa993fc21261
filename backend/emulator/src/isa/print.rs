//! Instructions as text, in the syntax of LLVM.

use super::inst::Inst;
use super::table::Encoding;
use super::text::Text;
use super::{print_image, print_memory, print_scalar};
use crate::target::Generation;

impl Inst {
    /// The text of the instruction, as LLVM's disassembler writes it for this generation.
    pub fn text(&self, generation: Generation) -> String {
        let mut text = Text { generation, inst: self, out: String::new() };
        match self.entry.encoding {
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk | Encoding::Sopp | Encoding::Smem => {
                print_scalar::write(&mut text);
            }
            Encoding::Ds
            | Encoding::Mubuf
            | Encoding::Flat
            | Encoding::FlatReturn
            | Encoding::Global
            | Encoding::GlobalReturn
            | Encoding::Scratch
            | Encoding::ScratchReturn => print_memory::write(&mut text),
            Encoding::Mimg | Encoding::Vsample => print_image::write(&mut text),
            Encoding::VopdX | Encoding::VopdY => text.dual(),
            _ => text.vector(),
        }
        text.out
    }
}
