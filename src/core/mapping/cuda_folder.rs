//! Where CUDA is installed, as build files name the folder.

use super::build::is_cuda_folder;

/// Where CUDA usually is.
const USUAL: &[&str] = &["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"];

/// How many bytes the usual folder of CUDA that a text begins with has, with its release: those of `/usr/local/cuda-12.4`.
pub fn usual_cuda_folder(text: &str) -> Option<usize> {
    let folder = USUAL.iter().find(|folder| text.starts_with(**folder))?;
    let behind = &text[folder.len()..];
    let release = behind
        .strip_prefix('-')
        .map_or(0, |release| 1 + release.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count());
    let ends = !behind[release..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    ends.then_some(folder.len() + release)
}

/// Whether a value of a variable is the folder of CUDA itself: its usual place, one of the variables that name it, or two
/// folders above nvcc.
pub fn is_cuda_folder_value(value: &str) -> bool {
    let value = value.trim().trim_matches(['"', '\'']).trim_end_matches('/');
    if is_above_nvcc(value) {
        return true;
    }
    let is_usual = |value: &str| usual_cuda_folder(value) == Some(value.len());
    // `$(if $(NVCC_PATH),$(NVCC_PATH:/bin/nvcc=),/usr/local/cuda)`, `$(or $(TOOLKIT),/usr/local/cuda)`
    let chosen = ["$(if ", "$(or "].iter().find_map(|call| value.strip_prefix(call)?.strip_suffix(')'));
    if chosen.and_then(|parts| parts.rsplit(',').next()).is_some_and(is_usual) {
        return true;
    }
    let reference = value.strip_prefix('$').map(|name| name.trim_start_matches(['(', '{']));
    match reference {
        Some(rest) => {
            let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let behind = &rest[len..];
            // `${TOOLKIT:-/usr/local/cuda}`
            let default = shell_default(behind).map(|default| default.strip_suffix('}').unwrap_or(default));
            let is_whole = matches!(behind, "" | ")" | "}") || default.is_some();
            is_cuda_folder(&rest[..len]) && is_whole || default.is_some_and(is_usual)
        }
        None => is_usual(value),
    }
}

/// What a shell takes for a variable that has no value, by what stands behind its name: `:-default}`, `-default}`, `:=default}`.
pub fn shell_default(behind: &str) -> Option<&str> {
    behind.strip_prefix(':').unwrap_or(behind).strip_prefix(['-', '='])
}

/// `$(shell dirname $$(dirname $$(which nvcc)))`, `$(patsubst %/bin/nvcc,%,$(shell which nvcc))`, `$(NVCC:/bin/nvcc=)`
fn is_above_nvcc(value: &str) -> bool {
    if value.starts_with('$') && [":/bin/nvcc=)", ":/bin/nvcc=}"].iter().any(|cut| value.ends_with(cut)) {
        return true;
    }
    let finds = value.contains("which") || value.contains("command -v");
    let goes_up = value.matches("dirname").count() == 2
        || value.contains("/bin/nvcc,")
        || value.contains("dirname") && value.ends_with("..");
    value.starts_with('$') && value.contains("nvcc") && finds && goes_up
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_folder_or_something_in_it() {
        for value in [
            "/usr/local/cuda",
            " \"/opt/cuda/\"",
            "/usr/local/cuda-12.4",
            "$(CUDA_HOME)",
            "${CUDA_PATH:-/x}",
            "${CUDA_PATH-/usr/local/cuda}",
            "${TOOLKIT=/usr/local/cuda}",
            "${TOOLKIT:-/usr/local/cuda}",
            "$CUDA_ROOT/",
            "$(shell dirname $$(dirname $$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)))",
            "$(patsubst %/bin/nvcc,%,$(shell which nvcc))",
            "$(NVCC_PATH:/bin/nvcc=)",
            "$(if $(NVCC_PATH),$(NVCC_PATH:/bin/nvcc=),/usr/local/cuda)",
            "$(or $(TOOLKIT),/usr/local/cuda)",
        ] {
            assert!(is_cuda_folder_value(value), "{value}");
        }
        for value in [
            "/usr/local/cuda/bin",
            "/usr/local/cudafoo",
            "$(CUDA_HOME)/lib64",
            "$(MY_CUDA)",
            "${TOOLKIT:-/usr}",
            "cuda",
            "",
            "$(shell which nvcc)",
            "$(if $(TOOLKIT),$(TOOLKIT),/usr)",
            "$(shell dirname $(shell which nvcc))",
        ] {
            assert!(!is_cuda_folder_value(value), "{value}");
        }
    }
}
