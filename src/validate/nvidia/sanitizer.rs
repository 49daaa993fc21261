//! What compute-sanitizer says about a program (NVIDIA, "Compute Sanitizer", "Command Line Options").

use camino::Utf8Path;

/// What it is called with, before the arguments of the program. Calls of the API that fail are the program's own business.
pub(crate) fn words(program: &Utf8Path, log: &Utf8Path) -> Vec<String> {
    let words = ["--tool", "memcheck", "--report-api-errors", "no", "--log-file", log.as_str(), program.as_str()];
    words.map(str::to_owned).to_vec()
}

/// The errors in its log, each with the place where it happened. Lines that are indented say more about the one before.
pub(crate) fn findings(log: &str) -> Vec<String> {
    let lines = log.lines().filter_map(|line| line.strip_prefix("========= "));
    let mut found: Vec<String> = Vec::new();
    let mut wants_place = false;
    for line in lines {
        if line.is_empty() {
            continue;
        }
        let is_more = line.starts_with(' ');
        if is_more
            && wants_place
            && let (Some(last), Some(place)) = (found.last_mut(), line.trim().strip_prefix("at "))
        {
            last.push_str(" at ");
            last.push_str(place);
        }
        let is_frame = ["COMPUTE-SANITIZER", "ERROR SUMMARY", "LEAK SUMMARY", "Target application"];
        wants_place = !is_more && !is_frame.iter().any(|start| line.starts_with(start));
        if wants_place {
            found.push(line.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_with_their_place() {
        let log = "========= COMPUTE-SANITIZER\n\
                   ========= Invalid __global__ write of size 4 bytes\n\
                   =========     at fill(int *, int)+0x90 in main.hip:12\n\
                   =========     by thread (100,0,0) in block (0,0,0)\n\
                   ========= \n\
                   ========= ERROR SUMMARY: 1 error\n";
        assert_eq!(findings(log), ["Invalid __global__ write of size 4 bytes at fill(int *, int)+0x90 in main.hip:12"]);
        assert_eq!(findings("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"), [] as [&str; 0]);
    }
}
