#!/bin/sh
# Packages the tool, its crates and its runtime as they would be published, builds them from the packages, and runs the
# unit tests that come along.
set -eu
cd "$(dirname "$0")/.."
target=$PWD/target/package-check
# The package of the tool has the profiles of the workspace, so it shares the compiled dependencies of other crates.
shared=$PWD/target
# Cargo takes an unpacked package of the same version for the same: here, and among the sources that it keeps for all projects.
rm -rf "$target"
for kept in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/nopol_*-[0-9]* "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/cargo-nopol-[0-9]*; do
    rm -rf "$kept"
done
# What a package lacks shows when the tests build from all of them, so cargo need not build each once more.
cargo package --workspace --exclude xtask --allow-dirty --no-verify --target-dir "$target"
version=$(cargo pkgid --package cargo-nopol | sed 's/.*[#@]//')
package=$target/package
for archive in "$package"/*.crate; do
    tar -xzf "$archive" -C "$package"
done
set --
for crate in "$package"/nopol_*-"$version"; do
    name=$(basename "$crate" "-$version")
    set -- "$@" --config "patch.crates-io.$name.path='$crate'"
done
cd "$package/cargo-nopol-$version"
cargo test --lib --bins --target-dir "$shared" "$@"
rm -rf "$target"
