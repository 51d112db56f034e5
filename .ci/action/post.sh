#!/bin/bash
# Posts the review that review.sh made. Nothing of the subject runs here.
#
# REPORT: the directory of the review; PULL_REQUEST: the number of the pull request; GITHUB_TOKEN, GITHUB_REPOSITORY,
# GITHUB_API_URL: from GitHub.
set -euo pipefail

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
reviews="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls/$PULL_REQUEST/reviews"
# Prints the status of the answer.
ask() {
    # The header from standard input: others may read the arguments of a process.
    printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" | curl --silent --show-error --output "$answer" --write-out '%{http_code}' \
        --header @- \
        --header "Accept: application/vnd.github+json" \
        --header "X-GitHub-Api-Version: 2022-11-28" \
        "$@"
}

# The mark at the end of the review's text. If the job ran before on this commit, or runs in a matrix, the review may be there.
# Without its brackets, which JSON may escape.
mark=$(grep -o 'cargo-nopol [0-9a-f]* -->' "$REPORT/review.json" | tail -n 1)
mark=${mark% -->}
for page in 1 2 3 4 5; do
    code=$(ask "$reviews?per_page=100&page=$page")
    case $code in
        2??) ;;
        *) break ;;
    esac
    if grep -qF -- "$mark" "$answer"; then
        echo "cargo nopol: the pull request has this review already."
        exit 0
    fi
    grep -q '"id"' "$answer" || break
done

code=$(ask --data "@$REPORT/review.json" "$reviews")
case $code in
    2??)
        url=$(grep -o '"html_url": *"[^"]*#pullrequestreview-[^"]*"' "$answer" | head -n 1 | cut -d '"' -f 4)
        echo "cargo nopol: posted a review${url:+: $url}"
        ;;
    401 | 403)
        echo "::notice title=cargo nopol::The token cannot write reviews (pull-requests: write), so the patches are annotations."
        cat "$REPORT/annotations"
        ;;
    *)
        echo "::error title=cargo nopol::GitHub refused the review with status $code; its answer is below, and the patches are annotations."
        cat "$answer"
        echo
        cat "$REPORT/annotations"
        exit 1
        ;;
esac
