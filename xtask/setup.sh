#!/bin/sh
# Makes sure that what the build needs is there: cargo, a C linker, pkg-config and libz3; and gdb for the tests, unless it
# is called with `build`. The last three are installed by the system's package manager if they are missing.
set -eu

fail() {
    echo "setup: $*" >&2
    exit 1
}

have_z3() {
    command -v pkg-config >/dev/null 2>&1 && pkg-config --exists z3
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        fail "$missing is missing and only root can install it: run \`$*\` as root, then \`make\` again"
    fi
}

command -v cargo >/dev/null 2>&1 || fail "no Rust toolchain: install one from https://rustup.rs, then \`make\` again"
command -v cc >/dev/null 2>&1 || fail "no C compiler to link with: install gcc or clang, then \`make\` again"

missing=
have_z3 || missing=libz3
gdb=gdb
if [ "${1:-}" = build ]; then
    gdb=
elif ! command -v gdb >/dev/null 2>&1; then
    missing="${missing:+$missing and }gdb"
fi
[ -n "$missing" ] || exit 0

echo "setup: $missing not found (libz3 is looked for by pkg-config); installing" >&2
if command -v apt-get >/dev/null 2>&1; then
    as_root apt-get update -q
    as_root apt-get install -q -y libz3-dev pkg-config $gdb
elif command -v dnf >/dev/null 2>&1; then
    as_root dnf install -y z3-devel pkgconf-pkg-config $gdb
elif command -v pacman >/dev/null 2>&1; then
    as_root pacman -S --noconfirm z3 pkgconf $gdb
elif command -v brew >/dev/null 2>&1; then
    brew install z3 pkgconf $gdb
elif have_z3; then
    echo "setup: there is none of apt-get, dnf, pacman and brew: without gdb, \`cargo nopol c debug\` and its tests do not work" >&2
else
    fail "$missing is missing and there is none of apt-get, dnf, pacman and brew: install libz3 (4.8.12 or later) with its pkg-config file, or build without the solver: cargo build --no-default-features"
fi

have_z3 || fail "libz3 was installed, but pkg-config still does not find it: add the directory of z3.pc to PKG_CONFIG_PATH"
