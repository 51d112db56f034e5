#!/bin/bash
# Repairs the crate in the current directory and posts the patches as a review of the pull request. Read by
# action.yml; everything comes in variables, so that no name of a branch is read as a command.
#
# BASE: commit that the pull request is to be merged into; PULL_REQUEST: its number; NOPOL_ARGS: more options;
# GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_STEP_SUMMARY, GITHUB_OUTPUT: from GitHub.
set -euo pipefail

report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
read -r -a more <<< "${NOPOL_ARGS:-}"

# The diff in a file: the working copy of the tool need not know the base.
git diff --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ "$BASE...HEAD" > "$report/diff"

code=0
cargo nopol "${more[@]}" --fail-on patched --in-diff "$report/diff" --diff-base "$report/diff" \
    --format github-review --summary "$GITHUB_STEP_SUMMARY" > "$report/review.json" || code=$?
case $code in
    1) echo "outcome=patched" >> "$GITHUB_OUTPUT" ;;
    # Nothing to suggest is no reason for a review.
    0 | 5) echo "outcome=no-patch" >> "$GITHUB_OUTPUT"; exit 0 ;;
    *) echo "outcome=failed" >> "$GITHUB_OUTPUT"; exit "$code" ;;
esac
curl --silent --show-error --fail-with-body --output "$report/answer" \
    --header "Authorization: Bearer $GITHUB_TOKEN" \
    --header "Accept: application/vnd.github+json" \
    --header "X-GitHub-Api-Version: 2022-11-28" \
    --data "@$report/review.json" \
    "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls/$PULL_REQUEST/reviews" || { cat "$report/answer"; exit 1; }
