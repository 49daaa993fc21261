//! Operations on lanes: one function for one lane becomes a loop over the rows of a wave.

use pulp::{Arch, Simd, WithSimd};

use super::element::{Element, Kind};
use super::registers::{CHUNK, CHUNKS, Rows};

/// What an operation works on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Args {
    /// Row of the result.
    pub(super) dst: usize,
    /// Rows of the sources.
    pub(super) src: [usize; 3],
    /// Lanes that take part.
    pub(super) lanes: u64,
    /// A bit for each lane: carry, condition.
    pub(super) mask: u64,
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

/// An operation on rows. The result has one bit for each lane: carry, comparison.
type Run = Box<dyn Fn(&mut Rows, &Args, Arch) -> u64 + Send + Sync>;

/// An operation of the vector unit.
pub(super) struct Valu {
    pub(super) run: Run,
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
    args: &'r Args,
    function: F,
    types: std::marker::PhantomData<T>,
}

impl<A: Element, B: Element, C: Element, D: Element, F: LaneFn<A, B, C, D>> WithSimd for Loop<'_, F, (A, B, C, D)> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        let Loop { rows, args, function, .. } = self;
        let mut out = 0;
        for chunk in 0..CHUNKS {
            let lanes = (args.lanes >> (CHUNK * chunk)) as u8;
            if lanes == 0 {
                continue;
            }
            let mask = (args.mask >> (CHUNK * chunk)) as u8;
            let a = A::load(rows, args.src[0], chunk);
            let b = B::load(rows, args.src[1], chunk);
            let c = C::load(rows, args.src[2], chunk);
            let mut results = [D::default(); CHUNK];
            let mut bits = 0;
            for lane in 0..CHUNK {
                let number = chunk * CHUNK + lane;
                let (result, bit) = function(number, a[lane], b[lane], c[lane], mask & 1 << lane != 0);
                results[lane] = result;
                bits |= u8::from(bit) << lane;
            }
            D::store(rows, args.dst, chunk, results, lanes);
            out |= u64::from(bits & lanes) << (CHUNK * chunk);
        }
        out
    }
}

/// An operation of any shape.
pub(super) fn general<A: Element, B: Element, C: Element, D: Element>(function: impl LaneFn<A, B, C, D>) -> Valu {
    let run = move |rows: &mut Rows, args: &Args, arch: Arch| {
        arch.dispatch(Loop { rows, args, function, types: std::marker::PhantomData::<(A, B, C, D)> })
    };
    Valu {
        run: Box::new(run),
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
