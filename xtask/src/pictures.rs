//! `cargo xtask pictures`: pictures of the terminal and of the page, for the book. Everything in them is printed by the tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anstyle_svg::Term;
use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::tool;

/// Width of the page's picture, in pixels.
const PAGE: [u32; 2] = [1000, 900];

#[derive(Args)]
pub struct PicturesOptions {
    /// Where the pictures are written
    #[arg(long, default_value = "docs/pictures")]
    out: PathBuf,
    /// A browser that makes the picture of the page, such as chromium; without it, that picture stays as it is
    #[arg(long)]
    browser: Option<PathBuf>,

    /// The cargo-nopol to run [default: the release build of this repository]
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,
}

/// A run of the tool whose output is drawn.
struct Scene {
    /// The name of the picture.
    name: &'static str,
    /// The fixture, below `fixtures`.
    fixture: &'static str,
    /// What comes after `cargo nopol`.
    words: &'static [&'static str],
}

/// In this order, because one run may show the results of an earlier one.
const SCENES: [Scene; 4] = [
    Scene {
        name: "patch",
        fixture: "percentile",
        words: &[],
    },
    Scene {
        name: "explain",
        fixture: "percentile",
        words: &["explain", "1"],
    },
    Scene {
        name: "c",
        fixture: "c/sorted-list",
        words: &["c"],
    },
    Scene {
        name: "faults",
        fixture: "c/loops-gcd",
        words: &["c", "faults", "--size", "1"],
    },
];

/// Writes the pictures.
///
/// # Errors
/// If the tool does not build, a run fails, or a file cannot be written.
pub fn draw(options: &PicturesOptions) -> Result<()> {
    let root = tool::root()?;
    let binary = tool::chosen(options.tool.as_ref())?;
    fs::create_dir_all(&options.out)?;
    let copies = tempfile::tempdir()?;
    for scene in &SCENES {
        let dir = copy(root, scene.fixture, copies.path())?;
        let printed = run(&binary, &dir, scene.words)?;
        let command = [&["cargo", "nopol"], scene.words].concat().join(" ");
        let svg = Term::new().render_svg(&format!("$ {command}\n{}", printed.trim_end()));
        fs::write(options.out.join(format!("{}.svg", scene.name)), svg)?;
    }
    if let Some(browser) = &options.browser {
        let dir = copy(root, SCENES[0].fixture, copies.path())?;
        run(&binary, &dir, &["--html", "report.html"])?;
        photograph(
            browser,
            &dir.join("report.html"),
            &options.out.join("page.png"),
        )?;
    }
    Ok(())
}

/// A copy of a fixture as a user would have it; the same for each scene of a fixture.
fn copy(root: &Path, fixture: &str, into: &Path) -> Result<PathBuf> {
    let name = Path::new(fixture)
        .file_name()
        .context("a fixture has a name")?;
    let dir = into.join(name);
    if !dir.exists() {
        let copied = Command::new("cp")
            .arg("-r")
            .args([&root.join("fixtures").join(fixture), &dir])
            .status()?;
        ensure!(copied.success(), "cannot copy {fixture}");
        let manifest = dir.join("Cargo_test.toml");
        if manifest.exists() {
            fs::rename(manifest, dir.join("Cargo.toml"))?;
        }
    }
    Ok(dir)
}

/// What a run prints, with colours. Progress, on standard error, is left out.
fn run(binary: &Path, dir: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new(binary)
        .arg("nopol")
        .args(words)
        .current_dir(dir)
        .env("CARGO_TERM_COLOR", "always")
        .env("COLUMNS", "120")
        .output()?;
    ensure!(
        output.status.success(),
        "cargo nopol {} ended with {}: {}",
        words.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).context("the tool prints UTF-8")
}

fn photograph(browser: &Path, page: &Path, picture: &Path) -> Result<()> {
    let [width, height] = PAGE;
    let picture = std::path::absolute(picture)?;
    let taken = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()?;
    ensure!(
        taken.status.success(),
        "{} takes no picture",
        browser.display()
    );
    Ok(())
}
