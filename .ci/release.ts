/**
 * Makes a release: checks, version, changelog, package, dataset file, checksums, commit and tag, by one command.
 *
 * It checks everything before it changes anything, and restores the changes if a later step fails. It publishes nothing: `--publish` does, from the pushed tag. docs/releases.md has the
 * policy for the number.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { compareWithCommit, writeDataNotes } from "./data-notes.ts"

const USAGE = `npm run release -- VERSION [--dry-run] [--skip-checks]
npm run release -- --publish [--dry-run]

  VERSION        patch, minor, major, or a version such as 1.2.3 or 1.2.3-rc.1
  --dry-run      makes everything in a clone of its own, checks it, and says what each step would do; the checks install and build here, nothing else changes
  --skip-checks  does not run .ci/run and .ci/nightly, for a tree on which they have just passed
  --publish      publishes the package of the tag that is checked out, which a release has pushed before; the hosted workflow does, so that it gets a provenance statement`

/**
 * Where the name of the package is ours: `npm` after the first `npm publish`. Documents, examples and the page may tell readers to fetch the package by its name from these places only:
 * whoever registers a name first runs code on the machines of those who read it here (test/docs/fetched-names.test.ts).
 */
export const OURS: readonly ("npm" | "github")[] = []

/** Where the package, the dataset file, their checksums and the notes are put; not committed. */
const FOLDER = "release"
const CHANGED = ["package.json", "package-lock.json", "CHANGELOG.md"]

/** Why there is no release. */
class Refusal extends Error {}

/** The command was called wrongly. */
class CallError extends Error {}

/** What is about to be released. */
interface Plan {
  readonly version: string
  readonly tag: string
  readonly changelog: string
  readonly notes: string
  readonly dataset: { readonly version: string; readonly file: string }
}

const say = (line: string) => console.log(line)

const run = (command: string, words: readonly string[], stdio: "inherit" | "pipe" = "inherit"): string =>
  String(execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", stdio, "inherit"] }) ?? "")

const git = (...words: string[]) => run("git", words, "pipe").trimEnd()

interface Manifest {
  readonly version: string
  readonly publishConfig?: { readonly provenance?: boolean }
}

interface Sbom {
  readonly metadata: { readonly component: { readonly version: string } }
  readonly components: readonly unknown[]
}

const readManifest = (): Manifest => JSON.parse(readFileSync("package.json", "utf8"))

/** A version, or a candidate for one: `1.2.3-rc.1`. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-rc\.([1-9]\d*))?$/

/** The numbers of a version in the order in which versions are compared: a candidate is below what it is a candidate for. */
function readVersion(text: string): readonly number[] | null {
  const [found, ...numbers] = VERSION.exec(text) ?? []
  return found === undefined ? null : numbers.map(number => (number === undefined ? Infinity : Number(number)))
}

/** The next version. A version that is not above the present one is an error. */
export function nextVersion(present: string, asked: string): string {
  const [major = 0, minor = 0, patch = 0, candidate = Infinity] = readVersion(present) ?? []
  // A candidate of a patch becomes that patch, as npm's own command has it.
  const isCandidate = candidate !== Infinity
  if (asked === "major") return `${isCandidate && minor === 0 && patch === 0 ? major : major + 1}.0.0`
  if (asked === "minor") return `${major}.${isCandidate && patch === 0 ? minor : minor + 1}.0`
  if (asked === "patch") return `${major}.${minor}.${isCandidate ? patch : patch + 1}`
  const numbers = readVersion(asked)
  if (numbers === null) {
    throw new Refusal(
      `"${asked}" is not a version: patch, minor, major or one such as 1.2.3 or 1.2.3-rc.1 is expected.`,
    )
  }
  const before = [major, minor, patch, candidate]
  const differing = numbers.findIndex((number, at) => number !== before[at])
  if (differing === -1 || (numbers[differing] ?? 0) < (before[differing] ?? 0)) {
    throw new Refusal(`${asked} is not above the present version, ${present}.`)
  }
  return asked
}

/** The name under which a registry offers a version: people who name none get no candidate. */
export const tagOf = (version: string): "latest" | "next" => (version.includes("-") ? "next" : "latest")

/** Puts a version and a day over the entries under "Unreleased" and those of its candidates, and begins a new, empty section above it. */
export function dateChangelog(
  text: string,
  version: string,
  on: string,
): { readonly changelog: string; readonly notes: string } {
  const [opening = "", ...sections] = text.split(/^## /m)
  const [unreleased = "", ...released] = sections
  if (!unreleased.startsWith("Unreleased\n")) throw new Refusal('CHANGELOG.md has no section "## Unreleased".')
  const isCandidate = (section: string) => section.startsWith(`${version}-rc.`)
  const entries = [unreleased, ...released.filter(isCandidate)].map(section => section.replace(/^.*\n/, "").trim())
  const notes = entries.filter(each => each !== "").join("\n\n")
  if (notes === "") throw new Refusal('CHANGELOG.md has no entry under "## Unreleased": there is nothing to release.')
  const dated = ["Unreleased\n\n", `${version} (${on})\n\n${notes}\n`]
  const older = released.filter(section => !isCandidate(section))
  return {
    changelog: `${[opening, ...dated].join("## ")}${older.map(section => `\n## ${section.trimEnd()}\n`).join("")}`,
    notes: `${notes}\n`,
  }
}

function plan(asked: string, on: string): Plan {
  const changes = git("status", "--porcelain")
  if (changes !== "") throw new Refusal(`The working tree has changes that are not committed:\n${changes}`)
  const version = nextVersion(readManifest().version, asked)
  const tag = `v${version}`
  if (git("tag", "--list", tag) !== "") throw new Refusal(`The tag ${tag} exists already.`)
  const { version: datasetVersion } = JSON.parse(readFileSync("data/dataset.json", "utf8")) as { version: string }
  return {
    version,
    tag,
    ...dateChangelog(readFileSync("CHANGELOG.md", "utf8"), version, on),
    dataset: { version: datasetVersion, file: `landfall-dataset-${datasetVersion}.landfall` },
  }
}

/** The notes about the data: the difference to the last release. The first release has none. */
function noteData(file: string): string {
  const last = git(
    "-c",
    "versionsort.suffix=-rc",
    "tag",
    "--list",
    "v*",
    "--merged",
    "HEAD",
    "--sort=-version:refname",
  ).split("\n")[0]
  return last ? `\n${writeDataNotes(compareWithCommit(last, file))}` : ""
}

/** Builds the files of a release; returns their names. */
function makeFiles({ version, notes, dataset }: Plan): readonly string[] {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  // Packing builds first, by the script `prepack`.
  run("npm", ["pack", "--silent", "--pack-destination", FOLDER])
  run(process.execPath, ["dist/cli.js", "dataset", "build", "-o", join(FOLDER, dataset.file)])
  run(process.execPath, ["dist/cli.js", "dataset", "verify", join(FOLDER, dataset.file)])
  const files = [`landfall-${version}.tgz`, dataset.file]
  const sums = files.map(file => {
    const digest = createHash("sha256")
      .update(readFileSync(join(FOLDER, file)))
      .digest("hex")
    return `${digest}  ${file}\n`
  })
  writeFileSync(join(FOLDER, "SHA256SUMS"), sums.join(""))
  writeFileSync(join(FOLDER, "NOTES.md"), `${notes}${noteData(join(FOLDER, dataset.file))}`)
  return [...files, "SHA256SUMS"]
}

function release(planned: Plan): void {
  const { version, tag, changelog } = planned
  let files: readonly string[]
  try {
    run("npm", ["version", version, "--no-git-tag-version", "--ignore-scripts", "--silent"], "pipe")
    writeFileSync("CHANGELOG.md", changelog)
    files = makeFiles(planned)
    git("add", ...CHANGED)
    git("commit", "--quiet", "--message", `Release ${version}`)
  } catch (cause) {
    git("restore", "--staged", "--worktree", ...CHANGED)
    say("Nothing was released: version and changelog are as they were.")
    throw cause
  }
  git("tag", "--annotate", tag, "--message", `Landfall ${version}`)
  say(`Committed and tagged ${tag}. In ${FOLDER}/: ${files.join(", ")}.`)
  say(
    `Nothing was published. To undo: git tag -d ${tag} && git reset --hard HEAD~1. To continue: git push --follow-tags.`,
  )
}

/** Publishes the package of the tag that is checked out, built from it. */
function publish(isDryRun: boolean): void {
  const { version } = readManifest()
  if (git("status", "--porcelain") !== "") throw new Refusal("The working tree has changes that are not committed.")
  if (!git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)) {
    throw new Refusal(
      `What is checked out is not the tag v${version}: a release is tagged first, and published from its tag.`,
    )
  }
  const file = join(FOLDER, `landfall-${version}.tgz`)
  const released = existsSync(file) ? readFileSync(file) : null
  mkdirSync(FOLDER, { recursive: true })
  run("npm", ["pack", "--silent", "--pack-destination", FOLDER])
  if (released?.equals(readFileSync(file)) === false) {
    throw new Refusal(`Built again, ${file} has other bytes than the release, whose hash is in SHA256SUMS.`)
  }
  // Without the dot npm takes a folder and a name for a repository on GitHub.
  run(
    "npm",
    ["publish", `./${file}`, "--tag", tagOf(version), ...(isDryRun ? ["--dry-run"] : [])],
    isDryRun ? "pipe" : "inherit",
  )
}

/** Reads a file of a tarball. */
const readPacked = (tarball: string, path: string): Buffer =>
  execFileSync("tar", ["-xzOf", tarball, `package/${path}`], { maxBuffer: 2 ** 26 })

const hash = (algorithm: "sha256" | "sha384", bytes: Uint8Array) => createHash(algorithm).update(bytes)

/** What has to be so after a release, each with a sentence that says it. Runs where the release was made. */
function* proveSteps({ version, tag, notes }: Plan): Generator<readonly [claim: string, holds: boolean]> {
  const tarball = join(FOLDER, `landfall-${version}.tgz`)
  const packed = JSON.parse(String(readPacked(tarball, "package.json"))) as Manifest
  const sbom = JSON.parse(String(readPacked(tarball, "dist/sbom.cdx.json"))) as Sbom
  const integrity = JSON.parse(String(readPacked(tarball, "dist/integrity.json"))) as Readonly<Record<string, string>>
  const shown = (path: string) => git("show", `${tag}:${path}`)
  yield [`CHANGELOG.md has a section for ${version}`, shown("CHANGELOG.md").includes(`## ${version} (`)]
  yield ["its entries are the notes", readFileSync(join(FOLDER, "NOTES.md"), "utf8").startsWith(notes)]
  for (const path of ["package.json", "package-lock.json"]) {
    yield [`${path} has the version`, (JSON.parse(shown(path)) as Manifest).version === version]
  }
  yield [`${tag} is an annotated tag of the last commit`, git("cat-file", "-t", tag) === "tag"]
  yield ["the tree has no other changes", git("status", "--porcelain") === ""]
  yield ["the package has the version", packed.version === version]
  yield ["it asks for a statement of its provenance", packed.publishConfig?.provenance === true]
  yield [
    `its SBOM describes ${version}, with ${sbom.components.length} parts`,
    sbom.metadata.component.version === version,
  ]
  for (const [path, expected] of Object.entries(integrity)) {
    const found = `sha384-${hash("sha384", readPacked(tarball, `dist/${path}`)).digest("base64")}`
    yield [`${path} has the hash of integrity.json`, found === expected]
  }
  for (const line of readFileSync(join(FOLDER, "SHA256SUMS"), "utf8").trim().split("\n")) {
    const [sum, file = ""] = line.split("  ")
    yield [`${file} has the hash of SHA256SUMS`, hash("sha256", readFileSync(join(FOLDER, file))).digest("hex") === sum]
  }
}

/** Makes a clone that has the installed packages of this one, and goes there. */
function enterClone(from: string, folder: string, ...words: readonly string[]): void {
  git("-c", "advice.detachedHead=false", "clone", "--quiet", ...words, from, folder)
  for (const modules of ["node_modules", "peers/node_modules"]) {
    if (existsSync(join(from, modules))) symlinkSync(realpathSync(join(from, modules)), join(folder, modules))
  }
  process.chdir(folder)
}

/** Makes the release in a clone of its own, proves each step, builds it again elsewhere, and removes both. */
function rehearse(asked: string, planned: Plan): void {
  const { version, tag } = planned
  const folder = mkdtempSync(join(tmpdir(), "landfall-rehearsal-"))
  const [clone, again] = [join(folder, "release"), join(folder, "built/again")]
  const here = process.cwd()
  const umask = process.umask()
  try {
    enterClone(here, clone)
    for (const name of ["user.name", "user.email"]) git("config", name, "release@localhost")
    if (!existsSync("node_modules")) run("npm", ["ci"])
    run(process.execPath, [join(".ci", "release.ts"), asked, "--skip-checks"], "pipe")
    for (const [claim, holds] of proveSteps(planned)) {
      if (!holds) throw new Refusal(`This does not hold: ${claim}.`)
      say(`- ${claim}`)
    }
    // As on another machine: the command refuses a package with other bytes.
    process.umask(0o077)
    enterClone(clone, again, "--branch", tag)
    cpSync(join(clone, FOLDER), FOLDER, { recursive: true })
    run(process.execPath, [join(".ci", "release.ts"), "--publish", "--dry-run"], "pipe")
    say(`- built from ${tag} in another folder, the package has the same bytes`)
    say(`- npm would publish it, with the tag ${tagOf(version)}`)
  } finally {
    process.chdir(here)
    process.umask(umask)
    rmSync(folder, { recursive: true, force: true })
  }
}

function readCall() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        "dry-run": { type: "boolean", default: false },
        "skip-checks": { type: "boolean", default: false },
        publish: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    })
  } catch (cause) {
    throw new CallError(cause instanceof Error ? cause.message : String(cause))
  }
}

function main(): void {
  const { values, positionals } = readCall()
  if (values.help) {
    say(USAGE)
    return
  }
  const [asked, ...rest] = positionals
  if (rest.length > 0 || (asked === undefined) !== values.publish) {
    throw new CallError("One version is expected, or --publish.")
  }
  process.chdir(git("rev-parse", "--show-toplevel"))
  if (asked === undefined) {
    publish(values["dry-run"])
    return
  }
  const planned = plan(asked, new Date().toISOString().slice(0, 10))
  const { version, dataset, notes } = planned
  say(
    `Landfall ${readManifest().version} → ${version}, with dataset ${dataset.version}; ${notes.split("\n- ").length} changes.`,
  )
  if (values["skip-checks"]) say("The checks are skipped: .ci/run and .ci/nightly are not run.")
  else for (const checks of [".ci/run", ".ci/nightly"]) run(checks, [])
  if (values["dry-run"]) {
    rehearse(asked, planned)
    say("Nothing was changed, and nothing was published.")
  } else release(planned)
}

if (import.meta.main) {
  try {
    main()
  } catch (cause) {
    const isCall = cause instanceof CallError
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n${isCall ? `\n${USAGE}\n` : ""}`)
    process.exitCode = isCall ? 2 : 1
  }
}
