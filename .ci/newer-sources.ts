/**
 * Fetches newer copies of the sources, in the folders that `landfall data update` reads.
 *
 * Each source is a git repository.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const USAGE = `node .ci/newer-sources.ts DIR [--tables URL] [--second-source URL]`

const TABLE = "passport-index-tidy-iso3.csv"
/** The same pairs, with days for every answer. */
const TABLE_WITH_DAYS = "passport-index.json"
const MONTHS = "January February March April May June July August September October November December".split(" ")

const git = (repository: string, ...words: string[]) =>
  execFileSync("git", ["-C", repository, ...words], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "inherit"],
  })

/** The day of the table, from the publication's own page: "Last updated: **17 February 2026**." */
export function readTableDay(readme: string): string {
  const [, day = "", month = "", year = ""] = /Last updated: \**(\d{1,2}) ([A-Z][a-z]+) (\d{4})/.exec(readme) ?? []
  const number = MONTHS.indexOf(month) + 1
  if (number === 0) throw new Error("The README of the tables names no day (Last updated: 17 February 2026).")
  return `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`
}

/** Writes the table of all pairs with days as the import reads it. Codes that are not alpha-3 are kept, so that the import reports them. */
export function writeTable(json: string, alpha3Of: ReadonlyMap<string, string>): string {
  const table = JSON.parse(json) as Record<string, Record<string, { status: string; days?: number }>>
  const nameOf = (code: string) => alpha3Of.get(code.toUpperCase()) ?? code
  const rows = Object.entries(table).flatMap(([passport, answers]) =>
    Object.entries(answers)
      .filter(([destination]) => destination !== passport)
      .map(([destination, { status, days = "" }]) => [nameOf(passport), nameOf(destination), status, days].join()),
  )
  return ["passport,destination,status,days", ...rows, ""].join("\n")
}

const OPTIONS = {
  tables: { type: "string", default: "https://github.com/imorte/passport-index-data" },
  "second-source": { type: "string", default: "https://github.com/travel-requirements/entry-requirements" },
} as const

/** The place of each source. */
interface Places extends Record<keyof typeof OPTIONS, string> {}

/** Fetches every source into a folder. */
export function fetchSources(folder: string, places: Places): void {
  const clones = mkdtempSync(join(tmpdir(), "landfall-sources-"))
  try {
    const clone = (name: keyof Places, ...more: string[]) => {
      const place = join(clones, name)
      execFileSync("git", ["clone", "--quiet", ...more, places[name], place], {
        stdio: ["ignore", "inherit", "inherit"],
      })
      return place
    }
    const make = (name: string) => {
      const place = join(folder, name)
      mkdirSync(place, { recursive: true })
      return place
    }
    const [table, rows] = [make("table"), make("second-source")]
    const tables = clone("tables")
    const on = readTableDay(git(tables, "show", `HEAD:README.md`))
    const commit = git(tables, "log", "-1", "--format=%h", "--abbrev=7", "--", TABLE).trim()
    const countries: { alpha2: string; code: string }[] = JSON.parse(readFileSync("data/countries.json", "utf8"))
    const alpha3Of = new Map(countries.map(({ alpha2, code }) => [alpha2, code]))
    writeFileSync(
      join(table, `${on}.${commit}.csv`),
      writeTable(git(tables, "show", `HEAD:${TABLE_WITH_DAYS}`), alpha3Of),
    )
    cpSync(join(clone("second-source", "--depth", "1"), "destinations"), rows, { recursive: true })
  } finally {
    rmSync(clones, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS })
  const [folder] = positionals
  if (folder === undefined) {
    console.error(USAGE)
    process.exitCode = 2
  } else fetchSources(folder, values)
}
