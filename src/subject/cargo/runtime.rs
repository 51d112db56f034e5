//! The runtime from `instrument/`, embedded as source text and compiled once per rustc version. It has its
//! own crate name, because the subject may be this very project.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use nopol_basics::hash::fnv1a;

/// The compiler arguments.
const ARGS: [&str; 7] = [
    "--edition=2021",
    "--crate-type=rlib",
    "--crate-name=nopol_rt",
    "--cfg=nopol_rt",
    "-Copt-level=3",
    "-Cmetadata=nopol",
    "--cap-lints=allow",
];

/// Returns the path of the compiled runtime. Compiles it with this rustc if that has not been done yet, in
/// the user's cache directory or, if that is not writable, below `dir`, for a target or the host. rustc runs in `cwd`, so
/// that the subject's toolchain file applies.
///
/// # Errors
/// If rustc is missing, or cannot compile the runtime.
pub fn build(dir: &Utf8Path, cwd: &Utf8Path, target: Option<&str>) -> Result<Utf8PathBuf> {
    if let Some(cache) = crate::subject::user_cache()
        && let Ok(rlib) = build_in(&cache, cwd, target)
    {
        return Ok(rlib);
    }
    build_in(dir, cwd, target)
}

fn build_in(dir: &Utf8Path, cwd: &Utf8Path, target: Option<&str>) -> Result<Utf8PathBuf> {
    let target = target.map(|target| format!("--target={target}"));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = Command::new(&rustc)
        .arg("-vV")
        .current_dir(cwd)
        .output()
        .with_context(|| format!("cannot run `{rustc} -vV`"))?;
    let mut key = format!("{:?}", version.stdout);
    ARGS.iter().for_each(|arg| key.push_str(arg));
    target.iter().for_each(|arg| key.push_str(arg));
    nopol_instrument::sources::RUST
        .iter()
        .for_each(|(_, text)| key.push_str(text));
    let final_dir = dir.join(format!("runtime-{:016x}", fnv1a(&key)));
    let rlib = final_dir.join("libnopol_rt.rlib");
    if rlib.is_file() {
        return Ok(rlib);
    }
    // Compiled in another directory and then renamed, so that a concurrent run does not see an incomplete
    // one.
    fs::create_dir_all(dir).with_context(|| format!("cannot create {dir}"))?;
    let temporary = tempfile::Builder::new()
        .prefix("runtime-")
        .tempdir_in(dir)
        .with_context(|| format!("cannot create a directory in {dir}"))?;
    for (name, text) in nopol_instrument::sources::RUST {
        fs::write(temporary.path().join(name), text)?;
    }
    let output = Command::new(&rustc)
        .args(ARGS)
        .args(&target)
        .arg("--out-dir")
        .arg(temporary.path())
        .arg(temporary.path().join("lib.rs"))
        .current_dir(cwd)
        .env_remove("RUSTFLAGS")
        .output()?;
    if !output.status.success() {
        bail!(
            "the library that is linked into your tests does not compile with `{rustc}`; is it older than the README requires?\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    // An existing directory without the library is useless.
    let _ = fs::remove_dir_all(&final_dir);
    if fs::rename(temporary.path(), &final_dir).is_ok() {
        let _ = temporary.keep();
    }
    match rlib.is_file() {
        true => Ok(rlib),
        false => bail!("{rlib} disappeared after it was compiled; run again"),
    }
}
