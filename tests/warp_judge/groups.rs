//! What cooperative groups of up to 32 threads do in CUDA.

use crate::ast::OfGroup;
use crate::lanes::{Callers, combine, lanes_of};
use crate::value::{Op, Result, Value, binary};

/// A group as one thread sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Member {
    /// Lanes of the warp that belong to it.
    pub(crate) mask: u32,
    /// Its number among the parts of its parent, and how many these are.
    pub(crate) meta: (u32, u32),
    /// Whether lanes are in their places: a tile, not a coalesced group.
    pub(crate) is_tile: bool,
    /// Threads of the block, for the whole block.
    pub(crate) block: u32,
}

impl Member {
    pub(crate) fn size(self) -> u32 {
        if self.block > 0 { self.block } else { self.mask.count_ones() }
    }

    /// The rank of a lane.
    pub(crate) fn rank(self, lane: usize) -> u32 {
        (self.mask & ((1 << lane) - 1)).count_ones()
    }

    /// The lane of a rank.
    fn lane(self, rank: i128) -> Option<usize> {
        usize::try_from(rank).ok().and_then(|rank| lanes_of(self.mask).nth(rank))
    }

    /// A mask of lanes as bits of ranks.
    fn packed(self, lanes: u32) -> u32 {
        let ranks = lanes_of(self.mask).enumerate();
        ranks.map(|(rank, lane)| (lanes >> lane & 1) << rank).fold(0, |all, bit| all | bit)
    }
}

/// A collective call of the lanes of one warp: groups and two arguments by lane.
pub(crate) struct Collective<'a> {
    pub(crate) groups: &'a [Member],
    pub(crate) values: &'a [Value],
    pub(crate) by: &'a [Value],
    pub(crate) callers: Callers,
}

impl Collective<'_> {
    /// What a lane gets.
    pub(crate) fn result(&self, call: OfGroup, lane: usize) -> Result<Value> {
        let group = self.groups[lane];
        let masks: Vec<Value> = self.groups.iter().map(|group| Value::Uint(group.mask)).collect();
        if self.callers.members(&masks, lane)? != group.mask {
            return Err("a thread of the group has left".to_owned());
        }
        match call {
            OfGroup::Shfl | OfGroup::ShflUp | OfGroup::ShflDown | OfGroup::ShflXor => self.shuffled(call, lane),
            OfGroup::Any | OfGroup::All | OfGroup::Ballot => self.voted(call, lane),
            OfGroup::MatchAny => self.matched(lane),
            OfGroup::InclusiveScan => self.scanned(lane, true),
            OfGroup::ExclusiveScan => self.scanned(lane, false),
            _ => self.reduced(call, lane),
        }
    }

    fn shuffled(&self, call: OfGroup, lane: usize) -> Result<Value> {
        let group = self.groups[lane];
        let (own, by) = (i128::from(group.rank(lane)), self.by[lane].whole()?);
        let size = i128::from(group.size());
        let from = match call {
            OfGroup::Shfl if group.is_tile => by.rem_euclid(size),
            OfGroup::Shfl => by,
            OfGroup::ShflUp => own - by,
            OfGroup::ShflDown => own + by,
            _ => own ^ by,
        };
        let own_if_outside = group.is_tile && call != OfGroup::Shfl;
        let outside = if own_if_outside { self.values[lane] } else { Value::Undefined };
        Ok(group.lane(from).map_or(outside, |from| self.values[from]))
    }

    fn voted(&self, call: OfGroup, lane: usize) -> Result<Value> {
        let group = self.groups[lane];
        let mut ballot = 0;
        for other in lanes_of(group.mask) {
            ballot |= u32::from(self.values[other].truth()?) << other;
        }
        Ok(match call {
            OfGroup::Ballot => Value::Uint(group.packed(ballot)),
            OfGroup::Any => Value::Int(i32::from(ballot != 0)),
            _ => Value::Int(i32::from(ballot == group.mask)),
        })
    }

    fn matched(&self, lane: usize) -> Result<Value> {
        let group = self.groups[lane];
        let mut same = 0;
        for other in lanes_of(group.mask) {
            same |= u32::from(self.values[other].pattern()? == self.values[lane].pattern()?) << other;
        }
        Ok(Value::Uint(group.packed(same)))
    }

    fn scanned(&self, lane: usize, inclusive: bool) -> Result<Value> {
        let below = lanes_of(self.groups[lane].mask).filter(|other| *other < lane || (inclusive && *other == lane));
        let zero = binary(Op::Sub, self.values[lane], self.values[lane])?;
        below.map(|other| self.values[other]).try_fold(zero, |all, value| combine(Op::Add, all, value))
    }

    fn reduced(&self, call: OfGroup, lane: usize) -> Result<Value> {
        let op = match call {
            OfGroup::ReducePlus => Op::Add,
            OfGroup::ReduceLess => Op::Less,
            OfGroup::ReduceGreater => Op::Greater,
            _ => Op::Xor,
        };
        let mut all = lanes_of(self.groups[lane].mask).map(|other| self.values[other]);
        let first = all.next().unwrap();
        all.try_fold(first, |all, value| combine(op, all, value))
    }
}

/// The lanes of a warp that are asked alike.
pub(crate) fn parts(masks: &[Member], keys: &[i128], lane: usize) -> u32 {
    lanes_of(masks[lane].mask).filter(|other| keys[*other] == keys[lane]).fold(0, |all, other| all | 1 << other)
}

/// Calls that need nobody else.
pub(crate) fn told(call: OfGroup, group: Member, thread: usize) -> Option<Value> {
    let rank = if group.block > 0 { u32::try_from(thread).unwrap() } else { group.rank(thread % 32) };
    Some(Value::Uint(match call {
        OfGroup::Size => group.size(),
        OfGroup::Rank => rank,
        OfGroup::MetaSize => group.meta.1,
        OfGroup::MetaRank => group.meta.0,
        _ => return None,
    }))
}
