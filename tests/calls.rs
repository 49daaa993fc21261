//! Calls whose arguments change: every entry of `mappings/calls.toml`, and how edits treat a call.

use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, Diagnostic, Severity};
use hipshift::engine::{Input, Outcome, convert};
use hipshift::mapping::{CallRule, Flavor, Intrinsics, Part, RocmVersion, Table};
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

fn table() -> &'static Table {
    Table::builtin().unwrap()
}

/// Settings under which `rule` applies, all its fixes wanted.
fn settings_for(rule: &CallRule) -> Settings {
    let rocm = rule.range.until.unwrap_or(RocmVersion::NEWEST);
    let mut settings = Settings { rocm, applicability: Applicability::Unsafe, ..Settings::default() };
    settings.rules.select.push("changed-call".to_owned());
    if rule.flavor == Some(Flavor::Roc) {
        settings.libraries.prefer_roc(table().get(&rule.cuda)[0].library);
    }
    settings
}

fn converted(text: &str, settings: &Settings) -> (String, Outcome) {
    converted_in(&ProjectFacts::default(), text, settings)
}

fn converted_in(project: &ProjectFacts, text: &str, settings: &Settings) -> (String, Outcome) {
    let document = Document::new(SourceFile::from_text("a.cu", text));
    let outcome = convert(Input { document: &document, project, table: table(), settings });
    (outcome.patch.apply(text), outcome)
}

fn remaining(outcome: &Outcome) -> Vec<(&'static str, Severity)> {
    outcome.remaining.iter().map(|Diagnostic { rule, severity, .. }| (rule.name, *severity)).collect()
}

/// The arguments of a call that only `rule` fits: enough for its template, and not so many that
/// an entry before it fits too.
fn arguments_for(rule: &CallRule) -> Vec<String> {
    let named = rule.template.iter().map(|part| match part {
        Part::Argument(number) => number + 1,
        Part::Rest(number) => number + 2,
        Part::Text(_) | Part::Release => 0,
    });
    let decides = rule.typed.as_ref().map(|typed| typed.argument).or(rule.only.as_ref().map(|only| only.argument));
    let least = rule.null.or(decides);
    let enough = rule.arguments.unwrap_or_else(|| named.max().unwrap_or(0).max(least.map_or(0, |number| number + 1)));
    let taken = |count: &usize| {
        let others = table().calls_of(&rule.cuda).iter().filter(|other| *other != rule && other.flavor == rule.flavor);
        let others = others.filter(|other| other.null.is_none() && other.typed.is_none());
        others.into_iter().any(|other| other.arguments == Some(*count))
    };
    let count =
        if rule.arguments.is_some() { enough } else { (enough..enough + 9).find(|count| !taken(count)).unwrap() };
    let excepted = |number: usize| {
        let others = table().calls_of(&rule.cuda).iter().filter(|other| *other != rule);
        let mut exceptions = others.filter_map(|other| other.unless.as_ref());
        exceptions
            .find(|unless| unless.argument == number && rule.unless.is_none() && rule.only.is_none())
            .map(|unless| unless.starts.clone())
    };
    let typed = |number: usize| rule.typed.as_ref().filter(|typed| typed.argument == number);
    let starting = |number: usize| rule.only.as_ref().filter(|only| only.argument == number);
    let argument = |number| match excepted(number) {
        _ if rule.null == Some(number) => "nullptr".to_owned(),
        _ if typed(number).is_some() => format!("({})a{number}", typed(number).unwrap().types[0]),
        _ if starting(number).is_some_and(|only| &*only.starts == "\"") => format!("\"a{number}\""),
        _ if starting(number).is_some() => format!("{}{number}", starting(number).unwrap().starts),
        Some(starts) => format!("{starts}{number}"),
        None => format!("a{number}"),
    };
    (0..count).map(argument).collect()
}

/// The template with the arguments filled in, put together without the code under test.
fn filled(rule: &CallRule, arguments: &[String], rocm: RocmVersion) -> String {
    let release = (rocm.major * 100 + rocm.minor).to_string();
    let mut text = String::new();
    for part in &rule.template {
        match part {
            Part::Text(new) => text.push_str(new),
            Part::Argument(number) => text.push_str(&arguments[*number]),
            Part::Rest(first) => text.push_str(&arguments[*first..].join(", ")),
            Part::Release => text.push_str(&release),
        }
    }
    text
}

#[test]
fn every_entry_is_applied() {
    for rule in table().calls() {
        let settings = settings_for(rule);
        let arguments = arguments_for(rule);
        let types = if rule.template_arguments { "<float>" } else { "" };
        let call = format!("{}{types}({})", rule.cuda, arguments.join(", "));
        let mut project = ProjectFacts::default();
        project.builds.per_thread_streams = rule.per_thread_streams;
        // Where a statement has an entry of its own, the other one is for values.
        let has_own = table().calls_of(&rule.cuda).iter().any(|other| other.alone);
        let start = if has_own && !rule.alone { "int a = " } else { "" };
        let variable = rule.managed.map_or(String::new(), |number| format!("__managed__ int a{number};\n"));
        let source = format!("{variable}__device__ void f() {{ {start}{call}; }}\n");
        let (text, outcome) = converted_in(&project, &source, &settings);
        if rule.template.is_empty() {
            assert_eq!(remaining(&outcome), [("changed-call", Severity::Error)], "{call}");
            assert!(text.contains(&call), "{text}");
            continue;
        }
        // Arguments of templates stay behind the name.
        let expected = filled(rule, &arguments, settings.rocm).replacen('(', &format!("{types}("), 1);
        let known = Intrinsics::builtin().unwrap();
        assert!(rule.definition().is_none_or(|key| known.get(key).is_some()), "{call}");
        let definition = known.definitions(rule.definition());
        assert_eq!(text, format!("{definition}{variable}__device__ void f() {{ {start}{expected}; }}\n"), "{call}");
        assert!(outcome.remaining.is_empty(), "{call}: {:?}", outcome.remaining);
    }
}

#[test]
fn entries_are_sorted_and_every_one_can_be_reached() {
    let text = include_str!("../mappings/calls.toml");
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("cuda = ")).collect();
    assert!(names.is_sorted(), "entries of calls.toml are sorted by name");
    for rule in table().calls() {
        let before = table().calls_of(&rule.cuda).iter().take_while(|other| *other != rule);
        let hides = |other: &&CallRule| {
            (other.arguments.is_none() || other.arguments == rule.arguments)
                && (other.null.is_none() || other.null == rule.null)
                && (other.only.is_none() || other.only == rule.only)
                && (other.unless.is_none() || other.unless == rule.unless)
                && (!other.template_arguments || rule.template_arguments)
                && (other.flavor.is_none() || other.flavor == rule.flavor)
                && (other.typed.is_none() || other.typed == rule.typed)
                && (!other.keeps_32_lanes || rule.keeps_32_lanes)
                && (!other.per_thread_streams || rule.per_thread_streams)
                && (!other.alone || rule.alone)
                && (other.managed.is_none() || other.managed == rule.managed)
                && other.range == rule.range
        };
        assert_eq!(before.filter(hides).count(), 0, "an entry of {} hides a later one", rule.cuda);
        assert!(rule.safe || !rule.note.is_empty(), "{}: say why the new call is not safe", rule.cuda);
        assert!(!rule.template.is_empty() || !rule.note.is_empty(), "{}: say what to do instead", rule.cuda);
    }
}

#[track_caller]
fn check(before: &str, after: &str) {
    let settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
    let wrap = |body: &str| format!("#include <hip/hip_runtime.h>\n{body}\n");
    assert_eq!(converted(&wrap(before), &settings).0, wrap(after));
}

#[test]
fn layout_and_comments_survive() {
    check(
        "void f() { cudaMemcpyToSymbol(table, // where\n    host, /* bytes */ n); }",
        "void f() { hipMemcpyToSymbol(HIP_SYMBOL(table), // where\n    host, /* bytes */ n); }",
    );
    check(
        "void f() { cudaMallocHost(&p,\n    n /* bytes */); }",
        "void f() { hipHostMalloc(&p,\n    n, hipHostMallocDefault /* bytes */); }",
    );
    check(
        "void f() {\n  cudaGraphAddDependencies(g, a,\n      b, // to\n      nullptr, n);\n}",
        "void f() {\n  hipGraphAddDependencies(g, a,\n      b, n);\n}",
    );
}

/// What a call rule writes is a call of HIP's.
#[test]
fn calls_of_names_that_a_user_gives_keep_their_arguments() {
    let text = "cuda,hip,roc,kind,support,since,until,note\ncudaMemcpyToSymbol,myCopy,,function,full,,,\n";
    let table = Table::with_user_tables(&[text.to_owned()]).unwrap();
    let source =
        "#include <cuda_runtime.h>\nvoid f() { cudaMemcpyToSymbol(a, b, 4); cudaMemcpyFromSymbol(b, a, 4); }\n";
    let document = Document::new(SourceFile::from_text("a.cu", source));
    let (project, settings) = (ProjectFacts::default(), Settings::default());
    let outcome = convert(Input { document: &document, project: &project, table: &table, settings: &settings });
    let result = outcome.patch.apply(source);
    assert!(result.contains("{ myCopy(a, b, 4); hipMemcpyFromSymbol(b, HIP_SYMBOL(a), 4); }"), "{result}");
}

#[test]
fn comments_move_with_their_argument() {
    let settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
    let before = "#include <hip/hip_runtime.h>\nvoid f() { cudnnSoftmaxForward(h, algo, mode,\n    /*a*/ x0, d0, // input\n    x1, &b, d1, y // output\n    ); }\n";
    let after = "#include <hip/hip_runtime.h>\nvoid f() { miopenSoftmaxForward_V2(h, /*a*/ x0, d0,\n    // input\n    x1, &b, d1, y // output\n, algo, mode); }\n";
    let (text, _) = converted(before, &settings);
    assert_eq!(text.replace(char::is_whitespace, ""), after.replace(char::is_whitespace, ""));
    assert_eq!(Document::new(SourceFile::from_text("a.cu", text)).comments().len(), 3);
}

#[test]
fn renames_inside_arguments_survive() {
    check(
        "void f() { cudaMemcpyToSymbolAsync(t, p, n, 0, cudaMemcpyHostToDevice, cudaStreamPerThread); }",
        "void f() { hipMemcpyToSymbolAsync(HIP_SYMBOL(t), p, n, 0, hipMemcpyHostToDevice, hipStreamPerThread); }",
    );
    check(
        "void f() { check(cudaMallocHost(&p, size(cudaMallocHost(&q, n)))); }",
        "void f() { check(hipHostMalloc(&p, size(hipHostMalloc(&q, n, hipHostMallocDefault)), hipHostMallocDefault)); }",
    );
    check(
        "__device__ int f(int* p) { return __ldlu(&p[__ldcs(p)]); }",
        "__device__ int f(int* p) { return (*(&p[(*(p))])); }",
    );
}

#[test]
fn calls_in_macros_change_too() {
    check(
        "#define UPLOAD(s, p) \\\n  cudaMemcpyToSymbol(s, p, sizeof(s))",
        "#define UPLOAD(s, p) \\\n  hipMemcpyToSymbol(HIP_SYMBOL(s), p, sizeof(s))",
    );
}

#[test]
fn arguments_that_a_macro_supplies_are_left_alone() {
    let (text, outcome) = converted(
        "#include <hip/hip_runtime.h>\n#define UPLOAD(...) cudaMemcpyToSymbol(__VA_ARGS__)\n",
        &Settings::default(),
    );
    assert!(text.contains("hipMemcpyToSymbol(__VA_ARGS__)"), "{text}");
    assert_eq!(remaining(&outcome), [("ambiguous-call", Severity::Warning)]);
}

#[test]
fn nothing_is_wrapped_twice() {
    check(
        "void f() { cudaMemcpyToSymbol(HIP_SYMBOL(t), p, n); }",
        "void f() { hipMemcpyToSymbol(HIP_SYMBOL(t), p, n); }",
    );
    check(
        "void f() { cudaFuncSetAttribute((const void*)k, a, 1); cudaHostGetDevicePointer((void **)&d, h, 0); }",
        "void f() { hipFuncSetAttribute((const void*)k, a, 1); hipHostGetDevicePointer((void **)&d, h, 0); }",
    );
}

#[test]
fn declarations_of_the_same_name_are_no_calls() {
    check(
        "extern cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags);",
        "extern hipError_t hipEventCreate(hipEvent_t* event, unsigned flags);",
    );
}

#[test]
fn an_argument_with_effects_is_not_passed_twice_safely() {
    let mut settings = Settings::default();
    settings.libraries.prefer_roc("cusparse");
    let call = |count: &str| {
        format!(
            "#include <rocsparse.h>\n__device__ void f() {{ cusparseSgtsvInterleavedBatch(h, a, m, l, d, u, x, {count}, b); }}\n"
        )
    };
    let (text, _) = converted(&call("n"), &settings);
    assert!(text.contains("rocsparse_sgtsv_interleaved_batch(h, a, m, l, d, u, x, n, n, b)"), "{text}");
    let (text, outcome) = converted(&call("next()"), &settings);
    assert!(text.contains("cusparseSgtsvInterleavedBatch"), "{text}");
    assert!(remaining(&outcome).contains(&("changed-call", Severity::Warning)));
}

#[test]
fn a_directive_among_arguments_keeps_them_where_they_are() {
    let settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
    let (text, outcome) = converted(
        "void f() { cudnnSoftmaxForward(h, algo,\n#ifdef A\n mode,\n#endif\n x0, d0, x1, &b, d1, y); }\n",
        &settings,
    );
    assert!(text.contains("cudnnSoftmaxForward"), "{text}");
    assert!(remaining(&outcome).contains(&("changed-call", Severity::Error)));
}

/// What HIPIFY changes in calls, one change a line: mode, function (`?` stands for S, D, C and Z),
/// change, argument numbers from 0, new text.
const HIPIFY: &str = "\
hip cuOccupancyMaxPotentialBlockSize remove 3
hip cuOccupancyMaxPotentialBlockSizeWithFlags remove 3
hip cudaEventCreate count 1 hipEventCreate
hip cudaEventCreate count 2 hipEventCreateWithFlags
hip cudaFuncGetAttributes wrap 1 reinterpret_cast<const void*>
hip cudaFuncSetAttribute wrap 0 reinterpret_cast<const void*>
hip cudaFuncSetCacheConfig wrap 0 reinterpret_cast<const void*>
hip cudaFuncSetSharedMemConfig wrap 0 reinterpret_cast<const void*>
hip cudaGetDriverEntryPoint insert 2 603
hip cudaGetSymbolAddress wrap 1 HIP_SYMBOL
hip cudaGetSymbolSize wrap 1 HIP_SYMBOL
hip cudaGetTextureReference wrap 1 HIP_SYMBOL
hip cudaGraphAddMemcpyNodeFromSymbol wrap 5 HIP_SYMBOL
hip cudaGraphAddMemcpyNodeToSymbol wrap 4 HIP_SYMBOL
hip cudaGraphExecMemcpyNodeSetParamsFromSymbol wrap 3 HIP_SYMBOL
hip cudaGraphExecMemcpyNodeSetParamsToSymbol wrap 2 HIP_SYMBOL
hip cudaGraphInstantiate count 3 hipGraphInstantiateWithFlags
hip cudaGraphInstantiate count 5 hipGraphInstantiate
hip cudaGraphMemcpyNodeSetParamsFromSymbol wrap 2 HIP_SYMBOL
hip cudaGraphMemcpyNodeSetParamsToSymbol wrap 1 HIP_SYMBOL
hip cudaLaunchCooperativeKernel wrap 0 reinterpret_cast<const void*>
hip cudaLaunchKernel wrap 0 reinterpret_cast<const void*>
hip cudaMallocHost insert 3 hipHostMallocDefault
hip cudaMemcpyFromSymbol wrap 1 HIP_SYMBOL
hip cudaMemcpyFromSymbolAsync wrap 1 HIP_SYMBOL
hip cudaMemcpyToSymbol wrap 0 HIP_SYMBOL
hip cudaMemcpyToSymbolAsync wrap 0 HIP_SYMBOL
hip cusparseSpSM_solve insert 10 nullptr
miopen cudnnConvolutionBackwardData move 2 4
miopen cudnnConvolutionBackwardData move 4 2
miopen cudnnConvolutionBackwardData move 8 13
miopen cudnnConvolutionForward move 8 13
miopen cudnnFindConvolutionForwardAlgorithmEx insert 13 true
miopen cudnnGetConvolutionBackwardDataWorkspaceSize move 1 2
miopen cudnnGetConvolutionBackwardDataWorkspaceSize move 2 1
miopen cudnnGetConvolutionBackwardDataWorkspaceSize remove 5
miopen cudnnGetConvolutionForwardWorkspaceSize move 1 2
miopen cudnnGetConvolutionForwardWorkspaceSize move 2 1
miopen cudnnGetConvolutionForwardWorkspaceSize remove 5
miopen cudnnGetPooling2dDescriptor remove 2
miopen cudnnGetPoolingNdDescriptor remove 3
miopen cudnnGetRNNDescriptor_v6 remove 0
miopen cudnnRNNBackwardWeights move 11 9
miopen cudnnRNNBackwardWeights move 9 11
miopen cudnnSetLRNDescriptor insert 1 miopenLRNCrossChannel
miopen cudnnSetPooling2dDescriptor remove 2
miopen cudnnSetPoolingNdDescriptor remove 2
miopen cudnnSetRNNDescriptor_v6 remove 0
miopen cudnnSoftmaxBackward move 1 11
miopen cudnnSoftmaxForward move 1 9
roc cusparse?bsric02 replace 10 rocsparse_solve_policy_auto
roc cusparse?bsric02_analysis insert 11 rocsparse_solve_policy_auto
roc cusparse?bsric02_analysis replace 10 rocsparse_analysis_policy_force
roc cusparse?bsric02_bufferSize wrap 10 reinterpret_cast<size_t*>
roc cusparse?bsrilu02 replace 10 rocsparse_solve_policy_auto
roc cusparse?bsrilu02_analysis insert 11 rocsparse_solve_policy_auto
roc cusparse?bsrilu02_analysis replace 10 rocsparse_analysis_policy_force
roc cusparse?bsrilu02_bufferSize wrap 10 reinterpret_cast<size_t*>
roc cusparse?bsrsm2_bufferSize wrap 13 reinterpret_cast<size_t*>
roc cusparse?bsrsv2_analysis insert 12 rocsparse_solve_policy_auto
roc cusparse?bsrsv2_analysis replace 11 rocsparse_analysis_policy_force
roc cusparse?bsrsv2_bufferSize wrap 11 reinterpret_cast<size_t*>
roc cusparse?bsrsv2_solve replace 14 rocsparse_solve_policy_auto
roc cusparse?csrgeam2 remove 19
roc cusparse?csrgemm2 insert 1 rocsparse_operation_none, rocsparse_operation_none
roc cusparse?csric02_analysis insert 9 rocsparse_solve_policy_auto
roc cusparse?csric02_analysis replace 8 rocsparse_analysis_policy_force
roc cusparse?csric02_bufferSize wrap 8 reinterpret_cast<size_t*>
roc cusparse?csrilu02 replace 8 rocsparse_solve_policy_auto
roc cusparse?csrilu02_analysis insert 9 rocsparse_solve_policy_auto
roc cusparse?csrilu02_analysis replace 8 rocsparse_analysis_policy_force
roc cusparse?csrilu02_bufferSize wrap 8 reinterpret_cast<size_t*>
roc cusparse?csrmm insert 2 rocsparse_operation_none
roc cusparse?csrmv insert 10 nullptr
roc cusparse?csrsm2_analysis insert 16 rocsparse_solve_policy_auto
roc cusparse?csrsm2_analysis replace 15 rocsparse_analysis_policy_force
roc cusparse?csrsm2_bufferSizeExt replace 15 rocsparse_solve_policy_auto
roc cusparse?csrsm2_solve replace 15 rocsparse_solve_policy_auto
roc cusparse?csrsv2_analysis insert 10 rocsparse_solve_policy_auto
roc cusparse?csrsv2_analysis replace 9 rocsparse_analysis_policy_force
roc cusparse?csrsv2_bufferSize wrap 9 reinterpret_cast<size_t*>
roc cusparse?csrsv2_solve replace 12 rocsparse_solve_policy_auto
roc cusparse?gemvi_bufferSize wrap 5 reinterpret_cast<size_t*>
roc cusparse?gpsvInterleavedBatch copy 9 10
roc cusparse?gpsvInterleavedBatch_bufferSizeExt copy 9 10
roc cusparse?gtsvInterleavedBatch copy 7 8
roc cusparse?gtsvInterleavedBatch_bufferSizeExt copy 7 8
roc cusparseCsr2cscEx2_bufferSize remove 10
roc cusparseCsr2cscEx2_bufferSize remove 12
roc cusparseCsr2cscEx2_bufferSize remove 13
roc cusparseCsr2cscEx2_bufferSize remove 4
roc cusparseCsr2cscEx2_bufferSize remove 7
roc cusparseCsr2cscEx2_bufferSize remove 8
roc cusparseCsr2cscEx2_bufferSize remove 9
roc cusparseDenseToSparse_analysis insert 4 nullptr
roc cusparseDenseToSparse_bufferSize insert 5 nullptr
roc cusparseSpMM insert 10 rocsparse_spmm_stage_compute, nullptr
roc cusparseSpMM_bufferSize insert 10 rocsparse_spmm_stage_compute
roc cusparseSpMM_bufferSize insert 12 nullptr
roc cusparseSpMM_preprocess insert 10 rocsparse_spmm_stage_preprocess, nullptr
roc cusparseSpMV insert 9 rocsparse_spmv_stage_compute
roc cusparseSpMV_bufferSize insert 11 nullptr
roc cusparseSpMV_bufferSize insert 9 rocsparse_spmv_stage_buffer_size
roc cusparseSpSM_analysis insert 10 nullptr
roc cusparseSpSM_analysis replace 9 rocsparse_spsm_stage_compute
roc cusparseSpSM_solve insert 10 nullptr
roc cusparseSpSM_solve insert 11 nullptr
roc cusparseSpSM_solve replace 9 rocsparse_spsm_stage_compute
roc cusparseSpSV_bufferSize insert 10 nullptr
roc cusparseSpSV_bufferSize replace 8 rocsparse_spsv_stage_buffer_size
roc cusparseSpVV insert 6 nullptr
roc cusparseSpVV_bufferSize insert 7 nullptr
roc cusparseSparseToDense insert 4 nullptr
roc cusparseSparseToDense_bufferSize insert 5 nullptr
roc cusparseXcsrgeam2Nnz remove 14
";

/// Where HIPIFY is wrong, and what is right instead.
const CORRECTED: &[(&str, &str)] = &[
    // The version is that of the release, not a fixed one.
    ("hip cudaGetDriverEntryPoint insert 2 603", "$rocm"),
    // Stages that ask for a size or an analysis, not for a result.
    ("roc cusparseSpMM_bufferSize insert 10 rocsparse_spmm_stage_compute", "rocsparse_spmm_stage_buffer_size"),
    ("roc cusparseSpSM_analysis replace 9 rocsparse_spsm_stage_compute", "rocsparse_spsm_stage_preprocess"),
];

fn text_of(rule: &CallRule) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.to_string(),
        Part::Argument(number) => format!("${number}"),
        Part::Rest(number) => format!("${number}.."),
        Part::Release => "$rocm".to_owned(),
    };
    rule.template.iter().map(part).collect()
}

/// Whether the template of `rule` makes one change of HIPIFY's.
fn makes(rule: &CallRule, change: &str, numbers: &[usize], new: &str) -> bool {
    let text = text_of(rule);
    let used = |number: usize| {
        let times = |part: &&Part| match part {
            Part::Argument(n) => *n == number,
            Part::Rest(n) => *n <= number,
            Part::Text(_) | Part::Release => false,
        };
        rule.template.iter().filter(times).count()
    };
    match change {
        "wrap" => text.contains(&format!("{new}(${})", numbers[0])),
        "insert" => text.contains(new),
        "remove" => used(numbers[0]) == 0,
        "replace" => text.contains(new) && used(numbers[0]) == 0,
        "copy" => used(numbers[0]) == 2,
        "move" => {
            let at = |number: usize| rule.template.iter().position(|part| *part == Part::Argument(number));
            let (from, to) = (numbers[0], numbers[1]);
            if to < from {
                at(from) < at(to)
            } else {
                (from + 1..=to).any(|passed| at(passed).is_some() && at(passed) < at(from))
            }
        }
        "count" => rule.arguments == Some(numbers[0]) && text.starts_with(&format!("{new}(")),
        _ => false,
    }
}

#[test]
fn every_change_of_hipify_is_made() {
    let mut changes = 0;
    for line in HIPIFY.lines() {
        let mut words = line.splitn(4, ' ');
        let (mode, function, change) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let rest = words.next().unwrap_or("");
        let text = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let corrected = CORRECTED.iter().find(|(wrong, _)| *wrong == line);
        let new = corrected.map_or(text, |(_, right)| right);
        let mut numbers: Vec<usize> = rest.split(' ').map_while(|word| word.parse().ok()).collect();
        if new == "$rocm" {
            numbers.truncate(1);
        }
        let letters: &[&str] = if function.contains('?') { &["S", "D", "C", "Z"] } else { &[""] };
        for letter in letters {
            changes += 1;
            let function = function.replace('?', letter);
            let is_plain_rename = change == "count"
                && matches!((function.as_str(), numbers[0]), ("cudaEventCreate", 1) | ("cudaGraphInstantiate", 5));
            let flavor = if mode == "hip" { Flavor::Hip } else { Flavor::Roc };
            let mut rules = table().calls_of(&function).iter().filter(|rule| rule.flavor.is_none_or(|f| f == flavor));
            assert!(is_plain_rename || rules.any(|rule| makes(rule, change, &numbers, new)), "{line} ({function})");
        }
    }
    assert_eq!(changes, 226);
}
