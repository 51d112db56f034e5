//! The tables of what was measured.

use super::version::{Row, Searched, count};

/// How a class is written.
pub fn name((mutated, deleted): (usize, usize)) -> String {
    format!("⟨{mutated},{deleted}⟩")
}

/// How many versions are repaired, and how fast, in each class.
pub fn repairs(rows: &[Row], classes: &[(usize, usize)], way: usize) {
    println!(
        "\n| class | versions | repaired | equal | median | 95 % | slowest | most widenings |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, rows) in grouped(rows, classes) {
        let found: Vec<&Searched> = rows.iter().map(|row| &row.searched[way]).collect();
        let at = |share: f64| 1000.0 * quantile(found.iter().map(|found| found.seconds), share);
        println!(
            "| {name} | {} | {} | {} | {:.0} ms | {:.0} ms | {:.0} ms | {} |",
            rows.len(),
            found.iter().filter(|found| found.is_repaired()).count(),
            found.iter().filter(|found| found.is_equal).count(),
            at(0.5),
            at(0.95),
            at(1.0),
            found.iter().map(|found| found.widenings).max().unwrap_or(0),
        );
    }
}

/// How far down the mutated statements are in the rankings, of small and large programs.
pub fn localization(rows: &[Row], classes: &[(usize, usize)]) {
    println!(
        "\n| class | programs | suspected | median set | set < 12 % | effort ≤ 10 % | ≤ 25 % | Tarantula ≤ 10 % | ≤ 25 % | Ochiai ≤ 10 % | ≤ 25 % |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (class, faults) in classes.iter().enumerate() {
        for is_large in [false, true] {
            let rows = rows.iter().filter(|row| row.class == class);
            let rows: Vec<&Row> = rows.filter(|row| row.is_large() == is_large).collect();
            if rows.is_empty() {
                continue;
            }
            let share = |holds: &dyn Fn(&Row) -> bool| {
                let holding = rows.iter().filter(|row| holds(row)).count();
                format!("{:.1} %", 100.0 * count(holding) / count(rows.len()))
            };
            println!(
                "| {} | {} | {} | {:.1} % | {} | {} | {} | {} | {} | {} | {} |",
                name(*faults),
                if is_large { "large" } else { "small" },
                share(&|row| row.is_suspected),
                100.0 * quantile(rows.iter().map(|row| row.suspected), 0.5),
                share(&|row| row.suspected < 0.12),
                share(&|row| row.effort.ours <= 0.1),
                share(&|row| row.effort.ours <= 0.25),
                share(&|row| row.effort.tarantula <= 0.1),
                share(&|row| row.effort.tarantula <= 0.25),
                share(&|row| row.effort.ochiai <= 0.1),
                share(&|row| row.effort.ochiai <= 0.25),
            );
        }
    }
}

/// How much slower the other ways are than the first one: a program's mean time against its mean time, as the paper's Table 4
/// has it.
pub fn speed(rows: &[Row], classes: &[(usize, usize)], names: &[&str]) {
    println!("\n| programs | class | way | repaired | mean | mean speed-up | largest |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for is_large in [false, true] {
        for (class, faults) in classes.iter().enumerate() {
            let rows = rows.iter().filter(|row| row.class == class);
            let rows: Vec<&Row> = rows.filter(|row| row.is_large() == is_large).collect();
            let mut programs: Vec<&str> = rows.iter().map(|row| &*row.program).collect();
            programs.dedup();
            for (way, label) in names.iter().enumerate() {
                let repaired = rows.iter().filter(|row| row.searched[way].is_repaired());
                let seconds = |of: Option<&str>, way: usize| {
                    let rows = rows.iter();
                    let rows = rows.filter(|row| of.is_none_or(|of| row.program == of));
                    mean(rows.map(|row| row.searched[way].seconds))
                };
                let ratios: Vec<f64> = programs
                    .iter()
                    .map(|program| seconds(Some(program), way) / seconds(Some(program), 0))
                    .collect();
                println!(
                    "| {} | {} | {label} | {} of {} | {:.2} s | {:.1} | {:.0} |",
                    if is_large { "large" } else { "small" },
                    name(*faults),
                    repaired.count(),
                    rows.len(),
                    seconds(None, way),
                    mean(ratios.iter().copied()),
                    ratios.iter().copied().fold(0.0, f64::max),
                );
            }
        }
    }
}

/// The programs with the slowest searches.
pub fn slowest(rows: &[Row]) {
    let mut slow: Vec<(&str, f64)> = Vec::new();
    for row in rows {
        let seconds = row.searched[0].seconds;
        match slow.iter_mut().find(|(program, _)| *program == row.program) {
            Some((_, most)) => *most = most.max(seconds),
            None => slow.push((&row.program, seconds)),
        }
    }
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (program, seconds) in slow.iter().take(8) {
        println!("slowest of {program}: {seconds:.2} s");
    }
}

/// The rows of each class, then all.
fn grouped<'r>(rows: &'r [Row], classes: &[(usize, usize)]) -> Vec<(String, Vec<&'r Row>)> {
    let mut all: Vec<(String, Vec<&Row>)> = Vec::new();
    for (class, faults) in classes.iter().enumerate() {
        let of = rows.iter().filter(|row| row.class == class);
        all.push((name(*faults), of.collect()));
    }
    all.push(("all".to_owned(), rows.iter().collect()));
    all
}

/// The value below which this share of the others is.
pub fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a position in a list"
    )]
    let at = (count(values.len().saturating_sub(1)) * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), value| {
        (sum + value, number + 1.0)
    });
    if number > 0.0 { sum / number } else { 0.0 }
}
