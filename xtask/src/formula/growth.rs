//! Loops whose bound grows while the failing test stays the same, as in Figure 10 of AgxFaults: what the part of the
//! program costs that the test does not need. The programs are in the style of Bekkouche's benchmark.

use std::slice;

use anyhow::{Context, Result, bail};
use nopol_formula::faults::{FaultSets, FaultsOutcome, Formula};
use nopol_program::front::c;
use nopol_program::interpret::End;
use nopol_program::ir::{Entry, Expected, Program, Test};

use super::plot::{self, Panel};
use super::{FormulaOptions, search};

const BOUNDS: [u32; 7] = [5, 10, 20, 40, 60, 80, 100];

/// A program with a fault, and a test that fails for it.
struct Subject {
    name: &'static str,
    text: &'static str,
    arguments: &'static [&'static str],
    expected: &'static str,
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "sum",
        // The last number is left out.
        text: "int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int i = 1;
  int sum = 0;
  while (i < n) {
    sum = sum + i;
    i = i + 1;
  }
  printf(\"%d\", sum);
  return 0;
}",
        arguments: &["4"],
        expected: "10",
    },
    Subject {
        name: "square root",
        // One too few is taken off.
        text: "int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int odd = 1;
  int rest = n;
  int root = 0;
  while (rest > 0) {
    rest = rest - odd;
    odd = odd + 2;
    root = root + 1;
  }
  printf(\"%d\", root);
  return 0;
}",
        arguments: &["10"],
        expected: "3",
    },
    Subject {
        name: "minimum",
        // The comparison is turned around.
        text: "int main(int argc, char **argv) {
  int values[5] = {4, 7, 2, 9, 5};
  int n = atoi(argv[1]);
  int least = values[0];
  int i = 1;
  while (i < n) {
    if (values[i] > least)
      least = values[i];
    i = i + 1;
  }
  printf(\"%d\", least);
  return 0;
}",
        arguments: &["5"],
        expected: "2",
    },
    Subject {
        name: "binary search",
        // The half on the right begins one too far right.
        text: "int main(int argc, char **argv) {
  int values[8] = {1, 3, 5, 7, 9, 11, 13, 15};
  int wanted = atoi(argv[1]);
  int low = 0;
  int high = 7;
  int found = -1;
  while (found < 0 && low <= high) {
    int middle = (low + high) / 2;
    if (values[middle] == wanted)
      found = middle;
    else if (values[middle] < wanted)
      low = middle + 2;
    else
      high = middle - 1;
  }
  printf(\"%d\", found);
  return 0;
}",
        arguments: &["9"],
        expected: "4",
    },
    Subject {
        name: "pairs",
        // The pairs of a number with itself are left out.
        text: "int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int pairs = 0;
  int i = 0;
  while (i < n) {
    int j = 0;
    while (j < i) {
      pairs = pairs + 1;
      j = j + 1;
    }
    i = i + 1;
  }
  printf(\"%d\", pairs);
  return 0;
}",
        arguments: &["3"],
        expected: "6",
    },
    Subject {
        name: "bubble sort",
        // The pass ends one element too early.
        text: "int main(int argc, char **argv) {
  int values[4] = {3, 1, 4, 2};
  int n = atoi(argv[1]);
  int i = 0;
  while (i < n - 1) {
    int j = 0;
    while (j < n - 2) {
      if (values[j] > values[j + 1]) {
        int other = values[j];
        values[j] = values[j + 1];
        values[j + 1] = other;
      }
      j = j + 1;
    }
    i = i + 1;
  }
  printf(\"%d%d%d%d\", values[0], values[1], values[2], values[3]);
  return 0;
}",
        arguments: &["4"],
        expected: "1234",
    },
];

/// Prints the tables, and writes the figure.
pub fn bench(options: &FormulaOptions) -> Result<()> {
    println!(
        "| program | bound | candidates | same | gates (program) | checks (program) | extensions | solving, s (program) | all, s \
         (program) |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut panels = Vec::new();
    for subject in &SUBJECTS {
        panels.push(curves(subject, options.size)?);
    }
    println!(
        "\n| program | bounds | on demand, ms per iteration | program, ms per iteration | ratio |\n\
         | --- | --- | --- | --- | --- |"
    );
    for panel in &panels {
        // Where both ended in time.
        let both = panel.on_demand.len().min(panel.whole.len());
        let [a, b] = [&panel.on_demand, &panel.whole].map(|points| 1000.0 * slope(&points[..both]));
        let last = both.checked_sub(1).map_or(0, |last| BOUNDS[last]);
        let name = &panel.name;
        match both {
            0 | 1 => println!("| {name} | to {last} | – | – | – |"),
            _ => println!("| {name} | to {last} | {a:.2} | {b:.2} | {:.2} |", a / b),
        }
    }
    match &options.plot {
        Some(path) => plot::write(path, &panels),
        None => Ok(()),
    }
}

/// Searches with each bound, with each formula until it takes too long.
fn curves(subject: &Subject, size: usize) -> Result<Panel> {
    let program = search::program("growth.c", subject.text)?;
    let test = test(subject, &program)?;
    let mut panel = Panel {
        name: subject.name.to_owned(),
        on_demand: Vec::new(),
        whole: Vec::new(),
    };
    let (mut asks_on_demand, mut asks_whole) = (true, true);
    for bound in BOUNDS {
        let end = search::run_of(&program, &test, bound).end;
        if end != End::WrongOutput {
            bail!("{} ends otherwise: {end:?}", subject.name);
        }
        let ask = |asks: &mut bool, formula| -> Result<Option<FaultSets>> {
            if !*asks {
                return Ok(None);
            }
            let found = search::search(&program, slice::from_ref(&test), formula, bound, size)?;
            *asks = !matches!(found.outcome, FaultsOutcome::Limit(_));
            Ok(asks.then_some(found))
        };
        let on_demand = ask(&mut asks_on_demand, Formula::OnDemand)?;
        let whole = ask(&mut asks_whole, Formula::Whole)?;
        let point = |found: &FaultSets| (f64::from(bound), found.total);
        panel.on_demand.extend(on_demand.as_ref().map(point));
        panel.whole.extend(whole.as_ref().map(point));
        println!(
            "{}",
            line(subject.name, bound, on_demand.as_ref(), whole.as_ref())
        );
        if !asks_on_demand && !asks_whole {
            break;
        }
    }
    Ok(panel)
}

fn test(subject: &Subject, program: &Program) -> Result<Test> {
    let main = c::main_of(program).context("there is no `main`")?;
    let arguments = std::iter::once(&"./growth").chain(subject.arguments);
    Ok(Test {
        name: subject.name.to_owned(),
        entry: Entry::Main {
            main,
            arguments: arguments.map(|word| word.as_bytes().to_vec()).collect(),
            input: Vec::new(),
            output: Some(Expected {
                bytes: subject.expected.as_bytes().to_vec(),
                words: false,
            }),
            exit: 0,
        },
    })
}

fn line(
    name: &str,
    bound: u32,
    on_demand: Option<&FaultSets>,
    whole: Option<&FaultSets>,
) -> String {
    let late = || "late".to_owned();
    let show = |what: &dyn Fn(&FaultSets) -> String| {
        let [a, b] = [on_demand, whole].map(|found| found.map_or_else(late, what));
        format!("{a} ({b})")
    };
    let same = match (on_demand, whole) {
        (Some(a), Some(b)) if search::sets(a) == search::sets(b) => "yes",
        (Some(_), Some(_)) => "no",
        _ => "–",
    };
    let only = |what: &dyn Fn(&FaultSets) -> usize| {
        on_demand.map_or_else(late, |found| what(found).to_string())
    };
    format!(
        "| {name} | {bound} | {} | {same} | {} | {} | {} | {} | {} |",
        only(&|found| found.candidates.len()),
        show(&|found| found.gates.to_string()),
        show(&|found| found.checks.to_string()),
        only(&|found| found.refinements),
        show(&|found| format!("{:.3}", found.solving)),
        show(&|found| format!("{:.3}", found.total)),
    )
}

/// Of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let above: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let below: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    above / below
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn the_slope_of_a_line_is_found() {
        let points = [(5.0, 1.0), (10.0, 2.0), (20.0, 4.0)];
        assert!((slope(&points) - 0.2).abs() < 1e-9);
    }
}
