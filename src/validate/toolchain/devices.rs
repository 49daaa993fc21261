//! The GPUs of this machine, as the kernel's drivers list them.

use std::fs;
use std::path::Path;

use super::folders::system_root;

/// Who made a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Driven by `amdgpu`, with its compute interface.
    Amd,
    /// Driven by NVIDIA's driver.
    Nvidia,
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Who made it.
    pub vendor: Vendor,
    /// A target such as `gfx90a`, or the name of the model.
    pub name: String,
}

/// All GPUs that a program could use here.
pub fn devices() -> Vec<Device> {
    devices_below(&system_root())
}

fn devices_below(root: &Path) -> Vec<Device> {
    let nodes = texts(&root.join("sys/class/kfd/kfd/topology/nodes"), "properties");
    let amd = nodes.iter().filter_map(|text| amd_target(text));
    let gpus = texts(&root.join("proc/driver/nvidia/gpus"), "information");
    let nvidia = gpus.iter().filter_map(|text| text.lines().find_map(|line| line.strip_prefix("Model:")));
    let amd = amd.map(|name| Device { vendor: Vendor::Amd, name });
    let nvidia = nvidia.map(|name| Device { vendor: Vendor::Nvidia, name: name.trim().to_owned() });
    amd.chain(nvidia).collect()
}

/// The contents of a file of the same name in all folders below one, in the order of the folders' names or numbers.
fn texts(folder: &Path, file: &str) -> Vec<String> {
    let mut folders: Vec<_> = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // Nodes have numbers, and HIP counts GPUs in their order.
    folders.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    folders.iter().filter_map(|folder| fs::read_to_string(folder.join(file)).ok()).collect()
}

/// The target of a node of the compute interface: `gfx_target_version` is major, minor and step with two decimal digits
/// each, and 0 for a CPU (Linux, `drivers/gpu/drm/amd/amdkfd/kfd_topology.c`).
fn amd_target(properties: &str) -> Option<String> {
    let value = properties.lines().find_map(|line| line.strip_prefix("gfx_target_version "))?;
    let version: u32 = value.trim().parse().ok()?;
    (version > 0).then(|| format!("gfx{}{:x}{:x}", version / 10_000, version / 100 % 100, version % 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_read_from_the_files_of_the_drivers() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(devices_below(root.path()), []);
        write("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\ngfx_target_version 0\n");
        write("sys/class/kfd/kfd/topology/nodes/2/properties", "simd_count 440\ngfx_target_version 90010\n");
        write("sys/class/kfd/kfd/topology/nodes/10/properties", "gfx_target_version 110001\n");
        write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 5\n");
        let found = devices_below(root.path());
        let names: Vec<&str> = found.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, ["gfx90a", "gfx1101", "NVIDIA H200"]);
        assert_eq!(found[2].vendor, Vendor::Nvidia);
    }
}
