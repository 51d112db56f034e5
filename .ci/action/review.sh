#!/bin/bash
# Repairs the crate in the current directory. On a pull request that can be written to, the patches become a review, which
# post.sh posts; elsewhere they are annotations. Read by action.yml; everything comes in variables, so that no name of a branch
# is read as a command.
#
# BASE, HEAD: commits that the pull request is to be merged into, and that it consists of, both empty on a push;
# PULL_REQUEST: its number, empty if it cannot be written to; NOPOL_ARGS: more options, words as in a shell;
# REPORT: a directory for the review; GITHUB_STEP_SUMMARY, GITHUB_OUTPUT: from GitHub.
# GITHUB_TOKEN: not in the action, which has a step of its own for post.sh; if it is given, the review is posted at once.
set -euo pipefail

# No process of the subject is to find a token in its environment, nor in that of this script.
if [ -n "${GITHUB_TOKEN:-}" ]; then
    exec 3< <(printf '%s' "$GITHUB_TOKEN")
    unset GITHUB_TOKEN
    exec env -u GITHUB_TOKEN TOKEN_AT=3 bash "$0" "$@"
fi
token=
if [ -n "${TOKEN_AT:-}" ]; then
    token=$(cat <&3)
    exec 3<&-
    unset TOKEN_AT
fi
tool() {
    # Nor files by which one step tells later ones what to run.
    env -u GH_TOKEN -u ACTIONS_RUNTIME_TOKEN -u ACTIONS_ID_TOKEN_REQUEST_TOKEN -u ACTIONS_ID_TOKEN_REQUEST_URL \
        -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_STATE -u GITHUB_OUTPUT -u GITHUB_STEP_SUMMARY cargo nopol "$@"
}

report=${REPORT:-$(mktemp -d)}
mkdir -p "$report"

# One word after a NUL each: quotes and lines count, and nothing is run or expanded.
if ! printf '%s' "${NOPOL_ARGS:-}" | xargs -r printf '%s\0' > "$report/args"; then
    echo "::error title=cargo nopol::The input \`args\` has a quotation mark without a second one."
    echo "outcome=failed" >> "$GITHUB_OUTPUT"
    exit 2
fi
mapfile -d '' -t args < "$report/args"

if [ -n "${HEAD:-}" ] && [ "$(git rev-parse HEAD)" != "$HEAD" ]; then
    echo "::error title=cargo nopol::The checkout is not the head of the pull request, so that comments would be on wrong lines:" \
        "give actions/checkout \`ref: \${{ github.event.pull_request.head.sha }}\`"
    echo "outcome=failed" >> "$GITHUB_OUTPUT"
    exit 2
fi
if [ -n "${BASE:-}" ]; then
    # The diff in a file: the working copy of the tool need not know the base.
    if ! git diff --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ "$BASE...HEAD" > "$report/diff"; then
        echo "::error title=cargo nopol::git cannot compare the pull request with its base, $BASE; its message is above." \
            "If the checkout is shallow, give actions/checkout \`fetch-depth: 0\`"
        echo "outcome=failed" >> "$GITHUB_OUTPUT"
        exit 2
    fi
    args+=(--in-diff "$report/diff")
fi
post=
if [ -n "${BASE:-}" ] && [ -n "${PULL_REQUEST:-}" ]; then
    post=yes
fi

code=0
if [ -n "$post" ]; then
    tool "${args[@]}" --diff-base "$report/diff" --fail-on patched --format github-review --summary "$report/summary" \
        > "$report/review.json" || code=$?
else
    # Annotations are added to it, because GITHUB_ACTIONS is true.
    tool "${args[@]}" --fail-on patched --format human --summary "$report/summary" || code=$?
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$report/summary" ]; then
    cat "$report/summary" >> "$GITHUB_STEP_SUMMARY"
fi
case $code in
    1)
        echo "outcome=patched" >> "$GITHUB_OUTPUT"
        echo "cargo nopol: found a patch; the summary of the job shows all."
        ;;
    # Nothing to suggest is no reason for a review.
    0)
        echo "outcome=no-patch" >> "$GITHUB_OUTPUT"
        echo "::notice title=cargo nopol::No test fails here. If the job's own tests fail, they may need options of" \
            "\`cargo test\` that \`args\` lacks, such as \`--all-features\` or \`--workspace\`."
        exit 0
        ;;
    5)
        echo "outcome=no-patch" >> "$GITHUB_OUTPUT"
        echo "cargo nopol: found no patch to suggest; the summary of the job says why."
        exit 0
        ;;
    *)
        echo "outcome=failed" >> "$GITHUB_OUTPUT"
        echo "::error title=cargo nopol::cargo nopol ended with exit code $code; its message is above."
        exit "$code"
        ;;
esac
[ -n "$post" ] || exit 0

# What is shown if the review cannot be posted: of the search that was just made.
tool explain --quiet "${args[@]}" --format github > "$report/annotations" || true
if [ -n "$token" ]; then
    GITHUB_TOKEN=$token REPORT=$report bash "$(dirname "$0")/post.sh"
else
    echo "review=$report" >> "$GITHUB_OUTPUT"
fi
