//! The figures of what was measured.

use std::ops::Range;

use anyhow::Result;
use camino::Utf8Path;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::tables::quantile;
use super::version::{Effort, Row, count};

const SIZE: (u32, u32) = (520, 340);
const FONT: (&str, u32) = ("sans-serif", 12);
const LINES: [RGBColor; 5] = [
    RGBColor(0, 0x66, 0x99),
    RGBColor(0xcc, 0x66, 0),
    RGBColor(0xaa, 0, 0x66),
    RGBColor(0x33, 0x88, 0x33),
    RGBColor(0x66, 0x55, 0xaa),
];

/// A curve with its name.
type Line = (String, Vec<(f64, f64)>);

/// How many versions with one fault are found by reading so much of the program, as the paper's Figure 13 has it.
pub fn effort(directory: &Utf8Path, rows: &[Row]) -> Result<()> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.class == 0).collect();
    let curve = |name: &str, of: &dyn Fn(&Effort) -> f64| -> Line {
        let at = |percent: u32| {
            let found = rows.iter();
            let found = found.filter(|row| of(&row.effort) * 100.0 <= f64::from(percent));
            (
                f64::from(percent),
                100.0 * count(found.count()) / count(rows.len()).max(1.0),
            )
        };
        (name.to_owned(), (0..=100).step_by(2).map(at).collect())
    };
    let lines = [
        curve("gradient of states", &|effort| effort.ours),
        curve("Tarantula", &|effort| effort.tarantula),
        curve("Ochiai", &|effort| effort.ochiai),
    ];
    draw(
        &directory.join("heap-effort.svg"),
        ("statements read, %", "faults found, %"),
        0.0..100.0,
        0.0..100.0,
        &lines,
    )
}

/// How the median time grows with the number of faults, for each program, as the paper's Figure 12(d) has it.
pub fn growth(directory: &Utf8Path, rows: &[Row], most: usize) -> Result<()> {
    let mut programs: Vec<&str> = rows.iter().map(|row| &*row.program).collect();
    programs.dedup();
    let lines: Vec<Line> = programs
        .iter()
        .map(|program| {
            let at = |class: usize| {
                let own = rows.iter();
                let own = own.filter(|row| row.program == *program && row.class == class);
                let median = quantile(own.map(|row| row.searched[0].seconds), 0.5);
                (count(class + 1), 1000.0 * median)
            };
            ((*program).to_owned(), (0..most).map(at).collect())
        })
        .collect();
    let high = lines.iter().flat_map(|(_, points)| points);
    let high = high.fold(10.0, |high: f64, (_, y)| high.max(*y));
    draw(
        &directory.join("heap-growth.svg"),
        ("faults", "median time, ms"),
        1.0..count(most),
        (1.0..high * 1.5).log_scale(),
        &lines,
    )
}

fn draw<Y>(
    path: &Utf8Path,
    (x_label, y_label): (&str, &str),
    x: Range<f64>,
    y: Y,
    lines: &[Line],
) -> Result<()>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    // As many labels as there are whole numbers, if they are few.
    let labels = if x.end <= 10.0 {
        x.end - x.start + 1.0
    } else {
        11.0
    };
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(55)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_labels(labels as usize)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .max_light_lines(0)
        .x_desc(x_label)
        .y_desc(y_label)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .draw()?;
    for (number, (name, points)) in lines.iter().enumerate() {
        let color = LINES[number % LINES.len()];
        chart
            .draw_series(LineSeries::new(
                points.iter().copied(),
                color.stroke_width(2),
            ))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(FONT)
        .draw()?;
    area.present()?;
    Ok(())
}
