import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { writeDataNotes } from "../../.ci/data-notes.ts"
import { dateChangelog, nextVersion, tagOf } from "../../.ci/release.ts"

const script = resolve(".ci/release.ts")
const present = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version

let clone = ""
const git = (...words: string[]) => execFileSync("git", words, { cwd: clone, encoding: "utf8" }).trim()
const release = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { cwd: clone, encoding: "utf8" })
  return { status, stdout, stderr }
}
const changelog = (text: string) => {
  writeFileSync(join(clone, "CHANGELOG.md"), text)
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--all", "--quiet", "--message", "Change")
}

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "landfall-release-"))
  // What a release reads, without the rest of the files.
  execFileSync("git", ["clone", "--quiet", "--sparse", ".", clone])
  git("sparse-checkout", "set", ".ci", "data/zones")
  changelog("# Changelog\n\n## Unreleased\n\n- One thing.\n- Another.\n")
  git("branch", "begin")
})
beforeEach(() => git("reset", "--hard", "--quiet", "begin"))
afterAll(() => rmSync(clone, { recursive: true, force: true }))

describe("the next version", () => {
  it.each([
    ["1.2.3", "patch", "1.2.4"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3", "major", "2.0.0"],
    ["1.2.3", "1.10.0", "1.10.0"],
    ["0.9.0", "0.10.0", "0.10.0"],
    ["0.1.0", "1.0.0-rc.1", "1.0.0-rc.1"],
    ["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0-rc.2"],
    ["1.0.0-rc.9", "1.0.0-rc.10", "1.0.0-rc.10"],
    ["1.0.0-rc.2", "1.0.0", "1.0.0"],
    ["1.0.0-rc.2", "major", "1.0.0"],
    ["1.2.0-rc.1", "minor", "1.2.0"],
    ["1.2.3-rc.1", "patch", "1.2.3"],
    ["1.2.3-rc.1", "minor", "1.3.0"],
  ])("after %s is by %s %s", (before, asked, version) => {
    expect(nextVersion(before, asked)).toBe(version)
  })

  it.each(["next", "1.2", "01.2.3", "1.2.3-beta", "1.2.3-rc.0", "v1.2.3", ""])("is not %j", asked => {
    expect(() => nextVersion("0.0.1", asked)).toThrow(
      `"${asked}" is not a version: patch, minor, major or one such as 1.2.3 or 1.2.3-rc.1 is expected.`,
    )
  })

  it.each(["1.2.3", "1.2.2", "1.1.9", "0.9.9", "1.2.3-rc.1"])("is above 1.2.3, not %s", asked => {
    expect(() => nextVersion("1.2.3", asked)).toThrow(`${asked} is not above the present version, 1.2.3.`)
  })
})

describe("the tag of a version in a registry", () => {
  it("is next for a candidate, and latest otherwise", () => {
    expect(["1.0.0-rc.1", "1.0.0"].map(tagOf)).toEqual(["next", "latest"])
  })
})

describe("the changelog of a release", () => {
  it("has under a version what its candidates had", () => {
    const begun = "# Changelog\n\n## Unreleased\n\n- One.\n\n## 0.1.0 (2026-01-01)\n\n- Zero.\n"
    const { changelog: candidate } = dateChangelog(begun, "1.0.0-rc.1", "2026-12-01")
    expect(candidate).toBe(
      "# Changelog\n\n## Unreleased\n\n## 1.0.0-rc.1 (2026-12-01)\n\n- One.\n\n## 0.1.0 (2026-01-01)\n\n- Zero.\n",
    )
    expect(dateChangelog(candidate, "1.0.0", "2026-12-24")).toEqual({
      changelog:
        "# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-12-24)\n\n- One.\n\n## 0.1.0 (2026-01-01)\n\n- Zero.\n",
      notes: "- One.\n",
    })
  })

  it("moves the unreleased entries under the version and its day, below a new empty section", () => {
    const text = "# Changelog\n\n## Unreleased\n\n### Engine\n- One.\n\n## 1.0.0 (2026-01-01)\n\n- Zero.\n"
    expect(dateChangelog(text, "1.1.0", "2026-12-24")).toEqual({
      changelog:
        "# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-12-24)\n\n### Engine\n- One.\n\n## 1.0.0 (2026-01-01)\n\n- Zero.\n",
      notes: "### Engine\n- One.\n",
    })
  })

  it("refuses a release without entries", () => {
    const released = "# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- One thing.\n"
    expect(() => dateChangelog(released, "0.2.0", "2026-12-24")).toThrow(
      'CHANGELOG.md has no entry under "## Unreleased": there is nothing to release.',
    )
    expect(() => dateChangelog("# Changelog\n", "0.2.0", "2026-12-24")).toThrow(
      'CHANGELOG.md has no section "## Unreleased".',
    )
  })
})

describe("npm run release", () => {
  it("refuses a tree with changes, and names them", () => {
    appendFileSync(join(clone, "LICENSE"), "\n")
    expect(release("patch", "--dry-run")).toEqual({
      status: 1,
      stdout: "",
      stderr: "The working tree has changes that are not committed:\n M LICENSE\n",
    })
  })

  it("refuses a version that is tagged already", () => {
    git("tag", "v900.0.0")
    const { status, stderr } = release("900.0.0")
    expect([status, stderr]).toEqual([1, "The tag v900.0.0 exists already.\n"])
  })

  it.each(["run", "nightly"])("exits with 1 and changes nothing if a check of .ci/%s fails", failing => {
    for (const name of ["run", "nightly"]) {
      const end = name === failing ? "echo 'A test fails.'\nexit 3" : "exit 0"
      writeFileSync(join(clone, ".ci", name), `#!/bin/sh\n${end}\n`)
    }
    changelog("# Changelog\n\n## Unreleased\n\n- One thing.\n")
    const before = git("rev-parse", "HEAD")
    const { status, stdout, stderr } = release("patch")
    expect(status).toBe(1)
    expect(stdout).toContain("A test fails.\n")
    expect(stderr).toContain(`Command failed: .ci/${failing}`)
    expect([git("status", "--porcelain"), git("rev-parse", "HEAD")]).toEqual(["", before])
  })

  it("restores version and changelog if the package cannot be built", () => {
    const { status, stdout } = release("patch", "--skip-checks")
    expect(status).toBe(1)
    expect(stdout).toContain("The checks are skipped: .ci/run and .ci/nightly are not run.\n")
    expect(stdout).toContain("Nothing was released: version and changelog are as they were.\n")
    expect(git("status", "--porcelain")).toBe("")
  })

  it("publishes only from a tag of the version", () => {
    const { status, stderr } = release("--publish", "--dry-run")
    expect(status).toBe(1)
    expect(stderr).toContain(`What is checked out is not the tag v${present}`)
  })

  it("exits with 2 and prints its usage for wrong arguments", () => {
    expect(release("patch", "--publish")).toMatchObject({ status: 2, stdout: "" })
    const { status, stderr } = release("patch", "--force")
    expect(status).toBe(2)
    expect(stderr).toContain("Unknown option '--force'")
    expect(stderr).toContain("npm run release -- VERSION")
  })
})

describe("the notes on the data of a release", () => {
  const change = (passport: string, destination: string) => ({
    passport,
    destination,
    severity: "major" as const,
    previous: { requirement: "visa_free", visa_free_days: 45 },
    current: null,
  })

  it("list the changed pairs by destination, most first, and count the rest", () => {
    const passports = ["AUT", "BEL", "DEU", "FRA", "ITA", "POL"]
    const changes = [change("FRA", "JPN"), ...passports.map(passport => change(passport, "VNM"))]
    expect(writeDataNotes({ before: "1", after: "2", changes })).toBe(
      `### Data
The dataset is 2; it was 1. 7 pairs changed, 7 of them in the requirement or to fewer days.

- VNM, 6 passports: ${passports
        .slice(0, 5)
        .map(passport => `${passport} visa_free 45 → no record`)
        .join("; ")}; and 1 more
- JPN, 1 passport: FRA visa_free 45 → no record
`,
    )
  })

  it("say that no pair differs", () => {
    expect(writeDataNotes({ before: "1", after: "2", changes: [] })).toBe(
      "### Data\nThe dataset is 2; it was 1. No pair differs.\n",
    )
  })
})
