//! The page in a real browser.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::super::{Live, SourceLine, Step};
use super::devtools::Browser;

const PICTURE: &str = include_str!("reverse.svg");

fn step(command: &str, text: &str, line: u32, picture: Option<&str>) -> Step {
    Step {
        command: command.to_owned(),
        text: text.to_owned(),
        place: Some(SourceLine {
            file: "reverse.c".to_owned(),
            line,
            source: (1..=48)
                .map(|line| format!("statement({line});\n"))
                .collect(),
        }),
        picture: picture.map(ToOwned::to_owned),
    }
}

const REPAIR: &str = "\
repaired in 0.3 s; the session continues with the patch:

--- a/reverse.c
+++ b/reverse.c
@@ -26,10 +26,10 @@
     struct node *temp2 = NULL;
     current = head;
-    while (temp1 != NULL) {
+    while (temp1 != head) {
         temp1 = current->prev;
         temp2 = current->prev;
-        current->prev = temp2;
+        current->prev = current->next;
         current->next = temp1;";

#[test]
#[ignore = "make test-full: needs Chromium"]
fn the_page_follows_the_session_and_walks_back() {
    let live = Live::start().unwrap();
    let mut browser = Browser::start();
    browser.look(1280, 900, false);
    live.show(step(
        "start",
        "the program is at the beginning of `main`",
        41,
        None,
    ));
    browser.open(live.url());
    let (state, title) = (
        "document.getElementById('state').textContent",
        "document.title",
    );
    browser.wait_for(state, &json!("step 1 of 1 · live"));

    // Steps that come while it is open are shown; what they say is text.
    let hostile = "<img src=x onerror=alert(1)><b>";
    live.show(step("next", hostile, 29, Some(PICTURE)));
    browser.wait_for(state, &json!("step 2 of 2 · live"));
    assert_eq!(browser.value(title), "reverse.c:29 – nopol");
    assert_eq!(
        browser.value("document.getElementById('answer').textContent"),
        hostile
    );
    assert_eq!(
        browser.value("document.querySelector('[aria-current]').textContent.trim()"),
        "statement(29);"
    );
    let alternative = "document.querySelector('#picture img')?.alt";
    browser.wait_for(
        alternative,
        &json!("head → n4 → null; n3 → n2 → n1 → null; current → null; temp1 → null; temp2 → null"),
    );

    // Who looks at an earlier step is left there, and follows again from the end.
    browser.press("ArrowLeft");
    assert_eq!(browser.value(state), "step 1 of 2");
    live.show(Step {
        command: "repair".to_owned(),
        text: REPAIR.to_owned(),
        ..Step::default()
    });
    browser.wait_for(state, &json!("step 1 of 3"));
    assert_eq!(browser.value(title), "reverse.c:41 – nopol");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    assert_eq!(browser.value(state), "step 3 of 3 · live");
    assert_eq!(
        browser.value(
            "[...document.querySelectorAll('.plus')].map((line) => line.textContent).join('|')"
        ),
        "+    while (temp1 != head) {|+        current->prev = current->next;"
    );
    // A step without a place and a picture leaves those of the step before.
    assert_eq!(browser.value(title), "reverse.c:29 – nopol");
    assert_eq!(
        browser.value("document.getElementById('caption').textContent"),
        "Heap (as of step 2: next)"
    );
    browser.wait_for(&format!("Boolean({alternative})"), &json!(true));

    for (width, is_dark) in [(1280, false), (1280, true), (500, false), (500, true)] {
        browser.look(width, 900, is_dark);
        assert_eq!(
            browser.value("document.documentElement.scrollWidth <= innerWidth"),
            true,
            "{width}"
        );
        if let Some(dir) = std::env::var_os("NOPOL_SCREENSHOTS").map(PathBuf::from) {
            let look = if is_dark { "dark" } else { "light" };
            browser.screenshot(&dir.join(format!("live-{width}-{look}.png")));
        }
    }
    // At its actual size the picture is wider than its part of the page, which can be scrolled.
    browser.look(400, 900, false);
    let is_wider = "document.getElementById('size').click(); \
        document.getElementById('picture').scrollWidth > document.getElementById('picture').clientWidth";
    assert_eq!(browser.value(is_wider), true);
    if let Some(dir) = std::env::var_os("NOPOL_SCREENSHOTS").map(PathBuf::from) {
        browser.screenshot(&dir.join("live-400-actual.png"));
    }
    assert_eq!(browser.value(is_wider), false);
    // The policy forbids nothing that the page does.
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);

    let ended = "document.getElementById('state').textContent.endsWith('the session has ended')";
    // When the server is out of reach it says so, and goes on when it is back.
    let network = |is_offline: bool| json!({ "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.ask("Network.enable", json!({}));
    browser.ask("Network.emulateNetworkConditions", network(true));
    live.show(step("next", "on", 30, None));
    browser.wait_for(ended, &json!(true));
    browser.ask("Network.emulateNetworkConditions", network(false));
    browser.wait_for(state, &json!("step 4 of 4 · live"));

    // The last step is seen though the session ends at once, and the steps can still be looked at.
    thread::sleep(Duration::from_millis(200));
    live.show(step("next", "the program has ended", 30, None));
    drop(live);
    browser.wait_for(state, &json!("step 5 of 5 · the session has ended"));
    browser.press("Home");
    assert_eq!(browser.value(state), "step 1 of 5 · the session has ended");
    browser.press("End");
    assert_eq!(browser.value(title), "reverse.c:30 – nopol");
}
