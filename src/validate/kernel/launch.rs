//! Sizes of grids and blocks, and others that leave parts of waves.

/// How a kernel is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block in each direction.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

/// One way to start a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The sizes.
    pub(crate) launch: Launch,
    /// Whether it is another block than the one that was asked for. What comes out is then only compared between targets.
    pub(crate) is_varied: bool,
}

/// Widths of blocks that leave parts of waves: fewer threads than a wave of 32 has, one more or less than 32 and 64, half
/// a wave of 64 more than one of 32.
const PARTIAL: &[u32] = &[1, 31, 33, 48, 65];

impl Launch {
    /// Widths of narrower blocks that leave parts of waves: some fixed ones, and one thread less.
    pub(super) fn partial_widths(self) -> Vec<u32> {
        let mut widths: Vec<u32> = PARTIAL.iter().copied().chain([self.block[0].saturating_sub(1)]).collect();
        widths.retain(|narrow| (1..self.block[0]).contains(narrow));
        widths.sort_unstable();
        widths.dedup();
        widths
    }

    /// The launch itself, and those with blocks of other widths. Grids change with them, so that there are not fewer threads
    /// than before.
    pub(super) fn variants(self, widths: &[u32]) -> Vec<Variant> {
        let width = self.block[0];
        let other = |narrow: u32| {
            let threads = u64::from(self.grid[0]) * u64::from(width);
            let blocks = u32::try_from(threads.div_ceil(u64::from(narrow))).unwrap_or(u32::MAX);
            let [_, y, z] = self.block;
            let launch = Launch { grid: [blocks, self.grid[1], self.grid[2]], block: [narrow, y, z], ..self };
            Variant { launch, is_varied: true }
        };
        std::iter::once(Variant { launch: self, is_varied: false }).chain(widths.iter().copied().map(other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrower_blocks_leave_parts_of_waves_and_lose_no_thread() {
        let launch = Launch { grid: [4, 2, 1], block: [64, 2, 1], shared: 16 };
        let sizes = |launch: Launch| -> Vec<(u32, u32)> {
            launch
                .variants(&launch.partial_widths())
                .iter()
                .map(|variant| (variant.launch.grid[0], variant.launch.block[0]))
                .collect()
        };
        assert_eq!(sizes(launch), [(4, 64), (256, 1), (9, 31), (8, 33), (6, 48), (5, 63)]);
        let [own, narrow] = launch.variants(&[1])[..] else { panic!() };
        assert!(narrow.is_varied && !own.is_varied);
        assert_eq!((narrow.launch.grid, narrow.launch.block, narrow.launch.shared), ([256, 2, 1], [1, 2, 1], 16));
        assert_eq!(sizes(Launch { block: [32, 1, 1], ..launch }), [(4, 32), (128, 1), (5, 31)]);
        assert_eq!(sizes(Launch { block: [1, 1, 1], ..launch }), [(4, 1)]);
    }
}
