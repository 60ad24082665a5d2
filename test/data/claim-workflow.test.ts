/** Does the workflow of the label `claim` do what it says, with the text of a stranger? Its steps run here, with a client of GitHub that only writes down. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bundleCli, COMPILED } from "../cli/bundle.ts"
import { writeForm } from "./claim-form.ts"
import { copySmallData } from "./small-data.ts"

const WORKFLOW = readFileSync(".github/workflows/claim.yml", "utf8")
/** The commands of the workflow but for the installation, and the names of the variables that they get. */
const STEPS = [...WORKFLOW.matchAll(/^ {6}- run: (.*)(?:\n {8}env:((?:\n {10}.*)+))?/gm)]
  .map(([, command = "", env = ""]) => ({ command, env: [...env.matchAll(/(\w+):/g)].map(([, name]) => name) }))
  .filter(({ command }) => command !== "npm ci")

/** Writes down what it is asked, and keeps each text; one pull request is open after the first. */
const GH = `#!/bin/sh
printf '%s\\n' "$*" >> "$HERE/asked"
case "$1 $2" in
  "pr list") if [ -e "$HERE/pull.md" ]; then echo 1; else echo 0; fi ;;
  "pr create") cat "$6" > "$HERE/pull.md" ;;
  "issue comment") cat "$5" > "$HERE/answer.md" ;;
esac
`
const write = (changes: Readonly<Record<string, string>> = {}) =>
  writeForm({ answered: "_No response_", words: "Citizens of Brazil need no visa.", ...changes })

let home = ""
let clone = ""
const git = (...words: string[]) => execFileSync("git", ["-C", clone, ...words], { encoding: "utf8" }).trim()
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "landfall-claim-"))
  clone = join(home, "clone")
  for (const name of [".ci", "package.json", ".gitignore"]) cpSync(name, join(clone, name), { recursive: true })
  mkdirSync(join(clone, "adapters/cli"), { recursive: true })
  writeFileSync(join(clone, "adapters/cli/bin.ts"), `import ${JSON.stringify(pathToFileURL(bundleCli()).href)}\n`)
  copySmallData(join(clone, "data"), ["KEN"])
  execFileSync("git", ["init", "--quiet", "--bare", join(home, "origin")])
  execFileSync("git", ["init", "--quiet", "--initial-branch", "main", clone])
  git("config", "user.name", "A")
  git("config", "user.email", "a@example.org")
  git("remote", "add", "origin", join(home, "origin"))
  git("add", "data", "package.json")
  git("commit", "--quiet", "--message", "Begin")
  mkdirSync(join(home, "bin"))
  writeFileSync(join(home, "bin/gh"), GH, { mode: 0o755 })
})
beforeEach(() => {
  for (const name of ["asked", "pull.md", "answer.md"]) rmSync(join(home, name), { force: true })
  git("switch", "--quiet", "--discard-changes", "main")
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the steps as a runner does: the event in a file, and no variables but those that the workflow names. */
const label = (body: string) => {
  const event = join(home, "event.json")
  writeFileSync(event, JSON.stringify({ action: "labeled", label: { name: "claim" }, issue: { number: 7, body } }))
  const path = [join(home, "bin"), dirname(process.execPath), process.env.PATH].join(":")
  const env = { PATH: path, HOME: home, TMPDIR: home, HERE: home, GITHUB_EVENT_PATH: event, ...COMPILED }
  const done = STEPS.map(step =>
    spawnSync("bash", ["-e", "-c", step.command], {
      cwd: clone,
      encoding: "utf8",
      env: { ...env, ...Object.fromEntries(step.env.map(name => [name, "a token"])) },
    }),
  )
  const read = (name: string) => (existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : null)
  return {
    status: done.map(({ status }) => status),
    pull: read("pull.md"),
    answer: read("answer.md"),
    asked: read("asked") ?? "",
  }
}

/** The lines outside of fences: what GitHub shows as text of the project. */
const listShown = (text: string) =>
  text
    .split("\n")
    .filter(
      (_, at, lines) =>
        lines.slice(0, at + 1).filter(line => line.startsWith("```")).length % 2 === 0 && !lines[at]!.startsWith("```"),
    )

describe("the label `claim`", () => {
  const WORDS = "$(touch owned) `touch owned`; touch owned\n```\n@everybody #1 ![](https://evil.example/)\n```\n"
  const HOSTILE = write({ words: WORDS, conditions: WORDS, answered: WORDS })

  it("opens a pull request with one claim, and its pairs before and after, runs nothing that the text has, and shows it in a fence only; once, however often it is given", () => {
    expect(STEPS).toEqual([{ command: ".ci/claim-pull-request.sh", env: ["GH_TOKEN"] }])
    const first = label(HOSTILE)
    expect(first).toMatchObject({ status: [0], answer: null })
    expect(git("diff", "--name-only", "main", "claim/7")).toMatch(/^data\/additions\/KEN-2026-11-28-BRA-\w{8}\.json$/)
    expect(listShown(first.pull!)).toEqual([
      "Closes #7. Read the page, and compare it with the claim, before this is merged.",
      "## Before",
      "## After",
      "",
    ])
    expect(first.pull!.split("## After")).toEqual([
      expect.not.stringContaining("immigration.go.ke/brazil"),
      expect.stringContaining("immigration.go.ke/brazil"),
    ])
    expect(readdirSync(clone)).not.toContain("owned")
    expect(git("show", "--stat", "--format=%s", "claim/7")).toContain("1 file changed")
    expect(first.asked).toContain("pr create --title data: add a claim of KEN from #7 --body-file")
    git("switch", "--quiet", "main")
    expect(label(HOSTILE)).toMatchObject({ status: [0] })
    expect(readFileSync(join(home, "asked"), "utf8").match(/pr create/g)).toHaveLength(1)
    expect(git("ls-remote", "--heads", "origin").split("\n")).toHaveLength(1)
  })

  it.each([
    [
      "commands and fences instead of values",
      write({ passport: WORDS, destination: WORDS, source: WORDS, publisher: WORDS, readOn: WORDS }),
      'issue-7.md:1 Passport: "$(touch" is not a passport of passports.json, such as FRA.',
    ],
    ["the longest text that an issue can have", write({ passport: "🛂".repeat(65_000) }), "issue-7.md:1 Passport: "],
    [
      "very many passports",
      write({ passport: Array.from({ length: 9_000 }, (_, at) => `Q${at}`).join(" ") }),
      'issue-7.md:1 Passport: "Q0" is not a passport',
    ],
  ])("answers in the issue, and changes nothing, for %s", (_, body, message) => {
    const { status, pull, answer, asked } = label(body)
    expect({ status, pull }).toEqual({ status: [1], pull: null })
    expect(answer).toContain(message)
    expect(answer!.length).toBeLessThan(11_000)
    expect(listShown(answer!).join("\n").trim()).toBe("This form cannot become a claim:")
    expect(asked).toMatch(/^issue comment 7 --body-file \S+\n$/)
    expect(git("status", "--porcelain", "data")).toBe("")
    expect(readdirSync(clone)).not.toContain("owned")
  })
})

it("No workflow puts the text of an event into a command", () => {
  const texts = readdirSync(".github/workflows").map(name => readFileSync(join(".github/workflows", name), "utf8"))
  expect(texts.filter(text => /\$\{\{\s*github\.event\.(?!issue\.number|label\.name)/.test(text))).toEqual([])
})
