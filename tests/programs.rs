//! The programs of `fixtures/programs`, and the two older ones beside them: converted without a change by hand, and
//! compiled for AMD GPUs with headers of three releases. What they print on an NVIDIA GPU is recorded.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::folder::Folder;
use crate::common::{json, validate};
use serde_json::Value;

/// The folders of all programs, as `fixtures/programs/record.sh` has them.
const FOLDERS: &[&str] = &["fixtures/programs", "fixtures/reduction", "fixtures/vector_add"];

/// A program that a compiler has to refuse.
struct Refused {
    program: &'static str,
    /// What one of the errors says.
    error: &'static str,
}

/// No images in hardware, so no textures; hipshift says so (`missing-images`).
const NO_IMAGES: Refused = Refused { program: "textures", error: "image" };

/// The main files of all programs.
fn mains() -> Vec<PathBuf> {
    let files = FOLDERS.iter().flat_map(|folder| common::files_below(folder, &["cu"]));
    files.filter(|path| path.file_name().is_some_and(|name| name == "main.cu")).collect()
}

/// The name of a program: its folder's.
fn name(main: &Path) -> &str {
    let folders = main.ancestors().skip(1).filter_map(|folder| folder.file_name()?.to_str());
    folders.into_iter().find(|folder| *folder != "src").unwrap()
}

/// A program that was changed has to be run again: see `fixtures/programs/recorded.txt`.
#[test]
fn every_program_passes_on_an_nvidia_gpu() {
    let header = fs::read_to_string(common::root().join("fixtures/programs/check.h")).unwrap();
    let mut lines = Vec::new();
    for main in mains() {
        let folder = main.parent().unwrap().to_str().unwrap();
        let sources = common::files_below(folder, &["cu", "cuh", "h"]);
        let mut text: String = sources.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        if text.contains("\"check.h\"") && !main.with_file_name("check.h").exists() {
            text.push_str(&header);
        }
        let expected = fs::read_to_string(main.with_file_name("expected").join("cuda.txt")).unwrap();
        assert_eq!(expected.lines().last(), Some("PASS"), "{}", main.display());
        lines.push(format!("{} {}", common::fingerprint(&text), name(&main)));
    }
    lines.sort_by(|a, b| a.split(' ').next_back().cmp(&b.split(' ').next_back()));
    let recorded = fs::read_to_string(common::root().join("fixtures/programs/recorded.txt")).unwrap();
    let recorded: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(recorded, lines);
}

/// Converts and compiles all programs, as far as `stage` says.
#[track_caller]
fn check(rocm: &str, targets: &[&str], stage: &str, refused: &[Refused]) {
    let mut arguments = FOLDERS.to_vec();
    let targets = format!("--arch={}", targets.join(","));
    arguments.extend(["--executor=none", "--format=json", "--rocm", rocm, &targets, stage]);
    let Some(output) = validate(&arguments) else { return };
    let errors = errors_by_program(&json(&output));
    let seen: BTreeSet<&str> =
        errors.iter().filter(|(_, errors)| !errors.is_empty()).map(|(name, _)| &**name).collect();
    let wanted: BTreeSet<&str> = refused.iter().map(|refused| refused.program).collect();
    assert_eq!(seen, wanted, "ROCm {rocm}, {targets}: {errors:#?}");
    for Refused { program, error } in refused {
        assert!(errors[*program].iter().any(|text| text.contains(error)), "{program}: {:#?}", errors[*program]);
    }
    assert_eq!(errors.len(), mains().len());
}

/// The errors of each program, with their places.
fn errors_by_program(document: &Value) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for program in document["programs"].as_array().unwrap() {
        let messages = program["messages"].as_array().unwrap().iter();
        let errors = messages.filter(|message| message["severity"] == "error");
        let shown = |m: &Value| format!("{}:{}: {}", m["file"], m["line"], m["text"].as_str().unwrap());
        let errors: Vec<String> = errors.map(shown).collect();
        let targets = program["targets"].as_array().unwrap();
        let refused = targets.iter().any(|target| target["verdict"] == "not compiled");
        assert_eq!(refused, !errors.is_empty(), "{program:#}");
        // Without linking each file stands for itself.
        let source = Path::new(program["source"].as_str().unwrap());
        found.entry(name(source).to_owned()).or_default().extend(errors);
    }
    found
}

/// Code is made with the newest release only, as that takes the compiler most of its time: with the others it reads and
/// checks the programs, which is where names and types go wrong.
const CHECKED: &str = "--stage=syntax";

/// Targets with textures that programs of older releases are checked for.
const WITH_IMAGES: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

/// Programs that do not run here, and why that is not due to their conversion.
const NOT_HERE: &[(&str, &str)] = &[
    // The compiler's library for the host has to round to bfloat16, which that of GCC does from release 13 on.
    ("half_bfloat16", "not linked"),
];

#[test]
fn rocm_7_2_makes_code_that_prints_what_an_nvidia_gpu_printed() {
    let Some(output) = validate(&["fixtures/programs", "--format=json"]) else { return };
    let document = json(&output);
    let programs = document["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 20);
    for program in programs {
        // A compiler names a place; a linker does not.
        let messages = program["messages"].as_array().unwrap().iter();
        let refused = messages.filter(|message| message["severity"] == "error" && message["file"].is_string());
        assert_eq!(refused.count(), 0, "{program:#}");
        for target in program["targets"].as_array().unwrap() {
            let verdict = target["verdict"].as_str().unwrap();
            let known = NOT_HERE.iter().any(|known| program["name"] == known.0 && verdict == known.1);
            assert!(known || verdict == "matched", "{program:#}");
        }
    }
}

/// Verdicts of programs on targets.
fn verdicts(document: &Value) -> BTreeMap<(String, String), String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let programs = document["programs"].as_array().unwrap().iter();
    let targets = programs.flat_map(|program| {
        let targets = program["targets"].as_array().unwrap().iter();
        targets.map(|target| ((text(&program["name"]), text(&target["target"])), text(&target["verdict"])))
    });
    targets.collect()
}

/// Validates one program, which prints what is expected on both targets.
#[track_caller]
fn all_match(options: &[&str]) {
    let Some(output) = validate(&[options, &["--format=json"]].concat()) else { return };
    let document = json(&output);
    let found = verdicts(&document).into_values().collect::<Vec<_>>();
    assert_eq!(found, ["matched"; 2], "{options:?}: {document:#}");
}

#[test]
fn the_programs_print_the_same_as_machine_code_of_every_kind() {
    let targets = "--arch=gfx906,gfx942,gfx1030,gfx1201";
    let Some(output) = validate(&["fixtures/programs", targets, "--format=json"]) else { return };
    let found = verdicts(&json(&output));
    assert_eq!(found.len(), 20 * 4);
    for ((program, target), verdict) in found {
        // Textures are compiled for none where one of the targets has no images.
        let is_known = NOT_HERE.iter().any(|known| *known == (&program, &verdict)) || program == "textures";
        assert!(is_known || verdict == "matched", "{program} on {target}: {verdict}");
    }
}

/// A program that uses textures is compiled for targets with images only; gfx90a and gfx1100 are among those of all programs.
#[test]
fn textures_are_computed_on_all_targets_with_images() {
    let targets = ["gfx906", "gfx1030", "gfx1201"];
    let arch = format!("--arch={}", targets.join(","));
    let options = ["fixtures/programs/textures", "-Ifixtures/programs", &arch, "--format=json"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let wanted = targets.map(|target| (("textures".to_owned(), target.to_owned()), "matched".to_owned()));
    assert_eq!(verdicts(&document), BTreeMap::from(wanted), "{document:#}");
}

/// With headers before 7.0 this program needs nothing that the libraries of older hosts lack.
#[test]
fn numbers_of_16_bits_are_the_same_on_all_targets() {
    let targets = ["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];
    let arch = format!("--arch={}", targets.join(","));
    let options = ["fixtures/programs/half_bfloat16", "-Ifixtures/programs", &arch, "--rocm=6.4", "--format=json"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    assert_eq!(verdicts(&document).into_values().collect::<Vec<_>>(), ["matched"; 6], "{document:#}");
}

#[test]
fn a_small_program_prints_the_same_as_machine_code_of_gfx950() {
    let options = ["fixtures/programs/softmax", "-Ifixtures/programs", "--arch=gfx950", "--format=json"];
    let Some(output) = validate(&options) else { return };
    assert_eq!(verdicts(&json(&output)).into_values().collect::<Vec<_>>(), ["matched"]);
}

#[test]
fn rocm_7_2_makes_code_for_gfx950() {
    check("7.2", &["gfx950"], "--stage=device", &[NO_IMAGES]);
}

#[test]
fn rocm_6_4_takes_the_programs() {
    check("6.4", WITH_IMAGES, CHECKED, &[]);
}

#[test]
fn rocm_6_4_takes_the_programs_for_targets_without_images() {
    check("6.4", &["gfx942"], CHECKED, &[NO_IMAGES]);
    // rocPRIM knows gfx950 from 7.0 on.
    let atomics = |program| Refused { program, error: "128-bit atomics not implemented for current architecture" };
    check("6.4", &["gfx950"], CHECKED, &[atomics("cub_reduce"), NO_IMAGES, atomics("thrust_sort")]);
}

#[test]
fn rocm_5_7_takes_the_programs() {
    check("5.7", WITH_IMAGES, CHECKED, &[]);
}

/// With headers of ROCm 5.7 the conversion defines votes of groups and operators of bfloat16, and the runtime answers as it
/// did then.
#[test]
fn what_rocm_5_7_lacks_computes_the_same() {
    let programs = ["cooperative_groups", "half_bfloat16", "managed_memory"];
    let folders = programs.map(|program| format!("fixtures/programs/{program}"));
    let mut options: Vec<&str> = folders.iter().map(String::as_str).collect();
    options.extend(["-Ifixtures/programs", "--rocm=5.7", "--format=json"]);
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let wanted = programs.iter().flat_map(|program| ["gfx90a", "gfx1100"].map(|target| (*program, target)));
    let wanted = wanted.map(|(program, target)| ((program.to_owned(), target.to_owned()), "matched".to_owned()));
    assert_eq!(verdicts(&document), wanted.collect(), "{document:#}");
}

#[test]
fn kernels_that_are_text_are_compiled_while_the_program_runs() {
    let Some(output) = validate(&["tests/data/runtime_compilation.cu", "--format=json"]) else { return };
    let document = json(&output);
    assert_eq!(verdicts(&document).into_values().collect::<Vec<_>>(), ["ran"; 2], "{document:#}");
}

/// The device libraries of ROCm change how floats are rounded; the program compares with the processor of the host. What it prints as
/// a CUDA program was recorded on an NVIDIA H200 (CUDA 13.0); with `-use_fast_math` denormals count as zero there, in 12,540 results.
#[test]
fn arithmetic_is_rounded_in_the_direction_of_its_name() {
    let exact = ["--rocm=7.2", "--rocm=5.7"].map(|option| (option, "directed_rounding"));
    for (option, expected) in exact.into_iter().chain([("--nvcc-flag=--use_fast_math", "directed_rounding_fast")]) {
        let expect = format!("--expect=tests/data/{expected}.txt");
        all_match(&["tests/data/directed_rounding.cu", option, &expect]);
    }
}

/// `--use_fast_math` lets nvcc take faster functions and no denormals, but not do without NaN and infinity as `-ffast-math` does. What the
/// program prints was recorded on an NVIDIA H200 (CUDA 13.0, `nvcc -use_fast_math -arch=sm_90`).
#[test]
fn fast_math_is_that_of_nvcc() {
    all_match(&["tests/data/fast_math.cu", "--nvcc-flag=--use_fast_math", "--expect=tests/data/fast_math.txt"]);
}

/// Only gfx950 and gfx12 have CUDA's formats of eight bits; HIP's header has them on the host alone for other targets.
#[test]
fn floats_of_eight_bits_are_those_of_cuda() {
    let expect = "--expect=tests/data/eight_bit_floats.txt";
    all_match(&["tests/data/eight_bit_floats.cu", "--arch=gfx950,gfx1201", expect]);
}

/// What the same programs print as CUDA on an NVIDIA H200 (CUDA 13.0, `nvcc -arch=sm_90`) was recorded.
#[test]
fn numbers_become_others_as_in_cuda() {
    let newest = ["short_floats", "conversions", "integers_and_floats", "open_integers", "halves", "half_comparisons"]
        .map(|name| (name, "--rocm=7.2"));
    for (name, option) in newest
        .into_iter()
        .chain(["conversions", "integers_and_floats", "half_comparisons"].map(|name| (name, "--rocm=6.4")))
    {
        let (program, expect) = (format!("tests/data/{name}.cu"), format!("--expect=tests/data/{name}.txt"));
        all_match(&[&program, "--arch=gfx90a,gfx1100", option, &expect]);
    }
}

/// Clang leads lanes that pass by two branches round the loop without the others. What the program prints as CUDA was recorded on an NVIDIA
/// H200 (CUDA 13.0, `nvcc -arch=sm_90`).
#[test]
fn warps_and_blocks_draw_their_work_until_none_is_left() {
    all_match(&["tests/data/drawn_rows.cu", "--expect=tests/data/drawn_rows.txt"]);
}

/// Recorded as above.
#[test]
fn powers_have_the_type_that_their_arguments_give_them() {
    all_match(&["tests/data/open_powers.cu", "--expect=tests/data/open_powers.txt"]);
}

/// Clang takes it that a pointer to `int` points to no `float`; what compiles device code for NVIDIA GPUs does not. What the program prints as
/// CUDA was recorded on an NVIDIA H200 (CUDA 13.0).
#[test]
fn memory_that_is_used_as_several_types_holds_what_was_written() {
    let typed = "--flag=-fstrict-aliasing";
    all_match(&["tests/data/punned_memory.cu", "--expect=tests/data/punned_memory.txt", typed]);
}

/// No function of these sees that its pointers lead to one place. The option decides that converted build files have, and `validate`
/// has for sources of CUDA. Recorded as above.
#[test]
fn memory_that_functions_get_as_several_types_holds_what_was_written() {
    all_match(&["tests/data/memory_across_functions.cu", "--expect=tests/data/memory_across_functions.txt"]);
}

/// The levels of ranges are those of ROCTX: 0 for the outermost.
#[test]
fn ranges_for_profilers_link_without_amds_library() {
    all_match(&["tests/data/ranges.cu", "--expect=tests/data/ranges.txt"]);
}

/// Members of groups in ROCm 7.2, behind a macro in 6.4, and definitions of the conversion in 5.7.
#[test]
fn votes_of_groups_are_the_same_in_all_releases() {
    for release in ["7.2", "6.4", "5.7"] {
        let release = format!("--rocm={release}");
        let Some(output) = validate(&["tests/data/group_votes.cu", &release, "--format=json"]) else { return };
        let found = verdicts(&json(&output));
        assert_eq!(found.into_values().collect::<Vec<_>>(), ["ran"; 2], "{release}");
    }
}

/// It prints PASS on an NVIDIA H200 (CUDA 13.0, `nvcc -arch=sm_90`), and ends with code 1 where a group has other threads.
#[test]
fn coalesced_groups_have_the_threads_of_a_warp_of_32_lanes() {
    let Some(output) = validate(&["tests/data/coalesced_groups.cu", "--format=json"]) else { return };
    let found = verdicts(&json(&output));
    assert_eq!(found.into_values().collect::<Vec<_>>(), ["ran"; 2]);
}

/// It prints PASS on an NVIDIA H200 (CUDA 13.0, `nvcc -arch=sm_90`), and ends with code 1 where more than one lane adds for all.
#[test]
fn one_lane_adds_for_all_though_the_others_set_nothing() {
    for policy in ["logical32", "native"] {
        let policy = format!("--wave-policy={policy}");
        let Some(output) = validate(&["tests/data/unset_leader.cu", "-Ifixtures/wave", &policy, "--format=json"])
        else {
            return;
        };
        let found = verdicts(&json(&output));
        assert_eq!(found.into_values().collect::<Vec<_>>(), ["ran"; 2], "{policy}");
    }
}

/// A structure that is shuffled word by word, as nvcc has it: Clang drops the words unless the pointer may point to anything.
#[test]
fn words_of_a_structure_go_from_lane_to_lane() {
    for policy in ["logical32", "native"] {
        let policy = format!("--wave-policy={policy}");
        let Some(output) = validate(&["tests/data/word_shuffle.cu", "-Ifixtures/wave", &policy, "--format=json"])
        else {
            return;
        };
        let found = verdicts(&json(&output));
        assert_eq!(found.into_values().collect::<Vec<_>>(), ["ran"; 2], "{policy}");
    }
}

/// It prints PASS on an NVIDIA H200 (CUDA 13.0, `nvcc -arch=sm_90 -std=c++17`).
#[test]
fn shuffles_and_votes_of_ptx_stay_among_the_lanes_of_a_warp() {
    for release in ["7.2", "6.4", "5.7"] {
        let release = format!("--rocm={release}");
        let Some(output) = validate(&["tests/data/ptx_shuffle.cu", "-Ifixtures/wave", &release, "--format=json"])
        else {
            return;
        };
        let document = json(&output);
        assert_eq!(verdicts(&document).into_values().collect::<Vec<_>>(), ["ran"; 2], "{release}: {document:#}");
    }
}

/// HIP's headers have operators for the same types, which do something else.
#[test]
fn operators_of_a_program_are_taken_before_those_of_hip() {
    for release in ["7.2", "6.4", "5.7"] {
        let release = format!("--rocm={release}");
        let Some(output) = validate(&["tests/data/own_operators.cu", &release, "--format=json"]) else { return };
        let document = json(&output);
        assert_eq!(verdicts(&document).into_values().collect::<Vec<_>>(), ["ran"; 2], "{release}: {document:#}");
    }
}

#[test]
fn the_lock_that_is_advised_hangs_nowhere() {
    let Some(output) = validate(&["tests/data/lock_in_loop.cu", "--format=json"]) else { return };
    let found = verdicts(&json(&output));
    assert_eq!(found.into_values().collect::<Vec<_>>(), ["ran"; 2]);
}

#[test]
fn rocm_5_7_takes_the_programs_for_targets_without_images() {
    check("5.7", &["gfx942", "gfx950"], CHECKED, &[NO_IMAGES]);
}

/// HIP's own functions take the layer for a level of detail up to 7.2; the expected output is what CUDA 13.0 gives on an NVIDIA H200.
#[test]
fn layers_of_surfaces_are_kept_apart() {
    for release in ["--rocm=7.2", "--rocm=5.7"] {
        all_match(&["tests/data/layered_surfaces.cu", release, "--expect=tests/data/layered_surfaces.txt"]);
    }
}

/// What HIP's own functions for layers come to: they name a level, and images have one.
#[test]
fn a_level_that_an_image_does_not_have_is_an_error() {
    let source = r"#include <hip/hip_runtime.h>
        typedef unsigned __attribute__((address_space(4))) *picture;
        __global__ void k(hipSurfaceObject_t s, int level) {
            __ockl_image_store_lod_2D((picture)s, int2::Native_vec_{0, 0}, level, float4::Native_vec_{1, 2, 3, 4});
        }
        int main() {
            hipArray_t array;
            auto format = hipCreateChannelDesc<float>();
            hipMalloc3DArray(&array, &format, make_hipExtent(4, 4, 3), hipArrayLayered | hipArraySurfaceLoadStore);
            hipResourceDesc resource = {};
            resource.resType = hipResourceTypeArray;
            resource.res.array.array = array;
            hipSurfaceObject_t s;
            hipCreateSurfaceObject(&s, &resource);
            for (int level = 0; level < 2; level++) k<<<1, 1>>>(s, level);
            return hipDeviceSynchronize() != hipSuccess;
        }
        ";
    let folder = Folder::new(&[("main.hip", source)]);
    let main = folder.0.path().join("main.hip");
    let Some(output) = validate(&[main.to_str().unwrap(), "--format=json"]) else { return };
    let document = json(&output);
    let targets = document["programs"][0]["targets"].as_array().unwrap();
    let tells = |target: &Value| target.to_string().contains("level 1 of an image that has one");
    assert!(targets.len() == 2 && targets.iter().all(tells), "{document:#}");
}

/// Code that is linked in parts has functions for `malloc` in each part; the bounds of blocks are known from all of them. Where all ask for
/// the same size, the functions have no argument, and nothing is known of bounds.
#[test]
fn blocks_of_the_device_are_known_from_all_functions_that_give_them() {
    for source in ["tests/data/heap_in_parts", "tests/data/heap_of_one_size.cu"] {
        let Some(output) = validate(&[source, "--nvcc-flag=-rdc=true", "--format=json"]) else { return };
        let document = json(&output);
        let found = verdicts(&document).into_values().collect::<Vec<_>>();
        assert_eq!(found, ["ran"; 2], "{document:#}");
    }
}

/// What the program prints was recorded on an NVIDIA H200 (CUDA 13.0).
#[test]
fn groups_move_values_of_any_type() {
    for release in ["--rocm=7.2", "--rocm=5.7"] {
        all_match(&["tests/data/group_shuffles.cu", release, "--expect=tests/data/group_shuffles.txt"]);
    }
}
