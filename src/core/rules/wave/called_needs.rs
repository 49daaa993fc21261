//! What calls of the functions, macros, lambdas and objects of a file come to, by way of others, and of what is handed to them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::callables::{Callable, Key, callables, calls_made, made_until, variables_of};
use super::own_meetings::{Lanes, MeetingCall, lanes_of};
use crate::analysis::{LaneNeed, LaneNeeds, Slot};
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::syntax::{
    Call, Document, Launch, TokenIdx, TokenKind, among, spellings, split_arguments, template_end, words,
};

/// What something that can be called needs lanes for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Need<'d> {
    Lanes(&'d str, Lanes<'d>),
    /// Those of the argument with this number.
    Argument(&'d str, usize),
    /// What calls of something come to that is handed over.
    Called(Slot),
}

impl<'d> Need<'d> {
    fn of(need: &'d LaneNeed) -> Need<'d> {
        match need {
            LaneNeed::Mask(function, mask) => Need::Lanes(function, Lanes::Mask(*mask)),
            LaneNeed::Written(function, text) => Need::Lanes(function, Lanes::Named(text)),
            LaneNeed::Argument(function, number) => Need::Argument(function, *number),
            LaneNeed::Called(slot) => Need::Called(*slot),
        }
    }

    fn to_shared(&self) -> LaneNeed {
        match self {
            Need::Lanes(function, Lanes::Mask(mask)) => LaneNeed::Mask((*function).to_owned(), *mask),
            Need::Lanes(function, Lanes::Named(text)) => LaneNeed::Written((*function).to_owned(), (*text).to_owned()),
            Need::Argument(function, number) => LaneNeed::Argument((*function).to_owned(), *number),
            Need::Called(slot) => LaneNeed::Called(*slot),
        }
    }
}

/// A function that comes to so many calls with different masks has findings for these.
const MOST_NEEDS: usize = 64;

type Uses<'d> = FxHashMap<Key<'d>, Vec<TokenIdx>>;

/// A place in the body of something where something else is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Caller {
    /// The number of what the body belongs to.
    number: usize,
    place: TokenIdx,
    /// Whether what is called there calls what it is given.
    is_handed: bool,
}

/// All that is known of what can be called in a file.
pub(super) struct CalledNeeds<'c, 'd> {
    cx: &'c Context<'d>,
    callables: Vec<Callable<'d>>,
    /// The numbers of all of a name.
    by_name: FxHashMap<&'d str, Vec<usize>>,
    uses: Uses<'d>,
    callers: FxHashMap<Key<'d>, Vec<Caller>>,
    /// What is handed over, to whom.
    handed: BTreeSet<(Key<'d>, Caller)>,
    /// The places where something is called that is handed over.
    bound: BTreeSet<(Key<'d>, TokenIdx)>,
    needs: BTreeMap<Key<'d>, BTreeSet<Need<'d>>>,
    /// What was not handed on yet.
    new: Vec<(Key<'d>, Need<'d>)>,
}

impl<'c, 'd> CalledNeeds<'c, 'd> {
    /// Follows the calls of a file, in the order of the text, and what other files say of what it calls.
    pub(super) fn of(cx: &'c Context<'d>, all: &[MeetingCall<'d>]) -> CalledNeeds<'c, 'd> {
        let known = known_elsewhere(cx);
        let mut found = CalledNeeds {
            cx,
            callables: Vec::new(),
            by_name: FxHashMap::default(),
            uses: Uses::default(),
            callers: FxHashMap::default(),
            handed: BTreeSet::new(),
            bound: BTreeSet::new(),
            needs: BTreeMap::new(),
            new: Vec::new(),
        };
        if all.is_empty() && known.is_empty() {
            return found;
        }
        found.callables = callables(cx);
        for (number, callable) in found.callables.iter().enumerate() {
            if let Key::Named(name) = callable.key {
                found.by_name.entry(name).or_default().push(number);
            }
        }
        let own: FxHashSet<&str> = found.callables.iter().map(|callable| callable.key.name()).collect();
        // What the file defines itself is not what others define.
        let known: Vec<(Key<'d>, Need<'d>)> = known.into_iter().filter(|(key, _)| !own.contains(key.name())).collect();
        found.uses = uses(cx.document, &found.callables, &known);
        found.callers = callers(&found.callables, &found.uses);
        found.begin(all, known);
        while let Some((key, need)) = found.new.pop() {
            for caller in found.callers.get(&key).cloned().unwrap_or_default() {
                found.hand_on(&need, caller);
            }
        }
        found.needs.retain(|_, needs| !needs.is_empty());
        found
    }

    /// What the bodies need themselves, and what is known of other files.
    fn begin(&mut self, all: &[MeetingCall<'d>], known: Vec<(Key<'d>, Need<'d>)>) {
        let document: &'d Document = self.cx.document;
        for (key, need) in known {
            self.add(key, Some(need));
        }
        let mut own = Vec::new();
        for callable in &self.callables {
            for call in among(all, callable.body.clone(), |call| call.name) {
                own.push((callable.key, need_of(document, callable, call)));
            }
            let called = callable.called.iter().map(|(slot, _)| Need::Called(*slot));
            own.extend(called.map(|need| (callable.key, Some(need))));
        }
        for (key, need) in own {
            self.add(key, need);
        }
        for launch in document.launches() {
            self.bind_launch(launch);
        }
    }

    /// Notes what a launch hands to its kernel.
    fn bind_launch(&mut self, launch: &Launch) {
        let document: &'d Document = self.cx.document;
        let Some(name) = launch.kernel_name(document) else { return };
        let place = launch.callee.clone().rev().find(|&idx| document.token_text(idx) == name);
        let slots: BTreeSet<Slot> = self.slots_of(name).map(|(slot, _)| slot).collect();
        for slot in slots {
            let tokens = match slot {
                Slot::Argument(number) => {
                    split_arguments(document, launch.arguments.0 + 1..launch.arguments.1).get(number).cloned()
                }
                Slot::Template(number) => place.and_then(|place| template_argument(document, place, number)),
            };
            if let Some(Given::Known(key)) = tokens.and_then(|tokens| self.given(slot, tokens, None)) {
                self.bind(name, slot, key);
            }
        }
    }

    /// The places where all of a name call what they are given.
    fn slots_of(&self, name: &str) -> impl Iterator<Item = (Slot, TokenIdx)> {
        let numbers = self.by_name.get(name).into_iter().flatten();
        numbers.flat_map(|&number| self.callables[number].called.iter().copied())
    }

    /// Something is handed to all of a name.
    fn bind(&mut self, name: &str, slot: Slot, key: Key<'d>) {
        let places: Vec<TokenIdx> =
            self.slots_of(name).filter(|(called, _)| *called == slot).map(|(_, place)| place).collect();
        self.bound.extend(places.into_iter().map(|place| (key, place)));
    }

    fn add(&mut self, key: Key<'d>, need: Option<Need<'d>>) {
        let Some(need) = need else { return };
        let own = self.needs.entry(key).or_default();
        if own.len() < MOST_NEEDS && own.insert(need.clone()) {
            self.new.push((key, need));
        }
    }

    /// Each of finitely many needs is handed on once.
    fn hand_on(&mut self, need: &Need<'d>, caller: Caller) {
        match need {
            Need::Called(slot) if !caller.is_handed => self.hand_over(*slot, caller),
            // Who calls what it is given says to nobody here which arguments that gets.
            Need::Called(_) | Need::Argument(..) if caller.is_handed => {}
            _ => {
                let callable = &self.callables[caller.number];
                let call = self.passed_on(caller.place, need);
                let need = call.and_then(|call| need_of(self.cx.document, callable, &call));
                self.add(callable.key, need);
            }
        }
    }

    /// What a call hands over is called: the caller needs what that needs.
    fn hand_over(&mut self, slot: Slot, caller: Caller) {
        let document: &'d Document = self.cx.document;
        let callable = &self.callables[caller.number];
        let tokens = match slot {
            Slot::Argument(number) => {
                let call = visible_call(document, caller.place);
                call.and_then(|call| call.arguments.get(number).map(|&range| document.tokens_in(range)))
            }
            Slot::Template(number) => template_argument(document, caller.place, number),
        };
        match tokens.and_then(|tokens| self.given(slot, tokens, Some(callable))) {
            Some(Given::Parameter(slot)) => self.add(callable.key, Some(Need::Called(slot))),
            Some(Given::Known(key)) => {
                self.bind(document.token_text(caller.place), slot, key);
                let handed = Caller { is_handed: true, ..caller };
                if self.handed.insert((key, handed)) {
                    self.callers.entry(key).or_default().push(handed);
                    for need in self.needs.get(&key).cloned().unwrap_or_default() {
                        self.hand_on(&need, handed);
                    }
                }
            }
            None => {}
        }
    }

    /// What some tokens hand over in the body of something.
    fn given(&self, slot: Slot, tokens: Range<TokenIdx>, around: Option<&Callable<'d>>) -> Option<Given<'d>> {
        let document: &'d Document = self.cx.document;
        let is_name = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
        let mut name = tokens.start + usize::from(document.is(tokens.start, b'&'));
        while document.kind(name + 1) == Some(TokenKind::PathSep) && is_name(name + 2) {
            name += 2;
        }
        let text = is_name(name).then(|| document.token_text(name))?;
        if tokens.end == name + 1 {
            if let Some(slot) = around.and_then(|around| around.slot(text)) {
                return Some(Given::Parameter(slot));
            }
            let is_class = matches!(slot, Slot::Template(_)) && !self.by_name.contains_key(text);
            return Some(Given::Known(if is_class { Key::Object(text) } else { Key::Named(text) }));
        }
        // `Sum()`, `Sum<int>{}`, and `Sum<int>` as a type.
        let open = template_end(document, name + 1, tokens.end + 1).map_or(name + 1, |end| end + 1);
        let opens = document.is(open, b'(') || document.is(open, b'{');
        let is_made = opens && document.partner(open).is_some_and(|close| close + 1 == tokens.end);
        let is_type = open == tokens.end && matches!(slot, Slot::Template(_));
        (is_made || is_type).then_some(Given::Known(Key::Object(text)))
    }

    /// The calls of the file that come to others.
    pub(super) fn calls(&self) -> Vec<MeetingCall<'d>> {
        let defined: FxHashSet<TokenIdx> = self.callables.iter().map(|callable| callable.defined).collect();
        let mut calls = Vec::new();
        for (key, wanted) in &self.needs {
            let direct = self.uses.get(key).into_iter().flatten();
            for &place in direct.filter(|place| !defined.contains(place)) {
                calls.extend(wanted.iter().filter_map(|need| self.passed_on(place, need)));
            }
        }
        let mut seen = FxHashSet::default();
        for (key, caller) in self.handed.iter().filter(|(key, caller)| seen.insert((*key, caller.place))) {
            let wanted = self.needs.get(key).into_iter().flatten();
            let lanes = wanted.filter(|need| matches!(need, Need::Lanes(..)));
            calls.extend(lanes.filter_map(|need| self.passed_on(caller.place, need)));
        }
        for (key, place) in &self.bound {
            let wanted = self.needs.get(key).into_iter().flatten();
            calls.extend(wanted.filter_map(|need| self.passed_on(*place, need)));
        }
        calls
    }

    /// What a call of something that has a need comes to.
    fn passed_on(&self, name: TokenIdx, need: &Need<'d>) -> Option<MeetingCall<'d>> {
        let document: &'d Document = self.cx.document;
        match need {
            Need::Lanes(function, lanes) => {
                let is_use = self.is_bare(name) || call_of(document, name).is_some();
                is_use.then(|| MeetingCall { name, function, lanes: lanes.clone(), mask: name..name })
            }
            Need::Argument(function, number) => {
                let mask = document.tokens_in(*call_of(document, name)?.arguments.get(*number)?);
                Some(MeetingCall { name, function, lanes: lanes_of(self.cx, mask.clone()), mask })
            }
            Need::Called(_) => None,
        }
    }

    /// Whether a name is that of a macro without parameters.
    fn is_bare(&self, name: TokenIdx) -> bool {
        let named = self.by_name.get(self.cx.document.token_text(name));
        named.into_iter().flatten().any(|&number| self.callables[number].is_bare)
    }

    /// What other files may count on.
    pub(super) fn shared(&self) -> LaneNeeds {
        let mut shared = LaneNeeds::default();
        for key in self.callables.iter().filter(|callable| callable.is_shared).map(|callable| callable.key) {
            let Some(needs) = self.needs.get(&key) else { continue };
            let known = if matches!(key, Key::Named(_)) { &mut shared.named } else { &mut shared.objects };
            known.entry(key.name().to_owned()).or_default().extend(needs.iter().map(Need::to_shared));
        }
        shared
    }
}

/// The call of what a name is, or of the object that is made there: `F<2>()(mask, x)`.
fn call_of(document: &Document, name: TokenIdx) -> Option<Call> {
    let made = made_until(document, name);
    visible_call(document, made.unwrap_or(name))
}

/// What a call hands over.
enum Given<'d> {
    /// What the caller was given itself.
    Parameter(Slot),
    Known(Key<'d>),
}

/// The argument of a template with a number, behind the name of what is called.
fn template_argument(document: &Document, name: TokenIdx, number: usize) -> Option<Range<TokenIdx>> {
    let end = template_end(document, name + 1, document.tokens().len())?;
    split_arguments(document, name + 2..end).get(number).cloned()
}

/// What other files say of names that the file has; objects of their classes are called by the names of these.
fn known_elsewhere<'d>(cx: &Context<'d>) -> Vec<(Key<'d>, Need<'d>)> {
    let (document, elsewhere): (&'d Document, &'d LaneNeeds) = (cx.document, &cx.project.lane_needs);
    if elsewhere.is_empty() {
        return Vec::new();
    }
    let is_known = |name: &&str| elsewhere.named.contains_key(*name) || elsewhere.objects.contains_key(*name);
    let names: BTreeSet<&'d str> = spellings(document).filter(is_known).collect();
    let mut known = Vec::new();
    for name in names {
        let mut add = |key: Key<'d>, needs: &'d BTreeSet<LaneNeed>| {
            known.extend(needs.iter().map(|need| (key, Need::of(need))));
        };
        if let Some(needs) = elsewhere.named.get(name) {
            add(Key::Named(name), needs);
        }
        if let Some(needs) = elsewhere.objects.get(name) {
            add(Key::Object(name), needs);
            variables_of(document, name).for_each(|variable| add(Key::Named(document.token_text(variable)), needs));
        }
    }
    known
}

/// Where all that can be called is called, in the order of the text: where its name stands, or where an object is made for the call.
fn uses<'d>(document: &'d Document, callables: &[Callable<'d>], known: &[(Key<'d>, Need<'d>)]) -> Uses<'d> {
    let places = |key: Key<'d>, is_own: bool| -> Vec<TokenIdx> {
        let all = words(document, key.name());
        // The members of other files' classes are not known.
        let is_member = |idx: TokenIdx| idx > 0 && matches!(document.token_text(idx - 1), "." | "->");
        match key {
            Key::Named(_) => all.filter(|&idx| is_own || !is_member(idx)).collect(),
            Key::Object(_) => all.filter(|&idx| calls_made(document, idx)).collect(),
        }
    };
    let own = callables.iter().map(|callable| (callable.key, true));
    let foreign = known.iter().map(|(key, _)| (*key, false));
    let keys: FxHashMap<Key<'d>, bool> = own.chain(foreign).collect();
    keys.into_iter().map(|(key, is_own)| (key, places(key, is_own))).collect()
}

/// For all that is called those in whose body it stands, and where.
fn callers<'d>(callables: &[Callable<'d>], uses: &Uses<'d>) -> FxHashMap<Key<'d>, Vec<Caller>> {
    let mut places: Vec<(TokenIdx, Key<'d>)> =
        uses.iter().flat_map(|(key, places)| places.iter().map(|place| (*place, *key))).collect();
    places.sort_unstable();
    let mut callers: FxHashMap<Key<'d>, Vec<Caller>> = FxHashMap::default();
    for (number, callable) in callables.iter().enumerate() {
        for &(place, key) in among(&places, callable.body.clone(), |(place, _)| *place) {
            callers.entry(key).or_default().push(Caller { number, place, is_handed: false });
        }
    }
    callers
}

/// What a call within a body needs of whoever calls that; nothing where the body says which lanes are there.
fn need_of<'d>(document: &'d Document, callable: &Callable<'d>, call: &MeetingCall<'d>) -> Option<Need<'d>> {
    let (function, mask) = (call.function, &call.mask);
    let Lanes::Named(text) = &call.lanes else { return Some(Need::Lanes(function, call.lanes.clone())) };
    if let Some(number) = callable.parameters.iter().position(|parameter| parameter == text) {
        return Some(Need::Argument(function, number));
    }
    let is_simple = is_one_name(document, mask);
    (is_simple && !callable.declares(document, text)).then(|| Need::Lanes(function, call.lanes.clone()))
}

fn is_one_name(document: &Document, mask: &Range<TokenIdx>) -> bool {
    mask.len() == 1 && document.kind(mask.start) == Some(TokenKind::Ident)
}
