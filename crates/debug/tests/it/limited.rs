//! A gdb that lacks what gdb lacks on some processors.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

/// A gdb that cannot write all registers at once, as gdb 13 on processors with AMX: the system refuses with "Bad address". It
/// lies in the folder.
pub fn limited_gdb(folder: &Path) -> Result<Utf8PathBuf> {
    let source = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/types.h>
long ptrace(int request, ...) {
  va_list rest;
  va_start(rest, request);
  pid_t pid = va_arg(rest, pid_t);
  void *address = va_arg(rest, void *), *data = va_arg(rest, void *);
  va_end(rest);
  int is_setregset = request == 0x4205, is_extended_state = address == (void *) 0x202;
  if (is_setregset && is_extended_state) { errno = EFAULT; return -1; }
  long (*system)(int, pid_t, void *, void *) = dlsym(RTLD_NEXT, "ptrace");
  return system(request, pid, address, data);
}
"#;
    let folder = Utf8Path::from_path(folder).context("path")?;
    let (file, library) = (folder.join("limited.c"), folder.join("limited.so"));
    std::fs::write(&file, source)?;
    let status = Command::new("gcc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &file])
        .arg("-ldl")
        .status()?;
    ensure!(status.success(), "gcc failed");
    let wrapper = folder.join("limited-gdb");
    std::fs::write(
        &wrapper,
        format!("#!/bin/sh\nLD_PRELOAD={library} exec gdb \"$@\"\n"),
    )?;
    std::fs::set_permissions(&wrapper, Permissions::from_mode(0o755))?;
    Ok(wrapper)
}
