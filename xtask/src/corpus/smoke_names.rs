//! Names of kernels, with all instances of a template under one.

use hipshift::validate::demangled;

/// The name of a kernel as its source has it: without parameters and template arguments.
pub(super) fn plain(symbol: &str) -> String {
    without_arguments(&demangled(symbol))
}

/// Takes what stands in angle brackets out of a name.
fn without_arguments(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_of_a_template_have_one_name() {
        assert_eq!(plain("_ZN2vt4fillILi64EfEEvPT0_i"), "vt::fill");
        assert_eq!(plain("_Z5scalePf"), "scale");
        assert_eq!(plain("badd_f32"), "badd_f32");
    }
}
