//! What kernels need of a GPU, as a table and as warnings.

use std::io::{self, Write};

use super::validation_formats::place_prefix;
use crate::validate::{ProgramResult, Resources};

/// The columns of the table. Registers are counted for a lane, scalar ones for a wave; memory is in bytes.
const HEADS: [&str; 10] =
    ["kernel", "target", "VGPR", "SGPR", "AGPR", "LDS", "scratch", "VGPR spills", "SGPR spills", "waves"];

/// Writes a table with a line for each kernel and target.
pub(super) fn write_resources(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    let kernels: Vec<Resources> = results.iter().flat_map(|result| &result.resources).cloned().collect();
    if kernels.is_empty() { Ok(()) } else { out.write_all(resource_text(&kernels).as_bytes()) }
}

/// The table as text.
pub(super) fn resource_text(kernels: &[Resources]) -> String {
    let heads = HEADS.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(kernels.iter().map(row)).collect();
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write_rows(&mut text, &rows);
    String::from_utf8_lossy(&text).into_owned()
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

/// Writes what a person should look at.
pub(super) fn write_resource_warnings(out: &mut dyn Write, kernels: &[Resources]) -> io::Result<()> {
    for kernel in kernels {
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
