//! What rules claim about HIP, checked with the compiler for AMD GPUs and the headers of three
//! releases: which lines they refuse, and what comes out of those that they take in silence.

use crate::common;

use crate::common::RELEASES;
use hipshift::diagnostic::{Applicability, Diagnostic};
use hipshift::mapping::{
    Instruction, Kind, Libraries, Resolution, Table, Target, has_other_numbers, plain_pointer, renumbered, targets,
};
use hipshift::settings::Settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn claims(name: &str) -> PathBuf {
    common::root().join("tests/data/claims").join(name)
}

/// Compiles a file of claims; `None` where the toolchain is missing.
fn compile(name: &str, release: &str, what: &[&str]) -> Option<Output> {
    let command = common::device_compiler(&common::toolchain()?, release, 64);
    // `-w` takes warnings away that are asked for.
    let is_quiet = !what.iter().any(|option| option.starts_with("-W"));
    let kept = command.get_args().filter(|argument| is_quiet || *argument != "-w");
    let mut command = Command::new(command.get_program());
    Some(command.args(kept).arg("-ferror-limit=0").args(what).arg(claims(name)).output().unwrap())
}

/// The lines of a file that the compiler finds an error in.
fn refused(name: &str, output: &Output) -> BTreeSet<usize> {
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors = messages.lines().filter(|line| line.contains(": error: "));
    errors.filter_map(|line| line.split_once(&format!("{name}:"))?.1.split(':').next()?.parse().ok()).collect()
}

/// The words of HIP's own headers in what the compiler reads, without those of macros that are gone and of other headers.
fn words_of_headers(release: &str) -> Option<BTreeSet<String>> {
    let root = common::toolchain()?.join(format!("hip-{release}/usr/include"));
    let name = "runtime_header.hip";
    let mut found = BTreeSet::new();
    for side in ["--cuda-host-only", "--cuda-device-only"] {
        let output = compile(name, release, &[side, "--offload-arch=gfx90a", "-E"])?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut is_of_hip = false;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Some(place) = line.strip_prefix("# ") {
                is_of_hip = place.split('"').nth(1).is_some_and(|path| Path::new(path).starts_with(&root));
            } else if is_of_hip {
                found.extend(names(line).map(str::to_owned));
            }
        }
    }
    Some(found)
}

/// The names in a line outside of texts, behind no number.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('"').step_by(2);
    let words = code.flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.'));
    let last = words.map(|word| word.rsplit('.').next().unwrap_or(word));
    last.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A macro with one of these names breaks HIP's header where it stands before it.
#[test]
fn words_of_the_runtime_header_are_those_that_the_compiler_reads() {
    let table = std::fs::read_to_string(common::root().join("mappings/header_words.txt")).unwrap();
    let listed: BTreeSet<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    let mut seen = BTreeSet::new();
    for release in RELEASES {
        let Some(words) = words_of_headers(release) else { return };
        seen.extend(words);
    }
    let missing: Vec<_> = listed.iter().filter(|word| !seen.contains(**word)).collect();
    assert!(missing.is_empty(), "no header has {missing:?}");
    let is_own = |word: &&String| !word.to_ascii_lowercase().starts_with("hip") && !hipshift::syntax::is_keyword(word);
    let unlisted: Vec<_> = seen.iter().filter(is_own).filter(|word| !listed.contains(word.as_str())).collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:?}");
    let breaks = |word: &str| {
        let macros = ["--cuda-device-only", "--offload-arch=gfx90a", "-fsyntax-only", &format!("-D{word}=16")];
        compile("runtime_header.hip", RELEASES[0], &macros).is_some_and(|output| !output.status.success())
    };
    let (broken, kept) = (["T", "n", "x", "size", "key"].map(breaks), ["N", "M", "BLOCK_SIZE", "ROWS"].map(breaks));
    assert_eq!((broken, kept), ([true; 5], [false; 4]));
}

#[test]
fn the_compiler_refuses_what_the_claims_say() {
    let files = ["language.hip", "standard_headers.hip", "deprecated.hip", "device_only.hip"];
    for (name, release) in files.into_iter().flat_map(|n| RELEASES.iter().map(move |r| (n, r))) {
        let strict: &[&str] = if name == "deprecated.hip" { &["-Werror=deprecated-declarations"] } else { &[] };
        let text = std::fs::read_to_string(claims(name)).unwrap();
        let mut found = BTreeSet::new();
        for side in ["--cuda-host-only", "--cuda-device-only"] {
            let what = [&[side, "--offload-arch=gfx90a", "-fsyntax-only"], strict].concat();
            let Some(output) = compile(name, release, &what) else {
                return;
            };
            found.extend(refused(name, &output));
        }
        let says = |line: &&str| {
            let mark = line.split_once("//~ refused").map(|(_, releases)| releases.trim_start_matches(':').trim());
            mark.is_some_and(|releases| releases.is_empty() || releases.split(' ').any(|named| named == *release))
        };
        let claimed = text.lines().zip(1..).filter(|(line, _)| says(line)).map(|(_, number)| number).collect();
        let wrong: Vec<_> = found.symmetric_difference(&claimed).collect();
        assert!(wrong.is_empty(), "HIP {release}: the claims of these lines of {name} are wrong: {wrong:?}");
    }
}

/// What `mappings/device_only.csv` lists is refused by the host, or is a definition of hipshift's own.
#[test]
fn each_function_of_the_device_alone_is_claimed_or_defined() {
    let claimed = std::fs::read_to_string(claims("device_only.hip")).unwrap();
    let defined = std::fs::read_to_string(common::root().join("mappings/calls.toml")).unwrap();
    let table = std::fs::read_to_string(common::root().join("mappings/device_only.csv")).unwrap();
    for name in table.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.0)) {
        let is_claimed = claimed.contains(&format!("return {name}("));
        assert!(is_claimed || defined.contains(&format!("cuda = \"{name}\"")), "{name}");
    }
}

/// `mappings/opaque.csv` says which of the types that conversion writes are plain pointers.
#[test]
fn types_are_pointers_to_anything_where_the_table_says_so() {
    let entries = Table::builtin().unwrap().entries();
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let types = entries.iter().filter(|entry| entry.kind == Kind::Type && !entry.hip.is_empty() && is_plain(entry.hip));
    let names: Vec<&str> = types.map(|entry| entry.hip).collect::<BTreeSet<_>>().into_iter().collect();
    for release in RELEASES {
        let Some(headers) = LibraryHeaders::of(release) else { return };
        let missing = headers.refused(names.iter().map(|name| format!("using hipshift_{name} = {name};")));
        let told = headers.refused(names.iter().map(|name| match plain_pointer(name, release.parse().unwrap()) {
            Some(pointer) => format!("static_assert(__is_same({name}, {pointer}));"),
            None => format!("static_assert(!__is_same({name}, void *) && !__is_same({name}, const void *));"),
        }));
        assert!(missing.len() < names.len() / 2, "HIP {release}: the headers do not compile");
        let wrong: Vec<&str> = told.difference(&missing).map(|number| names[*number]).collect();
        assert!(wrong.is_empty(), "HIP {release}: {wrong:?}");
    }
}

/// `tests/data/cuda_numbers.csv` has the constants of the headers of CUDA 13.0, as nvcc says them. `mappings/numbers.csv` has those
/// that are other numbers in HIP, and all of a type of which most are.
#[test]
fn constants_have_other_numbers_where_the_table_says_so() {
    let text = std::fs::read_to_string(common::root().join("tests/data/cuda_numbers.csv")).unwrap();
    let fields =
        |line: &str| -> [String; 3] { line.split(',').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap() };
    let all: Vec<[String; 3]> = text.lines().skip(1).map(fields).collect();
    let table = Table::builtin().unwrap();
    for release in RELEASES {
        let Some(headers) = LibraryHeaders::of(release) else { return };
        let rocm = release.parse().unwrap();
        let hip = |cuda: &str| match table.resolve(cuda, false, rocm, &Libraries::default()) {
            Some(Resolution::Name(hip, _)) => hip,
            _ => "there_is_none",
        };
        let missing = headers.refused(all.iter().map(|[cuda, ..]| format!("auto hipshift_{cuda} = {};", hip(cuda))));
        let claim = |[cuda, _, number]: &[String; 3]| format!("static_assert((long long)({}) == {number});", hip(cuda));
        let differ: BTreeSet<usize> = headers.refused(all.iter().map(claim)).difference(&missing).copied().collect();
        assert!(missing.len() < all.len() / 2, "HIP {release}: the headers do not compile");
        let mut of_types: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (number, [_, kind, _]) in all.iter().enumerate().filter(|(number, _)| !missing.contains(number)) {
            let (others, count) = of_types.entry(kind).or_default();
            (*others, *count) = (*others + usize::from(differ.contains(&number)), *count + 1);
        }
        for (kind, (others, count)) in &of_types {
            assert_eq!(has_other_numbers(kind, rocm), *others > count - others, "HIP {release}: {kind}");
        }
        for (place, [cuda, kind, number]) in all.iter().enumerate().filter(|(place, _)| !missing.contains(place)) {
            let is_told = renumbered(kind, number.parse().unwrap(), rocm).any(|told| told == cuda);
            assert_eq!(is_told, differ.contains(&place), "HIP {release}: {cuda}");
        }
    }
}

/// The headers of a release that the tables are about.
struct LibraryHeaders {
    /// A folder for what is compiled.
    folder: tempfile::TempDir,
    release: &'static str,
    /// The includes of those that the release has.
    start: String,
    includes: PathBuf,
}

impl LibraryHeaders {
    const ALL: &'static [&'static str] = &[
        "hip/hip_runtime.h",
        "hip/hiprtc.h",
        "hipblas/hipblas.h",
        "hipblaslt/hipblaslt.h",
        "hipsparse/hipsparse.h",
        "hipsolver/hipsolver.h",
        "hipfft/hipfft.h",
        "hipfft/hipfftXt.h",
        "hiprand/hiprand.h",
        "rccl/rccl.h",
    ];

    /// `None` where the toolchain is missing.
    fn of(release: &'static str) -> Option<LibraryHeaders> {
        let includes = common::toolchain()?.join(format!("hip-{release}/usr/include"));
        let is_there = |header: &&&str| includes.join(header).is_file();
        let start = Self::ALL.iter().filter(is_there).flat_map(|header| ["#include <", header, ">\n"]).collect();
        Some(LibraryHeaders { folder: tempfile::tempdir().unwrap(), release, start, includes })
    }

    /// The numbers of the lines behind the includes that the compiler refuses.
    fn refused(&self, lines: impl Iterator<Item = String>) -> BTreeSet<usize> {
        let file = self.folder.path().join("lines.hip");
        let text: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
        std::fs::write(&file, format!("{}{text}", self.start)).unwrap();
        let mut command = common::device_compiler(&common::toolchain().unwrap(), self.release, 64);
        command.args(["--cuda-host-only", "-ferror-limit=0", "-fno-spell-checking", "-fsyntax-only"]);
        command.arg(format!("-I{}", self.includes.display())).arg(&file);
        let first = self.start.lines().count() + 1;
        refused("lines.hip", &command.output().unwrap()).into_iter().map(|line| line - first).collect()
    }
}

#[test]
fn sums_and_products_are_contracted_unless_the_flag_is_set() {
    for release in RELEASES {
        let count = |flags: &[&str]| {
            let what = [&["--cuda-device-only", "--offload-arch=gfx90a", "-O2", "-S", "-o", "-"], flags].concat();
            let output = compile("contraction.hip", release, &what)?;
            let assembly = String::from_utf8(output.stdout).unwrap();
            let is_fused = |line: &&str| line.contains("v_fma_f") || line.contains("v_fmac_f");
            Some(assembly.lines().filter(is_fused).count())
        };
        let Some(by_default) = count(&[]) else { return };
        assert_eq!((by_default, count(&["-ffp-contract=off"])), (3, Some(0)), "HIP {release}");
    }
}

/// `mappings/instructions.csv` says which targets lack an instruction.
#[test]
fn targets_lack_the_instructions_that_the_table_says() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (rows, file): (Vec<_>, _) = (Instruction::all().collect(), folder.path().join("all.s"));
    let lines = rows.iter().map(|row| format!("{} {}\n", row.instruction, row.operands));
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    for target in targets() {
        let mut assembler = Command::new(toolchain.join("bin/clang++-22"));
        assembler.args(["-target", "amdgcn-amd-amdhsa", "-x", "assembler", "-c", "-o", "/dev/null"]);
        let output = assembler.arg(format!("-mcpu={}", target.name)).arg(&file).output().unwrap();
        let found = refused("all.s", &output);
        let lacks = |row: &Instruction| row.is_lacking(&target.name);
        let told = rows.iter().zip(1..).filter(|(row, _)| lacks(row)).map(|(_, line)| line).collect();
        let wrong = found.symmetric_difference(&told).map(|line| &rows[*line - 1].instruction);
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", target.name);
    }
}

/// Where a target lacks the instructions for levels of detail, nothing is left of a kernel that asks for one.
#[test]
fn kernels_with_levels_of_detail_are_empty_where_the_table_says_so() {
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hip");
    for (fetch, is_special) in [("tex2D<float>(t, x, x)", false), ("tex2DLod<float>(t, x, x, 0.0f)", true)] {
        let kernel =
            format!("void k(hipTextureObject_t t, float* o) {{ float x = threadIdx.x; o[threadIdx.x] = {fetch}; }}");
        std::fs::write(&file, format!("#include <hip/hip_runtime.h>\n__global__ {kernel}\n")).unwrap();
        for name in ["gfx906", "gfx90a", "gfx1030", "gfx1100"] {
            let target = Target::find(name).unwrap();
            let mut command = common::device_compiler(&toolchain, "7.2", target.wave_size);
            command.args(["--cuda-device-only", "--no-gpu-bundle-output", "-O2", "-S", "-o", "-"]).arg(&file);
            let output = command.arg(format!("--offload-arch={name}")).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let samples = String::from_utf8_lossy(&output.stdout).contains("image_sample");
            assert_eq!(samples, target.extended_images || !is_special, "{name}: {fetch}");
        }
    }
}

#[test]
fn shared_memory_beyond_the_limit_does_not_compile() {
    let what = |target| ["--cuda-device-only", "--no-gpu-bundle-output", target, "-S", "-o", "/dev/null"];
    let Some(output) = compile("shared_memory.hip", "7.2", &what("--offload-arch=gfx90a")) else { return };
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.contains("(65537) exceeds limit (65536)"), "{messages}");
    assert!(compile("shared_memory.hip", "7.2", &what("--offload-arch=gfx950")).unwrap().status.success());
}

#[test]
fn coordinates_are_no_numbers_for_printf_in_old_releases() {
    for (release, compiles) in [("5.7", false), ("6.4", true), ("7.2", true)] {
        let what = ["--cuda-device-only", "--offload-arch=gfx90a", "-S", "-o", "/dev/null"];
        let Some(output) = compile("printf.hip", release, &what) else { return };
        assert_eq!(output.status.success(), compiles, "HIP {release}");
    }
}

/// The fixture of the rule, without the operator that does something else.
#[test]
fn definitions_that_are_left_to_the_headers_compile() {
    let path = common::root().join("fixtures/rules/kernel/repeated_definition.cu");
    let text = std::fs::read_to_string(path).unwrap();
    let text: String = text.split_inclusive('\n').filter(|line| !line.contains("operator*(double4")).collect();
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hip");
    for release in RELEASES {
        let compiles = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let mut command = common::device_compiler(&toolchain, release, 64);
            command.args(["--offload-arch=gfx90a", "-fsyntax-only"]).arg(&file);
            command.output().unwrap().status.success()
        };
        let converted = common::converted(&text);
        assert!(compiles(&converted), "HIP {release}:\n{converted}");
        // Without the fix it does not.
        assert!(!compiles(&converted.replace("!defined(__HIPCC__)", "1")), "HIP {release}");
    }
}

/// Fixtures of rules compile with what the rules change, and not without it.
#[test]
fn what_is_changed_compiles_and_nothing_else_does() {
    let cases: &[(&str, [&str; 2])] = &[
        ("kernel/dim3_vector.cu", ["dim3 grid = dim3(shape.x, shape.y, shape.z)", "dim3 grid = shape"]),
        ("kernel/dim3_vector.cu", ["uint3 back = make_uint3(threads.x, threads.y, threads.z)", "uint3 back = threads"]),
        ("api/renumbered_constant.cu", ["hipDeviceAttributeMultiprocessorCount", "hipDeviceAttributeNoSuchName"]),
        ("kernel/struct_vector_list.cu", ["Ball zero = {};", "Ball zero = {0};"]),
        ("kernel/struct_vector_list.cu", ["{{{1, 2, 3}, 4}, {{5, 6, 7}, 8}}", "{1, 2, 3, 4, 5, 6, 7, 8}"]),
        ("kernel/struct_vector_list.cu", ["= {1, {2.5, 0}}", "= {1, 2.5}"]),
        ("kernel/wide_vector_layout.cu", ["double4 global", "static_assert(sizeof(Body) == 48); double4 global"]),
    ];
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hip");
    for (fixture, [changed, unchanged]) in cases {
        let text = std::fs::read_to_string(common::root().join("fixtures/rules").join(fixture)).unwrap();
        for release in RELEASES {
            let settings = Settings { rocm: release.parse().unwrap(), ..Settings::default() };
            let converted = common::convert(&common::document(&text), &settings).patch.apply(&text);
            assert!(converted.contains(changed), "{converted}");
            let compiles = |text: &str| {
                std::fs::write(&file, text).unwrap();
                let mut command = common::device_compiler(&toolchain, release, 64);
                command.args(["--offload-arch=gfx90a", "--cuda-host-only", "-fsyntax-only"]).arg(&file);
                command.arg(format!("-I{}", toolchain.join(format!("hip-{release}/usr/include")).display()));
                command.output().unwrap().status.success()
            };
            assert!(compiles(&converted), "HIP {release}: {fixture}:\n{converted}");
            assert!(!compiles(&converted.replace(changed, unchanged)), "HIP {release}: {fixture}: {unchanged}");
        }
    }
}

/// The sizes that the rule tells are those of the compiler: for HIP as they are, for CUDA with the fix.
#[test]
fn structures_have_the_sizes_that_are_told() {
    let text = std::fs::read_to_string(common::root().join("fixtures/rules/kernel/wide_vector_layout.cu")).unwrap();
    let document = common::document(&text);
    let told = |finding: &Diagnostic| {
        let (front, hip) = finding.message.strip_suffix(" in HIP")?.rsplit_once(" bytes in CUDA, and ")?;
        let class = text[..finding.range.start().into()].rsplit(['{', '\n']).find_map(|line| {
            let keyword = ["struct ", "union "].into_iter().find(|keyword| line.starts_with(keyword))?;
            line[keyword.len()..].split_whitespace().last()
        })?;
        Some((class.to_owned(), front.rsplit(' ').next()?.to_owned(), hip.to_owned()))
    };
    let outcome = common::convert(&document, &common::settings(Applicability::Safe));
    let sizes: Vec<_> = common::findings(&outcome).iter().filter_map(told).collect();
    assert!(sizes.len() >= 5, "{sizes:?}");
    let Some(toolchain) = common::toolchain() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hip");
    for (release, applicability) in RELEASES.iter().flat_map(|r| [(r, Applicability::Safe), (r, Applicability::Unsafe)])
    {
        let mut program = common::convert(&document, &common::settings(applicability)).patch.apply(&text);
        for (class, cuda, hip) in &sizes {
            let size = if applicability == Applicability::Safe { hip } else { cuda };
            program.extend(["static_assert(sizeof(", class, ") == ", size, ");\n"]);
        }
        std::fs::write(&file, program).unwrap();
        let mut command = common::device_compiler(&toolchain, release, 64);
        command.args(["--offload-arch=gfx90a", "--cuda-host-only", "-fsyntax-only"]).arg(&file);
        let output = command.output().unwrap();
        assert!(output.status.success(), "HIP {release}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn types_of_blas_compile() {
    let Some(toolchain) = common::toolchain() else { return };
    let text = std::fs::read_to_string(common::root().join("fixtures/rules/api/blas_types.cu")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hip");
    std::fs::write(&file, common::converted(&text)).unwrap();
    let mut command = common::device_compiler(&toolchain, "7.2", 64);
    command.args(["--cuda-host-only", "-fsyntax-only", "-D__HIP_PLATFORM_AMD__"]).arg(&file);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
