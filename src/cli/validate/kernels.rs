//! `[[validate.kernel]]` as kernels that can be started.

use anyhow::{Context as _, bail, ensure};
use camino::Utf8Path;

use crate::cli::output::note;
use crate::project::{ArgumentConfig, KernelConfig, NanWord, NumberConfig, Size, ToleranceConfig, resolved};
use crate::validate::{
    Argument, Array, ArrayTolerance, Element, Fill, Kernel, Launch, NanRule, Number, Output, Scalar,
};

/// The kernels of the configuration.
pub(super) fn kernels(configs: &[KernelConfig]) -> anyhow::Result<Vec<Kernel>> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for config in configs {
        let name = &config.name;
        ensure!(is_file_name(name), "`{name}` cannot be a part of a file's name");
        ensure!(kernels.iter().all(|kernel| kernel.name != *name), "two kernels have the name `{name}`");
        kernels.push(kernel(config).with_context(|| format!("kernel `{name}` in `hipshift.toml`"))?);
    }
    Ok(kernels)
}

/// Says that a kernel is not started, as no source that it could be in was named.
pub(super) fn note_left_out(kernel: &Kernel) {
    let here = resolved(Utf8Path::new(".")).ok();
    let source = here.and_then(|here| kernel.source.strip_prefix(here).ok()).unwrap_or(&kernel.source);
    note(&format!(
        "`[[validate.kernel]]` speaks of `{}`, and its source `{source}` is not among the files of this run: it is not started",
        kernel.name
    ));
}

fn kernel(config: &KernelConfig) -> anyhow::Result<Kernel> {
    let source = config.source.canonicalize_utf8().with_context(|| format!("reading {}", config.source))?;
    let arguments = config.argument.iter().enumerate();
    let arguments = arguments.map(|(at, one)| argument(at, one, config.tolerance));
    let arguments = arguments.collect::<anyhow::Result<Vec<_>>>()?;
    let kernel = Kernel {
        name: config.name.clone(),
        function: config.function.clone().unwrap_or_else(|| config.name.clone()),
        source,
        template: config.template.clone(),
        launch: Launch { grid: size(&config.grid)?, block: size(&config.block)?, shared: config.shared },
        widths: config.vary.clone(),
        arguments,
    };
    ensure!(!kernel.widths.iter().flatten().any(|width| *width == 0), "a width in `vary` is 0");
    for (at, array) in kernel.arrays().enumerate() {
        ensure!(kernel.arrays().take(at).all(|other| other.name != array.name), "two arrays are `{}`", array.name);
    }
    ensure!(kernel.outputs().next().is_some(), "no array has `output = true`, so there is nothing to compare");
    Ok(kernel)
}

fn size(size: &Size) -> anyhow::Result<[u32; 3]> {
    let found = match size {
        Size::One(x) => [*x, 1, 1],
        Size::Several(all) => match all.as_slice() {
            [x] => [*x, 1, 1],
            [x, y] => [*x, *y, 1],
            [x, y, z] => [*x, *y, *z],
            _ => bail!("a size has one to three numbers"),
        },
    };
    ensure!(!found.contains(&0), "a size is 0");
    Ok(found)
}

fn argument(at: usize, config: &ArgumentConfig, general: ToleranceConfig) -> anyhow::Result<Argument> {
    let name = config.name.clone().unwrap_or_else(|| format!("argument{}", at + 1));
    read_argument(name.clone(), config, general).with_context(|| format!("argument {} (`{name}`)", at + 1))
}

fn read_argument(name: String, config: &ArgumentConfig, general: ToleranceConfig) -> anyhow::Result<Argument> {
    ensure!(is_file_name(&name), "`{name}` cannot be a part of a file's name");
    let element = Element::find(&config.element)
        .with_context(|| format!("nothing is known about type `{}`; known are {}", config.element, Element::names()))?;
    let is_array = config.length.is_some() || config.file.is_some();
    match config.value {
        Some(_) if is_array => bail!("an array has no `value`; `constant` fills it"),
        Some(value) => return Ok(Argument::Scalar(Scalar { element, value: number(value) })),
        None => ensure!(is_array, "it has neither `value` nor `length`"),
    }
    let (fill, length) = fill(config, element)?;
    ensure!(length > 0, "it has no elements");
    ensure!(config.output || config.expected.is_none(), "`expected` is for arrays with `output = true`");
    let output = config
        .output
        .then(|| Output { expected: config.expected.clone(), tolerance: tolerance(config.tolerance, general) });
    let pointee = config.pointee.clone().or_else(|| Element::pointee(&config.element).map(str::to_owned));
    Ok(Argument::Array(Array { name, element, length, pointee, fill, output }))
}

/// What an array holds at first, which is zero if nothing is said, and its length.
fn fill(config: &ArgumentConfig, element: Element) -> anyhow::Result<(Fill, usize)> {
    let file = config.file.as_ref().map(|path| {
        // The program runs in another folder.
        let path = path.canonicalize_utf8().with_context(|| format!("reading {path}"))?;
        ensure!(path.is_file(), "`{path}` is no regular file");
        anyhow::Ok(Fill::from_file(&path, element)?)
    });
    let file = file.transpose()?;
    let in_file = file.as_ref().map(|(_, count)| *count);
    let ways = [
        file.map(|(fill, _)| fill),
        config.constant.map(|value| Fill::Constant(number(value))),
        config.ramp.map(|[start, step]| Fill::Ramp { start, step }),
        config.random.map(|random| Fill::Random { seed: random.seed.into(), low: random.low, high: random.high }),
    ];
    let mut ways = ways.into_iter().flatten();
    let chosen = ways.next().unwrap_or(Fill::Constant(Number::Integer(0)));
    ensure!(ways.next().is_none(), "it is filled in two ways");
    let length = config.length.or(in_file).unwrap_or_default();
    ensure!(in_file.is_none_or(|count| length <= count), "its file has only {} elements", in_file.unwrap_or_default());
    Ok((chosen, length))
}

fn tolerance(own: ToleranceConfig, general: ToleranceConfig) -> ArrayTolerance {
    let nan = match own.nan.or(general.nan) {
        None | Some(NanWord::Equal) => NanRule::Equal,
        Some(NanWord::Differ) => NanRule::Differ,
        Some(NanWord::Ignore) => NanRule::Ignore,
    };
    ArrayTolerance {
        relative: own.relative.or(general.relative).unwrap_or_default(),
        absolute: own.absolute.or(general.absolute).unwrap_or_default(),
        ulp: own.ulp.or(general.ulp).unwrap_or_default(),
        nan,
    }
}

fn number(number: NumberConfig) -> Number {
    match number {
        NumberConfig::Integer(value) => Number::Integer(value),
        NumberConfig::Real(value) => Number::Real(value),
    }
}

/// Whether a name can be a part of a file's, and stand in C++ text.
fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Argument, String> {
        let config: ArgumentConfig = toml::from_str(text).unwrap();
        let general = ToleranceConfig { relative: Some(0.5), ulp: Some(3), ..ToleranceConfig::default() };
        argument(1, &config, general).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn arguments_are_values_or_arrays() {
        let scalar = Scalar { element: Element::Float, value: Number::Real(0.5) };
        assert_eq!(read("type = 'float'\nvalue = 0.5"), Ok(Argument::Scalar(scalar)));
        let found = read("type = 'long long'\nlength = 4\noutput = true\ntolerance = { ulp = 1, nan = 'differ' }");
        let Ok(Argument::Array(array)) = found else { panic!("{found:?}") };
        assert_eq!((array.name.as_str(), array.length), ("argument2", 4));
        assert_eq!((array.pointee.as_deref(), array.fill), (Some("long long"), Fill::Constant(Number::Integer(0))));
        let tolerance = array.output.unwrap().tolerance;
        let wanted = ArrayTolerance { relative: 0.5, absolute: 0.0, ulp: 1, nan: NanRule::Differ };
        assert_eq!(tolerance, wanted);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let cases = [
            ("type = 'int'", "neither `value` nor `length`"),
            ("type = 'number'\nvalue = 1", "nothing is known about type `number`"),
            ("type = 'int'\nlength = 3\nvalue = 1", "an array has no `value`"),
            ("type = 'int'\nlength = 3\nconstant = 1\nramp = [0, 1]", "filled in two ways"),
            ("type = 'int'\nlength = 0", "no elements"),
            ("type = 'int'\nlength = 3\nexpected = 'x.npy'", "`expected` is for arrays"),
            ("type = 'int'\nlength = 3\nname = 'a/b'", "cannot be a part"),
            ("type = 'int'\nfile = 'no/such.npy'", "no/such.npy"),
        ];
        for (text, error) in cases {
            let found = read(text).unwrap_err();
            assert!(found.contains(error) && found.contains("argument 2"), "{text}: {found}");
        }
    }

    #[test]
    fn sizes_have_up_to_three_directions() {
        assert_eq!(size(&Size::One(7)).unwrap(), [7, 1, 1]);
        assert_eq!(size(&Size::Several(vec![7, 2])).unwrap(), [7, 2, 1]);
        assert!(size(&Size::Several(vec![1; 4])).is_err() && size(&Size::One(0)).is_err());
    }
}
