//! The many ways to write 32, and what is made of it.

use crate::ast::{Expr, Special, int, uint};
use crate::build::Build;
use crate::value::{Ty, Value};

/// How a kernel writes the numbers of a warp.
#[derive(Default)]
pub(crate) struct Style {
    warp: Vec<(Expr, bool)>,
    full: Option<Expr>,
    pub(crate) lane: Option<Expr>,
    numbers: Vec<(i32, Expr)>,
    /// Writes `warpSize` wherever a number of lanes stands.
    pub(crate) portable: bool,
}

fn named(value: i32, text: &str) -> Expr {
    Expr::Const(Value::Int(value), text.to_owned())
}

const MACROS: &[&str] = &["W", "WARP_SIZE", "WARPSIZE", "LANES", "kGroup_", "THREADS_PER_WARP", "N"];
const CONSTANTS: &[&str] = &["kWarp", "kGroup", "lanes_of", "kWarpSize", "kThreads"];

impl Build<'_> {
    /// Defines a constant with a name.
    fn constant(&mut self, value: i32, text: &str, macros: &[&str], constants: &[&str]) -> Expr {
        let form = self.rng.below(6);
        let pool = if form < 2 { macros } else { constants };
        let name = self.rng.pick(pool);
        let name = self.global_name(name);
        let (definition, used) = match form {
            0 if !text.contains(' ') => (format!("#define {name} {text}"), name.clone()),
            0 | 1 => (format!("#define {name} ({text})"), name.clone()),
            2 => (format!("constexpr int {name} = {text};"), name.clone()),
            3 => (format!("static const int {name} = {text};"), name.clone()),
            4 => (format!("enum {{ {name} = {text} }};"), name.clone()),
            _ => (format!("struct {name} {{ static constexpr int size = {text}; }};"), format!("{name}::size")),
        };
        self.define(definition);
        named(value, &used)
    }

    fn new_warp(&mut self) -> (Expr, bool) {
        match self.rng.below(12) {
            0..=2 => (int(32), true),
            3 => (uint(32), true),
            4 => (named(32, "0x20"), true),
            5 => (named(32, "1 << 5"), true),
            6 => (named(32, "warpSize"), false),
            _ => {
                let text = self.rng.pick(&["32", "32", "32", "0x20", "1 << 5", "2 * 16"]);
                (self.constant(32, text, MACROS, CONSTANTS), true)
            }
        }
    }

    /// 32 as a kernel spells it; two spellings at most.
    pub(crate) fn warp_size(&mut self) -> Expr {
        self.warp_spelled(false)
    }

    /// 32 where a constant has to stand.
    pub(crate) fn warp_constant(&mut self) -> Expr {
        self.warp_spelled(true)
    }

    fn warp_spelled(&mut self, constant: bool) -> Expr {
        if self.style.portable {
            return named(32, "warpSize");
        }
        if self.style.warp.is_empty() || (self.style.warp.len() < 2 && self.rng.chance(20)) {
            let spelled = self.new_warp();
            self.style.warp.push(spelled);
        }
        let fit: Vec<Expr> = self.style.warp.iter().filter(|one| one.1 || !constant).map(|one| one.0.clone()).collect();
        if fit.is_empty() {
            return int(32);
        }
        let number = self.rng.below(u32::try_from(fit.len()).unwrap());
        fit[number as usize].clone()
    }

    /// 31.
    pub(crate) fn last_lane(&mut self) -> Expr {
        if self.style.portable || self.rng.chance(40) {
            return self.warp_size() - int(1);
        }
        match self.rng.below(4) {
            0 => named(31, "0x1f"),
            1 => uint(31),
            _ => int(31),
        }
    }

    /// 16.
    pub(crate) fn half(&mut self) -> Expr {
        let warp = self.warp_size();
        match self.rng.below(4) {
            0 => warp / int(2),
            1 => warp >> int(1),
            _ if self.style.portable => warp / int(2),
            _ => int(16),
        }
    }

    /// 5.
    pub(crate) fn log(&mut self) -> Expr {
        if self.rng.chance(70) {
            return int(5);
        }
        if let Some((_, known)) = self.style.numbers.iter().find(|(value, _)| *value == 5) {
            return known.clone();
        }
        let log = self.constant(5, "5", &["LOG_W", "WARP_SHIFT", "LOG2_LANES"], &["kLog", "kShift"]);
        self.style.numbers.push((5, log.clone()));
        log
    }

    /// All 32 bits.
    pub(crate) fn full(&mut self) -> Expr {
        if self.style.full.is_none() || self.rng.chance(10) {
            let full = self.new_full();
            self.style.full = Some(full);
        }
        self.style.full.clone().unwrap()
    }

    fn new_full(&mut self) -> Expr {
        let all = |text: &str| Expr::Const(Value::Uint(u32::MAX), text.to_owned());
        match self.rng.below(14) {
            0..=2 => all("0xffffffff"),
            3 => all("0xffffffffu"),
            4 => all("0xFFFFFFFF"),
            5 => all("~0u"),
            6 => named(-1, "-1"),
            7 => all("UINT_MAX"),
            8 => all("(unsigned)-1"),
            9 => all("0xffffffffU"),
            form => self.full_constant(form),
        }
    }

    fn full_constant(&mut self, form: u32) -> Expr {
        let name = self.rng.pick(&["FULL_MASK", "kFullMask", "ALL", "mask_of_all"]);
        let name = self.global_name(name);
        let text = self.rng.pick(&["0xffffffff", "0xffffffffu", "~0u", "0xFFFFFFFFU"]);
        self.define(match form {
            10 => format!("#define {name} {text}"),
            11 => format!("constexpr unsigned {name} = {text};"),
            12 => format!("static const unsigned {name} = {text};"),
            _ => format!("#define {name} ({text})"),
        });
        Expr::Const(Value::Uint(u32::MAX), name)
    }

    /// Which lane the thread is, in a spelling that the kernel mostly stays with.
    pub(crate) fn lane(&mut self) -> Expr {
        let known = self.style.lane.clone().filter(|_| !self.rng.chance(15));
        if let Some(lane) = known {
            return lane;
        }
        if !self.at_top() {
            return self.lane_text();
        }
        let lane = self.new_lane();
        self.style.lane = Some(lane.clone());
        lane
    }

    /// The place of the lane, written out.
    pub(crate) fn lane_text(&mut self) -> Expr {
        let thread = self.thread.clone();
        if self.style.portable {
            return thread % self.warp_size();
        }
        match self.rng.below(8) {
            0..=2 => thread & self.last_lane(),
            3..=5 => thread % self.warp_size(),
            6 => {
                let (first, second) = (self.warp_size(), self.warp_size());
                thread.clone() - thread / first * second
            }
            _ => self.ptx("laneid", Special::Lane),
        }
    }

    fn new_lane(&mut self) -> Expr {
        let value = self.lane_text();
        let name = self.rng.pick(&["lane", "laneId", "lane_id", "l", "rank_in_warp"]);
        match self.rng.below(8) {
            0 => value,
            // A macro cannot name variables of the kernel.
            1 if self.kernel.launch.y == 1 => {
                let last = self.last_lane();
                self.macro_of("LANE", Expr::Special(Special::ThreadX) & last)
            }
            2 => self.value(name, Ty::Uint, value),
            _ => self.value(name, Ty::Int, value),
        }
    }

    /// The number of the warp in its block.
    pub(crate) fn warp_id(&mut self) -> Expr {
        let thread = self.thread.clone();
        let value = match self.rng.below(3) {
            0 if !self.style.portable => thread >> self.log(),
            _ => thread / self.warp_size(),
        };
        let name = self.rng.pick(&["warp", "warpId", "wid", "w", "group_id"]);
        if self.rng.chance(40) { value } else { self.value(name, Ty::Int, value) }
    }

    /// A function that reads a special register by inline PTX.
    pub(crate) fn ptx(&mut self, register: &str, special: Special) -> Expr {
        let name = self.global_name(&format!("read_{register}_"));
        let volatile = self.rng.pick(&["", " volatile"]);
        self.define(format!(
            "static __device__ __forceinline__ unsigned {name}() {{ unsigned r; asm{volatile}(\"mov.u32 %0, %%{register};\" : \"=r\"(r)); return r; }}"
        ));
        Expr::As(Box::new(Expr::Special(special)), format!("{name}()"))
    }

    /// A width of shuffles, and 32 in a spelling of the kernel.
    pub(crate) fn width(&mut self) -> (i32, Option<Expr>) {
        match self.rng.below(10) {
            0..=3 => (32, None),
            4..=5 => (32, Some(self.warp_size())),
            6 => (16, Some(int(16))),
            7 => (8, Some(int(8))),
            8 => (4, Some(int(4))),
            _ => {
                let half = self.half();
                (16, Some(half))
            }
        }
    }
}
