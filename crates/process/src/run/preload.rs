//! Libraries that are preloaded, compiled once per user: one makes a process a fork server (`instrument/c/serve.c`), by the other
//! `tmpfile` follows `TMPDIR` (`instrument/c/temporary.c`).

use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_instrument::sources::{SERVER, TEMPORARY};

use nopol_basics::hash::fnv1a;

/// The variable with libraries that the loader loads first.
pub const PRELOAD: &str = "LD_PRELOAD";

/// The library of the fork server, compiled into this directory if it is not there; `None` where it cannot be compiled, and
/// then every run gets a process of its own.
pub fn library(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    compiled(dir, "serve", SERVER)
}

/// The library by which `tmpfile` follows `TMPDIR`, in the same way; without it, a program that calls `tmpfile` cannot do so in
/// the sandbox.
pub fn temporary(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    compiled(dir, "temporary", TEMPORARY)
}

fn compiled(dir: &Utf8Path, name: &str, text: &str) -> Option<Utf8PathBuf> {
    // The loader takes these for separators and the like.
    let is_plain = |c: char| !matches!(c, ' ' | ':' | '$');
    if !cfg!(all(target_os = "linux", target_env = "gnu")) || !dir.as_str().chars().all(is_plain) {
        return None;
    }
    let library = dir.join(format!("{name}-{:016x}.so", fnv1a(text)));
    if library.is_file() {
        return Some(library);
    }
    fs::create_dir_all(dir).ok()?;
    // Compiled aside and renamed, so that two runs at once do not see half of it.
    let aside = tempfile::tempdir_in(dir).ok()?;
    let (source, compiled) = (aside.path().join("it.c"), aside.path().join("it.so"));
    fs::write(&source, text).ok()?;
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-O2", "-w", "-o"])
        .arg(&compiled)
        .arg(&source)
        .arg("-ldl");
    let is_compiled = compiler.output().ok()?.status.success();
    (is_compiled && fs::rename(&compiled, &library).is_ok()).then_some(library)
}
