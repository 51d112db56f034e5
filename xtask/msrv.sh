#!/bin/sh
# Checks that the oldest compiler that Cargo.toml names still compiles the tool. Only rustup can fetch it.
set -eu
cd "$(dirname "$0")/.."
if ! command -v rustup >/dev/null 2>&1; then
    echo "msrv: there is no rustup; not checked" >&2
    exit 0
fi
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
rustup toolchain install "$version" --profile minimal --no-self-update
rustup run "$version" cargo check --package cargo-nopol --target-dir target/msrv
