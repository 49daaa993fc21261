//! Options of nvcc among the words of a command line.

use std::ops::Range;

use super::change::{Change, Topic, stays};
use super::cmake_joined::plan_joined;
use super::cmake_openmp::plan_openmp;
use super::device_debug::{debugs_device, is_taken};
use super::host_expressions::with_expressions;
use super::host_options::{host_options, is_about_floats};
use super::make_commas::plan_comma_list;
use super::planner::Plan;
use super::ptxas_options::without_ptxas;
use super::short_names::by_short_name;
use super::style::{Style, unquoted, whole};
use super::whose_options::{NEAR, calls_clang, is_joined, is_meant, links_library};
use crate::build::Word;
use crate::diagnostic::Severity;
use crate::mapping::{Compiler, FoundOption, NvccOption, OptionAction, has_other_values, nvcc_option};
use crate::source::{Edit, Piece, TextRange, range};

/// How the words are to be read.
#[derive(Clone, Copy)]
pub(super) struct OptionContext<'c> {
    /// Whether all words are for nvcc.
    pub(super) for_nvcc: bool,
    /// What the option for GPUs becomes, once for all words; nothing if they are named elsewhere.
    pub(super) targets: Option<&'c str>,
    /// How they are written.
    pub(super) style: &'c dyn Style,
}

/// What becomes of an option.
struct Planned<'p> {
    change: Change,
    /// The option, if it goes and nothing else is to be said about it.
    gone: Option<&'p str>,
}

impl From<Change> for Planned<'_> {
    fn from(change: Change) -> Self {
        Planned { change, gone: None }
    }
}

/// Adds what becomes of the options among `words`.
pub(super) fn plan_options(plan: &Plan<'_>, words: &[Word], context: OptionContext<'_>) {
    // Where GPUs were named already: outside of functions, or in an argument of one, which may not be what make takes.
    let mut parts_with_targets = Vec::new();
    let mut planned = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let for_nvcc = word.for_cuda || context.for_nvcc;
        // An expression of CMake's that begins between them may be what decides the value.
        let is_beside = |next: &&Word| {
            next.part == word.part && !plan.text[word.range.end().into()..next.range.start().into()].contains("$<")
        };
        let next = words.get(at + 1).filter(is_beside);
        if let Some(value) = behind_function(plan, (words, at), for_nvcc, context.style) {
            planned.push(value);
            at += 1;
            continue;
        }
        let Some(found) = nvcc_option(plan.slice(word.range), next.map(|next| unquoted(plan.slice(next.range)))) else {
            let value = without_value(plan, *word, next, for_nvcc);
            planned.extend(value.or_else(|| with_expression(plan, *word)));
            at += 1;
            continue;
        };
        let has_targets = parts_with_targets.iter().any(|part| *part == 0 || *part == word.part);
        let taken = at..at + 1 + usize::from(found.takes_next);
        at = taken.end;
        // What looks like an option is no value of one that stays.
        let is_option = found.takes_next && found.value.is_some_and(|value| value.starts_with('-'));
        let is_meant = is_meant(plan.slice(word.range), found, for_nvcc)
            || found.row.compiler == Compiler::Clang && calls_clang(plan, words, taken.start)
            || links_library(plan, (words, taken.start), found)
            || debugs_device(plan, (words, taken.start), next);
        if !is_meant || found.row.keep && is_option {
            at = taken.start + 1;
        } else if let Some(change) = change(plan, (words, taken), found, (context, has_targets)) {
            if found.row.action == OptionAction::Targets {
                parts_with_targets.push(word.part);
            }
            planned.push(change);
        }
    }
    add_all(plan, planned, context.style);
}

/// Adds the changes. Options that go and stand side by side go together, as their surroundings are the same.
fn add_all(plan: &Plan<'_>, planned: Vec<Planned<'_>>, style: &dyn Style) {
    let mut run: Option<(TextRange, Vec<&str>)> = None;
    let add_run = |run: Option<(TextRange, Vec<&str>)>| {
        let Some((place, options)) = run else { return };
        let message = format!("clang needs no `{}`", options.join("`, `"));
        plan.add(Change::new(Topic::Option, place, message, vec![style.removed(plan, place)]));
    };
    for Planned { change, gone } in planned {
        let Some(option) = gone else {
            add_run(run.take());
            plan.add(change);
            continue;
        };
        run = match run.take() {
            Some((place, mut options)) if are_side_by_side(plan.text, place, change.range) => {
                options.push(option);
                Some((place.cover(change.range), options))
            }
            before => {
                add_run(before);
                Some((change.range, vec![option]))
            }
        };
    }
    add_run(run);
}

fn are_side_by_side(text: &str, first: TextRange, second: TextRange) -> bool {
    let between = text.get(first.end().into()..second.start().into());
    between.is_some_and(|between| between.chars().all(|c| c.is_whitespace() || matches!(c, ';' | '\\')))
}

/// Whether an option goes without a word, whatever its value is.
fn goes(row: &NvccOption) -> bool {
    row.action == OptionAction::Words && !row.keep && row.advice.is_none() && row.for_build("").is_empty()
}

/// An option that goes, with a function of make or a command behind it that is its value: `-ccbin $(shell which g++)`.
fn behind_function<'p>(
    plan: &Plan<'p>,
    (words, at): (&[Word], usize),
    for_nvcc: bool,
    style: &dyn Style,
) -> Option<Planned<'p>> {
    let place = words[at].range;
    let rest = &plan.text[usize::from(place.end())..];
    let value = usize::from(place.end()) + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let rest = &plan.text[value..];
    if !rest.starts_with("$(") && !rest.starts_with('`') {
        return None;
    }
    let option = plan.slice(place).trim_end_matches('=');
    let row = nvcc_option(option, Some("value")).filter(|found| found.takes_next)?.row;
    if !goes(row) || !(row.own || for_nvcc) {
        return None;
    }
    let whole = match rest.strip_prefix('`') {
        Some(command) => range(place.start().into(), value + 2 + command.find(['`', '\n'])?),
        None => with_function(plan.text, range(place.start().into(), value))?,
    };
    plan.text[whole].ends_with([')', '`']).then(|| {
        without_mpi(
            plan,
            (whole, option),
            plan.slice(whole).trim_start_matches(option).trim_start_matches(['=', ' ', '\t']),
            style,
        )
        .unwrap_or_else(|| gone(whole, option))
    })
}

/// An option of nvcc's alone whose value does not stand beside it, such as one in another argument of a function.
fn without_value<'p>(plan: &Plan<'_>, word: Word, next: Option<&Word>, for_nvcc: bool) -> Option<Planned<'p>> {
    let option = plan.slice(word.range);
    let row = nvcc_option(option, Some("value")).filter(|found| next.is_none() && found.takes_next)?.row;
    let is_meant = (row.own || for_nvcc) && !row.keep && row.action != OptionAction::Linker;
    is_meant.then(|| stays(word.range, option, "its value does not stand beside it").into())
}

/// An option of nvcc's alone whose value is none that is known by itself: `-fmad=$<IF:condition,true,false>` says for both ways what
/// clang is told, and of others a person has to.
fn with_expression<'p>(plan: &Plan<'_>, word: Word) -> Option<Planned<'p>> {
    let text = plan.slice(word.range);
    let (name, value) = text.split_once('=').filter(|_| has_other_values(text))?;
    let choice = value.strip_prefix("$<IF:").and_then(|rest| rest.strip_suffix('>'));
    let ways = choice.and_then(|choice| {
        let mut parts = choice.rsplitn(3, ',');
        let (otherwise, then) = (parts.next()?, parts.next()?);
        let words = |value| {
            let option = format!("{name}={value}");
            let row = nvcc_option(&option, None).filter(|found| found.row.action == OptionAction::Words)?.row;
            let mut words = row.for_build(value);
            // Both compilations may be told, as the words have to be one.
            words.retain(|word| word != FOR_DEVICE);
            (words.len() <= 1).then(|| words.concat())
        };
        Some((parts.next()?, words(then)?, words(otherwise)?))
    });
    let Some((condition, then, otherwise)) = ways else {
        return Some(stays(word.range, name, "its value is not known here").into());
    };
    let new = format!("$<IF:{condition},{then},{otherwise}>");
    let message = format!("`{text}` is `{new}` for clang");
    Some(Change::new(Topic::Option, word.range, message, vec![Edit::replace(word.range, new)]).into())
}

fn change<'p>(
    plan: &Plan<'p>,
    (words, taken): (&[Word], Range<usize>),
    found: FoundOption<'_>,
    (context, has_targets): (OptionContext<'_>, bool),
) -> Option<Planned<'p>> {
    let text = plan.slice(words[taken.start].range);
    let option = text.split('=').next().unwrap_or(text);
    let row = found.row;
    let value = unquoted(found.value.unwrap_or_default());
    if row.keep {
        return by_short_name(plan, (&words[taken.start..taken.end], option), found).map(Planned::from);
    }
    let Some(place) = place_of(plan, &words[taken.clone()], row, context.style) else {
        return Some(stays(words[taken.start].range, option, "quotes or brackets end within its value").into());
    };
    if row.action == OptionAction::DeviceLink
        && words[..taken.start].iter().enumerate().any(|(at, _)| is_object(plan, words, at))
    {
        return Some(stays(place, option, "it has to stand in front of the objects").into());
    }
    if is_said_beside(plan, (words, taken.start), row) {
        return Some(gone(place, option));
    }
    if row.advice.is_some() && !row.has_build_words() {
        return Some(without_counterpart(plan, (place, option), row, context.style).into());
    }
    let new = match row.action {
        OptionAction::Targets => match context.targets {
            Some(targets) if !has_targets => targets.to_owned(),
            _ => String::new(),
        },
        OptionAction::Ptxas => match without_ptxas(plan, (place, option), value, context.style) {
            Some(change) => return Some(change.into()),
            None => String::new(),
        },
        OptionAction::Host => {
            if value.contains("$<") {
                return Some(with_expressions(plan, place, (option, value), context.style).into());
            }
            let last = words[taken.end - 1];
            return Some(handed_on(plan, (place, last), (option, found), context).into());
        }
        OptionAction::Linker if !value.contains(',') && option == "-Xlinker" && !is_joined(text) => return None,
        OptionAction::Linker => return Some(linked(plan, place, value).into()),
        _ => match row.for_build(value).as_slice() {
            [] => String::new(),
            // What only device code needs does not harm the host's, where two words would come apart.
            [first, rest @ ..] if first == FOR_DEVICE && !context.style.takes_pairs(place) => rest.concat(),
            words => context.style.joined(place, words),
        },
    };
    if new.is_empty() {
        return Some(without_mpi(plan, (place, option), value, context.style).unwrap_or_else(|| gone(place, option)));
    }
    if row.action == OptionAction::Product && !names_result(plan, words) {
        return Some(without_counterpart(plan, (place, option), row, context.style).into());
    }
    if row.action == OptionAction::Product {
        return Some(code_object(place, (option, &new), row).into());
    }
    let message = format!("`{}` is `{new}` for clang", plan.slice(place));
    let edit = Edit::replace(place, new);
    let mut change = Change::new(Topic::Option, place, message, vec![edit]).with_note(row.note.clone());
    change.severity = row.note.is_some().then_some(Severity::Info);
    Some(change.into())
}

/// Whether quotes make one argument of a default that holds a place: `"${ARCH:--arch=sm_80}"`.
fn is_one_argument(text: &str, place: TextRange) -> bool {
    let (front, behind) = (&text[..usize::from(place.start())], &text[usize::from(place.end())..]);
    // Few places stand so; what is in front of all others is not looked through.
    if !behind.starts_with("}\"") || !front.ends_with(['-', '=', '+']) {
        return false;
    }
    let outside = front.rfind("${").and_then(|at| front[..at].strip_suffix('"'));
    outside.is_some_and(|front| front.ends_with([' ', '\t']))
}

/// Whether a word of a shell goes on behind a place, in quotes that open there: ``-arch=sm_`query` ``, `sm_"$ARCH"`.
fn goes_on(text: &str, place: TextRange) -> bool {
    let (front, behind) = (&text[..usize::from(place.end())], &text[usize::from(place.end())..]);
    // A quote that is open is one that closes here.
    let line = || &front[front.rfind('\n').map_or(0, |end| end + 1)..];
    let opens = |quote: &char| line().matches(*quote).count().is_multiple_of(2);
    let quote = behind.chars().next().filter(|sign| matches!(sign, '`' | '"' | '\'')).filter(opens);
    let behind = quote.and_then(|quote| behind.strip_prefix(quote));
    let ends =
        |c: char| c.is_whitespace() || matches!(c, ';' | ')' | '&' | '|' | ',' | '`' | '"' | '\'' | '>' | '}' | ']');
    behind.is_some_and(|behind| !behind.is_empty() && !behind.starts_with(ends))
}

/// Where an option stands with its value; nothing if its end is not known.
fn place_of(plan: &Plan<'_>, words: &[Word], row: &NvccOption, style: &dyn Style) -> Option<TextRange> {
    let place = whole(plan.text, words, style.strips_quotes())
        .filter(|place| !goes_on(plan.text, *place) && !is_one_argument(plan.text, *place))?;
    // A function of make stands within the value: GPUs and what goes take it along, anything else would be cut in two.
    match with_function(plan.text, place) {
        Some(longer) if row.action == OptionAction::Targets || goes(row) => Some(longer),
        // What stands in front of the list is all that changes.
        Some(_) if row.action == OptionAction::Linker => Some(place),
        Some(_) => None,
        None => Some(place),
    }
}

/// In front of an option for device code alone.
const FOR_DEVICE: &str = "-Xarch_device";

/// Has clang take the option behind it for the host's code alone.
const FOR_HOST: &str = "-Xarch_host";

/// An option that goes without a word.
fn gone(place: TextRange, option: &str) -> Planned<'_> {
    Planned { change: Change::new(Topic::Option, place, "", Vec::new()), gone: Some(option) }
}

/// An option that names the compiler of the host's code goes; what a compiler of MPI's brings, the one for HIP has to be told.
fn without_mpi<'p>(
    plan: &Plan<'_>,
    (place, option): (TextRange, &str),
    value: &str,
    style: &dyn Style,
) -> Option<Planned<'p>> {
    let names_mpi = value.to_ascii_lowercase().replace("compil", "").contains("mpi");
    if !option.ends_with("bin") && !option.ends_with("bindir") || !names_mpi {
        return None;
    }
    let message = format!("`{value}` knows where MPI is, and the compiler for HIP does not");
    let advice =
        "give it what `mpicxx --showme:compile` and `--showme:link` print (Open MPI; of MPICH, `mpicxx -show`)";
    let change = Change::new(Topic::Unsupported, place, message, vec![style.removed(plan, place)]);
    Some(Change { severity: Some(Severity::Warning), ..change.with_note(Some(advice.to_owned())) }.into())
}

/// Whether another word, which counts wherever the option at a place does, says all that it says.
fn is_said_beside(plan: &Plan<'_>, (words, at): (&[Word], usize), row: &NvccOption) -> bool {
    let counts = |other: &Word| {
        let (one, two) = (words[at].range, other.range);
        let between = &plan.text[usize::from(one.end().min(two.end()))..usize::from(one.start().max(two.start()))];
        let is_near = other.part == 0 || other.part == words[at].part;
        is_near && !between.contains("$<") && !between.contains(['>', ','])
    };
    let near = at.saturating_sub(NEAR)..words.len().min(at.saturating_add(NEAR));
    let says = |other: &Word| row.is_said_by(plan.slice(other.range)) && is_taken(plan, words, other);
    words[near].iter().any(|other| says(other) && counts(other))
}

/// Several options for the linker in one; what has to change in them is changed where they stand.
fn linked(plan: &Plan<'_>, place: TextRange, value: &str) -> Change {
    let text = plan.slice(place);
    let at = usize::from(place.start()) + text.rfind(value).unwrap_or_default();
    let pieces = vec![Piece::Text("-Wl,".to_owned()), Piece::Keep(range(at, at + value.len()))];
    let message = format!("`{text}` is `-Wl,{value}` for clang");
    Change::new(Topic::Option, place, message, vec![Edit { range: place, pieces }])
}

/// A place to the end of its word, if a function of make that stands right behind it goes on with the word.
fn with_function(text: &str, place: TextRange) -> Option<TextRange> {
    let end = usize::from(place.end());
    let rest = text[end..].strip_prefix("$(")?;
    let mut depth = 1_usize;
    let len = rest.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '\n' || depth == 0 && c.is_whitespace()
    });
    Some(range(place.start().into(), end + 2 + len.unwrap_or(rest.len())))
}

/// Whether a word of a command names objects that it reads.
fn is_object(plan: &Plan<'_>, words: &[Word], at: usize) -> bool {
    let text = plan.slice(words[at].range);
    let is_result = at.checked_sub(1).is_some_and(|before| plan.slice(words[before].range) == "-o");
    let is_list =
        matches!(text, "$^" | "$<" | "$+" | "$?") || text.starts_with('$') && text.to_uppercase().contains("OBJ");
    !is_result && (is_list || [".o", ".a"].iter().any(|ending| text.ends_with(ending)))
}

/// An option that clang has in no form. One of which nothing is lost but speed is removed.
fn without_counterpart(
    plan: &Plan<'_>,
    (place, option): (TextRange, &str),
    row: &NvccOption,
    style: &dyn Style,
) -> Change {
    let is_product = row.action == OptionAction::Product;
    let edits = if row.note.is_some() && !is_product { vec![style.removed(plan, place)] } else { Vec::new() };
    let (topic, message) = match row.action {
        OptionAction::Product => (Topic::Product, format!("`{option}` makes code for NVIDIA GPUs")),
        _ => (Topic::Unsupported, format!("the AMD compiler has no `{option}`")),
    };
    Change::new(topic, place, message, edits).with_note(row.advice.clone().or_else(|| row.note.clone()))
}

/// Whether a command says where its result goes, or is none: without a name, clang takes another one than nvcc.
fn names_result(plan: &Plan<'_>, words: &[Word]) -> bool {
    let texts = || words.iter().map(|word| plan.slice(word.range));
    let is_source = |text: &str| text == "$<" || text.rsplit_once('.').is_some_and(|(_, ending)| ending == "cu");
    texts().any(|text| text == "-o" || text.starts_with("--output-file")) || !texts().any(is_source)
}

/// A file with code for GPUs, which a program loads. Who reads PTX may take it for text.
fn code_object(place: TextRange, (option, new): (&str, &str), row: &NvccOption) -> Change {
    let message = format!("`{option}` makes code for NVIDIA GPUs, and `{new}` a code object for AMD's");
    let change = Change::new(Topic::Product, place, message, vec![Edit::replace(place, new)]);
    let severity = row.advice.is_none().then_some(Severity::Info);
    Change { severity, ..change.with_note(row.advice.clone().or_else(|| row.note.clone())) }
}

/// Whether quotes are open where a text ends, on its last line.
fn is_within_quotes(text: &str) -> bool {
    let line = &text[text.rfind('\n').map_or(0, |end| end + 1)..];
    !(line.matches('"').count() - line.matches("\\\"").count()).is_multiple_of(2)
}

/// Options for the host's compiler stand for themselves; what has to change in them is changed where they stand.
fn handed_on(
    plan: &Plan<'_>,
    (place, last): (TextRange, Word),
    (option, found): (&str, FoundOption<'_>),
    context: OptionContext<'_>,
) -> Change {
    let value = unquoted(found.value.unwrap_or_default());
    let message = format!("`{}` hands options to the host's compiler", plan.slice(place));
    let text = plan.slice(last.range);
    let raw = if found.takes_next { text } else { text[option.len()..].trim_start_matches('=') };
    let inner = raw.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\''])).unwrap_or(raw);
    // What stands in `\"` as a whole is quoted for somebody else, if quotes stand around that. A shell ends a word at its blanks.
    let is_nested = raw.starts_with('\\')
        && (raw.contains(char::is_whitespace) || is_within_quotes(&plan.text[..usize::from(last.range.start())]));
    if context.style.strips_quotes() && !is_nested && inner.contains(['\\', '"', '\'']) {
        let Some(words) = host_options(raw) else {
            return stays(place, option, "its value is quoted within quotes");
        };
        return Change::new(Topic::Option, place, message, vec![Edit::replace(place, words.join(" "))]);
    }
    // `\"-Wall\",\"-Wextra\"` in a text of CMake's, which takes the backslashes away.
    if !context.style.strips_quotes() && raw.starts_with("\\\"") && raw.matches("\\\"").count() > 2 {
        let Some(words) = host_options(&raw.replace("\\\"", "\"")) else {
            return stays(place, option, "its value is quoted within quotes");
        };
        let words = words.join(context.style.separator(place)).replace('"', "\\\"");
        return Change::new(Topic::Option, place, message, vec![Edit::replace(place, words)]);
    }
    let start = usize::from(last.range.start()) + plan.slice(last.range).rfind(value).unwrap_or_default();
    let parts = value.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
    let offset = |part: &str| start + (part.as_ptr().addr() - value.as_ptr().addr());
    let inner: Vec<Word> =
        parts.map(|part| Word { range: range(offset(part), offset(part) + part.len()), ..last }).collect();
    if inner.len() > 1 && context.style.is_open(place) {
        return stays(place, option, "text or list, its options are not known to be one here");
    }
    let between = context.style.separator(place);
    let piece = |word: &Word| {
        let text = plan.slice(word.range);
        if !is_about_floats(text) || !context.style.takes_pairs(place) {
            return Piece::Keep(word.range);
        }
        Piece::Text(context.style.joined(place, &[FOR_HOST, text].map(str::to_owned)))
    };
    let mut pieces: Vec<Piece> =
        inner.iter().flat_map(|word| [Piece::Text(between.to_owned()), piece(word)]).skip(1).collect();
    if inner.len() > 1 && context.style.needs_quotes(place) {
        pieces.insert(0, Piece::Text("\"".to_owned()));
        pieces.push(Piece::Text("\"".to_owned()));
    }
    plan_options(plan, &inner, OptionContext { for_nvcc: false, ..context });
    for word in &inner {
        plan_joined(plan, *word, between);
        plan_comma_list(plan, *word);
        plan_openmp(plan, *word);
    }
    let edit = if inner.is_empty() { context.style.removed(plan, place) } else { Edit { range: place, pieces } };
    Change::new(Topic::Option, place, message, vec![edit])
}
