//! Textures and surfaces on targets without image instructions.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds files that fetch from textures or surfaces while a target has no image instructions.
    /// Only the first place of a file is reported.
    ///
    /// ## Why is this bad?
    /// The fetch does not compile for that target, and creating the texture fails at run time.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void k(cudaTextureObject_t t, float* out) { out[0] = tex2D<float>(t, 0.5f, 0.5f); }
    /// ```
    ///
    /// ## What to do
    /// Read from a buffer on these targets. In device code `__HIP_NO_IMAGE_SUPPORT` tells them
    /// apart, on the host `hipDeviceAttributeImageSupport`.
    MissingImages { code: "K004", name: "missing-images", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for MissingImages {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let lacking: Vec<&str> =
            cx.settings.targets.iter().filter(|target| !target.images).map(|target| target.name.as_str()).collect();
        if lacking.is_empty() {
            return;
        }
        let Some(first) = cx.names.iter().find(|name| needs_images(name)) else { return };
        let (range, text) = (first.range, first.text);
        let message = format!("`{text}` needs image instructions, which {} lack", lacking.join(", "));
        let finding = cx.report(range, message);
        finding.note("read from a buffer there; `__HIP_NO_IMAGE_SUPPORT` is 1 in device code for such targets");
    }
}

fn needs_images(name: &Name<'_>) -> bool {
    let Meaning::Same(entry) = name.meaning else { return false };
    entry.library == "device" && ["tex", "surf"].iter().any(|prefix| name.text.starts_with(prefix))
}
