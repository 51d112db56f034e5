//! A figure of panels side by side, both axes logarithmic, each with the power law that fits best.

use std::fmt::Write;

/// A figure.
pub struct Chart {
    pub title: String,
    pub panels: Vec<Panel>,
}

/// One curve.
pub struct Panel {
    pub x_label: String,
    /// Positive (x, y), by x.
    pub points: Vec<(f64, f64)>,
    /// A point beside the curve, and its label.
    pub extra: Option<((f64, f64), String)>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;

impl Chart {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let width = WIDTH * self.panels.len() as f64;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"18\" font-size=\"14\">{}</text>\n",
            self.title
        );
        // One scale for all panels, so that they can be compared.
        let all = self.panels.iter().flat_map(Panel::all);
        let (low, high) = range(all.map(|(_, y)| y));
        let y = Axis::new(
            10f64.powf(low.log10().floor()),
            10f64.powf(high.log10().ceil()),
            (HEIGHT - BOTTOM, TOP),
        );
        for (index, panel) in self.panels.iter().enumerate() {
            let _ = writeln!(
                svg,
                "<g transform=\"translate({} 0)\">",
                index as f64 * WIDTH
            );
            panel.draw(&y, &mut svg);
            svg += "</g>\n";
        }
        svg + "</svg>\n"
    }
}

impl Panel {
    fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        let extra = self.extra.iter().map(|(point, _)| *point);
        self.points.iter().copied().chain(extra)
    }

    fn draw(&self, y: &Axis, svg: &mut String) {
        let (low, high) = range(self.all().map(|(x, _)| x));
        let x = Axis::new(low / 1.1, high * 1.1, (LEFT, WIDTH - RIGHT));
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in y.decades() {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                number(tick)
            );
        }
        for (value, _) in &self.points {
            let at = x.place(*value);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom}v4\" stroke=\"#222\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 17.0,
                number(*value)
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#222\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            self.x_label
        );
        if let Some((factor, exponent)) = fit(&self.points) {
            let line = |value: f64| {
                let at = factor * value.powf(exponent);
                format!("{:.1} {:.1}", x.place(value), y.place(at))
            };
            let (first, last) = range(self.points.iter().map(|(x, _)| *x));
            let _ = writeln!(
                svg,
                "<path d=\"M{}L{}\" stroke=\"#c60\" stroke-dasharray=\"5 4\"/>\
                 <text x=\"{}\" y=\"{}\" fill=\"#a40\">grows with exponent {exponent:.2}</text>",
                line(first),
                line(last),
                LEFT + 10.0,
                TOP - 6.0
            );
        }
        let dot = |svg: &mut String, (a, b): (f64, f64), colour: &str| {
            let (a, b) = (x.place(a), y.place(b));
            let _ = writeln!(
                svg,
                "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"4\" fill=\"{colour}\"/>"
            );
        };
        for point in &self.points {
            dot(svg, *point, "#069");
        }
        if let Some((point, label)) = &self.extra {
            dot(svg, *point, "#a06");
            let (a, b) = (x.place(point.0), y.place(point.1));
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#a06\">{label}</text>",
                a - 8.0,
                b - 6.0
            );
        }
    }
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
    /// Where the lowest and the highest value are.
    places: (f64, f64),
}

impl Axis {
    fn new(low: f64, high: f64, places: (f64, f64)) -> Self {
        // Equal ends would divide by nothing.
        let high = high.max(low * 1.1);
        Self { low, high, places }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    fn decades(&self) -> Vec<f64> {
        let first = self.low.log10().round() as i32;
        let last = self.high.log10().round() as i32;
        (first..=last).map(|power| 10f64.powi(power)).collect()
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::MIN_POSITIVE);
    values.fold(start, |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Factor and exponent of the power law with the least squares of logarithms; `None` for fewer
/// than two points.
fn fit(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if points.len() < 2 {
        return None;
    }
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = points.len() as f64;
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in logarithms {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    let exponent = above / below;
    Some(((mean_y - exponent * mean_x).exp(), exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_exponent_of_a_power_law() {
        let points: Vec<_> = [1.0, 2.0, 8.0]
            .map(|x: f64| (x, 3.0 * x.powf(1.5)))
            .to_vec();
        let (factor, exponent) = fit(&points).unwrap();
        assert!((factor - 3.0).abs() < 1e-9 && (exponent - 1.5).abs() < 1e-9);
    }

    #[test]
    fn axes_are_logarithmic() {
        let axis = Axis::new(1.0, 100.0, (0.0, 200.0));
        assert!((axis.place(10.0) - 100.0).abs() < 1e-9);
        assert_eq!(axis.decades(), [1.0, 10.0, 100.0]);
        assert_eq!(number(0.001), "0.001");
        assert_eq!(number(10000.0), "10000");
    }
}
