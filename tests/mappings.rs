//! The mapping tables: in order, consistent, complete, and true to the real headers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hipshift::engine::may_hold_cuda;
use hipshift::mapping::{Entry, Kind, RocmVersion, Support, Table};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn table() -> &'static Table {
    Table::builtin().unwrap()
}

/// The tables of names. Guards of headers, prefixes of libraries and instructions have columns of their own.
fn csv_files() -> Vec<PathBuf> {
    let entries = root().join("mappings").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_table = |path: &PathBuf| {
        path.extension().is_some_and(|ext| ext == "csv")
            && !path.ends_with("guards.csv")
            && !path.ends_with("families.csv")
            && !path.ends_with("members.csv")
            && !path.ends_with("numbers.csv")
            && !path.ends_with("opaque.csv")
            && !path.ends_with("device_only.csv")
            && !path.ends_with("vectors.csv")
            && !path.ends_with("instructions.csv")
    };
    let mut files: Vec<_> = entries.filter(is_table).collect();
    files.sort();
    files
}

fn names_in(path: &str) -> BTreeSet<String> {
    read(path).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// With `UPDATE_MAPPINGS=1` the files are rewritten in order.
#[test]
fn tables_are_sorted_and_written_one_way() {
    for path in csv_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let sorted = normalised(&text);
        if std::env::var_os("UPDATE_MAPPINGS").is_some() {
            std::fs::write(&path, &sorted).unwrap();
        }
        assert!(text == sorted, "{} is out of order; run with UPDATE_MAPPINGS=1", path.display());
    }
}

fn normalised(text: &str) -> String {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(|field| field.trim().to_owned()).collect()).collect();
    rows.sort_by(|a, b| (&a[0], &a[3], &a[5]).cmp(&(&b[0], &b[3], &b[5])));
    rows.dedup();
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    for row in &rows {
        writer.write_record(row).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn every_table_is_built_in() {
    let built_in: BTreeSet<&str> = table().entries().iter().map(|entry| entry.library).collect();
    for path in csv_files() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(built_in.contains(name), "mappings/{name}.csv is not in the list of built-in tables");
    }
}

#[test]
fn a_name_means_one_thing_in_each_release() {
    let releases = ["5.7", "6.0", "6.1", "6.2", "6.3", "6.4", "7.0", "7.1", "7.2"];
    let releases: Vec<RocmVersion> = releases.iter().map(|text| text.parse().unwrap()).collect();
    let mut by_name: BTreeMap<(&str, bool, &str), Vec<_>> = BTreeMap::new();
    for entry in table().entries() {
        by_name.entry((entry.library, entry.kind == Kind::Header, entry.cuda)).or_default().push(entry);
    }
    for ((library, _, name), entries) in by_name {
        for release in &releases {
            let hits = entries.iter().filter(|entry| entry.range.contains(*release)).count();
            assert!(hits <= 1, "{name} of {library} has {hits} rows for ROCm {release}");
        }
    }
}

#[test]
fn differences_are_explained() {
    let silent = table().entries().iter().filter(|entry| entry.support == Support::Differs && entry.note.is_empty());
    let silent: Vec<_> = silent.map(|entry| entry.cuda).collect();
    assert!(silent.is_empty(), "rows with support `differs` need a note: {silent:?}");
}

#[test]
fn notes_are_short_and_have_no_full_stop() {
    for entry in table().entries() {
        assert!(entry.note.len() <= 120 && !entry.note.ends_with('.'), "{}: {}", entry.cuda, entry.note);
    }
}

/// The 8,997 facts that the project started from: each name has a row, or is named as one that
/// needs none.
#[test]
fn every_known_cuda_name_is_accounted_for() {
    let subsumed = names_in("mappings/subsumed.txt");
    let too_general = names_in("mappings/too_general.txt");
    let facts = names_in("tests/data/cuda_names.txt");
    assert!(facts.len() > 8_900, "the list of names is cut short: {}", facts.len());
    let missing: Vec<_> = facts
        .iter()
        .filter(|name| !table().contains(name) && !subsumed.contains(*name) && !too_general.contains(*name))
        .filter(|name| !table().contains(&format!("cub::{name}")))
        .collect();
    assert!(missing.is_empty(), "{} names have no row: {missing:?}", missing.len());
}

/// Tables whose HIP headers no package has: hipDNN was never released, Caffe2 is part of PyTorch.
const WITHOUT_HEADERS: &[&str] = &["cudnn", "caffe2"];

/// `tests/data/hip_names.csv` says which names the real headers have; `xtask names` makes it.
#[test]
fn every_name_we_emit_exists_in_real_headers() {
    let text = read("tests/data/hip_names.csv");
    let mut checked: BTreeMap<String, [String; 3]> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.unwrap();
        checked.insert(row[0].to_owned(), [row[2].to_owned(), row[3].to_owned(), row[4].to_owned()]);
    }
    let releases = ["5.7", "6.4", "7.2"].map(|text| text.parse::<RocmVersion>().unwrap());
    let mut wrong = Vec::new();
    let checkable = |entry: &&Entry| {
        let is_deep_learning = entry.hip.starts_with("caffe2/") || entry.hip == "hipDNN.h";
        let is_known = !entry.hip.is_empty() && !WITHOUT_HEADERS.contains(&entry.library) && !is_deep_learning;
        // The headers put these together by macros, or the compiler itself knows them.
        let in_no_text = entry.hip == entry.cuda && (entry.hip.starts_with("make_") || entry.hip == "__restrict__");
        is_known && !in_no_text && entry.hip != "__CLANG_RDC__"
    };
    for entry in table().entries().iter().filter(checkable) {
        let last = entry.hip.rsplit("::").next().unwrap_or(entry.hip);
        let Some(found) = checked.get(entry.hip).or_else(|| checked.get(last)) else {
            wrong.push(format!("{} was never looked up", entry.hip));
            continue;
        };
        for (release, answer) in releases.iter().zip(found) {
            if entry.range.contains(*release) && answer == "no" {
                wrong.push(format!("{} is not in the headers of ROCm {release}", entry.hip));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

/// Names without a start of their own in the prefilter: they stand in device code only, which is
/// marked by other words, or beside names of their library.
const FOUND_BY_COMPANY: &[&str] = &[
    "atomic",
    "csr",
    "gesvdj",
    "syevj",
    "clock",
    "warpSize",
    "LIB_",
    "CIG_",
    "MAX_CUDA_",
    "RESOURCE_ABI_",
    "STREAM_CIG_",
    "_nvrtcProgram",
    "llm",
    "ullm",
    "umax",
    "umin",
    "fdivide",
    "fill_fragment",
    "load_matrix",
    "store_matrix",
    "mma_sync",
    "libraryProp",
    "h2tanh",
    "htanh",
    "double4_",
    "long",
    "ulong",
    "make_double4",
    "make_long",
    "make_ulong",
    "make_bfloat",
    "MAX_CUFFT",
    "_CUB_ASM",
    "_CubLog",
    "REGISTER_CUDA",
    "MTGP32_",
    "mtgp32_",
];

#[test]
fn the_prefilter_lets_every_name_through() {
    let mut passed_over = Vec::new();
    for entry in table().entries() {
        let acts = entry.hip != entry.cuda || entry.support != Support::Full;
        let by_company = FOUND_BY_COMPANY.iter().any(|start| entry.cuda.starts_with(start));
        let qualified = entry.cuda.contains("::");
        if !acts || by_company || qualified {
            continue;
        }
        let text = match entry.kind {
            Kind::Header => format!("#include <{}>", entry.cuda),
            _ => format!("x = {};", entry.cuda),
        };
        if !may_hold_cuda(text.as_bytes(), table()) {
            passed_over.push(entry.cuda);
        }
    }
    assert!(passed_over.is_empty(), "the prefilter passes over {passed_over:?}");
}

#[test]
fn user_tables_win() {
    let text = "cuda,hip,roc,kind,support,since,until,note\ncudaMalloc,myMalloc,,function,full,,,\n";
    let table = Table::with_user_tables(&[text.to_owned()]).unwrap();
    assert_eq!(table.get("cudaMalloc").first().unwrap().hip, "myMalloc");
}

#[test]
fn the_lists_of_names_without_rows_are_sorted() {
    for path in ["mappings/subsumed.txt", "mappings/too_general.txt"] {
        assert!(Path::new(&root().join(path)).is_file());
        let lines: Vec<_> = read(path).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        assert!(lines.is_sorted(), "{path}");
    }
}
