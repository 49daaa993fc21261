//! Machine code: tables of instructions, decoding of words, text in LLVM's syntax.

mod code;
mod decode;
mod decode_gfx12;
mod decode_image;
mod decode_memory;
mod decode_vector;
mod inst;
mod operand;
mod print;
mod print_cache;
mod print_image;
mod print_memory;
mod print_scalar;
mod print_small;
mod print_vector;
mod table;
mod text;

pub use decode::decode;
pub(crate) use decode_image::{ADDRESSES_APART, COORDINATES, LAYERS, SHORT_ADDRESSES, SHORT_DATA};
pub use inst::{Cache, Dpp, Form, Inst, Modifiers, Sdwa, Select};
pub use operand::Operand;
pub use table::{Encoding, Entry, Field, Slot, Table};
