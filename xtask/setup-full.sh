#!/bin/sh
# Makes sure that what `make test-full` needs besides is there: a browser that draws the page, cmake, curl for the action,
# valgrind and rust-analyzer.
set -eu

have_browser() {
    command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Where there is no rustup, there may be no rust-analyzer; then no editor is tried.
if command -v rustup >/dev/null 2>&1; then
    rustup component add rust-analyzer
fi

have_browser && command -v curl >/dev/null 2>&1 && command -v valgrind >/dev/null 2>&1 && command -v ctest >/dev/null 2>&1 && exit 0
echo "setup: installing chromium, cmake, curl and valgrind" >&2
if command -v apt-get >/dev/null 2>&1; then
    as_root apt-get update -q
    as_root apt-get install -q -y chromium cmake curl valgrind
elif command -v dnf >/dev/null 2>&1; then
    as_root dnf install -y chromium cmake curl valgrind
elif command -v pacman >/dev/null 2>&1; then
    as_root pacman -S --noconfirm chromium cmake curl valgrind
fi
have_browser || { echo "setup: there is no Chromium, and no package manager that is known here: install it" >&2; exit 1; }
command -v valgrind >/dev/null 2>&1 || { echo "setup: there is no valgrind, and no package manager that is known here: install it" >&2; exit 1; }
