//! What a rule may ask, and where it reports.

use std::any::{Any, TypeId};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::asm::Asm;
use super::build::Change;
use super::conditional::Branches;
use super::macro_branches::MacroBranches;
use super::name::{AllAnew, Started, UsedNames};
use super::name_list::NameList;
use super::stubs::Stubs;
use crate::analysis::{
    BlockAxes, Constants, ControlFlow, Facts, Function, MaskUses, NameRest, Parameters, ProjectFacts, Statement,
    ThreadNumbers, VariableTypes, statements,
};
use crate::diagnostic::{Diagnostic, Findings, RuleInfo};
use crate::mapping::{Resolution, Table};
use crate::settings::{Settings, WaveWidth};
use crate::source::{Edit, Spans, TextRange, TextSize};
use crate::syntax::{Document, TokenIdx, words};

/// Everything a rule may ask about one file.
pub struct Context<'d> {
    /// The file.
    pub document: &'d Document,
    /// What the file means.
    pub facts: &'d Facts,
    /// What the other files of the project add.
    pub project: &'d ProjectFacts,
    /// The mapping tables.
    pub table: &'d Table,
    /// What the run is to do.
    pub settings: &'d Settings,
    /// The names of the file, in the order of the text.
    pub names: Rc<NameList<'d>>,
    /// The `asm` statements of the file, in the order of the text.
    pub asms: Rc<[Asm]>,
    /// What rules asked about the branches of the file.
    pub(super) branches: Branches,
    /// The tokens that a build for HIP leaves out, once a rule has asked.
    pub(super) cuda_blocks: OnceCell<Vec<Range<TokenIdx>>>,
    /// The tokens that compilers for GPUs alone read, once a rule has asked.
    pub(super) for_gpus: OnceCell<Spans<TokenIdx>>,
    /// The namespaces of CUDA's that the file uses, once a name has asked.
    pub(super) used_namespaces: OnceCell<Vec<String>>,
    pub(super) used_names: OnceCell<UsedNames>,
    /// What stands in for CUDA's headers, once a name that the file declares has asked.
    pub(super) stubs: OnceCell<Stubs>,
    /// Whether a function calls its namesake with other arguments, by the token of its name.
    pub(super) passing_on: RefCell<FxHashMap<TokenIdx, bool>>,
    /// The scopes that take a name over from CUDA, for names that were asked for.
    pub(super) taken_over: RefCell<FxHashMap<String, Rc<FxHashSet<String>>>>,
    /// The namespaces that scopes of the file bring into view, with the paths of these.
    pub(super) brought_into_view: OnceCell<Vec<(String, String)>>,
    /// What makes names the project's own, for names that were asked for.
    pub(super) declared_places: RefCell<FxHashMap<String, Rc<AllAnew>>>,
    /// What functions take that calls find by the types of arguments, for names that were asked for.
    pub(super) taking_own: RefCell<FxHashMap<String, Rc<[Parameters]>>>,
    /// The scopes into which headers bring a namespace, by the path of that.
    sharing_scopes: OnceCell<FxHashMap<&'d str, Vec<&'d str>>>,
    /// Whether a list for macros has a name, for names that were asked for.
    pub(super) listed: RefCell<FxHashMap<String, bool>>,
    /// What becomes of the starts of names in macros, by what follows and the start, for those that were asked for.
    pub(super) started: RefCell<FxHashMap<(&'d NameRest, &'d str), Rc<Started<'d>>>>,
    /// What the conditions around the macros of the file mean for their uses, for those that were asked for.
    pub(super) macro_branches: RefCell<FxHashMap<TokenIdx, MacroBranches>>,
    /// Where each word of a function stands first, by the start of the function, for those that were asked for.
    pub(super) first_words: RefCell<FxHashMap<TokenIdx, FxHashMap<&'d str, TokenIdx>>>,
    /// What several rules need, by its type.
    made: RefCell<FxHashMap<TypeId, Rc<dyn Any>>>,
    mask_uses: OnceCell<MaskUses>,
    constants: OnceCell<Rc<Constants>>,
    thread_numbers: OnceCell<ThreadNumbers<'d>>,
    variable_types: OnceCell<VariableTypes<'d>>,
    /// Loops and branches of functions, by where their bodies start.
    control_flow: RefCell<FxHashMap<TokenIdx, Rc<ControlFlow>>>,
    /// Statements of functions, by where their bodies start.
    statements: RefCell<FxHashMap<TokenIdx, Rc<Vec<Statement>>>>,
    /// The tokens of further functions whose statements are kept.
    statements_left: Cell<usize>,
    /// The namespaces of those that the tables list to which the file adds, once a name in one has asked.
    pub(super) extends_listed: OnceCell<Vec<&'static str>>,
    /// The namespaces that the file opens within others, once a namespace of CUDA's was named.
    pub(super) nested_namespaces: OnceCell<FxHashMap<String, Vec<(TokenIdx, String)>>>,
    /// What macros and constants stand for, once a rule has asked whether one is a mask.
    pub(super) mask_values: OnceCell<FxHashMap<&'d str, TextRange>>,
    /// How the blocks of the kernels are shaped that the file launches, by their names, once a rule has asked.
    block_axes: OnceCell<FxHashMap<&'d str, BlockAxes>>,
    /// The edit that defines what the file uses, once a fix has needed it.
    pub(super) definitions: OnceCell<Option<Edit>>,
    /// What a build file becomes, once a rule has asked.
    pub(super) build_changes: OnceCell<Rc<Vec<Change>>>,
    /// Whether strings of the file hold programs, once a rule has asked.
    pub(super) writes_programs: OnceCell<bool>,
    /// Whether the standard library has all that the file uses of `cuda::std`, once a rule has asked.
    pub(super) standard_serves: OnceCell<bool>,
    /// The managed variables that the file declares, once a rule has asked.
    pub(super) managed_variables: OnceCell<FxHashSet<&'d str>>,
    /// Finds what the file uses that has to be defined; set for runs of rules.
    pub(crate) define: fn(&Context<'_>) -> Option<Edit>,
    /// Whether a rule has a code or name; set for runs of rules.
    pub(crate) is_rule: fn(&str) -> bool,
    rule: &'static RuleInfo,
    /// What was found, but for the last finding.
    found: Findings,
    last: Option<Diagnostic>,
}

/// The tokens of functions whose statements are kept for the next rule.
const MOST_KEPT: usize = 100_000;

impl<'d> Context<'d> {
    pub(crate) fn new(
        document: &'d Document,
        facts: &'d Facts,
        project: &'d ProjectFacts,
        (table, settings): (&'d Table, &'d Settings),
        rule: &'static RuleInfo,
    ) -> Context<'d> {
        Context {
            document,
            facts,
            project,
            table,
            settings,
            names: Rc::default(),
            asms: Rc::default(),
            branches: Branches::default(),
            cuda_blocks: OnceCell::new(),
            for_gpus: OnceCell::new(),
            used_namespaces: OnceCell::new(),
            used_names: OnceCell::new(),
            stubs: OnceCell::new(),
            passing_on: RefCell::default(),
            taken_over: RefCell::default(),
            brought_into_view: OnceCell::new(),
            declared_places: RefCell::default(),
            taking_own: RefCell::default(),
            sharing_scopes: OnceCell::new(),
            listed: RefCell::default(),
            started: RefCell::default(),
            macro_branches: RefCell::default(),
            first_words: RefCell::default(),
            made: RefCell::default(),
            mask_uses: OnceCell::new(),
            constants: OnceCell::new(),
            thread_numbers: OnceCell::new(),
            variable_types: OnceCell::new(),
            control_flow: RefCell::default(),
            statements: RefCell::default(),
            statements_left: Cell::new(MOST_KEPT),
            extends_listed: OnceCell::new(),
            nested_namespaces: OnceCell::new(),
            mask_values: OnceCell::new(),
            block_axes: OnceCell::new(),
            definitions: OnceCell::new(),
            build_changes: OnceCell::new(),
            writes_programs: OnceCell::new(),
            standard_serves: OnceCell::new(),
            managed_variables: OnceCell::new(),
            define: |_| None,
            is_rule: |_| true,
            rule,
            found: Findings::default(),
            last: None,
        }
    }

    pub(crate) fn enter(&mut self, rule: &'static RuleInfo) {
        self.rule = rule;
    }

    pub(crate) fn into_found(mut self) -> Findings {
        self.found.extend(self.last);
        self.found
    }

    /// Reports a finding of the running rule; details are added to what is returned.
    pub fn report(&mut self, range: TextRange, message: impl Into<String>) -> &mut Diagnostic {
        self.found.extend(self.last.take());
        self.last.insert(Diagnostic::new(self.rule, range, message))
    }

    /// Whether the block at `offset` is left as it is.
    pub fn skips(&self, offset: TextSize) -> bool {
        self.facts.excluded.contains(offset)
    }

    /// Whether the file has a word.
    pub fn has_word(&self, word: &str) -> bool {
        words(self.document, word).next().is_some()
    }

    /// What several rules need of the file, of a type that is for nothing else: made on the first call.
    pub(super) fn once<T: Any>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        let known = self.made.borrow().get(&TypeId::of::<T>()).cloned();
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return known;
        }
        let new = Rc::new(make());
        self.made.borrow_mut().insert(TypeId::of::<T>(), Rc::clone(&new) as Rc<dyn Any>);
        new
    }

    /// The scopes into which headers bring a namespace, by the path of that, gathered on the first call.
    pub(super) fn sharing_scopes(&self) -> &FxHashMap<&'d str, Vec<&'d str>> {
        self.sharing_scopes.get_or_init(|| {
            let mut found: FxHashMap<&'d str, Vec<&'d str>> = FxHashMap::default();
            for (scope, shared) in self.project.shared_namespaces.iter().filter(|(scope, _)| !scope.is_empty()) {
                for path in shared {
                    found.entry(path).or_default().push(scope);
                }
            }
            found
        })
    }

    /// How many lanes the warps of the code at `offset` have after conversion.
    pub fn wave_width_at(&self, offset: TextSize) -> WaveWidth {
        if self.facts.kept_warps.contains(offset) { WaveWidth::Logical32 } else { self.settings.wave_policy.width() }
    }

    /// The lane masks of the file, followed on the first call.
    pub fn mask_uses(&self) -> &MaskUses {
        self.mask_uses.get_or_init(|| {
            let (functions, known) = (&self.facts.functions, &self.project.mask_functions);
            MaskUses::of(self.document, functions, known, self.facts.is_hip)
        })
    }

    /// The constants of the file and of headers that it includes, read on the first call.
    pub fn constants(&self) -> Rc<Constants> {
        let read = || {
            let (own, shared) = (Constants::of(self.document), &self.project.constants);
            let path = &self.document.file().path;
            if shared.is_empty() { own } else { own.with_outer(self.document, |name| shared.value(name, path)) }
        };
        Rc::clone(self.constants.get_or_init(|| Rc::new(read())))
    }

    /// Where numbers of threads and lanes come from; what is asked for is read then.
    pub fn thread_numbers(&self) -> &ThreadNumbers<'d> {
        let numbers = || ThreadNumbers::of(self.document, &self.facts.functions, self.constants());
        self.thread_numbers.get_or_init(numbers)
    }

    /// How the blocks of a kernel are shaped, by the launches of the file and the project.
    pub(super) fn block_axes(&self, kernel: &str) -> Option<BlockAxes> {
        let own = self.block_axes.get_or_init(|| {
            let mut axes: FxHashMap<&str, BlockAxes> = FxHashMap::default();
            for launch in self.document.launches() {
                let Some(name) = launch.kernel_name(self.document) else { continue };
                let found = BlockAxes::of(launch, &self.constants(), self.document);
                axes.entry(name).and_modify(|known| *known = known.or(found)).or_insert(found);
            }
            axes
        });
        let all = [own.get(kernel).copied(), self.project.kernels.axes(kernel)];
        all.into_iter().flatten().reduce(BlockAxes::or)
    }

    /// The types of variables and arguments; those of a function are read when one is asked for.
    pub fn variable_types(&self) -> &VariableTypes<'d> {
        self.variable_types.get_or_init(|| VariableTypes::of(self.document))
    }

    /// The loops and branches of a function, read on the first call.
    pub fn control_flow(&self, function: &Function) -> Rc<ControlFlow> {
        let body = function.body.clone();
        let mut known = self.control_flow.borrow_mut();
        let read = || Rc::new(ControlFlow::of(self.document, body.clone()));
        Rc::clone(known.entry(body.start).or_insert_with(read))
    }

    /// The statements of a function, which several rules read; those of all functions of a very large file are not kept.
    pub fn statements(&self, function: &Function) -> Rc<Vec<Statement>> {
        let body = function.body.clone();
        if let Some(known) = self.statements.borrow().get(&body.start) {
            return Rc::clone(known);
        }
        let read = Rc::new(statements(self.document, body.clone()));
        let left = self.statements_left.get();
        if let Some(rest) = left.checked_sub(body.len()) {
            self.statements_left.set(rest);
            self.statements.borrow_mut().insert(body.start, Rc::clone(&read));
        }
        read
    }

    /// What a name (not a header) becomes for the release and libraries of the settings.
    pub fn resolve(&self, name: &str) -> Option<Resolution<'d>> {
        self.table.resolve(name, false, self.settings.rocm, &self.settings.libraries)
    }

    /// What a header becomes for the release and libraries of the settings.
    pub fn resolve_header(&self, path: &str) -> Option<Resolution<'d>> {
        self.table.resolve(path, true, self.settings.rocm, &self.settings.libraries)
    }
}
