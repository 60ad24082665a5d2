/**
 * Opens one pull request for each destination with work, so that each is reviewed and merged alone.
 *
 * Its branch has the destination's claims as they are in the working tree, and the files that all share (tables.json, sources.json,
 * dataset.json), which are the same in every branch and merge with themselves. Without changed claims the commit is empty: the work is to read
 * pages. The text is made of the files CODE.md in the given folders. A destination whose pull request is still open gets the text as a comment,
 * and its claims stay as they are: the next update after the merge takes what is left. One more pull request has the shared files alone, and the
 * whole report.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const USAGE = "node .ci/open-pull-requests.ts DAY REPORT WORK_DIR…"

/** A pull request takes 65,536 characters. */
const MOST_CHARACTERS = 60_000

const run = (program: string, words: readonly string[]): string =>
  execFileSync(program, words, { encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "inherit"] })
const git = (...words: string[]) => run("git", words).trim()

/** The state of the branch's pull request, where there is one. */
function isOpen(branch: string): boolean {
  const states = run("gh", ["pr", "list", "--head", branch, "--state", "open", "--json", "number", "--jq", "length"])
  return Number(states) > 0
}

/** Opens the pull requests, and returns what was done with each. */
export function openPullRequests(day: string, report: string, folders: readonly string[]): readonly string[] {
  const base = git("rev-parse", "HEAD")
  const texts = mkdtempSync(join(tmpdir(), "landfall-pulls-"))
  const body = join(texts, "body.md")
  try {
    git("switch", "--quiet", "--detach")
    git("add", "data")
    git("commit", "--quiet", "--allow-empty", "--message", "data: all changes")
    const all = git("rev-parse", "HEAD")
    const changed = git("diff", "--name-only", base, all, "--", "data").split("\n").filter(Boolean)
    const codeOf = (path: string) => /^data\/claims\/([A-Z]{3})\.json$/.exec(path)?.[1]
    const shared = changed.filter(path => codeOf(path) === undefined)
    const named = folders.flatMap(folder => (existsSync(folder) ? readdirSync(folder) : []))
    const listed = named.flatMap(name => /^([A-Z]{3})\.md$/.exec(name)?.[1] ?? [])
    const codes = [...new Set([...changed.flatMap(path => codeOf(path) ?? []), ...listed])].sort()
    const open = (name: string, text: string, files: readonly string[], subject: string): string => {
      writeFileSync(body, text.slice(0, MOST_CHARACTERS))
      const branch = `data/${name}`
      if (isOpen(branch)) {
        run("gh", ["pr", "comment", branch, "--body-file", body])
        return `${name}: a comment`
      }
      git("switch", "--quiet", "--force-create", branch, base)
      if (files.length > 0) git("checkout", "--quiet", all, "--", ...files)
      git("commit", "--quiet", "--allow-empty", "--message", subject)
      git("push", "--quiet", "--force", "origin", branch)
      run("gh", ["pr", "create", "--title", `${subject}, ${day}`, "--body-file", body, "--head", branch])
      return `${name}: a pull request`
    }
    const of = codes.map(code => {
      const files = folders.map(folder => join(folder, `${code}.md`)).filter(existsSync)
      const text = files.map(file => readFileSync(file, "utf8")).join("\n")
      const claims = `data/claims/${code}.json`
      const isChanged = changed.includes(claims)
      const subject = isChanged ? `data: take what the table says of ${code}` : `data: read the pages of ${code}`
      return open(code, text, isChanged ? [claims, ...shared] : [], subject)
    })
    return [...of, open("update", readFileSync(report, "utf8"), shared, "data: name the copies of the sources")]
  } finally {
    git("switch", "--quiet", "--detach", base)
    rmSync(texts, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [day, report, ...folders] = process.argv.slice(2)
  if (day === undefined || report === undefined || folders.length === 0) {
    console.error(USAGE)
    process.exitCode = 2
  } else for (const line of openPullRequests(day, report, folders)) console.log(line)
}
