#!/bin/sh
# Packages the tool and its runtime as they would be published, builds them from the packages, and runs the unit tests
# that come along.
set -eu
cd "$(dirname "$0")/.."
target=$PWD/target/package-check
# Cargo takes an unpacked package of the same version for the same.
rm -rf "$target"
cargo package --workspace --exclude xtask --allow-dirty --target-dir "$target"
version=$(cargo pkgid --package cargo-nopol | sed 's/.*[#@]//')
package=$target/package/cargo-nopol-$version
runtime=$target/package/nopol_instrument-$version
cd "$package"
cargo test --lib --target-dir "$target" --config "patch.crates-io.nopol_instrument.path='$runtime'"
