//! Operations on lanes: one function for one lane becomes a loop over the rows of a wave.

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use crate::exec::number::element::{Element, Flip, Kind};
use crate::exec::state::registers::{CHUNK, CHUNKS, GROUP, Rows, blend};

/// Rows of the operands of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// Row of the result.
    pub(super) dst: usize,
    pub(super) src: [usize; 3],
    /// How sources are changed on the way.
    pub(super) changes: Changes,
}

/// How the first and the second row of each source are changed on the way.
pub(super) type Changes = [[Flip; 2]; 3];

/// Rows as they are.
pub(super) const UNCHANGED: Changes = [[Flip::NONE; 2]; 3];

/// What an operation works on.
#[derive(Clone, Copy)]
struct Args<'a> {
    places: &'a Places,
    /// Lanes that take part.
    lanes: u64,
    /// A bit for each lane: carry, condition.
    mask: u64,
}

/// A part of a row.
type Part = [u32; CHUNK];

/// A source of a part of the lanes.
struct Source<'r> {
    low: &'r Part,
    high: &'r Part,
    changes: [Flip; 2],
}

impl<'r> Source<'r> {
    #[inline(always)]
    fn new(rows: &'r Rows, args: &Args, source: usize, chunk: usize) -> Source<'r> {
        let row = args.places.src[source];
        Source { low: &rows.row(row)[chunk], high: &rows.row(row + 1)[chunk], changes: args.places.changes[source] }
    }

    #[inline(always)]
    fn get<T: Element>(&self, lane: usize) -> T {
        let [low, high] = self.changes;
        T::join(low.apply(self.low[lane]), high.apply(self.high[lane]))
    }
}

/// Writes some lanes of a part of a row.
#[inline(always)]
fn merge(target: &mut Part, values: &Part, lanes: u32) {
    if lanes == u32::MAX {
        *target = *values;
        return;
    }
    let halves = target.as_chunks_mut().0.iter_mut().zip(values.as_chunks().0);
    for (number, (target, values)) in halves.enumerate() {
        blend(target, values, lanes >> (GROUP * number));
    }
}

/// Where the bits for lanes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskSource {
    /// There are none.
    None,
    /// VCC in short encodings, the third source in others.
    Third,
    /// Always VCC.
    Vcc,
}

/// An operation on rows: operands, lanes that take part, a bit for each lane (carry, condition). The result has one bit
/// for each lane, too: carry, comparison.
pub(super) type Run = Box<dyn Fn(&mut Rows, &Places, u64, u64) -> u64 + Send + Sync>;

/// Makes the loop for one of the host's instruction sets.
type Loops = Box<dyn Fn(Arch) -> Run + Send + Sync>;

/// An operation of the vector unit.
pub(super) struct Valu {
    pub(super) loops: Loops,
    /// Types of the sources.
    pub(super) src: [Kind; 3],
    /// Type of the result.
    pub(super) dst: Kind,
    /// Bits that come in.
    pub(super) mask: MaskSource,
    /// Bits come out.
    pub(super) gives_mask: bool,
    /// The third source is the destination.
    pub(super) accumulates: bool,
    /// Half a register is written and the other half kept, whatever the generation.
    pub(super) keeps_half: bool,
}

impl Valu {
    /// Keeps the half of the register that is not written, whatever the generation.
    pub(super) fn keeping(self) -> Valu {
        Valu { keeps_half: true, ..self }
    }

    /// Whether there is no result but bits.
    pub(super) fn gives_mask_only(&self) -> bool {
        self.dst == Kind::None
    }
}

/// One lane of an operation: number of the lane, sources, bit; result, bit.
pub(super) trait LaneFn<A, B, C, D>:
    Fn(usize, A, B, C, bool) -> (D, bool) + Copy + Send + Sync + 'static
{
}

impl<A, B, C, D, F: Fn(usize, A, B, C, bool) -> (D, bool) + Copy + Send + Sync + 'static> LaneFn<A, B, C, D> for F {}

struct Loop<'r, F, T> {
    rows: &'r mut Rows,
    args: Args<'r>,
    function: F,
    types: PhantomData<T>,
}

impl<A: Element, B: Element, C: Element, D: Element, F: LaneFn<A, B, C, D>> WithSimd for Loop<'_, F, (A, B, C, D)> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        let Loop { rows, args, function, .. } = self;
        let mut out = 0;
        for chunk in 0..CHUNKS {
            let lanes = (args.lanes >> (CHUNK * chunk)) as u32;
            if lanes == 0 {
                continue;
            }
            let mask = (args.mask >> (CHUNK * chunk)) as u32;
            let (mut low, mut high, mut bits) = ([0; CHUNK], [0; CHUNK], 0);
            // One by one: `map` of an array is not always inlined.
            let a = Source::new(rows, &args, 0, chunk);
            let b = Source::new(rows, &args, 1, chunk);
            let c = Source::new(rows, &args, 2, chunk);
            for lane in 0..CHUNK {
                let number = chunk * CHUNK + lane;
                let (result, bit) =
                    function(number, a.get::<A>(lane), b.get::<B>(lane), c.get::<C>(lane), mask >> lane & 1 != 0);
                (low[lane], high[lane]) = result.split();
                bits |= u32::from(bit) << lane;
            }
            if D::KIND.rows() > 0 {
                merge(&mut rows.row_mut(args.places.dst)[chunk], &low, lanes);
            }
            if D::KIND.rows() > 1 {
                merge(&mut rows.row_mut(args.places.dst + 1)[chunk], &high, lanes);
            }
            out |= u64::from(bits & lanes) << (CHUNK * chunk);
        }
        out
    }
}

/// The loop for an instruction set. It is chosen here, not each time that it runs.
fn loops<A: Element, B: Element, C: Element, D: Element>(function: impl LaneFn<A, B, C, D>, arch: Arch) -> Run {
    let types = PhantomData::<(A, B, C, D)>;
    macro_rules! over {
        ($work:ident => $run:expr) => {
            Box::new(move |rows: &mut Rows, places: &Places, lanes: u64, mask: u64| {
                let $work = Loop { rows, args: Args { places, lanes, mask }, function, types };
                $run
            })
        };
    }
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::V4(simd) => over!(work => Simd::vectorize(simd, work)),
        #[cfg(target_arch = "x86_64")]
        Arch::V3(simd) => over!(work => Simd::vectorize(simd, work)),
        #[cfg(target_arch = "x86_64")]
        _ => over!(work => Simd::vectorize(pulp::Scalar::new(), work)),
        #[cfg(not(target_arch = "x86_64"))]
        arch => over!(work => arch.dispatch(work)),
    }
}

/// An operation of any shape.
pub(super) fn general<A: Element, B: Element, C: Element, D: Element>(function: impl LaneFn<A, B, C, D>) -> Valu {
    Valu {
        loops: Box::new(move |arch| loops::<A, B, C, D>(function, arch)),
        src: [A::KIND, B::KIND, C::KIND],
        dst: D::KIND,
        mask: MaskSource::None,
        gives_mask: false,
        accumulates: false,
        keeps_half: false,
    }
}

/// One source.
pub(super) fn unary<A: Element, D: Element>(f: impl Fn(A) -> D + Copy + Send + Sync + 'static) -> Valu {
    general(move |_, a: A, (), (), _| (f(a), false))
}

/// Two sources.
pub(super) fn binary<A: Element, B: Element, D: Element>(f: impl Fn(A, B) -> D + Copy + Send + Sync + 'static) -> Valu {
    general(move |_, a: A, b: B, (), _| (f(a, b), false))
}

/// Three sources.
pub(super) fn ternary<A: Element, B: Element, C: Element, D: Element>(
    f: impl Fn(A, B, C) -> D + Copy + Send + Sync + 'static,
) -> Valu {
    general(move |_, a: A, b: B, c: C, _| (f(a, b, c), false))
}

/// Two sources and the old destination.
pub(super) fn accumulate<A: Element, B: Element, D: Element>(
    f: impl Fn(A, B, D) -> D + Copy + Send + Sync + 'static,
) -> Valu {
    Valu { accumulates: true, ..ternary(f) }
}

/// A comparison.
pub(super) fn compare<A: Element, B: Element>(f: impl Fn(A, B) -> bool + Copy + Send + Sync + 'static) -> Valu {
    Valu { gives_mask: true, ..general(move |_, a: A, b: B, (), _| ((), f(a, b))) }
}

/// Two sources and a bit in; a result and a bit out.
pub(super) fn with_carry(f: impl Fn(u32, u32, bool) -> (u32, bool) + Copy + Send + Sync + 'static) -> Valu {
    Valu { gives_mask: true, mask: MaskSource::Third, ..general(move |_, a: u32, b: u32, (), carry| f(a, b, carry)) }
}

/// Two sources; a result and a bit out.
pub(super) fn carry_out(f: impl Fn(u32, u32) -> (u32, bool) + Copy + Send + Sync + 'static) -> Valu {
    Valu { gives_mask: true, ..general(move |_, a: u32, b: u32, (), _| f(a, b)) }
}
