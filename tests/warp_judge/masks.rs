//! Kinds of statements: masks on their way through variables, functions, templates, structures and arrays.

use crate::ast::{Expr, Function, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::shuffles::halving;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("mask_in_variable", in_variable),
    ("mask_in_structure", in_structure),
    ("mask_in_array", in_array),
    ("mask_in_wide_type", in_wide_type),
    ("mask_by_auto", by_auto),
    ("mask_by_typedef", by_typedef),
    ("mask_returned", returned),
    ("mask_as_parameter", as_parameter),
    ("mask_through_two", through_two),
    ("mask_by_reference", by_reference),
    ("function_sum", function_sum),
    ("function_sum_width", function_sum_width),
    ("function_template", function_template),
    ("function_template_count", function_template_count),
    ("function_lane", function_lane),
    ("function_rank", function_rank),
    ("macro_shuffle", macro_shuffle),
    ("mask_chosen", chosen),
];

fn votes(b: &mut Build<'_>) -> Expr {
    let condition = b.condition();
    warp(Warp::Ballot, &[b.full(), condition])
}

fn in_variable(b: &mut Build<'_>) {
    let full = b.full();
    let name = b.rng.pick(&["mask", "m", "everybody", "lanes", "active"]);
    let mask = b.value(name, Ty::Uint, full);
    let value = b.data(Ty::Int);
    let by = int(i32::try_from(b.rng.between(1, 16)).unwrap());
    let got = warp(Warp::ShflXor, &[mask.clone(), Expr::Var(value), by]);
    b.out(got, Ty::Int);
    let condition = b.condition();
    let told = warp(Warp::Any, &[mask, condition]);
    b.out(told, Ty::Int);
}

fn in_structure(b: &mut Build<'_>) {
    let name = b.global_name("Votes");
    b.define(format!("struct {name} {{ unsigned mask; int first; }};"));
    let object = b.name("s");
    b.push(Stmt::Raw(format!("{name} {object};")));
    let mask = b.var_named(format!("{object}.mask"), Ty::Uint);
    let first = b.var_named(format!("{object}.first"), Ty::Int);
    let votes = votes(b);
    b.push(Stmt::Set(mask, votes));
    b.push(Stmt::Set(first, Expr::Var(mask).ffs()));
    b.out(Expr::Var(mask).popc() * int(100) + Expr::Var(first), Ty::Int);
}

fn in_array(b: &mut Build<'_>) {
    let name = b.name("masks");
    b.push(Stmt::Raw(format!("unsigned {name}[2];")));
    let first = b.var_named(format!("{name}[0]"), Ty::Uint);
    let second = b.var_named(format!("{name}[1]"), Ty::Uint);
    let (one, two) = (votes(b), votes(b));
    b.push(Stmt::Set(first, one));
    b.push(Stmt::Set(second, two));
    b.out((Expr::Var(first) & Expr::Var(second)).popc(), Ty::Int);
    b.out(Expr::Var(first) ^ Expr::Var(second), Ty::Uint);
}

fn in_wide_type(b: &mut Build<'_>) {
    let full = b.full();
    let mask = b.value("mask", Ty::Ulong, full.cast(Ty::Uint));
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[mask, condition]);
    b.out(votes.popc(), Ty::Int);
}

/// A variable with a spelled type.
fn spelled(b: &mut Build<'_>, name: &str, spelled: String, ty: Ty, value: Expr) -> Expr {
    let var = b.var(name, ty);
    b.kernel.vars[var].spelled = spelled;
    b.push(Stmt::Let(var, value, ""));
    Expr::Var(var)
}

fn by_auto(b: &mut Build<'_>) {
    let votes = votes(b);
    let text = b.rng.pick(&["auto", "const auto"]);
    let mask = spelled(b, "votes", text.to_owned(), Ty::Uint, votes);
    let lane = b.lane();
    b.out((mask.clone() >> lane) & int(1), Ty::Uint);
    b.out(mask.popc(), Ty::Int);
}

fn by_typedef(b: &mut Build<'_>) {
    let name = b.global_name("lane_mask");
    let definition =
        if b.rng.chance(50) { format!("typedef unsigned {name};") } else { format!("using {name} = unsigned int;") };
    b.define(definition);
    let votes = votes(b);
    let mask = spelled(b, "m", name, Ty::Uint, votes);
    b.out(mask.popc(), Ty::Int);
}

fn returned(b: &mut Build<'_>) {
    let full = b.full();
    let name = b.rng.pick(&["votes_of", "who_wants", "ballot"]);
    let ty = b.rng.pick(&[Ty::Uint, Ty::Uint, Ty::Int]);
    let function =
        b.function(name, ty, &[("wants", Ty::Int)], |_, params| warp(Warp::Ballot, &[full, params[0].clone()]));
    let condition = b.condition();
    let votes = Expr::Call(function, vec![condition]);
    b.out(votes.popc(), Ty::Int);
}

fn as_parameter(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Uint, Ty::Uint, Ty::Int, Ty::Ulong]);
    let function = b.function("next_of", Ty::Int, &[("mask", ty), ("x", Ty::Int)], |b, params| {
        let got = warp(Warp::ShflXor, &[params[0].clone(), params[1].clone(), int(1)]);
        let got = b.value("got", Ty::Int, got);
        got + params[1].clone()
    });
    let (full, value) = (b.full(), b.input());
    let full = if ty == Ty::Ulong { full.cast(Ty::Uint) } else { full };
    b.out(Expr::Call(function, vec![full, value]), Ty::Int);
}

fn through_two(b: &mut Build<'_>) {
    let full = b.full();
    let inner =
        b.function("inner", Ty::Uint, &[("p", Ty::Int)], |_, params| warp(Warp::Ballot, &[full, params[0].clone()]));
    let outer = b.function("outer", Ty::Uint, &[("p", Ty::Int)], |b, params| {
        let votes = b.value("r", Ty::Uint, Expr::Call(inner, vec![params[0].clone()]));
        votes.clone() | (votes >> int(1))
    });
    let condition = b.condition();
    let result = Expr::Call(outer, vec![condition]);
    b.out(result, Ty::Uint);
}

fn by_reference(b: &mut Build<'_>) {
    let votes = votes(b);
    let mask = b.let_mut("votes", Ty::Uint, votes);
    let name = b.name("ref");
    let type_name = b.kernel.vars[mask].spelled.clone();
    let text = b.kernel.vars[mask].name.clone();
    b.push(Stmt::Raw(format!("{type_name}& {name} = {text};")));
    let alias = Expr::As(Box::new(Expr::Var(mask)), name);
    b.out(alias.popc(), Ty::Int);
}

/// The body of a function that sums a value of the warp.
fn sum_of(b: &mut Build<'_>, value: &Expr) -> Expr {
    let Expr::Var(var) = *value else { panic!("no parameter") };
    let first = b.half();
    halving(b, first, |b, by| {
        let arguments = [b.full(), Expr::Var(var), by];
        b.push(Stmt::Update(var, Op::Add, warp(Warp::ShflXor, &arguments)));
    });
    value.clone()
}

fn function_sum(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Float, Ty::Double, Ty::Long]);
    let name = b.rng.pick(&["warp_sum", "warpReduceSum", "reduce", "sum_of_lanes"]);
    let function = b.function(name, ty, &[("val", ty)], |b, params| sum_of(b, &params[0]));
    let value = b.data(ty);
    b.out(Expr::Call(function, vec![Expr::Var(value)]), ty);
}

fn function_sum_width(b: &mut Build<'_>) {
    let function = b.function("sum", Ty::Int, &[("val", Ty::Int), ("width", Ty::Int)], |b, params| {
        let Expr::Var(value) = params[0] else { panic!("no parameter") };
        halving(b, params[1].clone() / int(2), |b, by| {
            let got = warp(Warp::ShflXor, &[b.full(), Expr::Var(value), by, params[1].clone()]);
            b.push(Stmt::Update(value, Op::Add, got));
        });
        params[0].clone()
    });
    let width = b.width();
    let width = width.1.unwrap_or_else(|| b.warp_size());
    let value = b.data(Ty::Int);
    b.out(Expr::Call(function, vec![Expr::Var(value), width]), Ty::Int);
}

fn function_template(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Float, Ty::Double, Ty::Ulong]);
    let function = b.function("reduce_all", ty, &[("val", ty)], |b, params| sum_of(b, &params[0]));
    let made: &mut Function = &mut b.kernel.functions[function];
    // Distances would be called `T`, too.
    if ty.is_float() {
        made.generic = Some(ty);
    }
    let value = b.data(ty);
    b.out(Expr::Call(function, vec![Expr::Var(value)]), ty);
}

fn function_template_count(b: &mut Build<'_>) {
    let name = b.rng.pick(&["N", "WIDTH", "LANES_", "kWidth"]);
    let count = b.var_named(name.to_owned(), Ty::Int);
    let function = b.function("reduce_of", Ty::Int, &[("val", Ty::Int)], |b, params| {
        let Expr::Var(value) = params[0] else { panic!("no parameter") };
        let width = if b.rng.chance(50) { Some(Expr::Var(count)) } else { None };
        halving(b, Expr::Var(count) / int(2), |b, by| {
            let mut arguments = vec![b.full(), Expr::Var(value), by];
            arguments.extend(width);
            b.push(Stmt::Update(value, Op::Add, warp(Warp::ShflXor, &arguments)));
        });
        params[0].clone()
    });
    let argument = if b.rng.chance(60) { b.warp_constant() } else { int(b.rng.pick(&[4, 8, 16])) };
    b.kernel.functions[function].count = Some((count, argument));
    let value = b.data(Ty::Int);
    b.out(Expr::Call(function, vec![Expr::Var(value)]), Ty::Int);
}

fn function_lane(b: &mut Build<'_>) {
    let name = b.rng.pick(&["lane_id", "get_lane", "laneOf"]);
    let function = b.function(name, Ty::Int, &[], |b, _| b.lane_text());
    let lane = Expr::Call(function, Vec::new());
    let value = b.data(Ty::Int);
    let next = warp(Warp::Shfl, &[b.full(), Expr::Var(value), (lane.clone() + int(1)) % b.warp_size()]);
    b.out(next + lane * int(1000), Ty::Int);
}

fn function_rank(b: &mut Build<'_>) {
    let function = b.function("rank_of", Ty::Int, &[("m", Ty::Uint), ("lane", Ty::Int)], |_, params| {
        let one = Expr::Const(crate::value::Value::Uint(1), "1u".to_owned());
        (params[0].clone() & ((one << params[1].clone()) - int(1))).popc()
    });
    let votes = votes(b);
    let lane = b.lane();
    b.out(Expr::Call(function, vec![votes, lane]), Ty::Int);
}

fn macro_shuffle(b: &mut Build<'_>) {
    let value = b.data(Ty::Int);
    let name = b.global_name("SHFL");
    let full = b.full();
    let text = crate::print::Printer::new(&b.kernel).expr(&full);
    b.define(format!("#define {name}(v, l) __shfl_sync({text}, v, l)"));
    let from = int(i32::try_from(b.rng.below(32)).unwrap());
    let used = format!("{name}({}, {})", b.kernel.vars[value].name, crate::print::Printer::new(&b.kernel).expr(&from));
    let got = warp(Warp::Shfl, &[full, Expr::Var(value), from]);
    b.out(Expr::As(Box::new(got), used), Ty::Int);
}

fn chosen(b: &mut Build<'_>) {
    let (one, two) = (votes(b), votes(b));
    let one = b.value("one", Ty::Uint, one);
    let two = b.value("two", Ty::Uint, two);
    let more = one.clone().popc().op(Op::Greater, two.clone().popc());
    let mask = b.value("larger", Ty::Uint, more.select(one, two));
    b.out(mask, Ty::Uint);
}
