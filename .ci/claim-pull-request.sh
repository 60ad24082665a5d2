#!/usr/bin/env bash
# Turns the text of an issue into a branch with one claim and a pull request, or answers in the issue what is wrong with it. The issue is read
# from the file of the event: a variable of the environment has at most 128 KB.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
issue=$(jq .issue.number "$GITHUB_EVENT_PATH")
form=$work/issue-$issue.md
jq -r '.issue.body // ""' "$GITHUB_EVENT_PATH" >"$form"

landfall() {
  node adapters/cli/bin.ts "$@"
}

explain() {
  echo "## $1"
  echo '```'
  for passport in $passports; do
    landfall explain "$passport" "$destination" || true
  done
  echo '```'
}

if ! landfall data claim "$form" --dry-run --json >"$work/claim.json"; then
  {
    printf 'This form cannot become a claim:\n```\n'
    jq -r --arg work "$work/" '.error.message | split($work) | join("") | .[:10000]' "$work/claim.json"
    echo '```'
  } >"$work/answer.md"
  gh issue comment "$issue" --body-file "$work/answer.md"
  exit 1
fi
# Codes of three letters, which the command has found in the data.
destination=$(jq -r .destination "$work/claim.json")
passports=$(jq -r '.passports[]' "$work/claim.json")

{
  echo "Closes #$issue. Read the page, and compare it with the claim, before this is merged."
  explain Before
  landfall data claim "$form" >&2
  explain After
} >"$work/body.md"
truncate --size '<60000' "$work/body.md"

branch=claim/$issue
subject="data: add a claim of $destination from #$issue"
git config user.name "github-actions[bot]"
git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
git switch --quiet --force-create "$branch"
git add data/additions
git commit --quiet --message "$subject"
git push --quiet --force origin "$branch"
gh pr list --head "$branch" --state open --json number --jq length | grep -qx 0 || exit 0
gh pr create --title "$subject" --body-file "$work/body.md" --head "$branch"
