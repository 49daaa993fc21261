//! Variables of the device that belong to one file, in code that is linked later.

use rustc_hash::FxHashMap;

use crate::analysis::{DeviceVariable, Function};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::header::is_read_by_others;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextSize};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// In projects that compile device code apart (`-rdc=true`, `-dc`, `CUDA_SEPARABLE_COMPILATION`), finds `static` variables of
    /// the device, and those in namespaces without a name, that device code uses before host code does.
    ///
    /// ## Why is this bad?
    /// With `-fgpu-rdc`, clang gives such a variable a longer name as soon as it sees host code use it, and none to what it
    /// compiled before that: the device's linker then says `undefined symbol`.
    ///
    /// ## Example
    /// ```cuda
    /// static __constant__ float weights[8];
    /// __global__ void scale(float *x) { x[threadIdx.x] *= weights[0]; }
    /// void set(const float *values) { cudaMemcpyToSymbol(weights, values, sizeof(weights)); }
    /// ```
    /// Use instead:
    /// ```hip
    /// static __constant__ float weights[8];
    /// static inline __attribute__((unused)) const volatile void *hipshift_address_of_weights() { return &weights; }
    /// __global__ void scale(float *x) { x[threadIdx.x] *= weights[0]; }
    /// void set(const float *values) { hipMemcpyToSymbol(HIP_SYMBOL(weights), values, sizeof(weights)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: nothing calls the function. In a header, other files may hold the code of the host.
    RelocatableStatic { code: "K051", name: "relocatable-static", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for RelocatableStatic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !cx.project.builds.is_relocatable {
            return;
        }
        let document: &Document = cx.document;
        let variables = cx.facts.device_variables(document).iter();
        let internal: Vec<&DeviceVariable> = variables.filter(|variable| is_internal(variable, cx)).collect();
        let uses = Uses::of_all(&internal, cx);
        for variable in internal {
            let name = document.token_text(variable.name);
            let Some(end) = end(document, variable.name).filter(|_| uses.get(name).is_some_and(Uses::is_late)) else {
                continue;
            };
            let message = format!("with `-fgpu-rdc` clang gives `{name}` another name once host code has used it");
            let finding = cx.report(document.range_of(variable.name..variable.name + 1), message);
            finding.fix(Fix::safe("have host code use it first", vec![using(document, name, end)]));
        }
    }
}

/// The first use of a variable by each side.
#[derive(Default)]
struct Uses {
    device: Option<TokenIdx>,
    host: Option<TokenIdx>,
    /// Whether other files use it, too.
    is_shared: bool,
}

impl Uses {
    fn of_all<'d>(variables: &[&DeviceVariable], cx: &Context<'d>) -> FxHashMap<&'d str, Uses> {
        let document: &'d Document = cx.document;
        let is_shared = is_read_by_others(document);
        let mut found: FxHashMap<&str, Uses> = FxHashMap::default();
        for (idx, variable) in DeviceVariable::named(document, variables.iter().copied()) {
            let uses = found.entry(document.token_text(variable.name)).or_insert(Uses { is_shared, ..Uses::default() });
            let on_device = cx.facts.functions.around(idx).map(Function::runs_on_device);
            match on_device {
                Some(true) => uses.device = uses.device.or(Some(idx)),
                Some(false) => uses.host = uses.host.or(Some(idx)),
                None => {}
            }
        }
        found
    }

    /// Whether device code may use it before host code does.
    fn is_late(&self) -> bool {
        match (self.device, self.host) {
            (Some(device), Some(host)) => device < host,
            (_, None) => self.is_shared,
            (None, Some(_)) => false,
        }
    }
}

/// Whether a variable belongs to each file that declares it.
fn is_internal(variable: &DeviceVariable, cx: &Context<'_>) -> bool {
    let blocks = cx.facts.blocks(cx.document);
    let is_own = || variable.is_static || blocks.is_in_unnamed_namespace(cx.document, variable.name);
    !variable.is_const && !variable.is_template && !blocks.is_in_class(variable.name) && is_own()
}

/// Behind the semicolon of a declaration.
fn end(document: &Document, name: TokenIdx) -> Option<TextSize> {
    let mut idx = name;
    while !document.is(idx, b';') {
        document.token(idx)?;
        idx = document.after_brackets(idx);
    }
    Some(document.range_of(idx..idx + 1).end())
}

/// A function of the host that uses a variable, on a line behind its declaration.
fn using(document: &Document, name: &str, end: TextSize) -> Edit {
    let newline = document.file().newline.as_str();
    let function = format!(
        "static inline __attribute__((unused)) const volatile void *hipshift_address_of_{name}() {{ return &{name}; }}"
    );
    let rest = &document.text()[usize::from(end)..];
    let line = rest.lines().next().unwrap_or_default();
    let ends_line = line.trim().is_empty() || line.trim_start().starts_with("//");
    // A difference shows whole lines in front of the next one.
    match rest.find('\n').filter(|_| ends_line).and_then(|at| TextSize::try_from(at + 1).ok()) {
        Some(next) => Edit::insert(end + next, format!("{function}{newline}")),
        None => Edit::insert(end, format!("{newline}{function}")),
    }
}
