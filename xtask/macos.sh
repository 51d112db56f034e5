#!/bin/sh
# Checks that the tool compiles for macOS. Nothing is linked, so the C code of its dependencies needs no compiler for macOS:
# an empty file stands in for each object file. Only rustup can fetch the standard library.
set -eu
cd "$(dirname "$0")/.."
target=aarch64-apple-darwin
if ! command -v rustup >/dev/null 2>&1; then
    echo "macos: there is no rustup; not checked" >&2
    exit 0
fi
if ! rustup target add "$target"; then
    echo "macos: rustup cannot fetch the standard library for $target; not checked" >&2
    exit 0
fi
stubs=$PWD/target/macos-stubs
mkdir -p "$stubs"
cat >"$stubs/cc" <<'STUB'
#!/bin/sh
while [ $# -gt 0 ]; do
    if [ "$1" = -o ]; then : >"$2"; fi
    shift
done
STUB
printf '#!/bin/sh\n' >"$stubs/ar"
chmod +x "$stubs/cc" "$stubs/ar"
export CC_aarch64_apple_darwin="$stubs/cc" AR_aarch64_apple_darwin="$stubs/ar" PKG_CONFIG_ALLOW_CROSS=1
RUSTFLAGS="-D warnings" cargo check --package cargo-nopol --target "$target" --target-dir target/macos
