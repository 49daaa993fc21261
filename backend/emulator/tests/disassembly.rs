//! The decoder against LLVM's disassembler: every instruction of real code objects has the same text.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use std::collections::BTreeMap;

use hipshift_emulator::Target;
use hipshift_emulator::isa::{Table, decode};

use crate::common;

/// Address, words and text of each line that the disassembler wrote.
fn lines(listing: &str) -> Vec<(u64, Vec<u32>, String)> {
    let mut found = Vec::new();
    for line in listing.lines() {
        let Some((text, rest)) = line.strip_prefix('\t').and_then(|line| line.split_once("// ")) else { continue };
        let Some((address, words)) = rest.split_once(": ") else { continue };
        let words = words.split('<').next().unwrap().split(' ').filter(|word| word.len() == 8);
        let words = words.map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
        found.push((u64::from_str_radix(address, 16).unwrap(), words, text.trim().to_owned()));
    }
    found
}

/// Text without what says the same twice: runs of blanks.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn compare(processor: &str, files: &[&str]) {
    let target = Target::parse(processor).unwrap();
    let table = Table::of(target.processor);
    let mut wrong: BTreeMap<String, (u32, String)> = BTreeMap::new();
    let mut count = 0;
    let levels = ["-O2", "-O0"];
    for (file, level) in files.iter().flat_map(|file| levels.map(|level| (file, level))) {
        let Some(object) = common::compile(&common::kernels(file), processor, &[level]) else { return };
        let path = common::output_path("o");
        std::fs::write(&path, object).unwrap();
        let output = common::llvm("llvm-objdump").unwrap().arg("-d").arg(&path).output().unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for (address, words, expected) in lines(&String::from_utf8(output.stdout).unwrap()) {
            count += 1;
            let decoded = decode(table, &words);
            let text = decoded.map_or_else(|| "nothing".to_owned(), |inst| inst.text(target.processor.generation));
            let same_length = decoded.is_none_or(|inst| usize::from(inst.words) == words.len());
            if normal(&text) != normal(&expected) || !same_length {
                let mnemonic = expected.split(' ').next().unwrap_or_default().to_owned();
                let entry = wrong.entry(mnemonic).or_default();
                entry.0 += 1;
                entry.1 = format!("{file} {address:#x} {words:08x?}\n    expected {expected}\n    found    {text}");
            }
        }
    }
    assert!(count > 5000, "only {count} instructions");
    let report: Vec<String> =
        wrong.iter().map(|(name, (count, example))| format!("{count} x {name}: {example}")).collect();
    assert!(wrong.is_empty(), "{processor}: of {count} instructions differ\n{}", report.join("\n"));
}

const FILES: &[&str] = &["basic.hip", "block.hip", "float.hip", "services.hip"];

/// As [`compare`], for a target that has instructions on images.
fn compare_with_images(processor: &str) {
    compare(processor, &[FILES, &["images.hip"]].concat());
}

#[test]
fn gfx906_reads_as_llvm_writes_it() {
    compare_with_images("gfx906");
}

#[test]
fn gfx90a_reads_as_llvm_writes_it() {
    compare_with_images("gfx90a");
}

#[test]
fn gfx942_reads_as_llvm_writes_it() {
    compare("gfx942", FILES);
    compare("gfx942", &["fp8.hip", "matrix.hip", "sparse.hip"]);
}

#[test]
fn gfx950_reads_as_llvm_writes_it() {
    compare("gfx950", FILES);
    compare("gfx950", &["fp8.hip", "matrix.hip", "sparse.hip", "formats.hip"]);
}

#[test]
fn gfx1030_reads_as_llvm_writes_it() {
    compare_with_images("gfx1030");
}

#[test]
fn gfx1100_reads_as_llvm_writes_it() {
    compare_with_images("gfx1100");
}

#[test]
fn gfx1201_reads_as_llvm_writes_it() {
    compare_with_images("gfx1201");
    compare("gfx1201", &["fp8.hip", "matrix.hip", "sparse.hip"]);
}
