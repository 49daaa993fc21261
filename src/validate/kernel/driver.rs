//! Writes the program that starts a kernel, in HIP and in CUDA.

use std::fmt::Write as _;

use camino::Utf8Path;

use super::element::Element;
use super::launch::Launch;
use super::model::{Argument, Array, Fill, Kernel, Number, Scalar};

/// What all drivers share. `gpu` stands for the prefix of the runtime.
const COMMON: &str = include_str!("driver.cpp");

/// The language of a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// For the compiler for AMD GPUs.
    Hip,
    /// For nvcc.
    Cuda,
}

impl Dialect {
    fn prefix(self) -> &'static str {
        match self {
            Dialect::Hip => "hip",
            Dialect::Cuda => "cuda",
        }
    }

    fn bfloat16(self) -> &'static str {
        match self {
            Dialect::Hip => "__hip_bfloat16",
            Dialect::Cuda => "__nv_bfloat16",
        }
    }

    fn headers(self) -> [&'static str; 3] {
        match self {
            Dialect::Hip => ["hip/hip_runtime.h", "hip/hip_fp16.h", "hip/hip_bf16.h"],
            Dialect::Cuda => ["cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h"],
        }
    }
}

/// The text of the driver. `source` is how it includes the file that defines the kernel.
pub fn driver(kernel: &Kernel, dialect: Dialect, source: &Utf8Path) -> String {
    let elements: Vec<Element> = kernel.arguments.iter().map(element_of).collect();
    let [runtime, half, bfloat16] = dialect.headers();
    let needed =
        [(runtime, true), (half, elements.contains(&Element::Half)), (bfloat16, elements.contains(&Element::Bfloat16))];
    let mut text = String::new();
    for (header, _) in needed.iter().filter(|(_, is_needed)| *is_needed) {
        line(&mut text, &format!("#include <{header}>"));
    }
    text.push_str(&COMMON.replace("gpu", dialect.prefix()));
    // The file may have a program of its own.
    line(&mut text, "#define main hipshift_main_of_the_source");
    line(&mut text, &format!("#include \"{source}\""));
    line(&mut text, "#undef main\n");
    line(&mut text, "int main(int, char **words) {");
    line(&mut text, "    const auto size = [words](int at) { return hipshift_driver::number(words[at]); };");
    line(&mut text, "    const dim3 grid(size(1), size(2), size(3)), block(size(4), size(5), size(6));");
    let mut files = 8..;
    for (at, argument) in kernel.arguments.iter().enumerate() {
        if let Argument::Array(array) = argument {
            let values = values(array, &mut files);
            line(
                &mut text,
                &format!("    auto *const memory_{at} = hipshift_driver::upload({values}, \"{}\");", array.name),
            );
        }
    }
    let arguments: Vec<String> =
        kernel.arguments.iter().enumerate().map(|(at, one)| passed(at, one, dialect)).collect();
    let template = if kernel.template.is_empty() { String::new() } else { format!("<{}>", kernel.template.join(", ")) };
    let function = format!("{}{template}", kernel.function);
    line(&mut text, &format!("    {function}<<<grid, block, size(7)>>>({});", arguments.join(", ")));
    let prefix = dialect.prefix();
    line(&mut text, &format!("    hipshift_driver::check({prefix}GetLastError(), \"the launch\");"));
    line(&mut text, &format!("    hipshift_driver::check({prefix}DeviceSynchronize(), \"the kernel\");"));
    for (at, argument) in kernel.arguments.iter().enumerate() {
        if let Argument::Array(Array { name, element, length, output: Some(_), .. }) = argument {
            line(
                &mut text,
                &format!("    hipshift_driver::save(memory_{at}, {length}, \"{name}\", \"{}\");", element.descr()),
            );
        }
    }
    line(&mut text, "    return 0;\n}");
    text
}

/// What a driver is called with.
pub(crate) fn words(kernel: &Kernel, launch: Launch) -> Vec<String> {
    let Launch { grid, block, shared } = launch;
    let sizes = grid.into_iter().chain(block).chain([shared]).map(|size| size.to_string());
    let files = kernel.arrays().filter_map(|array| match &array.fill {
        Fill::File { path, .. } => Some(path.as_str().to_owned()),
        _ => None,
    });
    sizes.chain(files).collect()
}

fn line(text: &mut String, line: &str) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}

fn element_of(argument: &Argument) -> Element {
    match argument {
        Argument::Scalar(scalar) => scalar.element,
        Argument::Array(array) => array.element,
    }
}

/// The expression for what an array holds at first.
fn values(array: &Array, files: &mut impl Iterator<Item = usize>) -> String {
    let (element, length) = (array.element.cpp(), array.length);
    match &array.fill {
        Fill::Constant(value) => format!("std::vector<{element}>({length}, {})", converted(&element, *value)),
        Fill::Ramp { start, step } => {
            format!("hipshift_driver::ramp<{element}>({length}, {}, {})", real(*start), real(*step))
        }
        Fill::Random { seed, low, high } => {
            format!("hipshift_driver::random<{element}>({length}, {seed}u, {}, {})", real(*low), real(*high))
        }
        Fill::File { offset, .. } => {
            format!("hipshift_driver::file<{element}>({length}, words[{}], {offset})", files.next().unwrap_or_default())
        }
    }
}

/// The expression for an argument of the kernel.
fn passed(at: usize, argument: &Argument, dialect: Dialect) -> String {
    match argument {
        Argument::Scalar(Scalar { element: Element::Bfloat16, value }) => {
            let value = converted(&Element::Bfloat16.cpp(), *value);
            format!("hipshift_driver::same_bits<{}>({value})", dialect.bfloat16())
        }
        Argument::Scalar(scalar) => converted(&scalar.element.cpp(), scalar.value),
        Argument::Array(Array { pointee: Some(pointee), .. }) => format!("reinterpret_cast<{pointee} *>(memory_{at})"),
        Argument::Array(Array { element: Element::Bfloat16, .. }) => {
            format!("reinterpret_cast<{} *>(memory_{at})", dialect.bfloat16())
        }
        Argument::Array(_) => format!("memory_{at}"),
    }
}

/// A number as a value of a type; those of 16 bits convert from `float` only.
fn converted(element: &str, value: Number) -> String {
    match value {
        Number::Integer(_) if element.starts_with("std::") => format!("static_cast<{element}>({})", number(value)),
        _ => format!("hipshift_driver::value_of<{element}>({})", number(value)),
    }
}

fn number(value: Number) -> String {
    match value {
        // The least number has no literal of its own.
        Number::Integer(i64::MIN) => "(-9223372036854775807LL - 1)".to_owned(),
        Number::Integer(value) => format!("{value}LL"),
        Number::Real(value) => real(value),
    }
}

fn real(value: f64) -> String {
    if value.is_nan() {
        "std::numeric_limits<double>::quiet_NaN()".to_owned()
    } else if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}std::numeric_limits<double>::infinity()")
    } else {
        format!("{value:?}")
    }
}
