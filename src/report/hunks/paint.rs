//! Colours of differences, or none.

use anstyle::{AnsiColor, Style};

use super::words::Segment;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The name of a file.
    File,
    /// The head of a hunk.
    Hunk,
    /// A removed line.
    Removed,
    /// An added line.
    Added,
    /// Neither.
    Same,
    /// A number or a rule between columns.
    Margin,
    /// A finding that stops the result from compiling.
    Error,
    /// A finding that may make it compute wrongly.
    Warning,
    /// Any other finding, and notes.
    Info,
}

/// Puts colour on text, or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// Whether there is colour at all.
    pub colour: bool,
}

impl Paint {
    /// `text` as `role`.
    pub fn text(self, role: Role, text: &str) -> String {
        let mut out = String::new();
        self.push(&mut out, role, text);
        out
    }

    /// Adds `text`.
    pub fn push(self, out: &mut String, role: Role, text: &str) {
        self.styled(out, style(role), text);
    }

    /// Adds parts of a line; those that differ stand out.
    pub(super) fn push_segments(self, out: &mut String, role: Role, segments: &[Segment<'_>]) {
        for alike in segments.chunk_by(|a, b| a.differs == b.differs) {
            let differs = alike.first().is_some_and(|segment| segment.differs);
            let style = if differs { style(role).invert() } else { style(role) };
            self.styled(out, style, &alike.iter().map(|segment| segment.text).collect::<String>());
        }
    }

    fn styled(self, out: &mut String, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        // Styles within are none of ours.
        let shown = text.contains('\u{1b}').then(|| text.replace('\u{1b}', "\\u{1b}"));
        let text = shown.as_deref().unwrap_or(text);
        if !self.colour || style == Style::new() {
            return out.push_str(text);
        }
        out.extend([&style.render().to_string(), text, &style.render_reset().to_string()]);
    }
}

fn style(role: Role) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match role {
        Role::File => Style::new().bold(),
        Role::Hunk => colour(AnsiColor::Cyan),
        Role::Removed => colour(AnsiColor::Red),
        Role::Added => colour(AnsiColor::Green),
        Role::Same => Style::new(),
        Role::Margin => Style::new().dimmed(),
        Role::Error => colour(AnsiColor::Red).bold(),
        Role::Warning => colour(AnsiColor::Yellow).bold(),
        Role::Info => colour(AnsiColor::Blue).bold(),
    }
}
