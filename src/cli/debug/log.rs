//! Output of a session besides the terminal: its commands, its pictures, and the page.

use std::fs;
use std::io::Write;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_debug::session::DebugSession;
use nopol_debug::web::{Live, SourceLine, Step};

use super::say;
use crate::cli::output;

/// What is written beside the session.
pub struct Log {
    save: Option<fs::File>,
    svg: Option<Utf8PathBuf>,
    pub live: Option<Live>,
}

impl Log {
    pub fn new(save: Option<&Utf8Path>, svg: Option<&Utf8Path>, web: bool) -> Result<Self, String> {
        let live = match web {
            true => {
                let live =
                    Live::start().map_err(|error| format!("cannot serve a page: {error}"))?;
                say(&format!("the heap is shown at {}", live.url()));
                Some(live)
            }
            false => None,
        };
        if let Some(directory) = svg {
            fs::create_dir_all(directory)
                .map_err(|error| format!("cannot make {directory}: {error}"))?;
        }
        let save = match save {
            Some(path) => Some(
                fs::File::create_new(path)
                    .map_err(|error| format!("cannot write {path}: {error}"))?,
            ),
            None => None,
        };
        Ok(Self {
            save,
            svg: svg.map(Utf8Path::to_owned),
            live,
        })
    }

    pub fn typed(&mut self, line: &str) {
        if let Some(file) = &mut self.save
            && writeln!(file, "{line}").is_err()
        {
            output::complain(
                "the --save file cannot be written any more; further commands are not saved",
            );
            self.save = None;
        }
    }

    /// Passes on what came of a command.
    pub fn shown(&mut self, session: &mut DebugSession, command: &str, text: &str) {
        let picture = session.take_picture();
        if let (Some((number, picture)), Some(directory)) = (&picture, &self.svg) {
            let path = directory.join(format!("{number:04}.svg"));
            if let Err(error) = fs::write(&path, picture) {
                output::complain(&format!("cannot write {path}: {error}"));
            }
        }
        if let Some(live) = &self.live {
            let place = session.source_line();
            live.show(Step {
                command: command.to_owned(),
                text: anstream::adapter::strip_str(text).to_string(),
                place: place.map(|(file, source, line)| SourceLine {
                    file: file.to_string(),
                    line,
                    source: source.to_owned(),
                }),
                picture: picture.map(|(_, picture)| picture),
            });
        }
    }
}
