#!/bin/sh
# Packages the tool and its runtime as they would be published, builds them from the packages, and runs the unit tests
# that come along.
set -eu
cd "$(dirname "$0")/.."
target=$PWD/target/package-check
# Cargo takes an unpacked package of the same version for the same: here, and among the sources that it keeps for all projects.
rm -rf "$target"
for kept in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/nopol_instrument-[0-9]* "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/cargo-nopol-[0-9]*; do
    rm -rf "$kept"
done
cargo package --workspace --exclude xtask --allow-dirty --target-dir "$target"
version=$(cargo pkgid --package cargo-nopol | sed 's/.*[#@]//')
package=$target/package/cargo-nopol-$version
runtime=$target/package/nopol_instrument-$version
cd "$package"
cargo test --lib --target-dir "$target" --config "patch.crates-io.nopol_instrument.path='$runtime'"
