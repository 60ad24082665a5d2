import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const script = resolve(".ci/open-pull-requests.ts")

let home = ""
let clone = ""
const git = (...words: string[]) => execFileSync("git", ["-C", clone, ...words], { encoding: "utf8" }).trim()
const write = (path: string, text: string) => {
  mkdirSync(join(clone, path, ".."), { recursive: true })
  writeFileSync(join(clone, path), text)
}
/** A client of GitHub that writes down what it is asked; a file says which branches have an open pull request. */
const GH = `#!/bin/sh
printf '%s\\n' "$*" >> "$GH_HOME/asked"
case "$1 $2" in
  "pr list") grep -cx "$4" "$GH_HOME/open" || true ;;
  "pr comment") cat "$5" >> "$GH_HOME/comments" ;;
  "pr create") cat "$6" > "$GH_HOME/$(echo "$8" | tr / -).md" ;;
esac
`

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "landfall-pulls-"))
  clone = join(home, "clone")
  execFileSync("git", ["init", "--quiet", "--bare", join(home, "origin")])
  execFileSync("git", ["init", "--quiet", "--initial-branch", "main", clone])
  git("config", "user.name", "A")
  git("config", "user.email", "a@example.org")
  git("remote", "add", "origin", join(home, "origin"))
  for (const code of ["JPN", "KEN", "USA"]) write(`data/claims/${code}.json`, `{"destination": "${code}"}\n`)
  write("data/tables.json", '["2026-11-01"]\n')
  git("add", "--all")
  git("commit", "--quiet", "--message", "Begin")
  mkdirSync(join(home, "bin"))
  writeFileSync(join(home, "bin/gh"), GH, { mode: 0o755 })
  writeFileSync(join(home, "open"), "")
  // What an update and a watch leave: changed claims of two destinations, and pages of one of them and of a third.
  for (const code of ["JPN", "KEN"]) write(`data/claims/${code}.json`, `{"destination": "${code}", "tables": 1}\n`)
  write("data/tables.json", '["2026-11-01", "2026-12-01"]\n')
  for (const [name, text] of Object.entries({
    "table/JPN.md": "Table of Japan",
    "table/KEN.md": "Table of Kenya",
    "pages/KEN.md": "Pages of Kenya",
    "pages/USA.md": `Pages of the USA${" and more".repeat(10_000)}`,
    "report.md": "Everything",
  })) {
    mkdirSync(join(home, name, ".."), { recursive: true })
    writeFileSync(join(home, name), text)
  }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const open = () =>
  spawnSync(
    process.execPath,
    [script, "2026-12-01", ...["report.md", "pages", "table", "none"].map(name => join(home, name))],
    {
      cwd: clone,
      encoding: "utf8",
      env: { ...process.env, GH_HOME: home, PATH: `${home}/bin:${process.env.PATH}` },
    },
  )
const bodyOf = (branch: string) => readFileSync(join(home, `${branch.replace("/", "-")}.md`), "utf8")
const filesOf = (branch: string) => git("diff", "--name-only", "main", branch).split("\n").filter(Boolean)

describe("the pull requests of an update", () => {
  it("are one for each destination, each with its own claims and what all share", () => {
    const { stdout, stderr, status } = open()
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
    expect(stdout).toBe(["JPN", "KEN", "USA", "update"].map(name => `${name}: a pull request\n`).join(""))
    expect(filesOf("data/JPN")).toEqual(["data/claims/JPN.json", "data/tables.json"])
    expect(filesOf("data/KEN")).toEqual(["data/claims/KEN.json", "data/tables.json"])
    expect(filesOf("data/USA")).toEqual([])
    expect(filesOf("data/update")).toEqual(["data/tables.json"])
    expect(bodyOf("data/KEN")).toBe("Pages of Kenya\nTable of Kenya")
    expect(bodyOf("data/USA")).toHaveLength(60_000)
    expect(bodyOf("data/update")).toBe("Everything")
    expect(readFileSync(join(home, "asked"), "utf8")).toContain(
      "pr create --title data: read the pages of USA, 2026-12-01 --body-file",
    )
    expect(git("ls-remote", "--heads", "origin").split("\n")).toHaveLength(4)
  })

  it("merge in any order, and together are what the update wrote", () => {
    open()
    for (const order of [
      ["JPN", "KEN", "USA", "update"],
      ["update", "USA", "KEN", "JPN"],
    ]) {
      git("switch", "--quiet", "--force-create", "merged", "main")
      for (const name of order) git("merge", "--quiet", "--no-edit", `data/${name}`)
      expect(filesOf("merged")).toEqual(["data/claims/JPN.json", "data/claims/KEN.json", "data/tables.json"])
    }
  })

  it("get what is new as a comment where one is still open, and keep their claims", () => {
    writeFileSync(join(home, "open"), "data/KEN\n")
    expect(open().stdout).toContain("JPN: a pull request\nKEN: a comment\nUSA: a pull request\n")
    expect(readFileSync(join(home, "comments"), "utf8")).toBe("Pages of Kenya\nTable of Kenya")
    expect(git("ls-remote", "--heads", "origin", "data/KEN")).toBe("")
  })
})

describe("the workflows", () => {
  it("name every action by the hash of its commit", () => {
    const uses = [".github/workflows", "examples/github-actions"].flatMap(folder =>
      readdirSync(folder).flatMap(name =>
        [...readFileSync(join(folder, name), "utf8").matchAll(/uses: (.*)/g)].map(([, action]) => action),
      ),
    )
    expect(uses.length).toBeGreaterThanOrEqual(8)
    expect(uses.filter(action => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action!))).toEqual([])
  })
})
