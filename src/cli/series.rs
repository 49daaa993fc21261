//! `hipshift diff --patch` and `--split-by`: patches for other programs.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::output::note;
use crate::project::{Base, Doors, FileReport, Member, Share, Spool, Spooled, Staging, Topic, author};

/// What each file adds to the patches, by topic.
type Shares = BTreeMap<Topic, Vec<(Member, Spooled)>>;

/// Puts the shares of the files in order and writes one patch for each topic to `directory`.
pub(super) fn write_series(
    directory: &Utf8Path,
    shares: Vec<(Share, Spooled)>,
    spool: &Spool,
    base: &Base,
) -> anyhow::Result<()> {
    let mut topics = Shares::new();
    for (Share { topic, fixes, .. }, spooled) in shares {
        topics.entry(topic.clone()).or_default().push((Member { topic, fixes, files: 1 }, spooled));
    }
    let total = topics.len();
    let named: Vec<(Utf8PathBuf, Member, Vec<Spooled>)> = topics
        .into_iter()
        .zip(1..)
        .map(|((topic, parts), number)| {
            let (member, places) = join(topic, parts);
            (directory.join(member.file_name(number)), member, places)
        })
        .collect();
    refuse_leftovers(directory, &named)?;
    let (author, staging) = (author(base.path()), Staging::to(Doors::output(directory, &[base.path().to_owned()])?));
    for ((path, member, places), number) in named.iter().zip(1..) {
        let mut patch = Vec::new();
        for place in places {
            patch.extend(spool.read(*place).context("reading a temporary file")?);
        }
        staging.write(path, &member.mail(number, total, &author, &patch), path)?;
    }
    staging.commit()?;
    let mut out = super::output::screen();
    for (path, ..) in &named {
        writeln!(out, "{path}")?;
    }
    out.flush()?;
    if total > 0 {
        let is_inside = Utf8Path::new(".").canonicalize_utf8().is_ok_and(|here| here.starts_with(base.path()));
        let place = if is_inside { String::new() } else { format!(" in {}", base.path()) };
        note(&format!("apply with `git am {directory}/*.patch`{place}"));
    }
    Ok(())
}

fn join(topic: Topic, parts: Vec<(Member, Spooled)>) -> (Member, Vec<Spooled>) {
    let mut whole = Member { topic, fixes: BTreeMap::new(), files: parts.len() };
    let mut places = Vec::with_capacity(parts.len());
    for (part, place) in parts {
        for (rule, count) in part.fixes {
            *whole.fixes.entry(rule).or_default() += count;
        }
        places.push(place);
    }
    (whole, places)
}

/// Patches of an earlier run would be applied together with those of this one.
fn refuse_leftovers(directory: &Utf8Path, named: &[(Utf8PathBuf, Member, Vec<Spooled>)]) -> anyhow::Result<()> {
    if directory.is_file() {
        bail!("`{directory}` is a file; name a directory for the series");
    }
    let Ok(entries) = directory.read_dir_utf8() else { return Ok(()) };
    for entry in entries {
        let path = entry.with_context(|| format!("reading {directory}"))?.into_path();
        if path.extension() == Some("patch") && named.iter().all(|(own, ..)| *own != path) {
            bail!("`{path}` is no part of this series; remove it, or name another directory");
        }
    }
    Ok(())
}

/// Writes one patch; `-` is standard output.
pub(super) fn write_patch((to, base): (&Utf8Path, &Base), parts: &[Spooled], spool: &Spool) -> anyhow::Result<()> {
    let read = |part: &Spooled| spool.read(*part).context("reading a temporary file");
    if to == "-" {
        // As it is: what looks like a colour in a source file belongs to it.
        let mut out = std::io::stdout().lock();
        for part in parts {
            out.write_all(&read(part)?)?;
        }
        return Ok(out.flush()?);
    }
    let mut patch = Vec::new();
    for part in parts {
        patch.extend(read(part)?);
    }
    let staging = Staging::to(Doors::output(to, &[base.path().to_owned()])?);
    staging.write(to, &patch, to)?;
    staging.commit()?;
    Ok(())
}

/// Says what a patch cannot: what is left for a person.
pub(super) fn note_open(reports: &[FileReport]) {
    let open: usize = reports.iter().map(|report| report.open().count()).sum();
    if open > 0 {
        note(&format!("{open} findings are left for a person; `hipshift diff` shows them at their place"));
    }
}
