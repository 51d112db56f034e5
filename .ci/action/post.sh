#!/bin/bash
# Posts the review that review.sh made. Nothing of the subject runs here.
#
# REPORT: the directory of the review; PULL_REQUEST: the number of the pull request; GITHUB_TOKEN, GITHUB_REPOSITORY,
# GITHUB_API_URL: from GitHub.
set -euo pipefail

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
# The header from standard input: others may read the arguments of a process.
code=$(printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" | curl --silent --show-error --output "$answer" --write-out '%{http_code}' \
    --header @- \
    --header "Accept: application/vnd.github+json" \
    --header "X-GitHub-Api-Version: 2022-11-28" \
    --data "@$REPORT/review.json" \
    "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls/$PULL_REQUEST/reviews")
case $code in
    2??) ;;
    401 | 403)
        echo "::notice title=cargo nopol::The token cannot write reviews (pull-requests: write), so the patches are annotations."
        cat "$REPORT/annotations"
        ;;
    *) echo "GitHub answers $code:"; cat "$answer"; exit 1 ;;
esac
