#!/bin/sh
# Repairs a copy of fixtures/percentile, applies the patch and runs the tests again. The copy is kept.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
nopol="${CARGO_TARGET_DIR:-$here/target}/debug/cargo-nopol"
work=$(mktemp -d)/percentile
cp -R "$here/fixtures/percentile" "$work"
mv "$work/Cargo_test.toml" "$work/Cargo.toml"

# What is typed, and what it prints.
show() {
    echo
    echo "\$ $1"
    shift
    "$@"
}

results() {
    cargo test --quiet 2>&1 | grep -E "^(test result: .* [1-9][0-9]* passed|index|thread)" || true
}

cd "$work"
echo "A crate with a failing test: $work"
show "cargo test" results
show "cargo nopol" "$nopol" nopol --quiet
show "cargo nopol apply 1" "$nopol" nopol apply 1
show "cargo test" results
cat <<END

The repaired copy is in $work.
To install the tool:            cargo install --path $here
Then, in a crate of yours with a failing test:
                                cargo nopol
                                cargo nopol review
END
