//! What a project keeps from being reported is said by every command and in every format: rules that its configuration turns off,
//! files that it names, comments, baselines and reviews.

use crate::common::folder::{Folder, command};

const SOURCE: &str = "#include <cuda_runtime.h>\n// hipshift: ignore-next-line[W001] kept\n\
                      __global__ void k(int* p) { *p = __ballot(1) + tex1Dfetch(0, 1); }\nint main() { cudaFoo(); }\n";
const FORMATS: [&str; 9] = ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "html"];

/// A line that holds what nobody asked for.
const DECISIONS: &str = r#"schema = 1

[[decision]]
file = "a.cu"
decision = "edit"
text = "    abort();\n"
before = "    cudaFree(0);\n"
after = "    hipFree(0);\n"
fixes = [{ rule = "renamed-name", at = "cudaFree", line = "cudaFree(0);" }]
"#;

fn all_of(folder: &Folder, arguments: &[&str]) -> String {
    let output = command(&folder.path("."), arguments).output().unwrap();
    [output.stdout, output.stderr].iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
}

#[test]
fn rules_and_files_that_a_configuration_leaves_out_are_named() {
    let folder = Folder::new(&[]);
    folder.write("a.cu", SOURCE.as_bytes());
    folder.write("hipshift.toml", b"ignore = [\"A\"]\nexclude = [\"vendor\"]\n[severity]\nW001 = \"info\"\n");
    let commands: &[&[&str]] =
        &[&["convert", ".", "-o", "out"], &["convert", ".", "--dry-run", "-q"], &["diff", "."], &["lint", "."]];
    for command in commands {
        let said = all_of(&folder, command);
        assert!(said.contains("hipshift.toml turns off "), "{command:?}: {said}");
        assert!(said.contains("rules: A008, A001, "), "{command:?}: {said}");
        assert!(said.contains("makes 1 rule less than a warning: W001"), "{command:?}: {said}");
        assert!(said.contains("leaves out files like `vendor`"), "{command:?}: {said}");
    }
    for format in FORMATS {
        let said = all_of(&folder, &["lint", ".", "--format", format]);
        assert!(said.contains("hipshift.toml turns off "), "{format}: {said}");
    }
    let said = all_of(&folder, &["lint", ".", "--exclude", "other"]);
    assert!(!said.contains("leaves out files like") && said.contains("turns off"), "{said}");
    // Who types it knows it.
    for options in [&["--config", "hipshift.toml"][..], &["--ignore", "A"]] {
        let said = all_of(&folder, &[&["lint", "."], options].concat());
        assert!(!said.contains("turns off "), "{said}");
    }
}

#[test]
fn a_configuration_that_leaves_nothing_out_is_not_spoken_of() {
    let folder = Folder::new(&[]);
    folder.write("a.cu", SOURCE.as_bytes());
    folder.write("hipshift.toml", b"rocm = \"7.2\"\n[severity]\nW001 = \"error\"\n");
    let said = all_of(&folder, &["lint", "."]);
    assert!(!said.contains("hipshift.toml"), "{said}");
}

#[test]
fn findings_that_comments_switch_off_are_counted_in_every_format() {
    let folder = Folder::new(&[]);
    folder.write(
        "a.cu",
        b"#include <cuda_runtime.h>\nint main() { cudaFoo(); } // hipshift: ignore[unknown-name] known\n",
    );
    let code = all_of(&folder, &["lint", ".", "--no-decisions"]);
    assert!(code.contains("1 suppressed by comments"), "{code}");
    for format in FORMATS {
        let said = all_of(&folder, &["lint", ".", "--format", format]);
        let is_told = match format {
            "json" => said.contains("\"suppressed\": 1"),
            "sarif" => said.contains("suppressions"),
            _ => said.contains("1 suppressed by comments"),
        };
        assert!(is_told, "{format}: {said}");
    }
}

#[test]
fn a_translation_that_a_comment_switches_off_is_named_by_the_conversion() {
    let folder = Folder::new(&[]);
    folder.write("a.cu", b"#include <cuda_runtime.h>\nint main() { cudaFree(0); } // hipshift: ignore[all] kept\n");
    let said = all_of(&folder, &["convert", ".", "-o", "out"]);
    assert!(said.contains("suppressed by comments: 1 finding  ./a.cu:2"), "{said}");
    assert!(folder.read("out/a.cu").contains("cudaFree"));
    for options in [&["--format", "csv"][..], &["--format", "json"]] {
        let said = all_of(&folder, &[&["convert", "a.cu", "--dry-run"], options].concat());
        assert!(said.contains("1 suppressed by comments") || said.contains("\"suppressed\": 1"), "{said}");
    }
    let said = all_of(&folder, &["diff", "a.cu"]);
    assert!(said.contains("1 suppressed by comments"), "{said}");
}

#[test]
fn text_of_a_reviewer_is_named_where_it_takes_the_place_of_fixes() {
    let folder = Folder::new(&[]);
    folder.write("a.cu", b"#include <cuda_runtime.h>\nint main() {\n    cudaFree(0);\n}\n");
    folder.write(".hipshift/decisions.toml", DECISIONS.as_bytes());
    let said = all_of(&folder, &["convert", ".", "-o", "out"]);
    assert!(said.contains("text of a reviewer in place of fixes: 1 place  ./a.cu:3"), "{said}");
    let said = all_of(&folder, &["diff", "."]);
    assert!(said.contains("text of a reviewer in place of fixes: 1 place, the first ./a.cu:3"), "{said}");
}

#[test]
fn what_gitignore_leaves_out_is_named_where_no_repository_tells_what_is_part_of_it() {
    let folder = Folder::new(&[]);
    folder.write("a.cu", SOURCE.as_bytes());
    folder.write("secret/b.cu", SOURCE.as_bytes());
    folder.write(".gitignore", b"secret\n");
    let said = all_of(&folder, &["lint", "."]);
    assert!(said.contains("`.gitignore` leaves out files, the first of them `./secret`"), "{said}");
}
