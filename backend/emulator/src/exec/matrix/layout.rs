//! Where the elements of matrices lie: lane, and number among the elements of the lane.

/// Sizes of a product: `m` by `k` times `k` by `n`, several of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) blocks: usize,
    /// The result has 64 bits.
    pub(super) is_double: bool,
}

/// Where an element lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) lane: usize,
    /// Number among the elements of the lane.
    pub(super) item: usize,
}

/// How elements are spread over lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// gfx908 and later, 64 lanes.
    Mfma,
    /// gfx11: both halves of the 32 lanes hold the same factors.
    Wmma11,
    /// gfx12: the halves of the 32 lanes hold halves of the factors.
    Wmma12,
}

impl Layout {
    /// The place of element `k` of row or column `line` of a factor that has `lines` of them, in the block `block`.
    pub(super) fn factor(self, shape: Shape, lines: usize, [line, k, block]: [usize; 3]) -> Place {
        let (wave, copies) = match self {
            Layout::Mfma => (64, 1),
            Layout::Wmma11 => (32, 2),
            Layout::Wmma12 => (32, 1),
        };
        let per_lane = shape.k * lines * shape.blocks * copies / wave;
        Place { lane: line + lines * (block + shape.blocks * (k / per_lane)), item: k % per_lane }
    }

    /// The place of element `k` of a line of a factor that rows of lanes get in turn, so many elements at once.
    pub(super) fn dealt(self, lines: usize, piece: usize, line: usize, k: usize) -> Place {
        let turns = (if self == Layout::Mfma { 64 } else { 32 }) / lines;
        Place { lane: line + lines * (k / piece % turns), item: k % piece + piece * (k / (piece * turns)) }
    }

    /// The place of element `i`, `j` of the result and of the matrix that is added to.
    pub(super) fn result(self, shape: Shape, i: usize, j: usize, block: usize) -> Place {
        match self {
            Layout::Wmma11 => Place { lane: j + 16 * (i % 2), item: i / 2 },
            Layout::Wmma12 => Place { lane: j + 16 * (i / 8), item: i % 8 },
            Layout::Mfma if shape.is_double => {
                let blocks = if shape.m * shape.n < 64 { shape.n * block } else { 0 };
                Place { lane: 16 * (i % 4) + blocks + j, item: i / 4 }
            }
            // Groups of four rows lie in the registers of one lane; the groups are dealt to lanes, then to registers.
            Layout::Mfma => match shape.m {
                4 => Place { lane: 4 * block + j, item: i },
                lines => {
                    let groups = 64 / lines;
                    let group = i / 4;
                    let item = i % 4 + 4 * (group / groups) + lines * lines / 64 * block;
                    Place { lane: lines * (group % groups) + j, item }
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn shape(m: usize, k: usize, blocks: usize, is_double: bool) -> Shape {
        Shape { m, n: m, k, blocks, is_double }
    }

    #[test]
    fn every_element_has_a_place_of_its_own() {
        for (layout, shape) in [
            (Layout::Mfma, shape(32, 1, 2, false)),
            (Layout::Mfma, shape(32, 8, 1, false)),
            (Layout::Mfma, shape(16, 4, 4, false)),
            (Layout::Mfma, shape(16, 16, 1, false)),
            (Layout::Mfma, shape(4, 4, 16, false)),
            (Layout::Mfma, shape(16, 4, 1, true)),
            (Layout::Mfma, shape(4, 4, 4, true)),
            (Layout::Wmma11, shape(16, 16, 1, false)),
            (Layout::Wmma12, shape(16, 16, 1, false)),
        ] {
            let lanes = if layout == Layout::Mfma { 64 } else { 32 };
            let (mut factors, mut results) = (HashSet::new(), HashSet::new());
            for (block, i) in (0..shape.blocks).flat_map(|block| (0..shape.m).map(move |i| (block, i))) {
                for k in 0..shape.k {
                    let place = layout.factor(shape, shape.m, [i, k, block]);
                    assert!(place.lane < lanes && factors.insert((place.lane, place.item)), "{shape:?}");
                }
                for j in 0..shape.n {
                    let place = layout.result(shape, i, j, block);
                    assert!(place.lane < lanes && results.insert((place.lane, place.item)), "{shape:?}");
                }
            }
            let items = results.iter().map(|(_, item)| item + 1).max().unwrap();
            assert_eq!(items * lanes, results.len(), "{shape:?}");
        }
    }
}
