//! Whole sessions with a real gdb and small C programs.

mod calls;
mod keeping;
mod reading;
mod running;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_debug::gdb::{GdbOptions, Launch, Names, StateRequest, Stop, Subject};
use nopol_heap::state::{Node, NodeId, State, Value};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(20);

/// A compiled program in a folder that goes away.
struct Program {
    folder: TempDir,
    path: Utf8PathBuf,
}

impl Program {
    fn compile(source: &str, options: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("t.c");
        std::fs::write(&file, source.trim_start())?;
        let path = folder.path().join("t");
        let status = Command::new("gcc")
            .args(options)
            .arg("-o")
            .args([&path, &file])
            .status()?;
        ensure!(status.success(), "gcc failed");
        Ok(Self {
            path: Utf8Path::from_path(&path).context("path")?.to_owned(),
            folder,
        })
    }

    fn debug(source: &str) -> Result<(Self, Subject)> {
        let program = Self::compile(source, &["-g", "-O0"])?;
        let subject = Subject::load(&Launch::new(&*program.path, &[]), &GdbOptions::default())?;
        Ok((program, subject))
    }
}

fn value(state: &State, name: &str) -> Option<Value> {
    let found = state
        .variables
        .iter()
        .find(|variable| variable.name == name);
    found.map(|variable| variable.value)
}

fn node(state: &State, id: NodeId) -> &Node {
    let found = state.nodes.iter().find(|node| node.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {state:?}"))
}

fn field(state: &State, id: u32, name: &str) -> Option<Value> {
    let node = state.nodes.iter().find(|node| node.id == NodeId(id))?;
    let found = node.fields.iter().find(|field| field.name == name);
    found.map(|field| field.value)
}

fn line_of(source: &str, text: &str) -> u32 {
    let lines = source.trim_start().lines();
    for (number, line) in (1..).zip(lines) {
        if line.contains(text) {
            return number;
        }
    }
    panic!("no {text}")
}

fn read(subject: &mut Subject, names: &mut Names) -> Result<State> {
    Ok(subject.read_state(&StateRequest::default(), names)?)
}

const LIST: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int key; };
struct list { struct node *head; int n; };
struct node *last_made;
static int made = 0;
struct node *make(struct node *next, int key) {
  struct node *n = malloc(sizeof *n);
  n->next = next;
  n->key = key;
  last_made = n;
  made++;
  return n;
}
struct node *reverse(struct node *x) {
  struct node *r = NULL;
  while (x) {
    struct node *t = x->next;
    x->next = r; /* turn */
    r = x;
    x = t;
  }
  return r;
}
int main(void) {
  struct list l = {0, 0};
  for (int i = 3; i > 0; i--)
    l.head = make(l.head, i);
  l.n = 3;
  l.head = reverse(l.head); /* call */
  printf("%d\n", l.head->key);
  struct node *second = l.head->next; /* second */
  free(second); /* free */
  return 0;
}
"#;

/// Runs to the line with this comment.
fn run_to(subject: &mut Subject, source: &str, comment: &str) -> Result<Stop> {
    subject.break_once_at_line("t.c", line_of(source, comment))?;
    Ok(subject.run(LIMIT)?)
}
