//! Patterns for paths.

/// Patterns that are not followed.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    /// More than somebody wrote.
    #[error(
        "there are {count} file patterns with {bytes} bytes; at most {MOST_GLOBS} with {MOST_GLOB_BYTES} are followed"
    )]
    TooMany {
        /// How many.
        count: usize,
        /// Their bytes.
        bytes: usize,
    },
    /// One that is none.
    #[error("`{glob}` is no file pattern: {message}")]
    Pattern {
        /// The pattern.
        glob: String,
        /// Why.
        message: String,
    },
}

/// Each pattern takes some ten kilobytes of memory.
const MOST_GLOBS: usize = 10_000;
const MOST_GLOB_BYTES: usize = 1 << 20;

pub(super) fn glob_set(globs: &[String]) -> Result<Option<globset::GlobSet>, GlobError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let bytes = globs.iter().map(String::len).sum();
    if globs.len() > MOST_GLOBS || bytes > MOST_GLOB_BYTES {
        return Err(GlobError::TooMany { count: globs.len(), bytes });
    }
    let mut builder = globset::GlobSetBuilder::new();
    for glob in globs {
        if is_too_much(glob) {
            return Err(GlobError::Pattern {
                glob: shortened(glob),
                message: "it is too long, or its braces are nested too deeply".to_owned(),
            });
        }
        let error =
            |error: globset::Error| GlobError::Pattern { glob: glob.clone(), message: error.kind().to_string() };
        // `*.cu` and `third_party/` mean such files and folders at any depth, `/build` and `./build` the one here, as in `.gitignore`.
        let here = glob.trim_end_matches('/');
        let named = here.strip_prefix("./").unwrap_or(here).trim_start_matches('/');
        let anywhere = if here.contains('/') { named.to_owned() } else { format!("**/{named}") };
        builder.add(globset::GlobBuilder::new(&anywhere).literal_separator(true).build().map_err(error)?);
    }
    let built =
        builder.build().map_err(|error| GlobError::Pattern { glob: globs.join(" "), message: error.to_string() })?;
    Ok(Some(built))
}

/// Braces within braces that a pattern may have; the reader of patterns calls itself for each.
const DEEPEST_BRACES: usize = 50;

/// No path is longer (`PATH_MAX` of Linux), and the reader of patterns panics where there is much to read.
const LONGEST_GLOB: usize = 4096;

/// Whether a pattern is longer than any path, or has so many braces in each other that reading it would take all of the stack.
pub(super) fn is_too_much(pattern: &str) -> bool {
    let mut depth = 0_usize;
    pattern.len() > LONGEST_GLOB
        || pattern.bytes().any(|byte| {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth > DEEPEST_BRACES
        })
}

/// As much of a pattern as a message has room for.
pub(super) fn shortened(pattern: &str) -> String {
    let start: String = pattern.chars().take(40).collect();
    if start.len() < pattern.len() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    #[test]
    fn patterns_mean_folders_as_those_of_git_do() {
        let excludes = |pattern: &str, path: &str| {
            let set = glob_set(&[pattern.to_owned()]).unwrap().unwrap();
            Utf8Path::new(path).ancestors().any(|part| !part.as_str().is_empty() && set.is_match(part))
        };
        for pattern in ["third", "third/", "./third", "/third", "/third/", "third/**", "*.cu"] {
            assert!(excludes(pattern, "third/a.cu"), "{pattern}");
        }
        for (pattern, is_left_out) in [("third/", true), ("third", true), ("/third", false), ("./third", false)] {
            assert_eq!(excludes(pattern, "sub/third/a.cu"), is_left_out, "{pattern}");
        }
    }
}
