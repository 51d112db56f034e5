//! The page of `--html`, in a real browser.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{GRADES, Run, Subject};

fn browser() -> &'static str {
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let mut found = known.into_iter().filter(|name| {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path).any(|dir| dir.join(name).exists())
    });
    found
        .next()
        .expect("no Chromium: `sh xtask/setup-full.sh` installs it")
}

/// The page as the browser has it after its scripts, and what they said, in a window of this width.
fn opened(page: &Path, dir: &Path, width: u32) -> Run {
    let profile = dir.join(format!("profile-{width}"));
    Command::new(browser())
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},900"))
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap()
        .into()
}

#[test]
#[ignore = "make test-full: needs Chromium"]
fn a_browser_shows_the_page_and_walks_through_the_patches() {
    let subject = Subject::lib(GRADES);
    let page = subject.beside("page.html");
    let run = subject.nopol(&["--html", page.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = fs::read_to_string(&page).unwrap();
    // What a reader does: two patches on, one back; then it is noted whether the page is wider than the window.
    let script = "<script>
        for (const key of ['j', 'j', 'k']) document.dispatchEvent(new KeyboardEvent('keydown', { key }));
        const wide = document.documentElement.scrollWidth > window.innerWidth;
        document.title = document.querySelector('article.current').id + (wide ? ' wide' : ' fits');
        </script></body>";
    fs::write(&page, text.replace("</body>", script)).unwrap();
    for width in [1280, 500] {
        let run = opened(&page, page.parent().unwrap(), width);
        assert!(
            run.stdout.contains("<title>patch-2 fits</title>"),
            "{width}: {}",
            run.stdout
        );
        let errors: Vec<&str> = run
            .stderr
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        for part in [
            "What decided it",
            "class=\"source\"",
            "<svg",
            "class=\"code deciding\"",
        ] {
            assert!(run.stdout.contains(part), "{part} is not in the page");
        }
    }
}

#[test]
#[ignore = "make test-full: needs Chromium"]
fn the_name_of_a_test_leaves_room_for_its_values() {
    let long =
        "just_enough_points_are_enough_to_pass_whatever_the_weather_on_the_day_of_the_examination";
    let subject = Subject::lib(&GRADES.replace("just_enough", long));
    let page = subject.beside("page.html");
    let run = subject.nopol(&["--html", page.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = fs::read_to_string(&page).unwrap();
    let script = "<script>
        for (const details of document.querySelectorAll('details')) details.open = true;
        const names = [...document.querySelectorAll('tbody th')].filter((it) => it.textContent.includes('weather'));
        const widest = Math.max(...names.map((it) => it.getBoundingClientRect().width));
        document.title = names.length > 0 && widest < 250 ? 'narrow' : 'wide ' + widest;
        </script></body>";
    fs::write(&page, text.replace("</body>", script)).unwrap();
    let run = opened(&page, page.parent().unwrap(), 500);
    assert!(
        run.stdout.contains("<title>narrow</title>"),
        "{}",
        run.stdout
    );
}
