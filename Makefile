# Two commands for a stranger: `make demo` and `make test`.

.PHONY: setup demo test

# libz3 from the system's package manager, unless it is there.
setup:
	@sh xtask/setup.sh

# Builds the tool and repairs a copy of a fixture.
demo: setup
	cargo build --release --bin cargo-nopol
	@sh xtask/demo.sh

# Everything CI runs.
test: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package cargo-nopol --no-default-features -- -D warnings
	cargo test --workspace
