//! A figure of the growing loops: seconds against the bound, a panel for each program, both axes logarithmic.

use std::path::Path;

use anyhow::Result;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;

/// One program: (bound, seconds) of each formula.
pub struct Panel {
    pub name: String,
    pub on_demand: Vec<(f64, f64)>,
    pub whole: Vec<(f64, f64)>,
}

/// Of a panel.
const SIZE: (u32, u32) = (320, 300);
const FONT: (&str, u32) = ("sans-serif", 12);
const ON_DEMAND: RGBColor = RGBColor(0, 0x66, 0x99);
const WHOLE: RGBColor = RGBColor(0xcc, 0x66, 0);
/// Seconds that all panels have room for.
const SECONDS: (f64, f64) = (0.001, 100.0);

/// Writes the figure.
pub fn write(path: &Path, panels: &[Panel]) -> Result<()> {
    let size = (SIZE.0 * u32::try_from(panels.len())?, SIZE.1);
    let area = SVGBackend::new(path, size).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, area) in panels.iter().zip(area.split_evenly((1, panels.len()))) {
        let points = panel.on_demand.iter().chain(&panel.whole);
        let mut bounds: Vec<f64> = points.map(|(bound, _)| *bound).collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let (low, high) = (4.0, 120.0);
        let mut chart = ChartBuilder::on(&area)
            .caption(&panel.name, ("sans-serif", 14))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(
                (low..high).log_scale().with_key_points(bounds),
                (SECONDS.0..SECONDS.1)
                    .log_scale()
                    .with_key_points(vec![0.001, 0.01, 0.1, 1.0, 10.0, 100.0]),
            )?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_desc("bound")
            .y_desc("seconds")
            .x_label_formatter(&|x| format!("{x}"))
            .y_label_formatter(&|y| format!("{y}"))
            .label_style(FONT)
            .axis_desc_style(FONT)
            .draw()?;
        let curves = [
            (&panel.whole, WHOLE, "program"),
            (&panel.on_demand, ON_DEMAND, "on demand"),
        ];
        for (points, color, name) in curves {
            chart
                .draw_series(LineSeries::new(points.iter().copied(), color).point_size(3))?
                .label(name)
                .legend(move |(x, y)| Circle::new((x, y), 3, color.filled()));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(FONT)
            .draw()?;
    }
    area.present()?;
    Ok(())
}
