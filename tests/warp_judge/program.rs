//! A program of many kernels: its files, and where each kernel stands in them.

use std::fmt::Write as _;

use crate::ast::{COUNTERS, Kernel};
use crate::machine;
use crate::memory::INPUT;
use crate::print::Printer;

/// Kernels that are compiled together.
#[derive(Clone)]
pub(crate) struct Program {
    /// The name of its folder.
    pub(crate) folder: String,
    pub(crate) kernels: Vec<Kernel>,
}

/// Lines of a file that belong to a kernel.
pub(crate) struct Section {
    pub(crate) file: String,
    pub(crate) kernel: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Begins a line that says which kernel the lines behind it belong to.
pub(crate) const MARK: &str = "// of ";

const INCLUDES: &str = "#include <climits>\n#include <cstdint>\n#include <cstdio>\n#include <cstring>\n#include <vector>\n\
    #include <cuda_runtime.h>\n#include <cooperative_groups.h>\n";

/// What runs the kernels that the command line names, or all of them.
const MAIN: &str = "
static int run(const Entry& entry, bool shows) {
    std::vector<int> in(entry.threads);
    for (size_t k = 0; k < in.size(); ++k) in[k] = VALUE;
    std::vector<unsigned> out(entry.threads * entry.regions, 0xdeadbeefu), counters(entry.counters, 0u);
    int* values;
    unsigned *results, *counts;
    cudaMalloc((void**)&values, in.size() * sizeof(int));
    cudaMalloc((void**)&results, out.size() * sizeof(unsigned));
    cudaMalloc((void**)&counts, counters.size() * sizeof(unsigned));
    cudaMemcpy(values, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(results, out.data(), out.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(counts, counters.data(), counters.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    entry.start(results, values, counts);
    cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess) status = cudaMemcpy(out.data(), results, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(counters.data(), counts, counters.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
        std::printf(\"%s failed: %s\\n\", entry.name, cudaGetErrorName(status));
        return 1;
    }
    out.insert(out.end(), counters.begin(), counters.end());
    unsigned long long hash = 14695981039346656037ull;
    for (size_t k = 0; k < out.size(); ++k) hash = (hash ^ out[k]) * 1099511628211ull;
    std::printf(\"%s %016llx\\n\", entry.name, hash);
    for (size_t k = 0; shows && k < out.size(); ++k) std::printf(\"%u\\n\", out[k]);
    cudaFree(values);
    cudaFree(results);
    cudaFree(counts);
    return 0;
}

int main(int count, char** names) {
    int failed = 0;
    for (const Entry& entry : entries) {
        bool wanted = count == 1;
        for (int k = 1; k < count; ++k) wanted = wanted || std::strcmp(names[k], entry.name) == 0;
        if (wanted) failed += run(entry, count == 2);
    }
    return failed > 0;
}
";

/// A file that grows.
#[derive(Default)]
struct File {
    text: String,
    sections: Vec<(usize, usize, usize)>,
}

impl File {
    fn add(&mut self, kernel: usize, name: &str, text: &str) {
        let first = self.text.matches('\n').count() + 1;
        let _ = writeln!(self.text, "{MARK}{name}\n{text}{MARK}");
        self.sections.push((kernel, first, self.text.matches('\n').count()));
    }
}

fn in_namespace(kernel: &Kernel, text: &str) -> String {
    if kernel.in_namespace { format!("namespace of_{} {{\n{text}}}\n", kernel.name) } else { text.to_owned() }
}

/// Headers that only some kernels need.
fn includes(kernel: &Kernel) -> String {
    let text = Printer::new(kernel).kernel();
    let headers = [("::reduce(", "reduce"), ("clusive_scan(", "scan")].into_iter();
    let needed = headers.filter(|(word, _)| text.contains(word));
    needed.fold(String::new(), |text, (_, header)| text + &format!("#include <cooperative_groups/{header}.h>\n"))
}

impl Program {
    /// What it has to print.
    pub(crate) fn printed(&self) -> String {
        let line = |kernel: &Kernel| format!("{} {}", kernel.name, hash(&expected(kernel)));
        self.kernels.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
    }

    /// Takes kernels out into programs of their own.
    pub(crate) fn parted(self, alone: impl Fn(&Kernel) -> bool) -> Vec<Self> {
        let (lonely, kernels): (Vec<_>, Vec<_>) = self.kernels.into_iter().partition(alone);
        let single =
            |kernel: Kernel| Self { folder: format!("{}-{}", self.folder, kernel.name), kernels: vec![kernel] };
        let mut programs: Vec<Self> = lonely.into_iter().map(single).collect();
        programs.push(Self { folder: self.folder.clone(), kernels });
        programs
    }

    /// Names and texts of its files, and where kernels stand.
    pub(crate) fn files(&self) -> (Vec<(String, String)>, Vec<Section>) {
        let mut main = File { text: INCLUDES.to_owned(), ..File::default() };
        let mut header = File { text: format!("#pragma once\n{INCLUDES}"), ..File::default() };
        if self.kernels.iter().any(|kernel| kernel.in_header) {
            main.text += "#include \"warps.cuh\"\n";
        }
        for (number, kernel) in self.kernels.iter().enumerate() {
            let definitions = includes(kernel) + &in_namespace(kernel, &Printer::new(kernel).definitions());
            let file = if kernel.in_header { &mut header } else { &mut main };
            file.add(number, &kernel.name, &definitions);
            main.add(number, &kernel.name, &in_namespace(kernel, &Printer::new(kernel).kernel()));
        }
        main.text += &self.entries();
        main.text += &MAIN.replace("VALUE", INPUT);
        let folder = &self.folder;
        let mut files = vec![(format!("{folder}/main.cu"), main)];
        if !header.sections.is_empty() {
            files.push((format!("{folder}/warps.cuh"), header));
        }
        let mut sections = Vec::new();
        for (name, file) in &files {
            sections.extend(file.sections.iter().map(|(kernel, first, last)| Section {
                file: name.clone(),
                kernel: *kernel,
                first: *first,
                last: *last,
            }));
        }
        (files.into_iter().map(|(name, file)| (name, file.text)).collect(), sections)
    }

    fn entries(&self) -> String {
        let mut text = String::from(
            "struct Entry {\n    const char* name;\n    void (*start)(unsigned*, const int*, unsigned*);\n    \
             size_t threads, regions, counters;\n};\nstatic const Entry entries[] = {\n",
        );
        for kernel in &self.kernels {
            let (name, threads) = (&kernel.name, kernel.launch.all());
            let scope = if kernel.in_namespace { format!("of_{name}::") } else { String::new() };
            let counters = kernel.arrays[COUNTERS].len;
            let _ =
                writeln!(text, "    {{\"{name}\", {scope}start_{name}, {threads}, {}, {counters}}},", kernel.regions);
        }
        text + "};\n"
    }
}

/// What a kernel has to compute, as the program prints it.
pub(crate) fn hash(results: &[u32]) -> String {
    let mixed = |hash: u64, word: &u32| (hash ^ u64::from(*word)).wrapping_mul(1_099_511_628_211);
    format!("{:016x}", results.iter().fold(14_695_981_039_346_656_037, mixed))
}

/// The results of a kernel.
pub(crate) fn expected(kernel: &Kernel) -> Vec<u32> {
    machine::run(kernel).unwrap()
}
