//! Calls that several threads make together: about warps, about groups, barriers.

use crate::ast::{Bits, Expr, Group, Makes, OfGroup, Var, Warp};
use crate::groups::{Collective, Member, parts, told};
use crate::lanes::{self, Callers, LANES};
use crate::machine::{Active, Machine, Values};
use crate::value::{Result, Value};

impl Machine<'_> {
    /// Who of a warp is here, and who has gone.
    fn callers(&self, warp: usize, active: &Active) -> Callers {
        let lanes = (0..LANES).map(|lane| (lane, warp * LANES + lane));
        let (mut here, mut gone) = (0, 0);
        for (lane, thread) in lanes {
            here |= u32::from(thread < self.threads && active[thread]) << lane;
            gone |= u32::from(thread >= self.threads || !self.alive[thread]) << lane;
        }
        Callers { active: here, gone }
    }

    /// Calls a function for each warp, with the values of its lanes.
    fn by_warp(
        &self,
        active: &Active,
        arguments: &[&Values],
        call: impl Fn(Callers, &[Vec<Value>]) -> Result<Vec<Value>>,
    ) -> Result<Values> {
        let mut out = Vec::new();
        for warp in 0..self.threads.div_ceil(LANES) {
            let lanes = |values: &&Values| -> Vec<Value> {
                let of = |lane: usize| values.get(warp * LANES + lane).copied().unwrap_or(Value::Undefined);
                (0..LANES).map(of).collect()
            };
            let arguments: Vec<Vec<Value>> = arguments.iter().map(lanes).collect();
            out.extend(call(self.callers(warp, active), &arguments)?);
        }
        out.truncate(self.threads);
        Ok(out)
    }

    pub(crate) fn warp_call(&mut self, kind: Warp, arguments: &[Expr], active: &Active) -> Result<Values> {
        let mut values: Vec<Values> =
            arguments.iter().map(|argument| self.eval(argument, active)).collect::<Result<_>>()?;
        let is_shuffle = matches!(kind, Warp::Shfl | Warp::ShflUp | Warp::ShflDown | Warp::ShflXor);
        if is_shuffle && values.len() == 3 {
            values.push(vec![Value::Int(32); self.threads]);
        }
        let values: Vec<&Values> = values.iter().collect();
        self.by_warp(active, &values, |callers, lanes| match kind {
            Warp::Ballot | Warp::Any | Warp::All => lanes::vote(kind, callers, &lanes[0], &lanes[1]),
            Warp::ActiveMask => Ok(vec![Value::Uint(callers.active); LANES]),
            Warp::MatchAny => lanes::match_any(callers, &lanes[0], &lanes[1]),
            _ if is_shuffle => lanes::shuffle(kind, callers, lanes.try_into().unwrap()),
            _ => lanes::reduce(kind, callers, &lanes[0], &lanes[1]),
        })
    }

    pub(crate) fn match_all(&mut self, mask: &Expr, value: &Expr, var: Var, active: &Active) -> Result<Values> {
        let (masks, values) = (self.eval(mask, active)?, self.eval(value, active)?);
        let same =
            self.by_warp(active, &[&masks, &values], |callers, lanes| lanes::match_all(callers, &lanes[0], &lanes[1]))?;
        let told = self.each(active, |thread| Ok(Value::Int(i32::from(same[thread].bits()? != 0))))?;
        self.assign(var, &told, active)?;
        Ok(same)
    }

    pub(crate) fn bits(&mut self, function: Bits, inner: &Expr, active: &Active) -> Result<Values> {
        let values = self.eval(inner, active)?;
        self.each(active, |thread| bits(function, values[thread]))
    }

    pub(crate) fn group_call(
        &mut self,
        call: OfGroup,
        group: Group,
        arguments: &[Expr],
        active: &Active,
    ) -> Result<Values> {
        let mut values: Vec<Values> =
            arguments.iter().map(|argument| self.eval(argument, active)).collect::<Result<_>>()?;
        values.resize(2, vec![Value::Undefined; self.threads]);
        let groups = &self.groups[group];
        if told(call, Member::default(), 0).is_some() {
            return self.each(active, |thread| Ok(told(call, groups[thread], thread).unwrap()));
        }
        let mut out = vec![Value::Undefined; self.threads];
        for thread in self.who(active) {
            let warp = thread / LANES;
            let range = warp * LANES..self.threads.min((warp + 1) * LANES);
            let collective = Collective {
                groups: &padded(&groups[range.clone()]),
                values: &padded_values(&values[0][range.clone()]),
                by: &padded_values(&values[1][range]),
                callers: self.callers(warp, active),
            };
            out[thread] = collective.result(call, thread % LANES)?;
        }
        Ok(out)
    }

    /// The members of a group, as each active thread sees them.
    pub(crate) fn make_group(&mut self, group: Group, makes: Makes, key: Option<&Expr>, active: &Active) -> Result<()> {
        let keys = key.map(|key| self.eval(key, active)).transpose()?;
        for warp in 0..self.threads.div_ceil(LANES) {
            let callers = self.callers(warp, active);
            for lane in lanes::lanes_of(callers.active) {
                let thread = warp * LANES + lane;
                self.groups[group][thread] = match makes {
                    Makes::Block => self.whole_block(),
                    Makes::Tile(size, of) => self.tile(size, of, thread)?,
                    Makes::Coalesced => Member { mask: callers.active, meta: (0, 1), ..Member::default() },
                    Makes::Binary(of) | Makes::Labeled(of) => {
                        if self.groups[of][thread].mask & !callers.active != 0 {
                            return Err("a group is parted without all of it".to_owned());
                        }
                        self.parted(of, keys.as_ref().unwrap(), thread)?
                    }
                };
            }
        }
        Ok(())
    }

    fn whole_block(&self) -> Member {
        Member { block: u32::try_from(self.threads).unwrap(), ..Member::default() }
    }

    fn tile(&self, size: u32, of: Group, thread: usize) -> Result<Member> {
        let parent = self.groups[of][thread];
        if !parent.size().is_multiple_of(size) {
            return Err("a group that tiles do not fill".to_owned());
        }
        let rank = if parent.block > 0 { u32::try_from(thread).unwrap() } else { parent.rank(thread % LANES) };
        let first = (thread % LANES) as u32 / size * size;
        let mask = (u32::MAX >> (32 - size)) << first;
        Ok(Member { mask, meta: (rank / size, parent.size() / size), is_tile: true, block: 0 })
    }

    fn parted(&self, of: Group, keys: &Values, thread: usize) -> Result<Member> {
        let (first, lane) = (thread / LANES * LANES, thread % LANES);
        let last = self.threads.min(first + LANES);
        let mut numbers = Vec::new();
        for value in &keys[first..last] {
            numbers.push(if *value == Value::Undefined { -1 } else { value.whole()? });
        }
        let mask = parts(&padded(&self.groups[of][first..last]), &numbers, lane);
        Ok(Member { mask, ..Member::default() })
    }

    pub(crate) fn sync_warp(&mut self, mask: Option<&Expr>, active: &Active) -> Result<()> {
        let full = Expr::Const(Value::Uint(u32::MAX), String::new());
        let masks = self.eval(mask.unwrap_or(&full), active)?;
        for warp in 0..self.threads.div_ceil(LANES) {
            let callers = self.callers(warp, active);
            let lanes = padded_values(&masks[warp * LANES..self.threads.min((warp + 1) * LANES)]);
            for lane in lanes::lanes_of(callers.active) {
                let members = callers.members(&lanes, lane)?;
                if lanes::lanes_of(members).next() == Some(lane) {
                    self.barriers.lanes_meet(warp, members);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn sync_threads(&mut self, active: &Active) -> Result<()> {
        if *active != self.alive {
            return Err("a barrier that not all come to".to_owned());
        }
        self.barriers.all_meet();
        Ok(())
    }

    pub(crate) fn sync_group(&mut self, group: Group, active: &Active) -> Result<()> {
        let first = self.who(active)[0];
        if self.groups[group][first].block > 0 {
            return self.sync_threads(active);
        }
        for thread in self.who(active) {
            let mask = self.groups[group][thread].mask;
            if mask & !self.callers(thread / LANES, active).active != 0 {
                return Err("a barrier of a group that not all come to".to_owned());
            }
            if lanes::lanes_of(mask).next() == Some(thread % LANES) {
                self.barriers.lanes_meet(thread / LANES, mask);
            }
        }
        Ok(())
    }
}

fn padded(groups: &[Member]) -> Vec<Member> {
    let mut groups = groups.to_vec();
    groups.resize(LANES, Member::default());
    groups
}

fn padded_values(values: &[Value]) -> Vec<Value> {
    let mut values = values.to_vec();
    values.resize(LANES, Value::Undefined);
    values
}

fn bits(function: Bits, value: Value) -> Result<Value> {
    if value == Value::Undefined {
        return Ok(value);
    }
    let whole = value.whole()?;
    let (word, long) = (whole as u32, whole as u64);
    let number = |number: u32| Value::Int(i32::try_from(number).unwrap());
    Ok(match function {
        Bits::Popc => number(word.count_ones()),
        Bits::PopcLong => number(long.count_ones()),
        Bits::Ffs => number(if word == 0 { 0 } else { word.trailing_zeros() + 1 }),
        Bits::FfsLong => number(if long == 0 { 0 } else { long.trailing_zeros() + 1 }),
        Bits::Clz => number(word.leading_zeros()),
        Bits::Brev => Value::Uint(word.reverse_bits()),
        Bits::Not => Value::Int(i32::from(!value.truth()?)),
        Bits::Complement => match value {
            Value::Uint(value) => Value::Uint(!value),
            Value::Ulong(value) => Value::Ulong(!value),
            Value::Int(value) => Value::Int(!value),
            _ => return Err("the complement of another type".to_owned()),
        },
    })
}
