/**
 * Makes a release: checks, version, changelog, package, dataset file, checksums, commit and tag, by one command.
 *
 * It checks everything before it changes anything, and restores the changes if a later step fails. It publishes nothing without `--publish`. docs/releases.md has the policy for the
 * number.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { compareWithCommit, writeDataNotes } from "./data-notes.ts"

const USAGE = `npm run release -- VERSION [--dry-run] [--skip-checks] [--publish]

  VERSION        patch, minor, major, or a version such as 1.2.3
  --dry-run      prints what would be done, and changes nothing
  --skip-checks  does not run .ci/run, for a tree on which it has just passed
  --publish      also publishes the package; the hosted workflow does, so that it gets a provenance statement`

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

const readManifest = (): { readonly version: string } => JSON.parse(readFileSync("package.json", "utf8"))

/** The next version. A version that is not above the present one is an error. */
export function nextVersion(present: string, asked: string): string {
  const numbers = (text: string) => text.split(".").map(Number) as [number, number, number]
  const [major, minor, patch] = numbers(present)
  if (asked === "major") return `${major + 1}.0.0`
  if (asked === "minor") return `${major}.${minor + 1}.0`
  if (asked === "patch") return `${major}.${minor}.${patch + 1}`
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(asked)) {
    throw new Refusal(`"${asked}" is not a version: patch, minor, major or three numbers such as 1.2.3 are expected.`)
  }
  const isHigher =
    numbers(asked).reduce((order, number, at) => order || number - ([major, minor, patch][at] ?? 0), 0) > 0
  if (!isHigher) throw new Refusal(`${asked} is not above the present version, ${present}.`)
  return asked
}

/** Puts a version and a day over the entries under "Unreleased", and begins a new, empty section above it. */
export function dateChangelog(
  text: string,
  version: string,
  on: string,
): { readonly changelog: string; readonly notes: string } {
  const heading = /^## Unreleased\n/m.exec(text)
  if (heading === null) throw new Refusal('CHANGELOG.md has no section "## Unreleased".')
  const begin = heading.index + heading[0].length
  const next = text.indexOf("\n## ", begin)
  const notes = text.slice(begin, next === -1 ? undefined : next).trim()
  if (notes === "") throw new Refusal('CHANGELOG.md has no entry under "## Unreleased": there is nothing to release.')
  const changelog = `${text.slice(0, begin)}\n## ${version} (${on})\n\n${notes}\n${next === -1 ? "" : text.slice(next)}`
  return { changelog, notes: `${notes}\n` }
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
  const last = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split("\n")[0]
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

function release(planned: Plan, options: { readonly publish: boolean }): void {
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
  if (options.publish) run("npm", ["publish", join(FOLDER, `landfall-${version}.tgz`)])
  else
    say(
      `Nothing was published. To undo: git tag -d ${tag} && git reset --hard HEAD~1. To continue: git push --follow-tags.`,
    )
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
  if (asked === undefined || rest.length > 0) throw new CallError("One version is expected.")
  process.chdir(git("rev-parse", "--show-toplevel"))
  const planned = plan(asked, new Date().toISOString().slice(0, 10))
  const { version, dataset, notes } = planned
  say(
    `Landfall ${readManifest().version} → ${version}, with dataset ${dataset.version}; ${notes.split("\n- ").length} changes.`,
  )
  if (values["dry-run"]) {
    say(`${values["skip-checks"] ? "Would skip" : "Would run"} .ci/run, set the version, date the changelog, build`)
    say(`${FOLDER}/landfall-${version}.tgz and ${FOLDER}/${dataset.file}, commit, and tag ${planned.tag}.`)
    say(values.publish ? "Would publish the package." : "Would publish nothing.")
    return
  }
  if (values["skip-checks"]) say("The checks are skipped: .ci/run is not run.")
  else run(".ci/run", [])
  release(planned, values)
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
