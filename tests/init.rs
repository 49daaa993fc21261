//! `hipshift init`: the configuration that it writes, the plan that it shows, and what it leaves alone.

use crate::common;

use std::fs;
use std::path::Path;

use crate::common::folder::{Folder, check, hipshift};
use serde_json::Value;

const CUDA: &str = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n";
const MAKEFILE: &str = "app: app.cu\n\tnvcc $^ -o $@ -lcublas -lcudnn -lnvidia-ml\n";

/// A copy of a project of the fixtures.
fn project(name: &str) -> Folder {
    let root = common::root().join("fixtures/projects").join(name);
    let folder = Folder::new(&[]);
    for entry in walkdir::WalkDir::new(&root).into_iter().flatten().filter(|entry| entry.file_type().is_file()) {
        let inside = Path::new("p").join(entry.path().strip_prefix(&root).unwrap());
        folder.write(inside.to_str().unwrap(), &fs::read(entry.path()).unwrap());
    }
    folder
}

#[test]
fn each_project_gets_a_configuration_that_holds() {
    for name in [
        "modern_cmake",
        "find_cuda",
        "recursive_make",
        "included_sources",
        "mixed",
        "header_only",
        "libraries",
        "torch_extension",
    ] {
        let folder = project(name);
        let before = folder.names("p");
        let output = hipshift(&folder, &["init", "p"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let plan = String::from_utf8(output.stdout).unwrap();
        insta::assert_snapshot!(name, format!("{}---\n{plan}", folder.read("p/hipshift.toml")));
        let mut after = folder.names("p");
        after.retain(|name| name != "hipshift.toml");
        assert_eq!(after, before, "nothing else is written");
        // It is read by all commands, and changes nothing that was the default.
        let lint = |more: &[&str]| {
            let ended = hipshift(&folder, &[&["lint", "p", "--format", "json", "--fail-on", "never"], more].concat());
            assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
            ended.stdout
        };
        let with = lint(&[]);
        folder.write("empty.toml", b"");
        assert_eq!(with, lint(&["--config", "empty.toml"]));
    }
}

#[test]
fn a_file_that_is_there_stays() {
    let folder = Folder::new(&[("p/app.cu", CUDA), ("p/Makefile", MAKEFILE), ("p/hipshift.toml", "broken = [\n")]);
    check(&folder, &["init", "p"], 2, "`--force` replaces it");
    check(&folder, &["init", "p", "--dry-run"], 0, "nothing was written");
    assert_eq!(folder.read("p/hipshift.toml"), "broken = [\n");
    check(&folder, &["init", "p", "--force"], 0, "p/hipshift.toml was written");
    assert!(folder.read("p/hipshift.toml").contains("\narch = ["));
    let fresh = Folder::new(&[("p/app.cu", CUDA)]);
    check(&fresh, &["init", "p", "--dry-run"], 0, "would be");
    assert_eq!(fresh.names("p"), ["app.cu"]);
    check(&fresh, &["init", "p/app.cu"], 2, "is no folder");
    check(&fresh, &["init", "p", "--arch", "gfx1"], 2, "gfx1");
    assert_eq!(fresh.names("p"), ["app.cu"]);
}

#[cfg(unix)]
#[test]
fn a_link_leads_nowhere() {
    let folder = Folder::new(&[("p/app.cu", CUDA), ("outside.toml", "rocm = \"6.4\"\n")]);
    std::os::unix::fs::symlink(folder.path("outside.toml"), folder.path("p/hipshift.toml")).unwrap();
    check(&folder, &["init", "p"], 2, "is there already");
    check(&folder, &["init", "p", "--force"], 2, "link");
    assert_eq!(folder.read("outside.toml"), "rocm = \"6.4\"\n");
}

#[test]
fn libraries_and_the_database_are_taken_from_the_build() {
    let folder = Folder::new(&[("p/app.cu", CUDA), ("p/Makefile", MAKEFILE)]);
    let root = folder.path("p").canonicalize().unwrap();
    let database = format!(
        "[{{\"directory\": \"{0}\", \"file\": \"{0}/app.cu\", \"command\": \"nvcc -c app.cu -o app.o\"}}]",
        root.display()
    );
    folder.write("p/build/compile_commands.json", database.as_bytes());
    let output = hipshift(&folder, &["init", "p", "--format", "json", "--rocm", "7.0", "--arch", "gfx1100"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let config = folder.read("p/hipshift.toml");
    assert_eq!(plan["config"]["text"], config);
    assert_eq!((&plan["origin"], &plan["config"]["written"]), (&"compile_commands.json".into(), &true.into()));
    let libraries: Vec<(&str, Option<&str>)> = plan["libraries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|library| (library["name"].as_str().unwrap(), library["becomes"].as_str()))
        .collect();
    assert_eq!(libraries, [("cublas", Some("hipblas")), ("cudnn", Some("MIOpen")), ("nvidia-ml", None)]);
    assert!(plan["libraries"][2]["advice"].as_str().unwrap().contains("AMD SMI"));
    let read: toml::Table = toml::from_str(&config).unwrap();
    assert_eq!(read["rocm"].as_str(), Some("7.0"));
    assert_eq!(read["arch"].as_array().unwrap().len(), 1);
    assert_eq!(read["libraries"]["cublas"].as_str(), Some("hip"));
    // There is nothing to choose: MIOpen is what AMD has.
    assert!(read["libraries"].get("cudnn").is_none());
    assert_eq!(read["validate"]["compile-commands"].as_str(), Some("build/compile_commands.json"));
    check(&folder, &["project", "p"], 0, "compile_commands.json");
}
