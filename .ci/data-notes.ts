/** Writes the section of a release's notes about its data: the pairs that differ from the previous release, by destination. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface ShownAnswer {
  readonly requirement: string
  readonly visa_free_days: number | null
}

/** What `landfall diff --json` prints. */
export interface DatasetDifference {
  readonly before: string
  readonly after: string
  readonly changes: readonly {
    readonly passport: string
    readonly destination: string
    readonly severity: "major" | "minor"
    readonly previous: ShownAnswer | null
    readonly current: ShownAnswer | null
  }[]
}

/** How many destinations are listed, and how many pairs of each. */
const MOST_DESTINATIONS = 40
const MOST_PAIRS = 5

const show = (answer: ShownAnswer | null): string =>
  answer === null ? "no record" : [answer.requirement, answer.visa_free_days].filter(word => word !== null).join(" ")

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? "" : "s"}`

/** Writes the section; destinations with the most changes come first. */
export function writeDataNotes({ before, after, changes }: DatasetDifference): string {
  const heading = `### Data\nThe dataset is ${after}; it was ${before}.`
  if (changes.length === 0) return `${heading} No pair differs.\n`
  const major = changes.filter(({ severity }) => severity === "major").length
  const groups = [...Map.groupBy(changes, ({ destination }) => destination)].sort(
    ([one, first], [other, second]) => second.length - first.length || (one < other ? -1 : 1),
  )
  const lines = groups.slice(0, MOST_DESTINATIONS).map(([destination, of]) => {
    const pairs = of
      .slice(0, MOST_PAIRS)
      .map(({ passport, previous, current }) => `${passport} ${show(previous)} → ${show(current)}`)
    const rest = of.length > MOST_PAIRS ? `; and ${of.length - MOST_PAIRS} more` : ""
    return `- ${destination}, ${count(of.length, "passport")}: ${pairs.join("; ")}${rest}\n`
  })
  const rest =
    groups.length > MOST_DESTINATIONS ? `- and ${count(groups.length - MOST_DESTINATIONS, "more destination")}\n` : ""
  return `${heading} ${count(changes.length, "pair")} changed, ${major} of them in the requirement or to fewer days.\n\n${lines.join("")}${rest}`
}

/** Compares a dataset file with the facts of a commit, by the built command line. */
export function compareWithCommit(commit: string, file: string): DatasetDifference {
  const folder = mkdtempSync(join(tmpdir(), "landfall-notes-"))
  const landfall = (...words: readonly string[]) =>
    execFileSync(process.execPath, ["dist/cli.js", ...words], { encoding: "utf8", maxBuffer: 1e9 })
  try {
    execFileSync("git", ["archive", "-o", join(folder, "data.tar"), commit, "data"])
    execFileSync("tar", ["-xf", join(folder, "data.tar"), "-C", folder])
    const older = join(folder, "older.landfall")
    landfall("dataset", "build", "--data", join(folder, "data"), "--pairs-only", "-o", older)
    return JSON.parse(landfall("diff", older, file, "--json"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
