//! Makes programs out of snippets, at random.

use std::collections::BTreeMap;
use std::fmt;

use crate::names;

/// A snippet to be filled in, from `kinds.txt`.
pub(crate) struct Kind {
    pub(crate) name: String,
    /// It may stand in a namespace.
    wrappable: bool,
    /// It gives names a new meaning for all files that see it.
    global: bool,
    parts: Vec<(Place, String)>,
}

/// Which file of a program holds a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    Anywhere,
    Header,
    First,
    Second,
}

/// A snippet with its names; marks stand before them.
#[derive(Clone)]
pub(crate) struct Snippet {
    pub(crate) kind: String,
    pub(crate) parts: Vec<(Place, String)>,
}

impl Snippet {
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.len()).sum()
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|(place, text)| writeln!(f, "[{place:?}]\n{}", text.trim_end()))
    }
}

/// A header and two sources.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) number: usize,
    pub(crate) snippets: Vec<Snippet>,
}

impl Program {
    /// The program with some of its snippets.
    pub(crate) fn only(&self, wanted: &[usize]) -> Program {
        let snippets = wanted.iter().map(|index| self.snippets[*index].clone()).collect();
        Program { number: self.number, snippets }
    }
}

/// All kinds of snippets.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for line in include_str!("kinds.txt").lines() {
        if let Some(head) = line.strip_prefix("## ") {
            let mut words = head.split(' ');
            let name = words.next().unwrap_or_default().to_owned();
            let flags: Vec<&str> = words.collect();
            let (wrappable, global) = (flags.contains(&"w"), flags.contains(&"g"));
            kinds.push(Kind { name, wrappable, global, parts: vec![(Place::Anywhere, String::new())] });
            continue;
        }
        let Some(kind) = kinds.last_mut() else { continue };
        let place = match line {
            "-- h" => Place::Header,
            "-- a" => Place::First,
            "-- b" => Place::Second,
            _ => {
                if let Some((_, text)) = kind.parts.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
                continue;
            }
        };
        kind.parts.retain(|(_, text)| !text.is_empty());
        kind.parts.push((place, String::new()));
    }
    kinds
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or_default()
    }

    fn shuffled<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut all = all.to_vec();
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
        all
    }
}

/// Names that snippets may take.
#[derive(Clone, Default)]
struct Pool {
    functions: Vec<names::Function>,
    types: Vec<&'static str>,
    constants: Vec<&'static str>,
}

impl Pool {
    /// Takes the first names of each kind out.
    fn split(random: &mut Random) -> (Pool, Pool) {
        let mut open = Pool {
            functions: random.shuffled(names::FUNCTIONS),
            types: random.shuffled(&names::TYPES.iter().map(|(name, _)| *name).collect::<Vec<_>>()),
            constants: random.shuffled(&names::CONSTANTS.iter().map(|(name, _)| *name).collect::<Vec<_>>()),
        };
        let kept = Pool {
            functions: open.functions.split_off(open.functions.len() / 2),
            types: open.types.split_off(open.types.len() / 2),
            constants: open.constants.split_off(open.constants.len() / 2),
        };
        (open, kept)
    }
}

pub(crate) struct Generator {
    random: Random,
    kinds: Vec<Kind>,
    /// Kinds to come, so that all come equally often.
    queue: Vec<usize>,
    made: usize,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Generator {
        let seed = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Generator { random: Random(seed), kinds: kinds(), queue: Vec::new(), made: 0 }
    }

    /// Programs that are converted together. Names that a snippet defines for all files come once.
    pub(crate) fn programs(&mut self, first: usize, count: usize) -> Vec<Program> {
        let (open, mut kept) = Pool::split(&mut self.random);
        (first..first + count).map(|number| self.program(number, &open, &mut kept)).collect()
    }

    fn program(&mut self, number: usize, open: &Pool, kept: &mut Pool) -> Program {
        let wanted = 3 + self.random.below(4);
        let mut snippets = Vec::new();
        while snippets.len() < wanted {
            let Some(kind) = self.queue.pop() else {
                let all: Vec<usize> = (0..self.kinds.len()).collect();
                self.queue = self.random.shuffled(&all);
                continue;
            };
            snippets.extend(self.snippet(kind, open, kept));
        }
        Program { number, snippets }
    }

    /// A snippet of a kind, or none where the names for it ran out.
    fn snippet(&mut self, kind: usize, open: &Pool, kept: &mut Pool) -> Option<Snippet> {
        let global = self.kinds[kind].global;
        let parts = self.kinds[kind].parts.clone();
        let mut names = Names::new(self.made);
        self.made += 1;
        let mut pool = if global { kept.clone() } else { open.clone() };
        if !global {
            pool.functions = self.random.shuffled(&pool.functions);
            pool.types = self.random.shuffled(&pool.types);
            pool.constants = self.random.shuffled(&pool.constants);
        }
        let mut filled = Vec::new();
        for (place, text) in parts {
            filled.push((place, names.fill(&text, &mut pool, &mut self.random)?));
        }
        if global {
            *kept = pool;
        }
        for (place, text) in &mut filled {
            self.vary(kind, place, text);
        }
        Some(Snippet { kind: self.kinds[kind].name.clone(), parts: filled })
    }

    /// Puts a snippet in a file, perhaps in a namespace, and spaces it differently.
    fn vary(&mut self, kind: usize, place: &mut Place, text: &mut String) {
        let plain = !text.contains(['#', '"', '\'']) && !text.contains("//") && !text.contains("/*");
        if plain && self.random.below(3) == 0 {
            *text = self.spaced(text);
        }
        if *place == Place::Anywhere {
            *place = [Place::Header, Place::First, Place::First, Place::Second][self.random.below(4)];
        }
        if self.kinds[kind].wrappable && self.random.below(2) == 0 {
            let number = self.made;
            *text = match self.random.below(5) {
                0 => format!("namespace w{number} {{\n{text}}}\n"),
                1 => format!("namespace w{number} {{ namespace {{\n{text}}} }}\n"),
                2 => format!("namespace w{number}::in {{\n{text}}}\n"),
                3 => format!("#if WITH_{number}\n{text}#endif\n"),
                _ => format!("namespace w{number} {{ using namespace std; inline namespace v1 {{\n{text}}} }}\n"),
            };
        }
    }

    fn spaced(&mut self, text: &str) -> String {
        const SPACES: &[&str] = &["\n    ", "  ", " /* cudaMalloc */ ", " // cudaFree(x)\n", "\t", "\n\n"];
        let mut out = String::new();
        for letter in text.chars() {
            if letter == ' ' && self.random.below(12) == 0 {
                out.push_str(SPACES[self.random.below(SPACES.len())]);
            } else {
                out.push(letter);
            }
        }
        out
    }
}

/// The names of one snippet, by their marks (`F1`).
struct Names {
    number: usize,
    functions: BTreeMap<char, names::Function>,
    others: BTreeMap<(char, char), &'static str>,
}

impl Names {
    fn new(number: usize) -> Names {
        Names { number, functions: BTreeMap::new(), others: BTreeMap::new() }
    }

    fn fill(&mut self, text: &str, pool: &mut Pool, random: &mut Random) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('@') {
            out.push_str(&rest[..at]);
            let mut letters = rest[at + 1..].chars();
            let kind = letters.next()?;
            if kind == 'U' {
                out.push_str(&self.number.to_string());
                rest = &rest[at + 2..];
                continue;
            }
            let index = letters.next()?;
            out.push_str(self.name(kind, index, pool, random)?);
            rest = &rest[at + 3..];
        }
        out.push_str(rest);
        Some(out)
    }

    fn name(&mut self, kind: char, index: char, pool: &mut Pool, random: &mut Random) -> Option<&'static str> {
        if matches!(kind, 'F' | 'R' | 'A') {
            let (name, _, result, parameter) = match self.functions.get(&index) {
                Some(function) => *function,
                None => *self.functions.entry(index).or_insert(pool.functions.pop()?),
            };
            return Some(match kind {
                'F' => name,
                'R' => result,
                _ => parameter,
            });
        }
        if let Some(name) = self.others.get(&(kind, index)) {
            return Some(name);
        }
        let mut taken = |all: &[&'static str], others: &BTreeMap<(char, char), &'static str>| {
            let free: Vec<_> = all.iter().filter(|name| !others.values().any(|taken| taken == *name)).collect();
            *free[random.below(free.len())]
        };
        let name = match kind {
            'T' => pool.types.pop()?,
            'E' => pool.constants.pop()?,
            'D' => taken(&names::DEVICE.iter().map(|(name, _)| *name).collect::<Vec<_>>(), &self.others),
            'G' => taken(names::LACKING_FUNCTIONS, &self.others),
            'H' => taken(names::LACKING_TYPES, &self.others),
            _ => taken(names::VARIABLES, &self.others),
        };
        self.others.insert((kind, index), name);
        Some(name)
    }
}
