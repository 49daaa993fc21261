//! What kernels need of a GPU, as a table and as warnings.

use std::io::{self, Write};

use super::validation_formats::place_prefix;
use super::words::plural;
use crate::validate::{ProgramResult, Resources};

/// The columns of the table. Registers are counted for a lane, scalar ones for a wave; memory is in bytes.
const HEADS: [&str; 10] =
    ["kernel", "target", "VGPR", "SGPR", "AGPR", "LDS", "scratch", "VGPR spills", "SGPR spills", "waves"];

/// Writes a table with a line for each kernel and target.
pub(super) fn write_resources(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    out.write_all(resource_text(results.iter().flat_map(|result| &result.resources)).as_bytes())
}

/// The table as text; nothing for no kernels.
pub(super) fn resource_text<'k>(kernels: impl Iterator<Item = &'k Resources>) -> String {
    let heads = HEADS.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(kernels.map(row)).collect();
    if rows.len() == 1 {
        return String::new();
    }
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write_rows(&mut text, &rows);
    String::from_utf8_lossy(&text).into_owned()
}

/// The table in Markdown; nothing for no kernels.
pub fn resource_markdown<'k>(kernels: impl Iterator<Item = &'k Resources>) -> String {
    let shown = |kernel| {
        let mut cells = row(kernel);
        // Neither `<64>` nor `operator|` is markup here.
        cells[0] = format!("`{}`", cells[0].replace('|', "\\|"));
        line(&cells)
    };
    let rows: Vec<String> = kernels.map(shown).collect();
    if rows.is_empty() {
        return String::new();
    }
    // Names to the left, numbers to the right.
    let rule = std::array::from_fn::<_, { HEADS.len() }, _>(|column| if column < 2 { "---" } else { "---:" });
    [line(&HEADS.map(str::to_owned)), line(&rule.map(str::to_owned)), rows.concat()].concat()
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn row(kernel: &Resources) -> Vec<String> {
    let Resources { registers, spilled, .. } = kernel;
    let more = if kernel.dynamic_stack { "+" } else { "" };
    vec![
        kernel.kernel.clone(),
        kernel.target.clone(),
        registers.vector.to_string(),
        registers.scalar.to_string(),
        registers.accumulation.map_or_else(|| "-".to_owned(), |count| count.to_string()),
        kernel.lds.to_string(),
        format!("{}{more}", kernel.scratch),
        spilled.vector.to_string(),
        spilled.scalar.to_string(),
        kernel.occupancy.to_string(),
    ]
}

/// Writes what a person should look at. Kernels in headers of others are only counted.
pub(super) fn write_resource_warnings(out: &mut dyn Write, kernels: &[Resources]) -> io::Result<()> {
    let others = kernels.iter().filter(|kernel| kernel.is_of_others && !kernel.warnings().is_empty());
    if let count @ 1.. = others.count() {
        let kernels = plural(count, "kernel");
        writeln!(out, "{kernels} in headers of others spill registers or have few waves; `--resources` lists all")?;
    }
    for kernel in kernels.iter().filter(|kernel| !kernel.is_of_others) {
        let place = place_prefix(kernel.place.as_ref());
        for warning in kernel.warnings() {
            writeln!(out, "{place}warning: `{}` on {}: {warning}", kernel.kernel, kernel.target)?;
        }
    }
    Ok(())
}

/// Writes cells below each other.
pub(super) fn write_rows(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..first.len()).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
