#!/usr/bin/env bash
# Turns the text of an issue (FORM, number ISSUE) into a branch with one claim and a pull request, or answers in the issue what is wrong with it.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
form=$work/issue-$ISSUE.md
printf '%s\n' "$FORM" >"$form"

landfall() {
  npm run --silent landfall -- "$@"
}

explain() {
  echo "## $1"
  echo '```'
  for passport in $passports; do
    landfall explain "$passport" "$destination" || true
  done
  echo '```'
}

if ! landfall data claim "$form" --dry-run --json >"$work/claim.json" 2>"$work/refused"; then
  { echo 'This form cannot become a claim:'; echo '```'; sed "s#$work/##" "$work/refused"; echo '```'; } >"$work/answer.md"
  gh issue comment "$ISSUE" --body-file "$work/answer.md"
  exit 1
fi
# Codes of three letters, which the command has found in the data.
destination=$(jq -r .destination "$work/claim.json")
passports=$(jq -r '.passports[]' "$work/claim.json")

{
  echo "Closes #$ISSUE. Read the page, and compare it with the claim, before this is merged."
  explain Before
  landfall data claim "$form" >&2
  explain After
} >"$work/body.md"

branch=claim/$ISSUE
subject="data: add a claim of $destination from #$ISSUE"
git config user.name "github-actions[bot]"
git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
git switch --quiet --force-create "$branch"
git add data/additions
git commit --quiet --message "$subject"
git push --quiet --force origin "$branch"
gh pr list --head "$branch" --state open --json number --jq length | grep -qx 0 || exit 0
gh pr create --title "$subject" --body-file "$work/body.md" --head "$branch"
