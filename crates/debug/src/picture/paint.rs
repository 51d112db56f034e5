//! Writes SVG elements: text that is escaped, rounded boxes, lines with arrow heads, and the colours.
//!
//! It knows nothing of memory graphs. The classes that it gives to elements are set in [`STYLE`], for light and dark
//! surroundings.

use std::fmt::Write as _;

use super::layout::Point;

/// The width of a character of the font, in pixels.
pub const CHAR: f64 = 7.85;

/// The most characters of a name or a value that are shown.
const LONGEST: usize = 24;

/// The colours. The background is part of the picture, so that it can be read anywhere.
pub const STYLE: &str = "\
svg.heap{font-family:ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;font-size:13px}
.back{fill:#ffffff}.text{fill:#1f2328}.faint{fill:#656d76}.bad{fill:#b42318}.new{fill:#8a4600;font-weight:700}
.name{fill:#1f2328;font-weight:700}.head{font-size:15px;font-weight:700;fill:#1f2328}
.box{fill:#f6f8fa;stroke:#57606a;stroke-width:1.3}.top{fill:#dfe5ec}.rule{stroke:#d0d7de;stroke-width:1}
.box.changed{fill:#fff8e6;stroke:#bf6a02;stroke-width:2}.top.changed{fill:#ffe2a8}.row.changed{fill:#ffe2a8}
.box.freed{fill:#fdf3f2;stroke:#b42318;stroke-dasharray:5 4}.top.freed{fill:#f9dedb}
.pill{fill:#ddf4ff;stroke:#0969da;stroke-width:1.2}.pill.changed{fill:#ffe2a8;stroke:#bf6a02;stroke-width:2}
.line{fill:none;stroke:#424a53;stroke-width:1.5}.line.changed{stroke:#bf6a02;stroke-width:2.2}
.line.side{stroke:#6e7781;stroke-width:1.2}.line.var{stroke:#0969da}.line.side.changed,.line.var.changed{stroke:#bf6a02}
.dot{fill:#424a53}.dot.changed,.tip.changed{fill:#bf6a02}.tip{fill:#424a53}.tip.var{fill:#0969da}
.ground{fill:none;stroke:#57606a;stroke-width:1.4}.ground.changed{stroke:#8a4600}
@media (prefers-color-scheme:dark){
.back{fill:#0d1117}.text,.name,.head{fill:#e6edf3}.faint{fill:#9198a1}.bad{fill:#ff9a91}.new{fill:#ffd58a}
.box{fill:#161b22;stroke:#8b949e}.top{fill:#262d37}.rule{stroke:#30363d}
.box.changed{fill:#2a2112;stroke:#e3a13c}.top.changed,.row.changed{fill:#573c0b}
.box.freed{fill:#251414;stroke:#ff7b72}.top.freed{fill:#421d1b}
.pill{fill:#0c2d50;stroke:#58a6ff}.pill.changed{fill:#573c0b;stroke:#e3a13c}
.line{stroke:#c3cad2}.line.side{stroke:#8b949e}.line.var{stroke:#58a6ff}.dot,.tip{fill:#c3cad2}.tip.var{fill:#58a6ff}
.line.changed,.line.side.changed,.line.var.changed{stroke:#e3a13c}.dot.changed,.tip.changed{fill:#e3a13c}
.ground{stroke:#8b949e}.ground.changed{stroke:#ffd58a}}
";

/// Makes text safe for SVG: markup is escaped, and characters that XML does not allow are replaced.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Text that is no longer than what is shown of names and values.
pub fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// The width of text, in pixels.
pub fn text_width(text: &str) -> f64 {
    shortened(text).chars().map(|_| CHAR).sum()
}

/// SVG elements, one after the other.
#[derive(Default)]
pub struct Paint(String);

impl Paint {
    /// The elements as text.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Adds text that begins at a place (`start`), ends there (`end`) or has its middle there (`middle`). What is
    /// left out of long text is shown when it is pointed at.
    pub fn text(&mut self, at: Point, anchor: &str, class: &str, text: &str) {
        let shown = shortened(text);
        let anchor = if anchor == "start" {
            String::new()
        } else {
            format!(" text-anchor=\"{anchor}\"")
        };
        let title = if shown == text {
            String::new()
        } else {
            format!("<title>{}</title>", escape(text))
        };
        self.add(&format!(
            "<text x=\"{}\" y=\"{}\"{anchor} class=\"{class}\">{}{title}</text>",
            number(at.0),
            number(at.1),
            escape(&shown)
        ));
    }

    /// Adds text that is not shortened.
    pub fn words(&mut self, at: Point, class: &str, text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        self.add(&format!(
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>",
            escape(text)
        ));
    }

    /// Adds a box with rounded corners.
    pub fn rect(&mut self, at: Point, size: Point, radius: f64, class: &str) {
        self.add(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" class=\"{class}\"/>",
            number(at.0),
            number(at.1),
            number(size.0),
            number(size.1),
            number(radius)
        ));
    }

    /// Adds a line along a path, with an arrow head of a kind where one is given.
    pub fn path(&mut self, path: &str, class: &str, tip: Option<&str>) {
        let tip = tip
            .map(|tip| format!(" marker-end=\"url(#heap-{tip})\""))
            .unwrap_or_default();
        self.add(&format!("<path d=\"{path}\" class=\"{class}\"{tip}/>"));
    }

    /// Adds a dot.
    pub fn dot(&mut self, at: Point, class: &str) {
        self.add(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"3\" class=\"{class}\"/>",
            number(at.0),
            number(at.1)
        ));
    }

    /// Adds the symbol for null, with its right end at a place.
    pub fn ground(&mut self, at: Point, class: &str) {
        let (x, y) = (number(at.0 - 7.0), number(at.1 - 6.0));
        self.add(&format!(
            "<path d=\"M{x} {y}v6m-7 0h14m-11.5 3h9m-6.5 3h4\" class=\"{class}\"><title>null</title></path>"
        ));
    }

    /// Adds an element in a line of its own.
    fn add(&mut self, element: &str) {
        self.0.push_str(element);
        self.0.push('\n');
    }
}

/// The definitions of the arrow heads.
pub fn tips() -> String {
    let mut tips = String::from("<defs>");
    for (name, class) in [
        ("tip", "tip"),
        ("tip-changed", "tip changed"),
        ("tip-var", "tip var"),
    ] {
        // Writing to a string does not fail.
        let _ = write!(
            tips,
            "<marker id=\"heap-{name}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
             markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 1L10 5L0 9z\" class=\"{class}\"/></marker>"
        );
    }
    tips.push_str("</defs>\n");
    tips
}

/// A number with at most one digit after the point.
pub fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").map(str::to_string).unwrap_or(text);
    if short == "-0" {
        "0".to_string()
    } else {
        short
    }
}
