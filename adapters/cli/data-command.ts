/** `landfall data …`: imports tables into the facts, checks the facts, and watches their pages. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { appendTable } from "../data-files/append-table.ts"
import { AHEAD_DAYS, type Difference, groupDifferences } from "../data-files/freshness.ts"
import type { DataReport } from "../data-files/verify-data.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { replaceFile } from "../files/replace-file.ts"
import { readDay, today } from "./change-commands.ts"
import { argument, isSet, load, makeCommand, makeGroup, output, required, several, text } from "./command.ts"
import { nameCount, onFile, orFail } from "./command-outcome.ts"
import { dataFolder } from "./dataset-command.ts"
import { day } from "./dataset-question.ts"
import { CommandFailed, failed, wrong } from "./failure.ts"
import { type Block, table, unbroken } from "./print.ts"

const confirm = several(
  "CODE=URL",
  "The page of a second source that says so too, for a destination with very many changes",
  0,
)

/** Reads `TCD=https://…`; or says what is wrong with it. */
const readConfirmed = (given: readonly string[]) =>
  Effect.gen(function* () {
    const confirmed = new Map<string, string>()
    for (const text of given) {
      const [, code, url] = /^([A-Z]{3})=(https?:\/\/\S+)$/.exec(text) ?? []
      if (code === undefined || url === undefined) {
        return yield* wrong(
          `--confirm: ${JSON.stringify(text)} is not a destination and a page, such as TCD=https://example.org/page.`,
        )
      }
      confirmed.set(code, url)
    }
    return confirmed
  })

/** Writes a text for each destination: `KEN.md`. */
const writeEach = (folder: string, texts: ReadonlyMap<string, string>) =>
  Effect.gen(function* () {
    yield* onFile(folder, () => mkdirSync(folder, { recursive: true }))
    for (const [code, text] of texts) {
      const file = join(folder, `${code}.md`)
      yield* onFile(file, () => replaceFile(file, text))
    }
  })

const importTable = makeCommand("data import", {
  about: "Take a dated Passport Index table into data/claims",
  examples: { "landfall data import 2026-12-01.csv --dry-run": "Report what would change, and write nothing" },
  takes: {
    file: argument("A table of requirements, CSV with alpha-3 codes: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv"),
    data: dataFolder,
    dryRun: isSet("Report what would change and what would be dropped, and write nothing"),
    replace: isSet("Drop the pairs that the table leaves out"),
    confirm,
  },
  *run({ file, data, dryRun, replace, confirm }) {
    const confirmed = yield* readConfirmed(confirm)
    const { next: _, ...report } = yield* orFail(appendTable({ file, folder: data, dryRun, replace, confirmed }))
    const { changes, written } = report
    const dropped = Map.groupBy(
      changes.filter(({ now }) => now === null),
      ({ destination }) => destination,
    )
    return {
      json: toWire(report),
      text: [
        `${nameCount(report.pairs, "pair")} (${report.form}) for ${nameCount(report.destinations, "destination")} of ${report.on}: ` +
          `${nameCount(changes.length, "pair")} ${written ? "changed" : "would change"}, ${nameCount(report.changedFiles.length, "file")} ${written ? "written" : "would be written"}.`,
        ...(written ? [] : report.changedFiles),
        ...[...dropped].map(
          ([destination, pairs]) =>
            `${destination}: ${nameCount(pairs.length, "pair")} ${written ? "left" : "would leave"} the tables.`,
        ),
        ...report.doubtful.map(({ destination, what }) => `Needs a second source: ${destination} ${what}.`),
        ...(report.daysDropped.length === 0
          ? []
          : [`Days dropped where a visa is required: ${report.daysDropped.join(" ")}`]),
      ],
    }
  },
})

/** Writes what was found where nothing is wrong. */
export function writeReport(report: DataReport): readonly Block[] {
  const { coverage, pairs, freshness } = report
  const share = (count: number) => [count, `${((count / pairs) * 100).toFixed(1)} %`]
  const unexplained = groupDifferences(freshness.differences.filter(({ reason }) => reason === null))
  const write = ({ requirement, days }: Difference["ours"]) =>
    days === null ? requirement : `${requirement}, ${days} days`
  const ends = freshness.endings.map(({ on, record, field, destinations, passports }) => [
    on,
    `${record} ${field}`,
    destinations.join(" "),
    passports ?? "all",
  ])
  const disputes = unexplained.map(({ destination, ours, theirs, source, checkedOn, passports }) => [
    destination,
    write(ours),
    write(theirs),
    source,
    checkedOn,
    passports.join(" "),
  ])
  return [
    table(
      ["pairs", "count", "share"],
      [
        ["all", ...share(pairs)],
        ["with a record", ...share(coverage.found)],
        ["without a record", ...share(pairs - coverage.found)],
        ["with a named source", ...share(coverage.sourced)],
        ["imported, never checked one by one", ...share(coverage.imported)],
        ["verified in their source", ...share(coverage.verified)],
        ["uncertain", ...share(coverage.uncertain)],
        ["with conditions", ...share(freshness.pairsWithConditions)],
        ["eased by a held document", ...share(freshness.pairsWithWaivers)],
        ["with a stay rule", ...share(freshness.pairsWithStayRule)],
        ["with days from the imported table alone", ...share(freshness.pairsWithTableStay)],
        ["corroborated by a second source", ...share(freshness.pairsCorroborated)],
        ["disputed by a second source", ...share(freshness.pairsDisputed)],
        ["disputed in the days only", ...share(freshness.pairsDisputedInDays)],
        ["disputed, and no reason given", ...share(freshness.pairsUnexplained)],
        ["changed since, by an official log", ...share(freshness.pairsChangedSince)],
        ["announced to end", ...share(freshness.pairsEnding)],
        ["after an announced end", ...share(freshness.pairsAfterExpiry)],
      ],
    ),
    `\n${report.claims} claims of ${report.pages} pages, ${report.tables} tables, ${report.sources} sources; as of ${report.asOf}.` +
      `\nOldest verification: ${coverage.oldestConfirmationDays ?? "none,"} days before.` +
      `\nDestinations without any record: ${coverage.silentDestinations.join(" ") || "none"}.` +
      `\n\nOf the ${report.fields.pairs} pairs with a record, for ${report.fields.destinations} destinations:\n`,
    table(
      ["field", "pairs", "share", "destinations", "from, and what is missing"],
      report.fields.rows.map(row => [
        row.field,
        row.pairs,
        `${((row.pairs / report.fields.pairs) * 100).toFixed(1)} %`,
        row.destinations,
        row.remark,
      ]),
    ),
    `\nChanged since, on ${freshness.on}: ${freshness.destinationsChangedSince.join(" ") || "none"}.` +
      `\nEnding within ${AHEAD_DAYS} days of ${freshness.on}:${ends.length === 0 ? " none." : ""}`,
    ...(ends.length === 0 ? [] : [table(["last day", "record", "destinations", "passports"], ends)]),
    `\nDisputed, and no reason given:${disputes.length === 0 ? " none." : ""}`,
    ...(disputes.length === 0
      ? []
      : [table(["destination", "ours", "theirs", "source", "checked on", "passports"], disputes)]),
    "\nNo mistakes found.",
  ]
}

const verify = makeCommand("data verify", {
  about: "Check every fact, and print coverage and staleness",
  examples: { "landfall data verify": "The facts of ./data" },
  takes: { data: dataFolder, on: day },
  *run({ data, on }) {
    // Loaded here, because every other command starts faster without it.
    const { verifyData } = yield* Effect.promise(() => import("../data-files/verify-data.ts"))
    if (on !== undefined) yield* readDay("--on", on)
    const report = yield* orFail(verifyData(data, { today: yield* today, ...(on === undefined ? {} : { on }) }))
    return { json: toWire(report), text: writeReport(report) }
  },
})

const coverage = makeCommand("data coverage", {
  about: "Print how many pairs have each field, as a table of Markdown",
  examples: {
    "landfall data coverage": "Of the facts of ./data",
    "landfall data coverage --busiest": "Of the forty busiest destinations",
  },
  takes: {
    data: dataFolder,
    busiest: isSet("Of the forty busiest destinations, by subject, and which lack it"),
  },
  *run({ data, busiest }) {
    const { verifyData, formatFullCoverage, formatBusiest } = yield* load(() => [
      import("../data-files/verify-data.ts"),
      import("../data-files/full-coverage.ts"),
      import("../data-files/busiest.ts"),
    ])
    const report = yield* orFail(verifyData(data, { today: yield* today }))
    const { fields } = report
    return {
      json: toWire(busiest ? fields.busiest : fields),
      // A table of Markdown, whose lines are not broken.
      text: [unbroken((busiest ? formatBusiest(fields.busiest) : formatFullCoverage(fields)).trimEnd())],
    }
  },
})

const format = makeCommand("data format", {
  about: "Write the facts in the project's style: order of keys and rows, lines, no other change",
  examples: { "landfall data format": "The files of ./data" },
  takes: { data: dataFolder },
  *run({ data }) {
    const { formatDataFolder } = yield* Effect.promise(() => import("../data-files/read-facts.ts"))
    const changedFiles = yield* orFail(formatDataFolder(data))
    return {
      json: toWire({ changedFiles }),
      text: [changedFiles.length === 0 ? "Nothing to change." : changedFiles.join("\n")],
    }
  },
})

const update = makeCommand("data update", {
  about: "Import newer copies of the sources, and report what a person has to check",
  examples: {
    "landfall data update newer --dry-run": "What the copies in ./newer would change, and what has to be reviewed",
  },
  takes: {
    dir: argument("A folder of newer copies with table/YYYY-MM-DD.csv, second-source/*.json, or both"),
    data: dataFolder,
    on: text("DATE", "The day of the update, YYYY-MM-DD, from which the dataset is named; today (UTC) when absent"),
    output: output("The file for the report; the standard output when absent"),
    each: text("DIR", "The folder for a report CODE.md of each destination that the table changes"),
    dryRun: isSet("Write only the report"),
    unconfirmed: isSet(
      "For review: write what needs a second source too, which `data verify` refuses until its rows name one",
    ),
    confirm,
  },
  *run({ dir: from, data, on: given, output, each, dryRun, unconfirmed, confirm }) {
    const { updateData, formatEach, formatUpdate } = yield* load(() => [
      import("../data-files/update.ts"),
      import("../data-files/update-report.ts"),
    ])
    const on = given ?? (yield* today)
    yield* readDay("--on", on)
    const report = yield* orFail(
      updateData({ folder: data, from, on, dryRun, unconfirmed, confirmed: yield* readConfirmed(confirm) }),
    )
    if (each !== undefined) yield* writeEach(each, formatEach(report))
    const written = formatUpdate(report)
    if (output !== undefined) yield* onFile(output, () => replaceFile(output, written))
    const counts =
      `${output}: ${report.changes.length} pairs of the table, ${report.secondSource?.rows.length ?? 0} rows of the second source, ` +
      `${report.duePairs} pairs due for a look; ${report.changedFiles.length} files ${report.written ? "changed" : "would change"}.`
    return { json: toWire(report), text: [output === undefined ? unbroken(written.trimEnd()) : counts] }
  },
})

const watch = makeCommand("data watch", {
  about: "Look which official pages of data/claims have changed, and list them by destination",
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
  *run({ state, data, destination: destinations, output, allowPrivate: allowsPrivate }) {
    const [{ readDataRecords }, records, watching] = yield* Effect.promise(() =>
      Promise.all([
        import("../data-files/read-facts.ts"),
        import("../files/record-files.ts"),
        import("../page-watch/watch-pages.ts"),
      ]),
    )
    const facts = yield* orFail(readDataRecords(data))
    const stranger = destinations.find(code => !facts.claims.some(({ destination }) => destination === code))
    if (stranger !== undefined) {
      return yield* wrong(
        `--destination: ${JSON.stringify(stranger)} is not a destination of ${data}/claims, such as KEN.`,
      )
    }
    const issues: FileIssue[] = []
    const known = existsSync(state)
      ? Option.getOrNull(records.readRecordFile(state, watching.WatchRecord, issue => issues.push(issue)))
      : null
    if (issues.length > 0) return yield* new CommandFailed(DataError.of(issues))
    const pages = watching.listWatchedPages(facts, destinations)
    const { hosts, looks, record } = yield* watching.watchPages(pages, {
      ...{ on: yield* today, known, allowsPrivate },
      ...(allowsPrivate ? { delayMs: 0 } : {}),
    })
    const isRead = ({ why, found }: (typeof looks)[number]) => why === null || found === "restless"
    if (looks.length > 0 && !looks.some(look => isRead(look) || look.found === "gone")) {
      return yield* failed(
        `None of ${nameCount(looks.length, "page")} could be read; the first: ${looks[0]?.url} ${looks[0]?.why}.`,
      )
    }
    const work = watching.listWork(looks)
    const texts = new Map(work.map(code => [code, watching.formatWork(code, looks)]))
    if (output !== undefined) yield* writeEach(output, texts)
    // Last, so that a change is not forgotten whose work could not be written.
    yield* onFile(state, () => replaceFile(state, records.formatRecord(watching.WatchRecord, record)))
    const counts = [...Map.groupBy(looks, ({ found }) => found)].map(([found, of]) => `${of.length} ${found}`).sort()
    const unread = looks
      .filter(look => !isRead(look))
      .map(({ found, why, url, uses }) => [found, why ?? "", url, uses.map(use => use.destination).join(" ")])
    return {
      json: toWire({ hosts, work, looks }),
      text: [
        `${nameCount(looks.length, "page")} of ${nameCount(hosts, "host")}: ${counts.join(", ") || "none"}. ` +
          `${nameCount(work.length, "destination")} with work: ${work.join(" ") || "none"}.`,
        ...(unread.length === 0 ? [] : ["\nNot read:", table(["what", "why", "page", "destinations"], unread)]),
        ...(output === undefined ? [...texts.values()].map(written => unbroken(`\n${written.trimEnd()}`)) : []),
      ],
    }
  },
})

const claim = makeCommand("data claim", {
  about: "Turn the text of the issue form for wrong data into a claim of its own file in data/additions",
  examples: { "landfall data claim issue.md --dry-run": "Say what the form would add, and write nothing" },
  takes: {
    file: argument("The text of the issue, as GitHub writes its form"),
    data: dataFolder,
    dryRun: isSet("Write nothing"),
  },
  *run({ file, data, dryRun }) {
    const { addForm } = yield* Effect.promise(() => import("../data-files/read-form.ts"))
    const read = () => readFileSync(file, "utf8")
    const added = yield* orFail(addForm({ form: file, read, folder: data, on: yield* today, dryRun }))
    const says = `${dryRun ? "would say" : "says"} ${added.says} of ${added.passports.join(" ")}`
    return { json: toWire(added), text: [`${added.file} ${says} for ${added.destination}.`] }
  },
})

export const data = makeGroup("data", "Import tables, update, check, watch and format the facts", [
  update,
  importTable,
  claim,
  watch,
  verify,
  coverage,
  format,
])
