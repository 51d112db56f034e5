#!/bin/sh
# Repairs a copy of fixtures/percentile in a temporary directory and shows what changed.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/fixtures/percentile" "$work/percentile"
mv "$work/percentile/Cargo_test.toml" "$work/percentile/Cargo.toml"

cd "$work/percentile"
echo "A crate with a failing test:"
cargo test --quiet 2>&1 | grep -E "^(test result|    rank|thread|index)" || true
echo
echo "\$ cargo nopol --top 1"
"${CARGO_TARGET_DIR:-$here/target}/debug/cargo-nopol" nopol --top 1
