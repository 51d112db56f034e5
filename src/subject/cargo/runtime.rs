//! The runtime of `instrument/`, embedded as source and compiled once per rustc version, under a name
//! of its own: the subject may be this very project.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::hash::fnv1a;

const SOURCES: [(&str, &str); 10] = [
    ("lib.rs", include_str!("../../../instrument/src/lib.rs")),
    (
        "capture.rs",
        include_str!("../../../instrument/src/capture.rs"),
    ),
    (
        "layout.rs",
        include_str!("../../../instrument/src/layout.rs"),
    ),
    (
        "macros.rs",
        include_str!("../../../instrument/src/macros.rs"),
    ),
    (
        "observe.rs",
        include_str!("../../../instrument/src/observe.rs"),
    ),
    (
        "sample.rs",
        include_str!("../../../instrument/src/sample.rs"),
    ),
    ("seed.rs", include_str!("../../../instrument/src/seed.rs")),
    (
        "snapshot.rs",
        include_str!("../../../instrument/src/snapshot.rs"),
    ),
    ("state.rs", include_str!("../../../instrument/src/state.rs")),
    ("trace.rs", include_str!("../../../instrument/src/trace.rs")),
];

/// How it is compiled.
const ARGS: [&str; 7] = [
    "--edition=2021",
    "--crate-type=rlib",
    "--crate-name=nopol_rt",
    "--cfg=nopol_rt",
    "-Copt-level=3",
    "-Cmetadata=nopol",
    "--cap-lints=allow",
];

/// The path of the compiled runtime, compiling it if this rustc has not yet done so: in the user's
/// cache directory, or below `dir` if that cannot be written to. rustc runs in `cwd`, so that the
/// subject's toolchain file counts.
///
/// # Errors
/// If rustc is missing, or cannot compile the runtime.
pub fn build(dir: &Utf8Path, cwd: &Utf8Path) -> Result<Utf8PathBuf> {
    if let Some(cache) = crate::subject::user_cache()
        && let Ok(rlib) = build_in(&cache, cwd)
    {
        return Ok(rlib);
    }
    build_in(dir, cwd)
}

fn build_in(dir: &Utf8Path, cwd: &Utf8Path) -> Result<Utf8PathBuf> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = Command::new(&rustc)
        .arg("-vV")
        .current_dir(cwd)
        .output()
        .with_context(|| format!("cannot run `{rustc} -vV`"))?;
    let mut key = format!("{:?}", version.stdout);
    ARGS.iter().for_each(|arg| key.push_str(arg));
    SOURCES.iter().for_each(|(_, text)| key.push_str(text));
    let home = dir.join(format!("runtime-{:016x}", fnv1a(&key)));
    let rlib = home.join("libnopol_rt.rlib");
    if rlib.is_file() {
        return Ok(rlib);
    }
    // Compiled aside and renamed, so that two runs at once do not see half of it.
    fs::create_dir_all(dir).with_context(|| format!("cannot create {dir}"))?;
    let aside = tempfile::Builder::new()
        .prefix("runtime-")
        .tempdir_in(dir)
        .with_context(|| format!("cannot create a directory in {dir}"))?;
    for (name, text) in SOURCES {
        fs::write(aside.path().join(name), text)?;
    }
    let output = Command::new(&rustc)
        .args(ARGS)
        .arg("--out-dir")
        .arg(aside.path())
        .arg(aside.path().join("lib.rs"))
        .current_dir(cwd)
        .env_remove("RUSTFLAGS")
        .output()?;
    if !output.status.success() {
        bail!(
            "the runtime does not compile with `{rustc}`:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    // Without the library in it, what is there is of no use.
    let _ = fs::remove_dir_all(&home);
    if fs::rename(aside.path(), &home).is_ok() {
        let _ = aside.keep();
    }
    match rlib.is_file() {
        true => Ok(rlib),
        false => bail!("the compiled runtime {rlib} is not there"),
    }
}
