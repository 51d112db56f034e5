//! What there is to read: the page with its parts, and the steps.

use super::history::History;
use super::response::{Response, Status};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
const ICON: &str = include_str!("page/icon.svg");

/// Answers a request for a resource. Steps may have to be waited for.
pub fn answer(resource: &str, history: &History, is_useless: impl Fn() -> bool) -> Response {
    let (name, query) = resource.split_once('?').unwrap_or((resource, ""));
    match name {
        "" => Response::ok("text/html", PAGE),
        "page.css" => Response::ok("text/css", STYLE),
        "page.js" => Response::ok("text/javascript", SCRIPT),
        "icon.svg" => Response::ok("image/svg+xml", ICON),
        "steps" => match query.strip_prefix("after=").map(str::parse) {
            Some(Ok(number)) => {
                let steps = history.after(number, is_useless);
                Response::ok("application/json", format!("[{}]", steps.join(",")))
            }
            _ => Status::BadRequest.into(),
        },
        _ => Status::NotFound.into(),
    }
}
