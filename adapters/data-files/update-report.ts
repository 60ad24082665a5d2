/** How is an update of the data shown to a reviewer? As Markdown: what changed, what contradicts a claim, what ended, and what is due for a look. */
import { AHEAD_DAYS, type Asked } from "./freshness.ts"
import { type ComparedRow, type DataUpdate, isSame, type TableChange } from "./update.ts"

/** Rows of one table of the report, and passports of a row; `--json` has all of them. */
const MOST_ROWS = 100
const MOST_PASSPORTS = 30

/** The longest text of another's file that is shown. */
const MOST_CHARACTERS = 200

// The second source is another's: what it writes must not become a cell, a mention or a picture of the report.
const quote = (text: string) => `\`${text.replace(/[`|\s]+/g, " ").slice(0, MOST_CHARACTERS)}\``

/** An address as a cell of a table. */
export const formatPage = (page: string | null): string => {
  const url = page === null ? null : URL.parse(page)
  if (url === null || !/^https?:$/.test(url.protocol)) return page === null ? "none" : quote(page)
  return url.href.length > MOST_CHARACTERS
    ? quote(url.href)
    : url.href.replace(/[^\w.~:/?#&=%+,;-]/g, encodeURIComponent)
}

const formatAsked = (asked: Asked | { readonly word: string; readonly days: number | null } | null): string => {
  if (asked === null) return "no record"
  const word = quote("word" in asked ? asked.word : asked.requirement)
  return asked.days === null ? word : `${word}, ${asked.days} days`
}

/** The columns of a table of pairs: its head, and the cell of a row. */
type Columns<Row> = { readonly [head: string]: (row: Row) => string | number }

/** A table in which pairs that differ only in the passport share a row, in the order of their first. */
function formatPairs<Row extends { readonly passport: string; readonly destination: string }>(
  rows: readonly Row[],
  columns: Columns<Row>,
): readonly string[] {
  if (rows.length === 0) return ["None.", ""]
  const cellsOf = (row: Row) => [row.destination, ...Object.values(columns).map(write => write(row))]
  const lines = [...Map.groupBy(rows, row => cellsOf(row).join(" | "))].map(([cells, group]) => {
    const more = group.length > MOST_PASSPORTS ? ` and ${group.length - MOST_PASSPORTS} more` : ""
    const named = group.slice(0, MOST_PASSPORTS).map(({ passport }) => passport)
    return `| ${cells} | ${named.join(" ")}${more} |`
  })
  const more = lines.length - MOST_ROWS
  const head = ["destination", ...Object.keys(columns), "passports"]
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---|").join("")}`,
    ...lines.slice(0, MOST_ROWS),
    ...(more > 0 ? ["", `And ${more} more rows: see \`--json\`.`] : []),
    "",
  ]
}

const listDoubtful = (doubtful: DataUpdate["doubtful"]) =>
  doubtful.map(({ destination, what }) => `- ${destination} ${what}.`)

const HOW_TO_CONFIRM = [
  "Look this up in a second source. If it says so too, add its page at the end of each new row; if not, leave the table out.",
  "`data verify` refuses these rows until then.",
].join(" ")

const AGAINST: Columns<TableChange> = {
  ours: ({ claimed }) => formatAsked(claimed),
  "table before": ({ before }) => formatAsked(before),
  "table now": ({ now }) => formatAsked(now),
}
const TAKEN: Columns<TableChange> = {
  before: ({ before }) => formatAsked(before),
  now: ({ now }) => formatAsked(now),
}
const ROWS: Columns<ComparedRow> = {
  ours: ({ ours }) => formatAsked(ours),
  before: ({ before }) => formatAsked(before),
  now: ({ now }) => formatAsked(now),
  page: ({ page }) => formatPage(page),
}
const ENDED: Columns<DataUpdate["ended"][number]> = {
  "last day": ({ endedOn }) => endedOn,
  "until then": ({ before }) => formatAsked(before),
  "answered now": ({ now }) => formatAsked(now),
}
const DUE: Columns<DataUpdate["due"][number]> = {
  why: ({ why }) => why,
  "days since the last look": ({ ageDays }) => ageDays ?? "unknown",
  ours: ({ ours }) => formatAsked(ours),
  page: ({ page }) => formatPage(page),
}

const isTaken = ({ claimed }: TableChange) => claimed === null
const isContradiction = ({ claimed, now }: TableChange) => claimed !== null && !isSame(claimed, now)

/** Writes what an update means for each destination of which the table says something else, as Markdown by code. */
export function formatEach({ table, changes, doubtful, secondSource }: DataUpdate): ReadonlyMap<string, string> {
  const groups = Map.groupBy(changes, ({ destination }) => destination)
  return new Map(
    [...groups].map(([code, of]) => {
      const held = doubtful.filter(({ destination }) => destination === code)
      const rows = secondSource?.rows.filter(({ destination }) => destination === code) ?? []
      const lines = [
        `## What the table ${table?.file} says of ${code}`,
        "",
        ...(held.length === 0 ? [] : [...listDoubtful(held), "", HOW_TO_CONFIRM, ""]),
        "### Taken over",
        ...formatPairs(of.filter(isTaken), TAKEN),
        "### Contradicts a claim",
        "Our answer stands, or is disputed: `landfall explain` says which. Read the page again.",
        "",
        ...formatPairs(of.filter(isContradiction), AGAINST),
        "### Rows of the second source that changed",
        ...formatPairs(rows, ROWS),
      ]
      return [code, `${lines.join("\n").trimEnd()}\n`]
    }),
  )
}

/** Writes an update as Markdown. */
export function formatUpdate(update: DataUpdate): string {
  const { on, table, changes, secondSource, ended, endings, due, duePairs, changedFiles } = update
  const taken = changes.filter(isTaken)
  const against = changes.filter(isContradiction)
  const confirmed = changes.length - taken.length - against.length
  const before = table?.before ?? "none"
  const tableLine =
    table === null
      ? "No table was given."
      : table.isNewer
        ? `The table ${table.file}, after that of ${before}: ${changes.length} pairs say something else. ${taken.length} were taken over, ` +
          `${confirmed} now say what a claim says, ${against.length} contradict one.`
        : `The table ${table.file} is not newer than that of ${before}.`
  const secondLine =
    secondSource === null
      ? "No files of the second source were given."
      : `${secondSource.newer} of ${secondSource.files} files of the second source are newer than what was condensed of them; ` +
        `${secondSource.rows.length} of their rows say something else. Every row says the same: ${secondSource.confirmed.join(" ") || "none"}.`
  const lines = [
    `# Update of the data, ${on}`,
    "",
    `- ${tableLine}`,
    `- ${secondLine}`,
    `- ${changedFiles.length} files ${update.written ? "were" : "would be"} changed. No claim is among what changed.`,
    "",
    "docs/maintaining-data.md says what to do with each part.",
    "",
    ...(update.doubtful.length === 0
      ? []
      : ["## Needs a second source", HOW_TO_CONFIRM, "", ...listDoubtful(update.doubtful), ""]),
    "## Contradicts a claim",
    "Our answer stands, or is disputed: `landfall explain` says which. Read the page again: add the day to `read`, or a claim if it says something else now.",
    "",
    ...formatPairs(against, AGAINST),
    "## Rows of the second source that changed",
    "In its own words. Nothing was taken over: read the page of the row, and add a claim to `data/claims/`.",
    "",
    ...formatPairs(secondSource?.rows ?? [], ROWS),
    "## Ended",
    "An announced end has passed, and nothing newer says what holds since.",
    "",
    ...formatPairs(ended, ENDED),
    `## Ends within ${AHEAD_DAYS} days`,
    "",
    ...(endings.length === 0 ? ["None."] : ["| last day | record | destinations | passports |", "|---|---|---|---|"]),
    ...endings.map(({ on: last, record, field, destinations, passports }) => {
      return `| ${last} | ${record} ${field} | ${destinations.join(" ")} | ${passports ?? "all"} |`
    }),
    "",
    "## Due for a look",
    `${duePairs} pairs may no longer hold. The ${due.length} that are asked for most, by visitors of the destination and the economy of the passport's country:`,
    "",
    ...formatPairs(due, DUE),
    "## Taken over from the table",
    "",
    ...formatPairs(taken, TAKEN),
  ]
  return `${lines.join("\n").trimEnd()}\n`
}
