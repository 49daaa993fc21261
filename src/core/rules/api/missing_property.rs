//! Members of structures that HIP lacks, in all releases or in older ones.

use rustc_hash::FxHashMap;

use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Member;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, words};

use super::structure_objects::Objects;

declare_rule! {
    /// ## What it does
    /// Finds members of CUDA's structures that HIP's structures lack, in all releases (`deviceNumaId` of
    /// `cudaDeviceProp`, `clusterDim` of `cudaLaunchAttributeValue`) or before some release: `hipDeviceProp_t`
    /// has most of its members from ROCm 6.0 on. The object has to be declared in the file, unless the
    /// name of the member is one that nobody else would choose.
    ///
    /// ## Why is this bad?
    /// The member does not exist, so the program does not compile.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// size_t largest(const cudaDeviceProp& device) { return device.sharedMemPerBlockOptin; }
    /// ```
    /// Use instead:
    /// ```hip
    /// size_t largest(const hipDeviceProp_t& device) { return device.sharedMemPerBlock; }
    /// ```
    ///
    /// ## What to do
    /// Where there is no fix, `hipDeviceGetAttribute` tells some of them; decide what the others are
    /// for the GPUs that the program is for.
    ///
    /// ## Fix safety
    /// Safe: shared memory needs no opt-in on AMD GPUs, and the size of a multiprocessor's has
    /// another name.
    MissingProperty { code: "A024", name: "missing-property", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// Names that a file uses for a structure.
type Names<'d> = FxHashMap<&'d str, Vec<&'d str>>;

impl Rule for MissingProperty {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let release = cx.settings.rocm;
        let mut found = Vec::new();
        for (structure, names) in structures(cx) {
            let objects = Objects::of(&names, document);
            for member in Member::lacking(structure).iter().filter(|member| member.is_missing(release)) {
                let uses = words(document, member.name).filter(|&idx| role(document, idx) == Role::Member);
                let uses = uses.filter(|&idx| is_distinctive(member.name) || objects.have(idx, document));
                found.extend(uses.map(|idx| (idx, structure, member)));
            }
        }
        // Two structures of a file may lack a member of one name.
        found.sort_by_key(|&(idx, structure, _)| (idx, structure));
        found.dedup_by_key(|&mut (idx, ..)| idx);
        for (idx, structure, member) in found {
            report(idx, structure, member, cx);
        }
    }
}

/// The structures that lack members and that the file names, with their names in it.
fn structures<'d>(cx: &Context<'d>) -> Names<'d> {
    let document = cx.document;
    let mut names = Names::default();
    for name in cx.names.iter() {
        let to = match name.meaning {
            Meaning::Renamed(to, _) => to,
            Meaning::Same(entry) => entry.hip,
            _ => continue,
        };
        if !Member::lacking(to).is_empty() {
            names.entry(to).or_default().push(document.token_text(name.token));
        }
    }
    if cx.facts.is_hip {
        for structure in Member::structures().filter(|structure| words(document, structure).next().is_some()) {
            names.entry(structure).or_default().push(structure);
        }
    }
    names
}

/// Whether no other structure would have a member of the name.
fn is_distinctive(member: &str) -> bool {
    member.len() >= 10 && member.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn report(idx: TokenIdx, structure: &str, member: &Member, cx: &mut Context<'_>) {
    let range = cx.document.range_of(idx..idx + 1);
    let message = match member.since {
        Some(since) => format!("`{structure}` has no `{}` before ROCm {since}", member.name),
        None => format!("`{structure}` has no `{}`", member.name),
    };
    let finding = cx.report(range, message);
    if !member.instead.is_empty() {
        let fix = Fix::safe(format!("use `{}`", member.instead), vec![Edit::replace(range, member.instead)]);
        finding.severity(Severity::Hint).fix(fix);
    } else if structure == "hipDeviceProp_t" {
        finding.note("`hipDeviceGetAttribute` tells some of what the structure does not");
    }
}
