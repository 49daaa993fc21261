//! What a file counts on: warps of 32 lanes, or waves of whatever size the GPU has.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::declared::Declared;
use super::functions::Functions;
use super::names::WAVE_SIZE;
use super::own_wave_size::own_wave_sizes;
use super::roles::{Role, role};
use super::warp_words::{is_for_sycl, is_lane_name, is_reduction_step, is_shuffle, is_warp_function, tokens_around};
use crate::source::{Spans, TextRange};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, among, words, words_that};

/// A number in the text that counts on 32 lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedSize {
    /// The number.
    pub range: TextRange,
    /// What it is for.
    pub purpose: SizePurpose,
}

/// What a number that counts on 32 lanes is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizePurpose {
    /// The `31` of `tid & 31`.
    LaneMask,
    /// The `32` of `tid % 32` and `tid / 32`.
    LaneCount,
    /// The `5` of `tid >> 5`.
    LaneShift,
    /// The `31` of `(blockDim.x + 31) / 32`.
    RoundUp,
    /// The `32` of `lane + offset < 32`.
    LaneLimit,
    /// The `32` of `i += 32` where `i` starts as the lane.
    LaneStride,
    /// The `32` of `threadIdx.x < 32`, which may be the first warp or any 32 threads.
    ThreadLimit,
    /// The `16` that a reduction over shuffles starts with.
    ReductionStart,
    /// The `16` that a reduction of 32 values in shared memory starts with.
    SharedReductionStart,
    /// The value of a constant such as `WARP_SIZE`.
    Constant,
    /// The size of a group of threads within a warp, which may be smaller than a wave.
    Group,
    /// The threads of a block.
    Block,
    /// Slots in shared memory, one for each warp of the largest block.
    Slots,
    /// The width of a shuffle.
    ShuffleWidth,
    /// The last lane, which a shuffle reads, or which a lane is compared with.
    LastLane,
    /// The distance of a shuffle that is the first of a row.
    ShuffleDistance,
    /// The distance of a shuffle that stands alone.
    Exchange,
}

/// The parts of a file that speak for one width or the other, each in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaveEvidence {
    /// Counts on 32 lanes.
    pub fixed: Vec<FixedSize>,
    /// Asks for the size of the wave.
    pub sized: Vec<TextRange>,
    /// The tokens among which `warpSize` is a name of the file's own.
    pub own_size: Spans<TokenIdx>,
}

impl WaveEvidence {
    /// Whether the text at a place asks for the size of the wave.
    pub fn is_sized_at(&self, range: TextRange) -> bool {
        self.sized.binary_search_by_key(&range.start(), |place| place.start()).is_ok()
    }

    pub(super) fn of(document: &Document, functions: &Functions, declared: &Declared) -> WaveEvidence {
        let own_size = own_wave_sizes(document, declared);
        let mut evidence = WaveEvidence { own_size, ..WaveEvidence::default() };
        if is_for_sycl(document) {
            return evidence;
        }
        let reader = Reader {
            document,
            functions,
            own_names: evidence.own_size.clone(),
            blocks: block_sizes(document),
            lanes: OnceCell::new(),
            steps: OnceCell::new(),
            warp_functions: OnceCell::new(),
            shuffles_over_8: OnceCell::new(),
            warp_numbers: OnceCell::new(),
        };
        let purposes = numbers(document).filter_map(|idx| {
            reader.purpose_of(idx).map(|purpose| FixedSize { range: document.range_of(idx..idx + 1), purpose })
        });
        evidence.fixed.extend(purposes);
        evidence.fixed.extend(words_that(document, is_shuffle).into_iter().filter_map(|idx| reader.shuffle_of_32(idx)));
        evidence.fixed.sort_by_key(|found| found.range.start());
        let sizes = words(document, WAVE_SIZE).filter(|&idx| reader.is_wave_size(idx));
        evidence.sized.extend(sizes.map(|idx| document.range_of(idx..idx + 1)));
        evidence
    }
}

struct Reader<'d> {
    document: &'d Document,
    functions: &'d Functions,
    /// The tokens among which `warpSize` is a name of the file's own.
    own_names: Spans<TokenIdx>,
    /// The tokens that are the block size of a launch, or its first dimension.
    blocks: FxHashSet<TokenIdx>,
    /// Numbers of threads, lanes and warps.
    lanes: OnceCell<Vec<TokenIdx>>,
    /// Shuffles, and functions for them.
    steps: OnceCell<Vec<TokenIdx>>,
    /// Functions for the lanes of a warp.
    warp_functions: OnceCell<Vec<TokenIdx>>,
    /// Shuffles over eight lanes.
    shuffles_over_8: OnceCell<Vec<TokenIdx>>,
    /// What makes the number of a warp or lane of that of a thread.
    warp_numbers: OnceCell<Vec<TokenIdx>>,
}

/// The numbers of a file, in the order of the text.
fn numbers(document: &Document) -> impl Iterator<Item = TokenIdx> {
    document.tokens().of_kind(|kind| kind == TokenKind::Number)
}

/// Whether one of `all`, which are in the order of the text, is among `tokens`.
fn has_one_of(all: &[TokenIdx], tokens: &Range<TokenIdx>) -> bool {
    !among(all, tokens.clone(), |&idx| idx).is_empty()
}

impl Reader<'_> {
    /// `warpSize` of device code, or of the properties of a device.
    fn is_wave_size(&self, idx: TokenIdx) -> bool {
        if self.document.token_text(idx) != WAVE_SIZE || self.own_names.contains(idx) {
            return false;
        }
        match role(self.document, idx) {
            Role::Member => true,
            Role::Free => self.functions.around(idx).is_none_or(super::functions::Function::runs_on_device),
            _ => false,
        }
    }

    /// What a number is for, if it counts on 32 lanes.
    fn purpose_of(&self, idx: TokenIdx) -> Option<SizePurpose> {
        let document = self.document;
        let text = document.token_text(idx).trim_end_matches(['u', 'U', 'l', 'L']);
        let before = |back: usize| idx.checked_sub(back).map_or("", |at| document.token_text(at));
        let operand = |back: usize| idx.checked_sub(back).is_some_and(|at| self.is_lane_like(at));
        match text {
            "31" | "0x1f" | "0x1F" if before(1) == "&" && before(2) != "&" && operand(2) => Some(SizePurpose::LaneMask),
            "31" if self.rounds_up(idx) => Some(SizePurpose::RoundUp),
            "31" if self.is_compared_with_lane(idx) => Some(SizePurpose::LastLane),
            "32" if matches!(before(1), "%" | "/") && operand(2) => Some(SizePurpose::LaneCount),
            "32" if self.is_compared_with_lane(idx) => Some(SizePurpose::LaneLimit),
            "32" if before(1) == "<" && operand(2) && self.is_about_warps(idx) => Some(SizePurpose::ThreadLimit),
            "32" if self.names_warp_constant(idx) => Some(SizePurpose::Constant),
            "32" if self.is_tile_size(idx) => Some(SizePurpose::Group),
            "32" if self.blocks.contains(&idx) => Some(SizePurpose::Block),
            "32" if self.is_slot_count(idx) => Some(SizePurpose::Slots),
            "5" if before(1) == ">" && before(2) == ">" && operand(3) => Some(SizePurpose::LaneShift),
            "16" if self.starts_reduction(idx) => Some(self.reduction_over(idx)),
            _ => None,
        }
    }

    /// Whether the operand that ends at `end` is the number of a thread, lane or warp.
    fn is_lane_like(&self, end: TokenIdx) -> bool {
        let document = self.document;
        if !document.is(end, b')') {
            return self.is_lane_word(end);
        }
        let is_wanted = |name: &str| is_lane_name(name) || matches!(name, "x" | "y" | "z");
        let lanes = || words_that(document, is_wanted).into_iter().filter(|&idx| self.is_lane_word(idx)).collect();
        let open = document.partner(end).filter(|&open| open < end);
        open.is_some_and(|open| has_one_of(self.lanes.get_or_init(lanes), &(open + 1..end)))
    }

    /// Whether a token names the number of a thread, lane or warp.
    fn is_lane_word(&self, idx: TokenIdx) -> bool {
        match self.document.token_text(idx) {
            "x" | "y" | "z" if idx >= 2 => match self.document.token_text(idx - 2) {
                "threadIdx" => true,
                "blockDim" => self.is_about_warps(idx),
                _ => false,
            },
            name => is_lane_name(name),
        }
    }

    /// Whether the operand that ends at `end` is the number of a lane: `lane`, `(tid & 31)`.
    fn is_lane_number(&self, end: TokenIdx) -> bool {
        let document = self.document;
        if document.is(end, b')') && end > 2 {
            let (sign, number) = (document.token_text(end - 2), document.token_text(end - 1));
            let cuts = matches!((sign, number), ("&", "31" | "0x1f" | "0x1F") | ("%", "32"));
            return cuts && self.is_lane_like(end - 3);
        }
        let name = document.token_text(end).to_ascii_lowercase();
        name.contains("lane") && !name.contains("lanes") && is_lane_name(&name)
    }

    /// `lane == 31`, `lane < 32`, `lane + offset < 32`
    fn is_compared_with_lane(&self, number: TokenIdx) -> bool {
        let before = |back: usize| number.checked_sub(back).map_or("", |at| self.document.token_text(at));
        let is_lane = |back: usize| number.checked_sub(back).is_some_and(|at| self.is_lane_number(at));
        let operand = match (before(2), before(1)) {
            ("=" | "!" | "<" | ">", "=") => 3,
            ("<" | ">" | "-", "<" | ">") => return false,
            (_, "<" | ">") => 2,
            _ => return false,
        };
        is_lane(operand) || (before(operand + 1) == "+" && is_lane(operand + 2))
    }

    /// `(blockDim.x + 31) / 32`
    fn rounds_up(&self, number: TokenIdx) -> bool {
        let document = self.document;
        let text = |ahead: usize| document.token_text(number + ahead);
        let divides =
            matches!((text(2), text(3)), ("/", "32" | "32u")) || (text(2), text(3), text(4)) == (">", ">", "5");
        let adds = number > 1 && document.is(number - 1, b'+') && document.is(number + 1, b')');
        adds && divides && self.is_lane_like(number - 2)
    }

    /// Whether the function around a token uses the lanes of warps: by warp functions, or by the
    /// number of a lane or warp.
    fn is_about_warps(&self, idx: TokenIdx) -> bool {
        let is_number = |at: &TokenIdx| *at > 0 && self.numbers_warps(*at);
        let warp_numbers = || numbers(self.document).filter(is_number).collect();
        let counts_warps = |tokens: &Range<TokenIdx>| has_one_of(self.warp_numbers.get_or_init(warp_numbers), tokens);
        let function = self.functions.around(idx).map(|function| function.head.start..function.body.end);
        self.shuffles_near(idx) || function.is_some_and(|tokens| counts_warps(&tokens))
    }

    /// `threadIdx.x / 32`
    fn numbers_warps(&self, number: TokenIdx) -> bool {
        let document = self.document;
        let sign = document.token_text(number - 1);
        let thread = if sign == ">" { number.saturating_sub(5) } else { number.saturating_sub(4) };
        let cuts = matches!((sign, document.token_text(number)), ("&", "31") | ("%" | "/", "32") | (">", "5"));
        cuts && document.token_text(thread) == "threadIdx"
    }

    /// `#define WARP_SIZE 32`, `constexpr int kWarpSize = 32;`
    fn names_warp_constant(&self, number: TokenIdx) -> bool {
        let document = self.document;
        let name = match document.directive_of(number) {
            Some(directive) if directive.tokens.start + 3 == number => number - 1,
            None if number > 1 && document.is(number - 1, b'=') => number - 2,
            _ => return false,
        };
        let name = document.token_text(name).to_ascii_lowercase();
        name.contains("warp") || name.contains("lanes")
    }

    /// `tiled_partition<32>`, `thread_block_tile<32>`
    fn is_tile_size(&self, number: TokenIdx) -> bool {
        let before = |back: usize| number.checked_sub(back).map_or("", |at| self.document.token_text(at));
        before(1) == "<" && matches!(before(2), "tiled_partition" | "thread_block_tile" | "WarpReduce" | "WarpScan")
    }

    /// One slot for each warp of the largest block: `__shared__ float sums[32];`
    fn is_slot_count(&self, number: TokenIdx) -> bool {
        let document = self.document;
        let is_bound = number > 1 && document.is(number - 1, b'[') && document.is(number + 1, b']');
        let declares_shared = |back| number >= back && document.token_text(number - back) == "__shared__";
        is_bound && (3..7).any(declares_shared) && self.shuffles_near(number)
    }

    /// `for (int offset = 16; …)` in a function that shuffles.
    fn starts_reduction(&self, number: TokenIdx) -> bool {
        let document = self.document;
        let is_start = number > 1 && document.is(number - 1, b'=') && document.is(number + 1, b';');
        let in_for = |back: usize| number >= back && document.token_text(number - back) == "for";
        is_start && (4..7).any(in_for) && self.shuffles_near(number)
    }

    /// What the loop that starts at a number reduces: lanes by shuffles, or slots in memory.
    fn reduction_over(&self, number: TokenIdx) -> SizePurpose {
        let document = self.document;
        let open = (0..number)
            .rev()
            .find(|&idx| document.is(idx, b'(') && document.token_text(idx.saturating_sub(1)) == "for");
        let close = open.and_then(|open| document.partner(open)).unwrap_or(number);
        let end = if document.is(close + 1, b'{') {
            document.partner(close + 1)
        } else {
            (close..document.tokens().len()).find(|&idx| document.is(idx, b';'))
        };
        let steps = || words_that(document, is_reduction_step);
        match end {
            Some(end) if !has_one_of(self.steps.get_or_init(steps), &(close..end)) => SizePurpose::SharedReductionStart,
            _ => SizePurpose::ReductionStart,
        }
    }

    /// A shuffle among 32 lanes, from lane 31, or over 16 of them: `__shfl(x, 0, 32)`,
    /// `__shfl_xor_sync(mask, x, 16)`.
    fn shuffle_of_32(&self, idx: TokenIdx) -> Option<FixedSize> {
        let document = self.document;
        let name = document.token_text(idx);
        if !is_shuffle(name) {
            return None;
        }
        let call = Call::at(document, idx)?;
        let masks = usize::from(name.ends_with("_sync"));
        let argument = |number: usize, text: &str, purpose| {
            let range = *call.arguments.get(number + masks)?;
            (document.slice(range) == text).then_some(FixedSize { range, purpose })
        };
        let first_of_row = || argument(1, "16", SizePurpose::ShuffleDistance).filter(|_| self.shuffles_over_8(idx));
        first_of_row()
            .or_else(|| argument(2, "32", SizePurpose::ShuffleWidth))
            .or_else(|| argument(1, "31", SizePurpose::LastLane))
            .or_else(|| argument(1, "16", SizePurpose::Exchange))
    }

    /// Whether the function or macro around a token shuffles over 8 lanes too, as a row of
    /// shuffles over 16, 8, 4, 2 and 1 lanes does.
    fn shuffles_over_8(&self, idx: TokenIdx) -> bool {
        let over_8 = || {
            let shuffles = words_that(self.document, is_shuffle).into_iter();
            shuffles.filter(|&at| self.is_shuffle_over_8(at)).collect()
        };
        tokens_around(idx, self.document, self.functions)
            .is_some_and(|tokens| has_one_of(self.shuffles_over_8.get_or_init(over_8), &tokens))
    }

    fn is_shuffle_over_8(&self, at: TokenIdx) -> bool {
        let document = self.document;
        let name = document.token_text(at);
        let distance = 1 + usize::from(name.ends_with("_sync"));
        let call = if is_shuffle(name) { Call::at(document, at) } else { None };
        call.is_some_and(|call| call.arguments.get(distance).is_some_and(|&range| document.slice(range) == "8"))
    }

    /// Whether the function or macro around a token uses warp functions.
    fn shuffles_near(&self, idx: TokenIdx) -> bool {
        let warp_functions = || words_that(self.document, is_warp_function);
        tokens_around(idx, self.document, self.functions)
            .is_some_and(|tokens| has_one_of(self.warp_functions.get_or_init(warp_functions), &tokens))
    }
}

/// The block sizes of launches, or their first dimensions: `<<<grid, 32>>>`, `<<<grid, dim3(32, 4)>>>`.
fn block_sizes(document: &Document) -> FxHashSet<TokenIdx> {
    let blocks = document.launches().iter().filter_map(|launch| launch.config.get(1));
    let size = |block: &Range<TokenIdx>| match block.len() {
        1 => Some(block.start),
        3.. if document.token_text(block.start) == "dim3" => Some(block.start + 2),
        _ => None,
    };
    blocks.filter_map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, fixed: &[&str], sized: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let evidence = evidence_of(&document);
        let texts = |ranges: &[TextRange]| ranges.iter().map(|&range| document.slice(range).to_owned()).collect();
        let found: Vec<TextRange> = evidence.fixed.iter().map(|found| found.range).collect();
        let seen: (Vec<String>, Vec<String>) = (texts(&found), texts(&evidence.sized));
        assert_eq!((&seen.0[..], &seen.1[..]), (&strings(fixed)[..], &strings(sized)[..]), "{text}");
    }

    fn evidence_of(document: &Document) -> WaveEvidence {
        let functions = Functions::of(document);
        WaveEvidence::of(document, &functions, &Declared::of(document, &functions))
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn own_sizes_are_theirs_where_they_are_seen() {
        check(
            "__device__ int f(int x) { { int warpSize = 4; x += warpSize; } return x % warpSize; }",
            &[],
            &["warpSize"],
        );
        check(
            "__device__ int f(int x) { auto g = [](int i, int warpSize) { return i / warpSize; }; return g(x, warpSize); }",
            &[],
            &["warpSize"],
        );
        check(
            "__device__ int f(int x) { for (int warpSize = 1; warpSize < 3; ++warpSize) x += warpSize; return warpSize; }",
            &[],
            &["warpSize"],
        );
        check("__device__ int f(int warpSize) { return warpSize; }", &[], &[]);
    }

    #[test]
    fn what_counts_on_32_lanes_is_found() {
        check("__device__ int f() { return threadIdx.x & 31; }", &["31"], &[]);
        check("__device__ int f(int tid) { return tid >> 5; }", &["5"], &[]);
        check("__device__ int f() { return (threadIdx.x + 1) % 32u; }", &["32u"], &[]);
        check("#define WARP_SIZE 32\n", &["32"], &[]);
        check("constexpr int kWarpSize = 32;", &["32"], &[]);
        check("auto t = cg::tiled_partition<32>(b);", &["32"], &[]);
        check("void f() { k<<<g, dim3(32, 4)>>>(); }", &["32"], &[]);
        check("__device__ int f(int v) { return __shfl(v, 0, 32); }", &["32"], &[]);
        let reduction = "__device__ int f(int v) { for (int o = 16; o; o /= 2) v += __shfl_xor(v, o); return v; }";
        check(reduction, &["16"], &[]);
        check("__global__ void f() { __shared__ int s[32]; s[0] = __shfl_xor(1, 2); }", &["32"], &[]);
    }

    #[test]
    fn numbers_of_warps_and_comparisons_of_lanes_are_found() {
        check("__device__ bool f(int lane) { return lane == 31; }", &["31"], &[]);
        check("__device__ bool f(int lane, int o) { return lane + o < 32; }", &["32"], &[]);
        check("__device__ bool f(int o) { return (threadIdx.x & 31) + o < 32; }", &["31", "32"], &[]);
        let warps = "__device__ int f() { int warp = threadIdx.x >> 5; return warp < (blockDim.x + 31) / 32; }";
        check(warps, &["5", "31", "32"], &[]);
        check("__device__ int f() { return threadIdx.x < 32 ? __shfl(1, 2) : blockDim.x / 32; }", &["32", "32"], &[]);
    }

    #[test]
    fn a_row_of_shuffles_is_more_than_one_exchange() {
        let purpose = |text: &str| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            evidence_of(&document).fixed[0].purpose
        };
        let alone = "__device__ int f(int v) { return __shfl_xor_sync(~0u, v, 16); }";
        assert_eq!(purpose(alone), SizePurpose::Exchange);
        let row = "__device__ int f(int v) { v += __shfl_xor(v, 16, 32); return v + __shfl_xor(v, 8); }";
        assert_eq!(purpose(row), SizePurpose::ShuffleDistance);
    }

    #[test]
    fn sources_for_sycl_are_no_evidence() {
        check("#define WARP_SIZE 32\nvoid f(sycl::nd_item<3> item, int tid) { g(tid / 32); }", &[], &[]);
        check("#define WARP_SIZE 32\n__device__ void f(sycl::half x);", &["32"], &[]);
    }

    #[test]
    fn reductions_over_lanes_and_over_memory_are_told_apart() {
        let purpose = |text: &str| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            evidence_of(&document).fixed[0].purpose
        };
        let lanes = "__device__ int f(int v) { for (int o = 16; o; o /= 2) { v += __shfl_xor(v, o); } return v; }";
        assert_eq!(purpose(lanes), SizePurpose::ReductionStart);
        let memory =
            "__device__ void f(int* s, int t) { for (int o = 16; o; o /= 2) { s[t] += s[t + o]; __syncwarp(); } }";
        assert_eq!(purpose(memory), SizePurpose::SharedReductionStart);
    }

    #[test]
    fn the_size_of_the_wave_is_found() {
        check("__device__ int f() { return threadIdx.x % warpSize; }", &[], &["warpSize"]);
        check("int f(cudaDeviceProp p) { return p.warpSize; }", &[], &["warpSize"]);
    }

    #[test]
    fn other_uses_of_these_numbers_are_no_evidence() {
        check("__device__ int f(int bits, int i) { return (bits & 31) + i / 32 + i % 32 + (i >> 5); }", &[], &[]);
        check("__device__ void f() { __shared__ int s[32]; for (int o = 16; o; o /= 2) s[o] = 0; }", &[], &[]);
        check("int f(int warpSize) { return warpSize; }", &[], &[]);
        check("void f() { k<<<32, 256>>>(); k<<<g, b, 32>>>(); }", &[], &[]);
        check("__device__ int f(int lane, int n) { return lane < n + 32 || (lane << 31) || lane->x > 31; }", &[], &[]);
        check("__device__ int f() { return (blockDim.x + 31) / 32 + (threadIdx.x < 32); }", &[], &[]);
    }
}
