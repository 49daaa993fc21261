//! Programs by seed.

use crate::ast::Kernel;
use crate::kinds::{self, Kind};
use crate::program::Program;
use crate::rng::Rng;

/// How often kernels of some kinds are tried before these are given up.
const TRIES: usize = 40;

/// A program of so many kernels; the number of the program and the seed decide all of it.
pub(crate) fn program(seed: u64, number: usize, size: usize) -> Program {
    let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
    let kinds = kinds::all();
    let kernels = (0..size).map(|index| {
        // Each kind in its turn, alone or with others.
        let turn = kinds[(number * size + index) % kinds.len()];
        kernel(&mut rng, &format!("kernel{index}"), turn, &kinds)
    });
    let kernels = kernels.collect();
    Program { folder: format!("p{number:05}"), kernels }
}

/// Kernels of some kinds, each alone, so many of a kind, in programs of so many kernels.
pub(crate) fn alone(wanted: &[&str], each: usize, size: usize) -> Vec<Program> {
    let mut rng = Rng::new(17);
    let all = kinds::all();
    let turns = (0..each).flat_map(|_| all.iter().filter(|kind| wanted.contains(&kind.0)));
    let kernel = |(index, kind): (usize, &(&'static str, Kind))| {
        let name = format!("kernel{}", index % size);
        (0..TRIES).find_map(|_| kinds::kernel(&mut rng, &name, &[*kind])).unwrap()
    };
    let kernels: Vec<Kernel> = turns.enumerate().map(kernel).collect();
    let program =
        |(number, part): (usize, &[Kernel])| Program { folder: format!("alone{number:03}"), kernels: part.to_vec() };
    kernels.chunks(size).enumerate().map(program).collect()
}

fn kernel(rng: &mut Rng, name: &str, turn: (&'static str, Kind), kinds: &[(&'static str, Kind)]) -> Kernel {
    for _ in 0..TRIES {
        let mut chosen = vec![turn];
        for _ in 0..rng.pick(&[0, 0, 1, 2]) {
            chosen.push(rng.pick(kinds));
        }
        if let Some(kernel) = kinds::kernel(rng, name, &chosen) {
            return kernel;
        }
    }
    panic!("no kernel of the kind `{}` is well defined", turn.0);
}
