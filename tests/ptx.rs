//! The table of PTX rewrites: every row converts its own instruction, and what it gives computes
//! the same as the instruction did on an NVIDIA GPU.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, Diagnostic};
use hipshift::engine::{Input, Outcome, check, convert};
use hipshift::mapping::{PtxLanes, PtxRewrite, PtxSpelling, PtxTable, Table};
use hipshift::settings::{RuleSelection, Settings, WavePolicy};
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

fn with_input<T>(text: &str, settings: &Settings, run: impl FnOnce(Input<'_>) -> T) -> T {
    let document = Document::new(SourceFile::from_text("a.cu", text));
    let table = Table::builtin().unwrap();
    run(Input { document: &document, project: &ProjectFacts::default(), table, settings })
}

fn converted(text: &str, settings: &Settings) -> (String, Outcome) {
    with_input(text, settings, |input| {
        let outcome = convert(input);
        (outcome.patch.apply(text), outcome)
    })
}

/// Only the rules about PTX run.
fn settings() -> Settings {
    let rules = RuleSelection { select: vec!["P".to_owned()], ..RuleSelection::default() };
    Settings { rules, ..Settings::default() }
}

fn unsafe_settings() -> Settings {
    Settings { applicability: Applicability::Unsafe, ..settings() }
}

fn ptx_findings(text: &str, settings: &Settings) -> Vec<Diagnostic> {
    let found = with_input(text, settings, check);
    found.found.iter().filter(|finding| finding.rule.code.starts_with('P')).collect()
}

/// An operand of an instruction form.
#[derive(Clone)]
struct Slot {
    name: String,
    written: bool,
    class: char,
    /// Whether the instruction has a predicate there, which the body around it makes of a word, or the other way round.
    is_predicate: bool,
}

/// One name of one row with values for its immediate operands.
struct Case {
    row: &'static PtxRewrite,
    spelling: &'static PtxSpelling,
    slots: Vec<Slot>,
    /// Immediate operands: name and value.
    immediates: Vec<(String, String)>,
    /// Several instructions in place of that of the row.
    body: Option<&'static str>,
}

/// Bodies of several instructions, with their operands as in the table.
const BODIES: &[(&str, &str)] = &[
    ("x:=r, y:=r, a:r, b:r, c:r, e:r", "add.cc.u32 %0, %2, %3;\\n\\taddc.u32 %1, %4, %5"),
    ("x:=r, y:=r, z:=r, a:r, b:r, c:r, e:r", "add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %5, %6; addc.u32 %2, %3, %6"),
    ("x:=r, y:=r, a:r, b:r, c:r, e:r", "sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5"),
    ("x:=r, y:=r, z:=r, a:r, b:r, c:r, e:r", "sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %5, %6; subc.u32 %2, 0, 0"),
    ("x:=l, y:=l, z:=r, a:l, b:l, c:l", "add.cc.u64 %0, %3, %4; addc.cc.u64 %1, %4, %5; addc.u32 %2, 0, 0"),
    ("x:=l, y:=l, z:=r, a:l, b:l, c:l", "sub.cc.u64 %0, %3, %4; subc.cc.u64 %1, %4, %5; subc.u32 %2, 0, 0"),
    (
        "x:=r, y:=r, z:=r, a:r, b:r, c:r",
        "mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %5; addc.u32 %2, 0, 0",
    ),
    (
        "x:=r, y:=r, z:=r, a:r, b:r, c:r",
        "mad.hi.cc.u32 %0, %3, %4, %5; madc.lo.cc.u32 %1, %4, %5, %3; madc.hi.u32 %2, %3, %5, %4",
    ),
    ("x:=l, y:=l, a:l, b:l, c:l", "mad.lo.cc.u64 %0, %2, %3, %4; madc.hi.u64 %1, %2, %3, %4"),
    ("x:=r, a:r, b:r", "{ .reg .u32 t, u; mul.hi.u32 t, %1, %2; xor.b32 u, t, %1; min.u32 %0, u, %2; }"),
    (
        "x:=r, a:r, b:r",
        "{ .reg .pred p; setp.lt.s32 p, %1, %2; mov.u32 %0, 7; @p add.u32 %0, %1, %2; @!p sub.u32 %0, %1, %0; }",
    ),
    (
        "x:=f, y:=r, a:f, b:f",
        "{ .reg .pred p, q; setp.gt.f32 p, %2, %3; setp.nan.f32 q, %2, %3; or.pred q, q, p; selp.f32 %0, %2, %3, q; \
         mov.u32 %1, 0; @q mov.b32 %1, %2; }",
    ),
    ("x:=l, a:r, b:r", "{ .reg .b64 %t; mov.b64 %t, {%1, %2}; shl.b64 %0, %t, 7; }"),
];

fn bodies() -> Vec<Case> {
    let carries = PtxTable::builtin().unwrap().rewrites.iter().find(|row| row.carry).unwrap();
    let case = |(args, body): &(&str, &'static str)| Case {
        row: carries,
        spelling: &carries.ops[0],
        slots: slots(args),
        immediates: Vec::new(),
        body: Some(body),
    };
    BODIES.iter().map(case).collect()
}

fn slots(args: &str) -> Vec<Slot> {
    let parts = args.split(|c: char| ",{}[]| ".contains(c)).filter(|part| part.contains(':'));
    let slot = |part: &str| {
        let (name, class) = part.split_once(':').unwrap();
        let class = class.strip_prefix('=').map_or((false, class), |class| (true, class));
        let letter = class.1.chars().next().unwrap();
        let is_predicate = letter == 'p';
        let class_letter = if is_predicate { 'r' } else { letter };
        Slot { name: name.to_owned(), written: class.0, class: class_letter, is_predicate }
    };
    parts.map(slot).collect()
}

fn cases_of(row: &'static PtxRewrite) -> Vec<Case> {
    let all = slots(&row.args);
    let (immediate, slots): (Vec<Slot>, Vec<Slot>) = all.into_iter().partition(|slot| slot.class == 'n');
    let tries: Vec<&str> = if row.tries.is_empty() { vec!["1"] } else { row.tries.iter().map(|t| &**t).collect() };
    let mut choices: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for slot in &immediate {
        let extend = |known: &Vec<(String, String)>| {
            let with = |value: &&str| [known.clone(), vec![(slot.name.clone(), (*value).to_owned())]].concat();
            tries.iter().map(with).collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(extend).collect();
    }
    let spellings = row.ops.iter();
    let case = |spelling: &'static PtxSpelling| {
        let with = move |immediates: &Vec<(String, String)>| (spelling, immediates.clone());
        choices.iter().map(with).collect::<Vec<_>>()
    };
    let pairs = spellings.flat_map(case);
    pairs.map(|(spelling, immediates)| Case { row, spelling, slots: slots.clone(), immediates, body: None }).collect()
}

impl Case {
    /// The instruction as text.
    fn instruction(&self) -> String {
        if let Some(body) = self.body {
            return body.to_owned();
        }
        let mut args = String::new();
        for part in self.row.args.split_inclusive([',', '{', '}', '[', ']', '|', ' ']) {
            let (word, end) = part.split_at(part.trim_end_matches([',', '{', '}', '[', ']', '|', ' ']).len());
            let name = word.split_once(':').map_or(word, |(name, _)| name);
            let position = self.slots.iter().position(|slot| slot.name == name && word.contains(':'));
            let immediate = self.immediates.iter().find(|(slot, _)| slot == name && word.contains(':'));
            match (position, immediate) {
                (Some(position), _) if self.slots[position].is_predicate => write!(args, "p{position}{end}").unwrap(),
                (Some(position), _) => write!(args, "%{position}{end}").unwrap(),
                (_, Some((_, value))) => write!(args, "{value}{end}").unwrap(),
                _ => write!(args, "{}{end}", word.replace('%', "%%")).unwrap(),
            }
        }
        let instruction = format!("{} {args}", self.spelling.op).trim_end().to_owned();
        if self.has_predicates() { self.with_predicates(&instruction) } else { instruction }
    }

    fn has_predicates(&self) -> bool {
        self.slots.iter().any(|slot| slot.is_predicate)
    }

    /// A body that makes the predicates of an instruction of words, and words of them.
    fn with_predicates(&self, instruction: &str) -> String {
        let (mut text, mut after) = ("{ .reg .u32 t; ".to_owned(), String::new());
        for (number, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.is_predicate) {
            write!(text, ".reg .pred p{number}; ").unwrap();
            if slot.written {
                write!(after, "selp.u32 %{number}, 1, 0, p{number}; ").unwrap();
            } else {
                write!(text, "and.b32 t, %{number}, 1; setp.ne.u32 p{number}, t, 0; ").unwrap();
            }
        }
        format!("{text}{instruction}; {after}}}")
    }

    /// The statement, which names the case too.
    fn asm(&self) -> String {
        let of = |written: bool| {
            let slots = self.slots.iter().filter(|slot| slot.written == written);
            let operand = |slot: &Slot| format!("\"{}{}\"({})", if written { "=" } else { "" }, slot.class, slot.name);
            slots.map(operand).collect::<Vec<_>>().join(", ")
        };
        let instruction = self.instruction();
        let end = if instruction.ends_with('}') && instruction.starts_with('{') { "" } else { ";" };
        format!("asm(\"{instruction}{end}\" : {} : {});", of(true), of(false))
    }

    /// What the row gives, its slots named like the variables; `None` if it is put together.
    fn expected(&self) -> Option<String> {
        let mut hip = self.spelling.choose(&self.row.hip);
        assert!(self.body.is_none());
        if hip.contains("$lut(") || self.has_predicates() {
            return None;
        }
        for slot in &self.slots {
            hip = replace_slot(&hip, &slot.name, &slot.name);
        }
        for (name, value) in &self.immediates {
            hip = replace_slot(&hip, name, value);
        }
        Some(format!("{hip};"))
    }
}

fn replace_slot(text: &str, name: &str, value: &str) -> String {
    let slot = format!("${name}");
    let mut parts = text.split(&slot);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let goes_on = part.starts_with(|c: char| c.is_ascii_alphanumeric());
        if goes_on { format!("{text}${name}{part}") } else { format!("{text}{value}{part}") }
    })
}

fn cases() -> Vec<Case> {
    PtxTable::builtin().unwrap().rewrites.iter().filter(|row| !row.carry).flat_map(cases_of).collect()
}

fn gives(case: &Case, settings: &Settings) -> String {
    let wave_policy = match case.row.lanes {
        Some(PtxLanes::Native) => WavePolicy::Native,
        Some(PtxLanes::Logical32) | None => WavePolicy::Logical32,
    };
    let settings = Settings { wave_policy, ..settings.clone() };
    let text = format!("__device__ void f() {{ {} }}\n", case.asm());
    let (text, _) = converted(&text, &settings);
    // Functions for warps may stand before it.
    let body = text.split_once("__device__ void f() { ").and_then(|(_, text)| text.strip_suffix(" }\n"));
    body.unwrap_or(&text).to_owned()
}

#[test]
fn every_row_converts_its_own_instruction() {
    let settings = unsafe_settings();
    for case in cases() {
        let given = gives(&case, &settings);
        match case.expected() {
            // An earlier row may have the same form for immediate values.
            Some(expected) if !case.row.ops.is_empty() && case.immediates.is_empty() => {
                assert_eq!(given, expected, "{}", case.asm());
            }
            _ => assert!(!given.contains("asm("), "{} is left", case.asm()),
        }
    }
}

#[test]
fn bodies_of_several_instructions_are_converted() {
    for case in bodies() {
        let given = gives(&case, &settings());
        assert!(!given.contains("asm("), "{} is left", case.asm());
    }
    check_unsafe(
        r#"asm("add.cc.u32 %0, %0, %2; addc.u32 %1, %1, 0;" : "+r"(low), "+r"(a[1]) : "r"(n + 1));"#,
        "do { unsigned ptx_cc = 0u; unsigned ptx_0 = (unsigned)(low); unsigned ptx_1 = (unsigned)(a[1]); \
         unsigned ptx_2 = (unsigned)(n + 1); \
         do { const unsigned long long ptx_s = (unsigned long long)(unsigned)ptx_0 + (unsigned)ptx_2; \
         ptx_0 = (unsigned)ptx_s; ptx_cc = (unsigned)(ptx_s >> 32); } while (0); \
         do { const unsigned long long ptx_s = (unsigned long long)(unsigned)ptx_1 + 0u + ptx_cc; \
         ptx_1 = (unsigned)ptx_s; } while (0); (low) = ptx_0; (a[1]) = ptx_1; } while (0);",
    );
}

#[test]
fn carries_between_statements_are_not_converted() {
    for kept in [
        r#"asm("add.cc.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));"#,
        r#"asm("add.u32 %0, %1, %2; addc.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));"#,
        r#"asm("add.cc.u32 %0, %1, %2; addc.cc.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));"#,
        r#"asm("sub.cc.u32 %0, %1, %2; addc.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));"#,
        r#"asm("add.cc.u32 %0, %0, %1; addc.u32 %0, %0, %1;" : "+r"(d[i++]) : "r"(a));"#,
    ] {
        check_unsafe(kept, kept);
    }
}

#[test]
fn guards_become_conditions_where_one_thread_is_all_that_they_are_about() {
    check_unsafe(
        r#"asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p mov.u32 %0, %1; @!p add.u32 %0, %0, 1; }" : "+r"(d) : "r"(a));"#,
        "do { unsigned ptx_0 = (unsigned)(d); unsigned ptx_1 = (unsigned)(a); bool ptx_2 = 0; \
         ptx_2 = (int)ptx_1 != (int)0; if (ptx_2) { ptx_0 = (unsigned)ptx_1; } \
         if (!ptx_2) { ptx_0 = (unsigned)ptx_0 + 1u; } (d) = ptx_0; } while (0);",
    );
    for kept in [
        r#"asm("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p bar.sync 0; }" :: "r"(a));"#,
        r#"asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p add.cc.u32 %0, %0, 1; }" : "+r"(d) : "r"(a));"#,
        r#"asm("{ .reg .u32 p; mov.u32 p, %1; @p mov.u32 %0, %1; }" : "+r"(d) : "r"(a));"#,
        r#"asm("{ .reg .pred p; @p mov.u32 %0, %1; bra DONE; }" : "+r"(d) : "r"(a));"#,
    ] {
        check_unsafe(kept, kept);
    }
}

#[test]
fn safe_rows_are_applied_without_asking_and_the_others_are_not() {
    for case in cases() {
        let given = gives(&case, &settings());
        let is_applied = !given.contains("asm(");
        assert_eq!(is_applied, case.row.safe, "{}", case.asm());
    }
}

#[test]
fn lanes_follow_the_wave_policy() {
    let gives = |asm: &str, wave_policy| {
        let settings = Settings { wave_policy, ..settings() };
        converted(&format!("__device__ void f() {{ {asm} }}\n"), &settings).0
    };
    let lane = r#"asm("mov.u32 %0, %%laneid;" : "=r"(d));"#;
    assert!(gives(lane, WavePolicy::Logical32).contains("d = __lane_id() & 31u;"));
    assert!(gives(lane, WavePolicy::Native).contains("d = __lane_id();"));
    let below = r#"asm("mov.u32 %0, %%lanemask_lt;" : "=r"(d));"#;
    assert!(gives(below, WavePolicy::Logical32).contains("d = (1u << (__lane_id() & 31u)) - 1u;"));
    // 32 bits do not hold the lanes of a wave.
    assert!(gives(below, WavePolicy::Native).contains("asm("));
}

#[test]
fn every_rewritten_instruction_has_a_description() {
    let table = PtxTable::builtin().unwrap();
    let known = |op: &str| table.instructions.iter().any(|instruction| *instruction.op == *op);
    for row in &table.rewrites {
        for spelling in &row.ops {
            assert!(known(spelling.op.split('.').next().unwrap()), "{}", spelling.op);
        }
    }
    let mut ops: Vec<&str> = table.instructions.iter().map(|instruction| &*instruction.op).collect();
    ops.dedup();
    assert_eq!(ops.len(), table.instructions.len(), "an instruction stands twice in the table");
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules/ptx").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Line and rule of every mark `~ rule` in a comment.
fn marks(text: &str) -> Vec<(usize, String)> {
    let mark = |(line, text): (usize, &str)| {
        let (_, rule) = text.split_once("//~ ").or_else(|| text.split_once("/*~ "))?;
        Some((line + 1, rule.split_whitespace().next()?.to_owned()))
    };
    text.lines().enumerate().filter_map(mark).collect()
}

#[test]
fn fixtures_have_the_findings_that_they_mark() {
    for name in ["inline_ptx.cu", "untranslated_ptx.cu"] {
        let text = fixture(name);
        let line = |finding: &Diagnostic| text[..usize::from(finding.range.start())].lines().count().max(1);
        let found = ptx_findings(&text, &settings());
        let found: Vec<_> = found.iter().map(|finding| (line(finding), finding.rule.name.to_owned())).collect();
        assert_eq!(found, marks(&text), "{name}");
    }
}

#[track_caller]
fn check_unsafe(before: &str, after: &str) {
    let head = "__device__ void f() { ";
    let (text, _) = converted(&format!("{head}{before} }}"), &unsafe_settings());
    assert_eq!(text, format!("{head}{after} }}"));
}

#[test]
fn operands_keep_their_meaning() {
    check_unsafe(r#"asm("not.b32 %0, %1;" : "=r"(*d) : "r"(a + 1));"#, "(*d) = ~(unsigned)(a + 1);");
    check_unsafe(r#"asm("not.b32 %0, %1;" : "=r"(d.x[i]) : "r"(f(a)));"#, "d.x[i] = ~(unsigned)f(a);");
    check_unsafe(r#"asm("not.b32 %0, %0;" : "+r"(x));"#, "x = ~(unsigned)x;");
    check_unsafe(r#"asm("not.b32 %0, %1;" : "=r"(x) : "r"(OFFSET));"#, "x = ~(unsigned)(OFFSET);");
    check_unsafe(r#"asm("not.b32 %0, -5;" : "=r"(x));"#, "x = ~(unsigned)(-5);");
    check_unsafe(
        r#"asm("add.f32 %0, %1, 0f3F800000;" : "=f"(x) : "f"(y));"#,
        "x = (float)y + (float)__uint_as_float(0x3F800000u);",
    );
}

#[test]
fn operands_are_evaluated_once() {
    check_unsafe(
        r#"asm("min.u32 %0, %1, %2;" : "=r"(d) : "r"(f()), "r"(b));"#,
        "do { const unsigned ptx_1 = (unsigned)(f()); d = (unsigned)ptx_1 < (unsigned)b ? (unsigned)ptx_1 : (unsigned)b; } while (0);",
    );
    check_unsafe(
        r#"asm("not.b32 %0, %0;" : "+r"(p[i++]));"#,
        "do { auto& ptx_0 = p[i++]; ptx_0 = ~(unsigned)ptx_0; } while (0);",
    );
    let lost = r#"asm("trap;" :: "r"(i++));"#;
    check_unsafe(lost, lost);
    let clash = r#"asm("min.u32 %0, %1, %2;" : "=r"(d) : "r"(f()), "r"(ptx_1));"#;
    check_unsafe(clash, clash);
}

#[test]
fn parameters_of_macros_get_parentheses_and_a_name() {
    let macro_of = |body: &str| format!("#define M(d, a, n) {body}\n");
    let check = |before: &str, after: &str| {
        assert_eq!(converted(&macro_of(before), &unsafe_settings()).0, macro_of(after));
    };
    check(r#"asm("not.b32 %0, %1;" : "=r"(d) : "r"(a))"#, "(d) = ~(unsigned)(a)");
    check(
        r#"asm("shf.l.wrap.b32 %0, %1, %1, %2;" : "=r"(d) : "r"(a), "r"(n))"#,
        "do { const unsigned ptx_1 = (unsigned)(a); (d) = __funnelshift_l((unsigned)ptx_1, (unsigned)ptx_1, (unsigned)(n)); } while (0)",
    );
}

#[test]
fn memory_clobbers_stay_barriers_for_the_compiler() {
    check_unsafe(
        r#"asm volatile("ld.global.u32 %0, [%1+4];" : "=r"(x) : "l"(p) : "memory");"#,
        r#"do { __asm__ volatile("" ::: "memory"); x = *(const unsigned*)((unsigned long long)p + 4); __asm__ volatile("" ::: "memory"); } while (0);"#,
    );
    check_unsafe(r#"asm volatile("membar.cta;" ::: "memory");"#, "__threadfence_block();");
}

#[test]
fn names_inside_operands_are_renamed_as_well() {
    let text = r#"__device__ void f() { asm("not.b32 %0, %1;" : "=r"(x) : "r"(cudaErrorUnknown)); }"#;
    let (text, _) = converted(text, &Settings::default());
    assert!(text.contains("x = ~(unsigned)hipErrorUnknown;"), "{text}");
}

#[test]
fn converting_twice_changes_nothing() {
    let (once, _) = converted(&fixture("inline_ptx.cu"), &unsafe_settings());
    let (twice, outcome) = converted(&once, &unsafe_settings());
    assert_eq!(once, twice);
    assert!(outcome.remaining.is_empty(), "{:?}", outcome.remaining);
}

// --- comparison with an NVIDIA GPU ---

fn cpp_type(class: char) -> &'static str {
    match class {
        'r' => "unsigned",
        'l' => "unsigned long long",
        'h' => "unsigned short",
        'f' => "float",
        'd' => "double",
        other => panic!("no type for `{other}`"),
    }
}

/// The part of the name that says what the instruction gives, and what it takes.
fn formats(op: &str) -> (&str, &str) {
    let parts: Vec<&str> = op.split('.').collect();
    let last = parts.last().copied().unwrap_or_default();
    if op.starts_with("cvt.") { (parts[parts.len() - 2], last) } else { (last, last) }
}

/// The function that runs one case for round `round` and hashes what it gives.
fn function(number: usize, case: &Case, statement: &str) -> String {
    let (result, source) = formats(&case.spelling.op);
    let mut text = format!("PTX_FN u64 case_{number}(const Round& round) {{\n");
    let mut inputs = 0;
    for slot in &case.slots {
        let source = match slot.class {
            'r' if source.ends_with("f16x2") => "two_halves",
            'r' => "word",
            'l' => "integer",
            'h' => "half",
            'f' => "real",
            _ => "real64",
        };
        if slot.written {
            writeln!(text, "  {} {};", cpp_type(slot.class), slot.name).unwrap();
        } else {
            writeln!(text, "  {} {} = round.{source}({inputs});", cpp_type(slot.class), slot.name).unwrap();
            inputs += 1;
        }
    }
    writeln!(text, "  {statement}").unwrap();
    let bits = match result {
        "f16" | "bf16" | "f16x2" | "bf16x2" => format!("{result}_bits"),
        _ => "bits_of".to_owned(),
    };
    let written = case.slots.iter().filter(|slot| slot.written).enumerate();
    let hashes = written.map(|(idx, slot)| format!("ptx_hash(round.i, {idx}, {bits}({}))", slot.name));
    writeln!(text, "  return {};\n}}", hashes.collect::<Vec<_>>().join(" + ")).unwrap();
    text
}

/// How many rounds try all combinations of edges.
fn edges(case: &Case) -> u64 {
    let inputs = case.slots.iter().filter(|slot| !slot.written).count();
    24_u64.pow(u32::try_from(inputs).unwrap())
}

const RANDOM_ROUNDS: u64 = 1 << 16;

fn compared_cases() -> Vec<Case> {
    cases().into_iter().filter(|case| case.row.compared).chain(bodies()).collect()
}

/// A program that prints the hash of every compared case, one line each.
fn program(cases: &[Case], statement: impl Fn(&Case) -> String, head: &str, run: &str) -> String {
    let mut text = format!("// Written by tests/ptx.rs.\n{head}\n");
    for (number, case) in cases.iter().enumerate() {
        text.push_str(&function(number, case, &statement(case)));
        text.push_str(&run.replace("NUMBER", &number.to_string()));
    }
    text.push_str("int main() {\n");
    for (number, case) in cases.iter().enumerate() {
        writeln!(
            text,
            "  printf(\"%016llx {}\\n\", run_{number}({edges}ull, {rounds}ull));",
            case.asm().replace('%', "%%").replace('\\', "\\\\").replace('"', "\\\""),
            edges = edges(case),
            rounds = edges(case) + RANDOM_ROUNDS,
        )
        .unwrap();
    }
    text.push_str("}\n");
    text
}

const CUDA_HEAD: &str = "#include <cstdio>\n#include \"harness.hpp\"";
const CUDA_RUN: &str = "
__global__ void kernel_NUMBER(u64 edges, u64 rounds, u64* sum) {
  u64 own = 0;
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < rounds; i += gridDim.x * blockDim.x)
    own += case_NUMBER(Round{i, edges});
  atomicAdd(sum, own);
}
u64 run_NUMBER(u64 edges, u64 rounds) {
  u64* sum;
  u64 result = 0;
  cudaMalloc(&sum, sizeof(u64));
  cudaMemset(sum, 0, sizeof(u64));
  kernel_NUMBER<<<256, 128>>>(edges, rounds, sum);
  if (cudaMemcpy(&result, sum, sizeof(u64), cudaMemcpyDeviceToHost) != cudaSuccess) printf(\"failed \");
  cudaFree(sum);
  return result;
}
";
const HOST_HEAD: &str = "#include <cstdio>\n#include \"harness.hpp\"\n#include \"hip.hpp\"";
const HOST_RUN: &str = "
u64 run_NUMBER(u64 edges, u64 rounds) {
  u64 sum = 0;
  for (u64 i = 0; i < rounds; ++i) sum += case_NUMBER(Round{i, edges});
  return sum;
}
";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ptx")
}

/// The folder that `./test` fills.
fn toolchain() -> PathBuf {
    let fetched = || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolchain");
    std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(fetched, PathBuf::from)
}

/// clang with `_Float16` and `__bf16`: the one that `./test` fetches, or an installed one.
fn compiler() -> Option<PathBuf> {
    let installed = ["clang++-22", "clang++-21", "clang++-20", "clang++-19", "clang++"].map(PathBuf::from);
    let mut all = std::iter::once(toolchain().join("bin/clang++-22")).chain(installed);
    all.find(|path| Command::new(path).arg("--version").output().is_ok_and(|output| output.status.success()))
}

fn lines_by_case(text: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| line.split_once(' ').map(|(hash, case)| (case.to_owned(), hash.to_owned()));
    text.lines().filter(|line| !line.starts_with('#')).filter_map(pair).collect()
}

/// Writes the program for the GPU; its output, made with
/// `nvcc -arch=sm_90 -fmad=false -I tests/data/ptx reference.cu`, is `h200.txt`.
#[test]
fn the_reference_has_exactly_the_compared_rows() {
    let cases = compared_cases();
    let text = program(&cases, Case::asm, CUDA_HEAD, CUDA_RUN);
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference.cu"), text).unwrap();
    let recorded = lines_by_case(&std::fs::read_to_string(data().join("h200.txt")).unwrap());
    let wanted: Vec<String> = cases.iter().map(Case::asm).collect();
    let missing: Vec<&String> = wanted.iter().filter(|case| !recorded.contains_key(*case)).collect();
    assert!(missing.is_empty(), "never run on a GPU: {missing:#?}");
    assert_eq!(recorded.len(), wanted.len(), "h200.txt has cases that the table does not mark as compared");
}

#[test]
fn replacements_compute_what_the_gpu_computed() {
    let Some(compiler) = compiler() else {
        eprintln!("skipped: no clang++ found, `./test` fetches it");
        return;
    };
    let settings = unsafe_settings();
    let cases = compared_cases();
    let text = program(&cases, |case| gives(case, &settings), HOST_HEAD, HOST_RUN);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (dir.join("replacements.cpp"), dir.join("replacements"));
    std::fs::write(&source, text).unwrap();
    let build = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-w", "-ffp-contract=off", "-I"])
        .arg(data())
        .args([&source, Path::new("-o"), &binary])
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let output = Command::new(binary).output().unwrap();
    assert!(output.status.success(), "the program with the replacements failed");
    let computed = lines_by_case(&String::from_utf8(output.stdout).unwrap());
    let recorded = lines_by_case(&std::fs::read_to_string(data().join("h200.txt")).unwrap());
    let differing: Vec<&String> =
        recorded.iter().filter(|(case, hash)| computed.get(*case) != Some(hash)).map(|(case, _)| case).collect();
    assert!(differing.is_empty(), "other results than on the GPU: {differing:#?}");
}

/// What every row gives is read by the compiler for AMD GPUs together with the real HIP headers.
#[test]
fn replacements_compile_for_amd_gpus() {
    let compiler = toolchain().join("bin/clang++-22");
    let hip = toolchain().join("hip-7.2/usr");
    if !compiler.exists() || !hip.exists() {
        eprintln!("skipped: no HIP headers found, `./test` fetches it");
        return;
    }
    let settings = unsafe_settings();
    let mut text = "#include <hip/hip_runtime.h>\n".to_owned();
    let alone = cases().into_iter().filter(|case| case.row.needs.is_empty());
    for (number, case) in alone.chain(bodies()).enumerate() {
        let parameter =
            |slot: &Slot| format!("{}{} {}", cpp_type(slot.class), if slot.written { "&" } else { "" }, slot.name);
        let parameters: Vec<String> = case.slots.iter().map(parameter).collect();
        let body = gives(&case, &settings);
        writeln!(text, "__device__ __attribute__((used)) void case_{number}({}) {{ {body} }}", parameters.join(", "))
            .unwrap();
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replacements.hip");
    std::fs::write(&source, text).unwrap();
    for target in ["gfx90a", "gfx1100"] {
        let build = Command::new(&compiler)
            .args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-O1", "-Wall", "-Werror", "-S"])
            .args([format!("--offload-arch={target}"), format!("--rocm-path={}", hip.display())])
            .arg(format!("--rocm-device-lib-path={}", hip.join("lib/llvm-22/lib/clang/22/amdgcn/bitcode").display()))
            .args([&source, Path::new("-o"), Path::new("/dev/null")])
            .output()
            .unwrap();
        assert!(build.status.success(), "{target}: {}", String::from_utf8_lossy(&build.stderr));
    }
}
