//! Link arguments of the library: its name and the version nodes that HIP programs ask for. Cargo has no
//! other place for arguments that concern one library only.

/// Version nodes of AMD's library, oldest first. Each follows from the one before it.
const NODES: &[&str] = &[
    "hip_4.2", "hip_4.3", "hip_4.4", "hip_4.5", "hip_5.0", "hip_5.1", "hip_5.2", "hip_5.3", "hip_5.5", "hip_5.6",
    "hip_6.0", "hip_6.1", "hip_6.2", "hip_6.4", "hip_6.5", "hip_7.1", "hip_7.2",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let script = std::path::Path::new(&folder).join("nodes.map");
    let before = std::iter::once(&"").chain(NODES);
    let lines: Vec<String> = NODES.iter().zip(before).map(|(node, before)| format!("{node} {{ }} {before};")).collect();
    if let Err(error) = std::fs::write(&script, lines.join("\n")) {
        println!("cargo::error=cannot write {}: {error}", script.display());
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libamdhip64.so.7");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--version-script={}", script.display());
}
