//! Rectangles of characters with colours, and how they are put together.
//!
//! A [`Block`] is a picture for a terminal while it is made; a [`Phrase`] is a piece of a line that is not broken.
//! They know nothing of memory graphs. Each character takes one column.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

/// What a character stands for, which decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Lines and values.
    #[default]
    Plain,
    /// What is different from before.
    Changed,
    /// The name of a variable.
    Variable,
    /// The name of a node, or a title.
    Name,
    /// What matters less.
    Faint,
    /// What was freed, or leads nowhere.
    Bad,
}

impl Ink {
    /// The style for a terminal.
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Changed => AnsiColor::Yellow.on_default().bold(),
            Self::Variable => AnsiColor::Cyan.on_default(),
            Self::Name => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Bad => AnsiColor::Red.on_default(),
        }
    }
}

/// A piece of text that is not broken.
#[derive(Clone, Debug, Default)]
pub struct Phrase(Vec<(String, Ink)>);

impl Phrase {
    /// A piece of text in one colour.
    pub fn new(text: impl Into<String>, ink: Ink) -> Self {
        Self::default().and(text, ink)
    }

    /// The same with more text at its end.
    pub fn and(mut self, text: impl Into<String>, ink: Ink) -> Self {
        let text: String = text
            .into()
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect();
        self.0.push((text, ink));
        self
    }

    /// The same in the colour of changes, and marked with a star when there are no colours.
    pub fn changed(mut self, is_changed: bool, color: bool) -> Self {
        if is_changed {
            for (_, ink) in &mut self.0 {
                *ink = Ink::Changed;
            }
            if !color {
                self.0.push(("*".to_string(), Ink::Changed));
            }
        }
        self
    }

    /// The same with another phrase at its end.
    pub fn joined(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The same with spaces at its end, up to a width.
    pub fn padded(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.and(" ".repeat(missing), Ink::Plain)
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.chars().count()).sum()
    }
}

/// A rectangle of characters. Lines may be of different lengths.
#[derive(Clone, Debug, Default)]
pub struct Block(Vec<Vec<(char, Ink)>>);

impl Block {
    /// The number of columns.
    pub fn width(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// The number of lines.
    pub fn height(&self) -> usize {
        self.0.len()
    }

    /// Writes text at a place, over what is there.
    pub fn put(&mut self, column: usize, line: usize, text: &str, ink: Ink) {
        for (offset, c) in text.chars().enumerate() {
            self.set(column + offset, line, c, ink);
        }
    }

    /// Writes a phrase at a place, over what is there.
    pub fn write(&mut self, mut column: usize, line: usize, phrase: &Phrase) {
        for (text, ink) in &phrase.0 {
            self.put(column, line, text, *ink);
            column += text.chars().count();
        }
    }

    /// Writes another block at a place, over what is there.
    pub fn stamp(&mut self, column: usize, line: usize, other: &Self) {
        for (below, cells) in other.0.iter().enumerate() {
            self.grow(line + below);
            for (right, &(c, ink)) in cells.iter().enumerate() {
                self.set(column + right, line + below, c, ink);
            }
        }
    }

    /// Adds another block below, after some columns.
    pub fn add(&mut self, indent: usize, other: &Self) {
        self.stamp(indent, self.height(), other);
    }

    /// Adds an empty line, unless there is nothing above it.
    pub fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push(Vec::new());
        }
    }

    /// Sets phrases one after the other in as many lines as are needed. The later lines start further right.
    pub fn flow(phrases: &[Phrase], width: usize, gap: usize, hang: usize) -> Self {
        let mut block = Self::default();
        let (mut column, mut line) = (0, 0);
        for phrase in phrases {
            if column > 0 && column + gap + phrase.width() > width {
                line += 1;
                column = hang.min(width.saturating_sub(phrase.width()));
            } else if column > 0 {
                column += gap;
            }
            block.write(column, line, phrase);
            column += phrase.width();
        }
        block
    }

    /// The text, with colours or not. Lines do not end in spaces, and every line ends in a newline.
    pub fn render(&self, color: bool) -> String {
        let mut text = String::new();
        for cells in &self.0 {
            let length = cells
                .iter()
                .rposition(|(c, _)| *c != ' ')
                .map_or(0, |last| last + 1);
            let mut ink = Ink::Plain;
            for &(c, next) in &cells[..length] {
                if color && next != ink {
                    // Writing to a string does not fail.
                    let _ = write!(
                        text,
                        "{}{}",
                        ink.style().render_reset(),
                        next.style().render()
                    );
                    ink = next;
                }
                text.push(c);
            }
            if color {
                let _ = write!(text, "{}", ink.style().render_reset());
            }
            text.push('\n');
        }
        text
    }

    /// Sets one character.
    fn set(&mut self, column: usize, line: usize, c: char, ink: Ink) {
        self.grow(line);
        if let Some(cells) = self.0.get_mut(line) {
            while cells.len() <= column {
                cells.push((' ', Ink::Plain));
            }
            cells[column] = (c, ink);
        }
    }

    /// Adds empty lines until there is one with this number.
    fn grow(&mut self, line: usize) {
        while self.0.len() <= line {
            self.0.push(Vec::new());
        }
    }
}
