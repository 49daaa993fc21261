//! Textures and surfaces on targets without image instructions.

use crate::diagnostic::RuleInfo;
use crate::mapping::Target;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds files that fetch from textures or surfaces while a target has no image instructions, and fetches with a level of detail
    /// or gradients and gathers (`tex2DLod`, `tex2DGrad`, `tex2Dgather`) while one has no such instructions, as gfx90a.
    /// Only the first place of a file is reported, of either kind.
    ///
    /// ## Why is this bad?
    /// Without image instructions the fetch does not compile for that target, and creating the texture fails at run time. Where a
    /// target lacks the others only, the compiler says nothing: it takes it that nobody comes there, and a kernel that does ends at
    /// once without having done anything.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void k(cudaTextureObject_t t, float* out) { out[0] = tex2D<float>(t, 0.5f, 0.5f); }
    /// ```
    ///
    /// ## What to do
    /// Read from a buffer on these targets. In device code `__HIP_NO_IMAGE_SUPPORT` tells those without any images
    /// apart, on the host `hipDeviceAttributeImageSupport`. A texture without mipmaps gives for any level what `tex2D` gives.
    MissingImages { code: "K004", name: "missing-images", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for MissingImages {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let without = |has: fn(&Target) -> bool| -> Vec<&str> {
            let lacking = cx.settings.targets.iter().filter(|target| !has(target));
            lacking.map(|target| target.name.as_str()).collect()
        };
        let (lacking, partly) =
            (without(|target| target.images), without(|target| target.extended_images || !target.images));
        let first = |needs: fn(&Name<'_>) -> bool| cx.names.iter().find(needs).map(|name| (name.range, name.text));
        let fetch = first(needs_images).filter(|_| !lacking.is_empty());
        let special = first(needs_extended_images).filter(|_| !partly.is_empty());
        if let Some((range, text)) = fetch {
            let message = format!("`{text}` needs image instructions, which {} lack", lacking.join(", "));
            let finding = cx.report(range, message);
            finding.note("read from a buffer there; `__HIP_NO_IMAGE_SUPPORT` is 1 in device code for such targets");
        }
        if let Some((range, text)) = special {
            let message = format!("`{text}` needs image instructions that {} has not", partly.join(", "));
            let finding = cx.report(range, message);
            finding.note("the compiler says nothing, and a kernel that comes there ends without having done anything");
            finding.note("without mipmaps, the function without level and gradients gives the same");
        }
    }
}

fn needs_images(name: &Name<'_>) -> bool {
    let Meaning::Same(entry) = name.meaning else { return false };
    entry.library == "device" && ["tex", "surf"].iter().any(|prefix| name.text.starts_with(prefix))
}

/// Whether a function takes a level of detail or gradients, or gathers texels. Clang 22 leaves nothing of a kernel with one of
/// these for gfx90a; of levels of one- and two-dimensional layers it reads the first.
fn needs_extended_images(name: &Name<'_>) -> bool {
    let takes_first_level = matches!(&*name.text, "tex1DLayeredLod" | "tex2DLayeredLod");
    needs_images(name) && ["Lod", "Grad", "gather"].iter().any(|end| name.text.ends_with(end)) && !takes_first_level
}
