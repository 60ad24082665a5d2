/** `landfall data …`: imports tables into the facts, checks the facts, and watches their pages. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Option } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { appendTable } from "../data-files/append-table.ts"
import { AHEAD_DAYS, groupDifferences } from "../data-files/freshness.ts"
import { formatFullCoverage } from "../data-files/full-coverage.ts"
import { formatDataFolder, readDataRecords } from "../data-files/read-facts.ts"
import { addForm } from "../data-files/read-form.ts"
import { updateData } from "../data-files/update.ts"
import { formatEach, formatUpdate } from "../data-files/update-report.ts"
import { type DataReport, verifyData } from "../data-files/verify-data.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { formatRecord, readRecordFile } from "../files/record-files.ts"
import { replaceFile } from "../files/replace-file.ts"
import { formatWork, listWatchedPages, listWork, WatchRecord, watchPages } from "../page-watch/watch-pages.ts"
import { argument, isSet, makeCommand, output, required, several, text } from "./command.ts"
import { dataFolder } from "./dataset-commands.ts"
import { runEffect } from "./effects.ts"
import { failed, wrong } from "./failure.ts"
import { day, nameCount, onFile, orFail, readDay, today } from "./inputs.ts"
import { type Block, layOutRecord, table, tableUnder, unbroken } from "./print.ts"

const confirm = several(
  "CODE=URL",
  "The page of a second source that says so too, for a destination with very many changes",
  0,
  (text, called) => {
    const [, code, url] = /^([A-Z]{3})=(https?:\/\/\S+)$/.exec(text) ?? []
    if (code !== undefined && url !== undefined) return [code, url] as const
    const expected = "a destination and a page, such as TCD=https://example.org/page"
    throw wrong(`${called}: ${JSON.stringify(text)} is not ${expected}.`)
  },
)

/** Writes a text for each destination: `KEN.md`. */
function writeEach(folder: string, texts: ReadonlyMap<string, string>): void {
  onFile(folder, () => mkdirSync(folder, { recursive: true }))
  for (const [code, text] of texts) {
    const file = join(folder, `${code}.md`)
    onFile(file, () => replaceFile(file, text))
  }
}

export const importTable = makeCommand("data import", {
  examples: { "landfall data import 2026-12-01.csv --dry-run": "Report what would change, and write nothing" },
  takes: {
    file: argument("A table of requirements, CSV with alpha-3 codes: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv"),
    data: dataFolder,
    dryRun: isSet("Report what would change and what would be dropped, and write nothing"),
    replace: isSet("Drop the pairs that the table leaves out"),
    confirm,
  },
  async run({ file, data, dryRun, replace, confirm }) {
    const { next: _, ...report } = orFail(
      appendTable({ file, folder: data, dryRun, replace, confirmed: new Map(confirm) }),
    )
    const json = toWire(report)
    const dropped = Map.groupBy(
      json.changes.filter(({ now }) => now === null),
      ({ destination }) => destination,
    )
    const leaves = [...dropped].map(([destination, pairs]) => ({ destination, pairs: pairs.length }))
    return { json, text: layOutRecord({ ...json, changes: json.changes.length, leaves_the_tables: leaves }) }
  },
})

/** Writes what was found where nothing is wrong. */
export function writeReport(report: DataReport): readonly Block[] {
  const { coverage, freshness, fields, pairs, ...counts } = toWire(report)
  const { oldest_confirmation_days, silent_destinations, ...known } = coverage
  const { differences: _, endings, destinations_changed_since, on, ...fresh } = freshness
  const share = (count: number, all: number) => `${((count / all) * 100).toFixed(1)} %`
  const ofPairs = Object.entries({ all: pairs, ...known, ...fresh }).map(([name, count]) => [
    name.replace(/^pairs_/, "").replaceAll("_", " "),
    Number(count),
    share(Number(count), pairs),
  ])
  return [
    table(["pairs", "count", "share"], ofPairs),
    "",
    ...layOutRecord({
      ...counts,
      oldest_confirmation_days,
      silent_destinations,
      destinations_changed_since,
      [`ends_within_${AHEAD_DAYS}_days_of_${on}`]: endings,
      disputed_without_a_reason: toWire(
        groupDifferences(report.freshness.differences.filter(({ reason }) => reason === null)),
      ),
      [`fields_of_${fields.pairs}_pairs_with_a_record`]: fields.rows.map(row => ({
        ...row,
        share: share(row.pairs, fields.pairs),
      })),
    }),
    "\nNo mistakes found.",
  ]
}

export const verify = makeCommand("data verify", {
  examples: { "landfall data verify": "The facts of ./data" },
  takes: { data: dataFolder, on: day },
  async run({ data, on }) {
    const report = orFail(verifyData(data, { today: today(), ...(on === undefined ? {} : { on }) }))
    return { json: toWire(report), text: writeReport(report) }
  },
})

export const coverage = makeCommand("data coverage", {
  examples: { "landfall data coverage": "Of the facts of ./data" },
  takes: { data: dataFolder },
  async run({ data }) {
    const { fields } = orFail(verifyData(data, { today: today() }))
    // A table of Markdown, whose lines are not broken.
    return { json: toWire(fields), text: [unbroken(formatFullCoverage(fields).trimEnd())] }
  },
})

export const format = makeCommand("data format", {
  examples: { "landfall data format": "The files of ./data" },
  takes: { data: dataFolder },
  run({ data }) {
    const changedFiles = orFail(formatDataFolder(data))
    return {
      json: toWire({ changedFiles }),
      text: [changedFiles.length === 0 ? "Nothing to change." : changedFiles.join("\n")],
    }
  },
})

export const update = makeCommand("data update", {
  examples: {
    "landfall data update newer --dry-run": "What the copies in ./newer would change, and what has to be reviewed",
  },
  takes: {
    dir: argument("A folder of newer copies with table/YYYY-MM-DD.csv, second-source/*.json, or both"),
    data: dataFolder,
    on: text(
      "DATE",
      "The day of the update, YYYY-MM-DD, from which the dataset is named; today (UTC) when absent",
      readDay,
    ),
    output: output("The file for the report; the standard output when absent"),
    each: text("DIR", "The folder for a report CODE.md of each destination that the table changes"),
    dryRun: isSet("Write only the report"),
    unconfirmed: isSet(
      "For review: write what needs a second source too, which `data verify` refuses until its rows name one",
    ),
    confirm,
  },
  async run({ dir: from, data, on: given, output, each, dryRun, unconfirmed, confirm }) {
    const on = given ?? today()
    const report = orFail(updateData({ folder: data, from, on, dryRun, unconfirmed, confirmed: new Map(confirm) }))
    if (each !== undefined) writeEach(each, formatEach(report))
    const written = formatUpdate(report)
    if (output !== undefined) onFile(output, () => replaceFile(output, written))
    const counts =
      `${output}: ${report.changes.length} pairs of the table, ${report.secondSource?.rows.length ?? 0} rows of the second source, ` +
      `${report.duePairs} pairs due for a look; ${report.changedFiles.length} files ${report.written ? "changed" : "would change"}.`
    return { json: toWire(report), text: [output === undefined ? unbroken(written.trimEnd()) : counts] }
  },
})

export const watch = makeCommand("data watch", {
  examples: {
    "landfall data watch --state watched.json -o work":
      "Compare every page with the last look, and write a file for each destination with work",
    "landfall data watch --state watched.json --destination KEN": "Look at the pages of Kenya alone",
  },
  takes: {
    state: required("FILE", "What each page said at the last look; made by the first"),
    data: dataFolder,
    destination: several("CODE", "Look at the pages of this destination; of all when absent", 0),
    output: output("The folder for a file CODE.md of each destination with work", "DIR"),
    allowPrivate: isSet("Take http and private addresses too, without pauses: for development"),
  },
  async run({ state, data, destination: destinations, output, allowPrivate: allowsPrivate }, at) {
    const facts = orFail(readDataRecords(data))
    const stranger = destinations.find(code => !facts.claims.some(({ destination }) => destination === code))
    if (stranger !== undefined) {
      throw wrong(`--destination: ${JSON.stringify(stranger)} is not a destination of ${data}/claims, such as KEN.`)
    }
    const issues: FileIssue[] = []
    const known = existsSync(state)
      ? Option.getOrNull(readRecordFile(state, WatchRecord, issue => issues.push(issue)))
      : null
    if (issues.length > 0) throw failed(DataError.of(issues).message)
    const { hosts, looks, record } = await runEffect(
      at,
      watchPages(listWatchedPages(facts, destinations), {
        ...{ on: today(), known, allowsPrivate },
        ...(allowsPrivate ? { delayMs: 0 } : {}),
      }),
    )
    const isRead = ({ why, found }: (typeof looks)[number]) => why === null || found === "restless"
    if (looks.length > 0 && !looks.some(look => isRead(look) || look.found === "gone")) {
      throw failed(
        `None of ${nameCount(looks.length, "page")} could be read; the first: ${looks[0]?.url} ${looks[0]?.why}.`,
      )
    }
    const work = listWork(looks)
    const texts = new Map(work.map(code => [code, formatWork(code, looks)]))
    if (output !== undefined) writeEach(output, texts)
    // Last, so that a change is not forgotten whose work could not be written.
    onFile(state, () => replaceFile(state, formatRecord(WatchRecord, record)))
    const counts = [...Map.groupBy(looks, ({ found }) => found)].map(([found, of]) => `${of.length} ${found}`).sort()
    const unread = looks
      .filter(look => !isRead(look))
      .map(({ found, why, url, uses }) => [found, why ?? "", url, uses.map(use => use.destination).join(" ")])
    return {
      json: toWire({ hosts, work, looks }),
      text: [
        `${nameCount(looks.length, "page")} of ${nameCount(hosts, "host")}: ${counts.join(", ") || "none"}. ` +
          `${nameCount(work.length, "destination")} with work: ${work.join(" ") || "none"}.`,
        ...tableUnder("\nNot read:", ["what", "why", "page", "destinations"], unread),
        ...(output === undefined ? [...texts.values()].map(written => unbroken(`\n${written.trimEnd()}`)) : []),
      ],
    }
  },
})

export const claim = makeCommand("data claim", {
  examples: { "landfall data claim issue.md --dry-run": "Say what the form would add, and write nothing" },
  takes: {
    file: argument("The text of the issue, as GitHub writes its form"),
    data: dataFolder,
    dryRun: isSet("Write nothing"),
  },
  async run({ file, data, dryRun }) {
    const read = () => readFileSync(file, "utf8")
    const added = orFail(addForm({ form: file, read, folder: data, on: today(), dryRun }))
    const says = `${dryRun ? "would say" : "says"} ${added.says} of ${added.passports.join(" ")}`
    return { json: toWire(added), text: [`${added.file} ${says} for ${added.destination}.`] }
  },
})
