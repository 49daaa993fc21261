//! Runs a kernel: all threads of a block in step, warps of 32 lanes.

use crate::ast::{Array, COUNTERS, Expr, IN, Kernel, OUT, Space, Special, Stmt, Var};
use crate::groups::Member;
use crate::memory::{Barriers, Cell, input};
use crate::value::{Result, Ty, Value, binary};

/// Which threads of a block do something.
pub(crate) type Active = Vec<bool>;
/// A value for each thread of a block.
pub(crate) type Values = Vec<Value>;

/// What is in a region of the results that no thread wrote.
const UNTOUCHED: u32 = 0xdead_beef;

/// What the kernel leaves: results, then counters.
pub(crate) struct Memory {
    pub(crate) out: Vec<u32>,
    pub(crate) counters: Vec<u32>,
    input: usize,
}

/// One block at work.
pub(crate) struct Machine<'k> {
    pub(crate) kernel: &'k Kernel,
    memory: &'k mut Memory,
    block: u32,
    pub(crate) threads: usize,
    vars: Vec<Values>,
    shared: Vec<Vec<Cell>>,
    pub(crate) groups: Vec<Vec<Member>>,
    pub(crate) alive: Active,
    pub(crate) barriers: Barriers,
    steps: usize,
}

/// What a kernel computes.
pub(crate) fn run(kernel: &Kernel) -> Result<Vec<u32>> {
    let all = kernel.launch.all() as usize;
    let counters = kernel.arrays[COUNTERS].len;
    let mut memory = Memory { out: vec![UNTOUCHED; all * kernel.regions], counters: vec![0; counters], input: all };
    for block in 0..kernel.launch.blocks {
        let mut machine = Machine::new(kernel, &mut memory, block);
        let everybody = vec![true; machine.threads];
        machine.run(&kernel.body, &everybody)?;
    }
    memory.out.extend(&memory.counters);
    Ok(memory.out)
}

impl<'k> Machine<'k> {
    fn new(kernel: &'k Kernel, memory: &'k mut Memory, block: u32) -> Self {
        let threads = kernel.launch.threads() as usize;
        let shared = |array: &crate::ast::ArrayInfo| if array.space == Space::Shared { array.len } else { 0 };
        Self {
            kernel,
            memory,
            block,
            threads,
            vars: vec![vec![Value::Undefined; threads]; kernel.vars.len()],
            shared: kernel.arrays.iter().map(|array| vec![Cell::default(); shared(array)]).collect(),
            groups: vec![vec![Member::default(); threads]; kernel.groups.len()],
            alive: vec![true; threads],
            barriers: Barriers::new(threads.div_ceil(32)),
            steps: 0,
        }
    }

    fn run(&mut self, body: &[Stmt], active: &Active) -> Result<()> {
        for stmt in body {
            let active: Active = active.iter().zip(&self.alive).map(|(active, alive)| *active && *alive).collect();
            if active.contains(&true) {
                self.step(stmt, &active)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, stmt: &Stmt, active: &Active) -> Result<()> {
        self.barriers.step();
        self.steps += 1;
        if self.steps > 20_000 {
            return Err("it does not end".to_owned());
        }
        match stmt {
            Stmt::Let(var, value, _) | Stmt::Set(var, value) => self.set(*var, value, active),
            Stmt::Update(var, op, value) => {
                let value = Expr::Binary(*op, Box::new(Expr::Var(*var)), Box::new(value.clone()));
                self.set(*var, &value, active)
            }
            Stmt::If(condition, yes, no) => self.branch(condition, yes, no, active),
            Stmt::For(var, first, condition, step, body) => {
                self.set(*var, first, active)?;
                self.repeat(condition, body, Some(step), active)
            }
            Stmt::While(condition, body) => self.repeat(condition, body, None, active),
            Stmt::Store(array, index, value) => self.store(*array, index, value, active),
            Stmt::AtomicAdd(array, index, value, var) => self.atomic_add(*array, (index, value), *var, active),
            Stmt::SyncWarp(mask) => self.sync_warp(mask.as_ref(), active),
            Stmt::SyncThreads => self.sync_threads(active),
            Stmt::SyncGroup(group) => self.sync_group(*group, active),
            Stmt::Group(group, makes, key) => self.make_group(*group, *makes, key.as_ref(), active),
            Stmt::Return => {
                active.iter().zip(&mut self.alive).for_each(|(active, alive)| *alive &= !active);
                Ok(())
            }
            Stmt::Raw(_) => Ok(()),
        }
    }

    pub(crate) fn set(&mut self, var: Var, value: &Expr, active: &Active) -> Result<()> {
        let values = self.eval(value, active)?;
        self.assign(var, &values, active)
    }

    pub(crate) fn assign(&mut self, var: Var, values: &Values, active: &Active) -> Result<()> {
        let ty = self.kernel.vars[var].ty;
        for thread in self.who(active) {
            self.vars[var][thread] = values[thread].cast(ty)?;
        }
        Ok(())
    }

    /// The threads that are active.
    pub(crate) fn who(&self, active: &Active) -> Vec<usize> {
        (0..self.threads).filter(|thread| active[*thread]).collect()
    }

    /// Where a condition holds.
    fn test(&mut self, condition: &Expr, active: &Active) -> Result<Active> {
        let values = self.eval(condition, active)?;
        let mut holds = vec![false; self.threads];
        for thread in self.who(active) {
            holds[thread] = values[thread].truth()?;
        }
        Ok(holds)
    }

    fn branch(&mut self, condition: &Expr, yes: &[Stmt], no: &[Stmt], active: &Active) -> Result<()> {
        let holds = self.test(condition, active)?;
        let fails: Active = active.iter().zip(&holds).map(|(active, holds)| *active && !holds).collect();
        self.run(yes, &holds)?;
        self.run(no, &fails)
    }

    fn repeat(&mut self, condition: &Expr, body: &[Stmt], step: Option<&Stmt>, active: &Active) -> Result<()> {
        let mut active = active.clone();
        loop {
            active.iter_mut().zip(&self.alive).for_each(|(active, alive)| *active &= *alive);
            active = self.test(condition, &active)?;
            if !active.contains(&true) {
                return Ok(());
            }
            self.run(body, &active)?;
            if let Some(step) = step {
                self.run(std::slice::from_ref(step), &active)?;
            }
        }
    }

    fn place(&self, array: Array, index: Value) -> Result<usize> {
        let index = index.whole()?;
        let info = &self.kernel.arrays[array];
        let len = match info.space {
            Space::Out => self.memory.out.len(),
            Space::In => self.memory.input,
            _ => info.len,
        };
        let place = usize::try_from(index).ok().filter(|place| *place < len);
        place.ok_or_else(|| format!("element {index} of `{}`", info.name))
    }

    fn store(&mut self, array: Array, index: &Expr, value: &Expr, active: &Active) -> Result<()> {
        let (indices, values) = (self.eval(index, active)?, self.eval(value, active)?);
        for thread in self.who(active) {
            let place = self.place(array, indices[thread])?;
            let value = values[thread].cast(self.kernel.arrays[array].ty)?;
            if value == Value::Undefined {
                return Err("an undefined value is stored".to_owned());
            }
            if array != OUT {
                self.shared[array][place].store(value, thread, &self.barriers)?;
            } else if self.memory.out[place] == UNTOUCHED {
                self.memory.out[place] = value.bits()?;
            } else {
                return Err(format!("result {place} is written twice"));
            }
        }
        Ok(())
    }

    fn load(&mut self, array: Array, indices: &Values, active: &Active) -> Result<Values> {
        let mut out = vec![Value::Undefined; self.threads];
        for thread in self.who(active) {
            let place = self.place(array, indices[thread])?;
            out[thread] = match array {
                IN => Value::Int(input(place)),
                OUT | COUNTERS => return Err("results are read".to_owned()),
                _ => self.shared[array][place].load(thread, &self.barriers)?,
            };
        }
        Ok(out)
    }

    fn atomic_add(&mut self, array: Array, (at, by): (&Expr, &Expr), var: Option<Var>, active: &Active) -> Result<()> {
        let (indices, values) = (self.eval(at, active)?, self.eval(by, active)?);
        let mut before = vec![Value::Undefined; self.threads];
        for thread in self.who(active) {
            let place = self.place(array, indices[thread])?;
            let counter = &mut self.memory.counters[place];
            before[thread] = Value::Uint(*counter);
            *counter = counter.wrapping_add(values[thread].bits()?);
        }
        var.map_or(Ok(()), |var| self.assign(var, &before, active))
    }

    fn special(&self, special: Special, thread: usize) -> Value {
        let launch = &self.kernel.launch;
        let thread = u32::try_from(thread).unwrap();
        let lane = thread % 32;
        let number = |number: u32| Value::Int(i32::try_from(number).unwrap());
        Value::Uint(match special {
            Special::ThreadX => thread % launch.x,
            Special::ThreadY => thread / launch.x,
            Special::BlockX => self.block,
            Special::DimX => launch.x,
            Special::DimY => launch.y,
            Special::Count => return number(launch.count),
            Special::Pitch => return number(launch.all()),
            Special::Lane => lane,
            Special::LaneBit => 1 << lane,
            Special::LanesBelow => (1 << lane) - 1,
            Special::LanesUpTo => (1 << lane) | ((1 << lane) - 1),
            Special::LanesFrom => !((1 << lane) - 1),
            Special::LanesAbove => !((1 << lane) | ((1 << lane) - 1)),
        })
    }

    /// The value of an expression for each active thread.
    pub(crate) fn eval(&mut self, expr: &Expr, active: &Active) -> Result<Values> {
        Ok(match expr {
            Expr::Const(value, _) => vec![*value; self.threads],
            Expr::As(inner, _) => self.eval(inner, active)?,
            Expr::Var(var) => self.vars[*var].clone(),
            Expr::Special(special) => (0..self.threads).map(|thread| self.special(*special, thread)).collect(),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, active)?, self.eval(b, active)?);
                self.each(active, |thread| binary(*op, a[thread], b[thread]))?
            }
            Expr::Cast(ty, inner) => self.cast(*ty, inner, active)?,
            Expr::Select(condition, yes, no) => {
                let holds = self.eval(condition, active)?;
                let (yes, no) = (self.eval(yes, active)?, self.eval(no, active)?);
                self.each(active, |thread| Ok(if holds[thread].truth()? { yes[thread] } else { no[thread] }))?
            }
            Expr::Warp(kind, arguments) => self.warp_call(*kind, arguments, active)?,
            Expr::MatchAll(mask, value, var) => self.match_all(mask, value, *var, active)?,
            Expr::Bits(function, inner) => self.bits(*function, inner, active)?,
            Expr::Load(array, index) => {
                let indices = self.eval(index, active)?;
                self.load(*array, &indices, active)?
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, active)?,
            Expr::Group(call, group, arguments) => self.group_call(*call, *group, arguments, active)?,
        })
    }

    fn cast(&mut self, ty: Ty, inner: &Expr, active: &Active) -> Result<Values> {
        let values = self.eval(inner, active)?;
        self.each(active, |thread| values[thread].cast(ty))
    }

    fn call(&mut self, function: usize, arguments: &[Expr], active: &Active) -> Result<Values> {
        let kernel = self.kernel;
        let function = &kernel.functions[function];
        let values: Vec<Values> =
            arguments.iter().map(|argument| self.eval(argument, active)).collect::<Result<_>>()?;
        for (param, values) in function.params.iter().zip(&values) {
            self.assign(*param, values, active)?;
        }
        if let Some((var, count)) = &function.count {
            self.set(*var, count, active)?;
        }
        self.run(&function.body, active)?;
        self.cast(function.ty, &function.result, active)
    }

    /// A value for each active thread; the others have none.
    pub(crate) fn each(&self, active: &Active, value: impl Fn(usize) -> Result<Value>) -> Result<Values> {
        (0..self.threads).map(|thread| if active[thread] { value(thread) } else { Ok(Value::Undefined) }).collect()
    }
}
