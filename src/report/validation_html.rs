//! The result of a validation as one HTML file, in the style of the report about findings.

use std::io::{self, Write};

use maud::{Markup, html};

use super::html::{page, with_code};
use super::validation_formats::{message_line, reason, times, wave_finding_line, wave_reason};
use super::validation_sums::Sums;
use super::words::plural;
use crate::validate::{Mismatch, ProgramResult, Resources, TargetResult, Verdict};

/// Writes the page.
pub fn write_validation_html(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    let body = html! {
        (summary(results))
        (table(results))
        (details(results))
        (kernels(results))
    };
    page(out, "hipshift validation", "Converted programs, compiled, run and compared", &body)
}

fn summary(results: &[ProgramResult]) -> Markup {
    let sums = Sums::of(results);
    html! {
        section aria-labelledby="summary" {
            h2 id="summary" { "Summary" }
            ul.cards {
                li.well { strong id="count-well" { (sums.well) } " well" }
                li.error { strong id="count-failed" { (sums.failed) } " failed" }
                li.warning { strong id="count-not-run" { (sums.not_run) } " not run" }
                li { strong { (plural(results.len(), "program")) } ", " (plural(sums.results, "result")) }
            }
            table {
                caption { "What the results prove" }
                thead { tr {
                    th scope="col" { "Evidence" }
                    th.number scope="col" { "Results" }
                } }
                tbody {
                    @for (label, count) in sums.evidence {
                        tr {
                            th scope="row" { (label) }
                            td.number id=(format!("evidence-{}", label.replace(' ', "-"))) { (count) }
                        }
                    }
                }
            }
        }
    }
}

fn table(results: &[ProgramResult]) -> Markup {
    let targets = results.first().map_or(&[][..], |result| &result.targets);
    html! {
        section aria-labelledby="programs" {
            h2 id="programs" { "Programs" }
            table {
                caption { "Each program on each target" }
                thead { tr {
                    th scope="col" { "Program" }
                    @for result in targets {
                        th scope="col" { (result.target.name) " (wave" (result.target.wave_size) ")" }
                    }
                } }
                tbody {
                    @for result in results {
                        tr {
                            th scope="row" { (result.name) }
                            @for target in &result.targets { td { (verdict(target)) } }
                        }
                    }
                }
            }
        }
    }
}

fn verdict(result: &TargetResult) -> Markup {
    html! {
        span class=(format!("badge {}", class(&result.verdict))) { (result.verdict.label()) }
        " " small { (result.evidence.label()) @if let Some(time) = result.time { (format!(", {:.2} s", time.as_secs_f64())) } }
    }
}

fn class(verdict: &Verdict) -> &'static str {
    if verdict.is_success() {
        "well"
    } else if verdict.is_failure() {
        "error"
    } else {
        "warning"
    }
}

fn details(results: &[ProgramResult]) -> Markup {
    let has_details = |result: &&ProgramResult| {
        let is_wrong = |target: &TargetResult| !target.verdict.is_success();
        result.wave_difference.is_some() || !result.messages.is_empty() || result.targets.iter().any(is_wrong)
    };
    let shown: Vec<&ProgramResult> = results.iter().filter(has_details).collect();
    html! {
        @if !shown.is_empty() { section aria-labelledby="details" {
            h2 id="details" { "Details" }
            @for result in shown {
                details open {
                    summary { code { (result.name) } " · " code { (result.source) } }
                    (messages(result))
                    @for target in &result.targets { (target_details(target)) }
                    (wave(result))
                }
            }
        } }
    }
}

fn messages(result: &ProgramResult) -> Markup {
    html! {
        @for message in &result.messages {
            article class=(message.gravity.word()) {
                p { (with_code(&message_line(message))) (times(message.count)) }
                @if let Some(cause) = &message.rule {
                    p.note { code { (cause.code) } @if cause.wrote { " wrote this: " } @else { " says: " } (with_code(&cause.message)) }
                }
                @if let Some(trap) = &message.explanation { p.note { code { (trap.code) } ": " (with_code(trap.text)) } }
            }
        }
    }
}

fn target_details(result: &TargetResult) -> Markup {
    let Some(reason) = reason(&result.verdict) else { return html! {} };
    let difference = match &result.verdict {
        Verdict::Differs(difference) => Some(("expected", "found", difference)),
        Verdict::Unsteady(found) => found.difference.as_ref().map(|it| ("one schedule", "another", it)),
        _ => None,
    };
    html! {
        article class=(class(&result.verdict)) {
            h3 { (result.target.name) ": " (result.verdict.label()) }
            p { (with_code(&reason)) }
            @if let Some((first, second, difference)) = difference { (sides(difference, first, second)) }
            @for finding in &result.findings { p { (with_code(finding)) } }
            @if !result.last_words.is_empty() { pre.source { (result.last_words.join("\n")) } }
        }
    }
}

fn sides(difference: &Mismatch, first: &str, second: &str) -> Markup {
    html! {
        table.diff { tbody {
            @for ((label, line), class) in [first, second].into_iter().zip(difference.sides()).zip(["old", "new"]) {
                tr { th scope="row" { (label) } td class=(class) { (line.unwrap_or("(the output ends here)")) } }
            }
        } }
    }
}

fn wave(result: &ProgramResult) -> Markup {
    let Some(wave) = &result.wave_difference else { return html! {} };
    html! {
        article.error {
            h3 { "A bug, unless the width of waves is meant to show" }
            p { (result.name) " " (wave_reason(wave)) ", at " (with_code(&wave.difference.place())) }
            (sides(&wave.difference, &wave.wide.name, &wave.narrow.name))
            @for finding in &wave.findings { p.note { (with_code(&wave_finding_line(finding))) } }
        }
    }
}

/// What each kernel needs, with what a person should look at.
fn kernels(results: &[ProgramResult]) -> Markup {
    let kernels: Vec<&Resources> = results.iter().flat_map(|result| &result.resources).collect();
    html! {
        @if !kernels.is_empty() { section aria-labelledby="kernels" {
            h2 id="kernels" { "Kernels" }
            table {
                caption { "Registers of a lane (VGPR) and of a wave (SGPR), bytes of shared memory of a block and of scratch of a lane, waves of an execution unit" }
                thead { tr {
                    th scope="col" { "Kernel" }
                    th scope="col" { "Target" }
                    @for head in ["VGPR", "SGPR", "LDS", "Scratch", "Waves"] { th.number scope="col" { (head) } }
                    th scope="col" { "Look at" }
                } }
                tbody {
                    @for kernel in kernels {
                        tr {
                            th scope="row" { code { (kernel.kernel) } }
                            td { (kernel.target) }
                            td.number { (kernel.registers.vector) }
                            td.number { (kernel.registers.scalar) }
                            td.number { (kernel.lds) }
                            td.number { (kernel.scratch) @if kernel.dynamic_stack { "+" } }
                            td.number { (kernel.occupancy) }
                            td { (kernel.warnings().join("; ")) }
                        }
                    }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::Gravity;

    #[test]
    fn messages_are_shown_by_gravity() {
        // The classes of the style sheet have the names of gravities.
        let style = include_str!("html.css");
        for gravity in [Gravity::Error, Gravity::Warning] {
            assert!(style.contains(&format!("article.{}", gravity.word())));
        }
        assert!(style.contains(".badge.well") && style.contains("article.well"));
    }
}
