//! A figure of panels side by side, both axes logarithmic, each with the power law that fits best.

use std::path::Path;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;

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

/// Of a panel.
const SIZE: (u32, u32) = (420, 320);
const FONT: (&str, u32) = ("sans-serif", 12);
const DOTS: RGBColor = RGBColor(0, 0x66, 0x99);
const LAW: RGBColor = RGBColor(0xcc, 0x66, 0);
const EXTRA: RGBColor = RGBColor(0xaa, 0, 0x66);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    /// The figure as an SVG document.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        let panels = self.panels.len();
        let size = (SIZE.0 * u32::try_from(panels)?, SIZE.1);
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            area.fill(&WHITE)?;
            let area = area.titled(&self.title, ("sans-serif", 14))?;
            // One scale for all panels, so that they can be compared.
            let (low, high) = range(self.panels.iter().flat_map(Panel::all).map(|(_, y)| y));
            let y = (
                10f64.powf(low.log10().floor()),
                10f64.powf(high.log10().ceil()),
            );
            for (panel, area) in self.panels.iter().zip(area.split_evenly((1, panels))) {
                panel.draw(y, &area)?;
            }
            area.present()?;
        }
        Ok(svg)
    }
}

impl Panel {
    fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        let extra = self.extra.iter().map(|(point, _)| *point);
        self.points.iter().copied().chain(extra)
    }

    fn draw(&self, y: (f64, f64), area: &Area) -> Result<()> {
        let (low, high) = range(self.all().map(|(x, _)| x));
        let measured: Vec<f64> = self.points.iter().map(|(x, _)| *x).collect();
        let x = (low / 1.1..high * 1.1).log_scale();
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(
                x.with_key_points(measured),
                (y.0..y.1).log_scale().with_key_points(decades(y)),
            )?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_desc(&self.x_label)
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .label_style(FONT)
            .axis_desc_style(FONT)
            .draw()?;
        if let Some((factor, exponent)) = fit(&self.points) {
            let (first, last) = range(self.points.iter().map(|(x, _)| *x));
            let ends = [first, last].map(|x| (x, factor * x.powf(exponent)));
            chart.draw_series(DashedLineSeries::new(ends, 5, 4, LAW.into()))?;
            let text = format!("grows with exponent {exponent:.2}");
            let at = (low / 1.05, y.1);
            chart.draw_series([Text::new(text, at, FONT.into_font().color(&LAW))])?;
        }
        let points = self.points.iter();
        chart.draw_series(points.map(|point| Circle::new(*point, 4, DOTS.filled())))?;
        if let Some((point, label)) = &self.extra {
            chart.draw_series([EmptyElement::at(*point)
                + Circle::new((0, 0), 4, EXTRA.filled())
                + Text::new(label.clone(), (-84, -14), FONT.into_font().color(&EXTRA))])?;
        }
        Ok(())
    }
}

/// Draws percentages against percentages, and the line on which both are equal.
pub fn reliability(path: &Path, points: &[(f64, f64)]) -> Result<()> {
    let area = SVGBackend::new(path, (420, 380)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..100.0, 0.0..100.0)?;
    chart
        .configure_mesh()
        .x_desc("confidence, %")
        .y_desc("right, %")
        .label_style(FONT)
        .axis_desc_style(FONT)
        .draw()?;
    let ends = [(0.0, 0.0), (100.0, 100.0)];
    chart.draw_series(DashedLineSeries::new(ends, 5, 4, LAW.into()))?;
    chart.draw_series(
        points
            .iter()
            .map(|point| Circle::new(*point, 4, DOTS.filled())),
    )?;
    area.present()?;
    Ok(())
}

/// The powers of ten in a range that begins and ends with one.
fn decades((low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log10().round() as i32, high.log10().round() as i32);
    (first..=last).map(|power| 10f64.powi(power)).collect()
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
    fn a_figure_has_a_dot_for_each_point_and_says_how_the_curve_grows() {
        let panel = |label: &str, extra| Panel {
            x_label: label.to_owned(),
            points: vec![(5.0, 0.002), (10.0, 0.004), (40.0, 0.016)],
            extra,
        };
        let extra = Some(((40.0, 1.5), "all at once".to_owned()));
        let chart = Chart {
            title: "Synthesis".to_owned(),
            panels: vec![panel("variables", None), panel("contexts", extra)],
        };
        let svg = chart.svg().unwrap();
        assert_eq!(svg.matches("<circle").count(), 7);
        for text in [
            "Synthesis",
            "variables",
            "contexts",
            "exponent 1.00",
            "0.001",
            "all at once",
        ] {
            assert!(svg.contains(text), "`{text}` is not in:\n{svg}");
        }
    }

    #[test]
    fn axes_have_a_line_for_each_power_of_ten() {
        assert_eq!(decades((1.0, 100.0)), [1.0, 10.0, 100.0]);
        assert_eq!(number(0.001), "0.001");
        assert_eq!(number(10000.0), "10000");
    }
}
