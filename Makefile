# Two commands for a newcomer: `make demo` and `make test`. docs/testing.md says what tests what.

.PHONY: setup demo test lint test-full

# Keeping data for the next incremental build costs a sixth of a first build. `make test CARGO_INCREMENTAL=1`
# keeps it all the same.
export CARGO_INCREMENTAL ?= 0

# libz3 from the system's package manager, unless it is there.
setup:
	@sh xtask/setup.sh

# Builds the tool, repairs a copy of a fixture and runs its tests again.
demo:
	@sh xtask/setup.sh build
	cargo build --bin cargo-nopol
	@sh xtask/demo.sh

# The tests that are not marked `ignored`.
test: setup
	cargo test --workspace

# Formatting and lints. They compile everything once more, so a newcomer need not wait for them.
lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package cargo-nopol --no-default-features -- -D warnings

# The ignored tests: the slow ones, and those for which others stand in in `make test`.
test-full: setup
	@sh xtask/setup-full.sh
	cargo test --workspace --lib --bins --tests -- --ignored
	sh xtask/package.sh
	sh xtask/msrv.sh
	sh xtask/macos.sh
	cargo test --manifest-path tests/consumers/Cargo.toml --target-dir target/consumers
	if rust-analyzer --version; then cargo test --manifest-path tests/consumers/Cargo.toml --target-dir target/consumers -- --ignored; fi
