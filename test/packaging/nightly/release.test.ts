import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { embeddedDataset, openDataset } from "../../../src/index.ts"

const { version: present } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string }
const [major = "0"] = present.split(".")
const version = `${Number(major) + 1}.0.0-rc.1`
const people = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
}

let clone = ""
let printed = ""
let rehearsed = ""
let afterRehearsal: readonly string[] = []
const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { cwd: clone, encoding: "utf8", env: { ...process.env, ...people } })
const inClone = (path: string) => readFileSync(join(clone, path))

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "landfall-release-"))
  execFileSync("git", ["clone", "--quiet", ".", clone])
  for (const modules of ["node_modules", "peers/node_modules"]) symlinkSync(resolve(modules), join(clone, modules))
  // The build takes half a minute, and was made before these tests: packing takes it as it is.
  const manifest = JSON.parse(String(inClone("package.json"))) as { scripts: Record<string, string> }
  Object.assign(manifest.scripts, {
    prebuild: "",
    build: `cp -R ${JSON.stringify(resolve("dist"))} dist && node .ci/packaging/write-sbom.ts`,
  })
  writeFileSync(join(clone, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  run("git", "commit", "--all", "--quiet", "--message", "Take the build that is there")
  rehearsed = run("npm", "run", "--silent", "release", "--", version, "--skip-checks", "--dry-run")
  afterRehearsal = [run("git", "status", "--porcelain"), run("git", "tag", "--list", `v${version}`)]
  printed = run("npm", "run", "--silent", "release", "--", version, "--skip-checks")
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

describe("a rehearsal of a candidate", () => {
  it("proves every step, and changes nothing", () => {
    expect(afterRehearsal).toEqual(["", ""])
    expect(rehearsed.split("\n").filter(line => line.startsWith("- "))).toEqual([
      `- CHANGELOG.md has a section for ${version}`,
      "- its entries are the notes",
      "- package.json has the version",
      "- package-lock.json has the version",
      `- v${version} is an annotated tag of the last commit`,
      "- the tree has no other changes",
      "- the package has the version",
      "- it asks for a statement of its provenance",
      expect.stringMatching(/^- its SBOM describes .*, with \d\d parts$/),
      "- landfall.min.js has the hash of integrity.json",
      `- landfall-${version}.tgz has the hash of SHA256SUMS`,
      expect.stringMatching(/^- landfall-dataset-.* has the hash of SHA256SUMS$/),
      `- built from v${version} in another folder, the package has the same bytes`,
      "- npm would publish it, with the tag next",
    ])
  })
})

describe("a release that is not published", () => {
  it("is committed and tagged with its version, and leaves a clean tree", () => {
    expect(printed).toContain(`Committed and tagged v${version}.`)
    expect(printed).toContain("Nothing was published.")
    expect(run("git", "status", "--porcelain")).toBe("")
    expect(run("git", "log", "-1", "--format=%s").trim()).toBe(`Release ${version}`)
    expect(run("git", "describe", "--exact-match").trim()).toBe(`v${version}`)
    for (const file of ["package.json", "package-lock.json"]) {
      expect((JSON.parse(String(inClone(file))) as { version: string }).version, file).toBe(version)
    }
  })

  it("dates what was collected in the changelog, and begins a new section", () => {
    const today = new Date().toISOString().slice(0, 10)
    expect(String(inClone("CHANGELOG.md"))).toMatch(
      new RegExp(
        `^# Changelog\\n\\n[^#]*## Unreleased\\n\\n## ${version.replaceAll(".", "\\.")} \\(${today}\\)\\n\\n\\S`,
      ),
    )
  })

  it("leaves the package, the dataset as a file with its own version, and checksums of both", () => {
    const { version: dataset } = JSON.parse(readFileSync("data/dataset.json", "utf8")) as { version: string }
    const files = [`landfall-${version}.tgz`, `landfall-dataset-${dataset}.landfall`]
    expect(readdirSync(join(clone, "release")).sort()).toEqual([...files, "NOTES.md", "SHA256SUMS"].sort())
    const sums = files.map(
      file =>
        `${createHash("sha256")
          .update(inClone(`release/${file}`))
          .digest("hex")}  ${file}\n`,
    )
    expect(String(inClone("release/SHA256SUMS"))).toBe(sums.join(""))
    const opened = openDataset(inClone(`release/${files[1]}`))
    expect(opened.ok && opened.value.version).toBe(embeddedDataset().version)
    expect(run("tar", "-xzOf", `release/${files[0]}`, "package/package.json")).toContain(`"version": "${version}"`)
  })
})
