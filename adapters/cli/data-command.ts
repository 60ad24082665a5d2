/** `landfall data …`: imports tables into the facts, checks the facts, and watches their pages. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { parseCivilDate } from "../../src/engine.ts"
import { appendTable } from "../data-files/append-table.ts"
import { AHEAD_DAYS, type Difference, groupDifferences } from "../data-files/freshness.ts"
import type { DataReport } from "../data-files/verify-data.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { replaceFile } from "../files/replace-file.ts"
import { today } from "./change-history.ts"
import { makeCommand } from "./command.ts"
import {
  CalledWrongly,
  CommandFailed,
  nameCount,
  onFile,
  onFlag,
  orFail,
  outputFlag,
  printTable,
  printText,
  printWire,
  switchFlag,
  textFlag,
} from "./command-outcome.ts"
import { dataFlag } from "./dataset-command.ts"

const confirmFlag = Flag.String("confirm").pipe(
  Flag.withMetavar("CODE=URL"),
  Flag.withDescription("The page of a second source that says so too, for a destination with very many changes"),
  Flag.atLeast(0),
)

/** Reads `TCD=https://…`; or says what is wrong with it. */
const readConfirmed = (given: readonly string[]) =>
  Effect.gen(function* () {
    const confirmed = new Map<string, string>()
    for (const text of given) {
      const [, code, url] = /^([A-Z]{3})=(https?:\/\/\S+)$/.exec(text) ?? []
      if (code === undefined || url === undefined) {
        const message = `--confirm: ${JSON.stringify(text)} is not a destination and a page, such as TCD=https://example.org/page.`
        return yield* new CalledWrongly({ message })
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

const importTable = makeCommand("import", {
  about: "Take a dated Passport Index table into data/claims",
  examples: { "landfall data import 2026-12-01.csv --dry-run": "Report what would change, and write nothing" },
  takes: {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "A table of requirements, CSV with alpha-3 codes: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv",
      ),
    ),
    data: dataFlag,
    dryRun: switchFlag("dry-run", "Report what would change and what would be dropped, and write nothing"),
    replace: switchFlag("replace", "Drop the pairs that the table leaves out"),
    confirm: confirmFlag,
  },
  *run({ file, data, dryRun, replace, confirm, json }) {
    const confirmed = yield* readConfirmed(confirm)
    const { next: _, ...report } = yield* orFail(appendTable({ file, folder: data, dryRun, replace, confirmed }))
    if (json) return yield* printWire(report)
    const { changes, written } = report
    yield* Console.log(
      `${nameCount(report.pairs, "pair")} (${report.form}) for ${nameCount(report.destinations, "destination")} of ${report.on}: ` +
        `${nameCount(changes.length, "pair")} ${written ? "changed" : "would change"}, ${nameCount(report.changedFiles.length, "file")} ${written ? "written" : "would be written"}.`,
    )
    if (!written) for (const path of report.changedFiles) yield* Console.log(path)
    const dropped = Map.groupBy(
      changes.filter(({ now }) => now === null),
      ({ destination }) => destination,
    )
    for (const [destination, pairs] of dropped) {
      yield* Console.log(
        `${destination}: ${nameCount(pairs.length, "pair")} ${written ? "left" : "would leave"} the tables.`,
      )
    }
    for (const { destination, what } of report.doubtful) {
      yield* Console.log(`Needs a second source: ${destination} ${what}.`)
    }
    if (report.daysDropped.length > 0) {
      yield* Console.log(`Days dropped where a visa is required: ${report.daysDropped.join(" ")}`)
    }
  },
})

/** Prints what was found where nothing is wrong. */
export const printReport = Effect.fnUntraced(function* (report: DataReport) {
  const { coverage, pairs, freshness } = report
  const share = (count: number) => [count, `${((count / pairs) * 100).toFixed(1)} %`]
  yield* printTable(
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
  )
  yield* printText(
    `\n${report.claims} claims of ${report.pages} pages, ${report.tables} tables, ${report.sources} sources; as of ${report.asOf}.` +
      `\nOldest verification: ${coverage.oldestConfirmationDays ?? "none,"} days before.` +
      `\nDestinations without any record: ${coverage.silentDestinations.join(" ") || "none"}.` +
      `\n\nOf the ${report.fields.pairs} pairs with a record, for ${report.fields.destinations} destinations:\n`,
  )
  yield* printTable(
    ["field", "pairs", "share", "destinations", "from, and what is missing"],
    report.fields.rows.map(row => [
      row.field,
      row.pairs,
      `${((row.pairs / report.fields.pairs) * 100).toFixed(1)} %`,
      row.destinations,
      row.remark,
    ]),
  )
  yield* printText(
    `\nChanged since, on ${freshness.on}: ${freshness.destinationsChangedSince.join(" ") || "none"}.` +
      `\nEnding within ${AHEAD_DAYS} days of ${freshness.on}:${freshness.endings.length === 0 ? " none." : ""}`,
  )
  if (freshness.endings.length > 0) {
    yield* printTable(
      ["last day", "record", "destinations", "passports"],
      freshness.endings.map(({ on, record, field, destinations, passports }) => [
        on,
        `${record} ${field}`,
        destinations.join(" "),
        passports ?? "all",
      ]),
    )
  }
  const unexplained = groupDifferences(freshness.differences.filter(({ reason }) => reason === null))
  yield* Console.log(`\nDisputed, and no reason given:${unexplained.length === 0 ? " none." : ""}`)
  if (unexplained.length > 0) {
    const write = ({ requirement, days }: Difference["ours"]) =>
      days === null ? requirement : `${requirement}, ${days} days`
    yield* printTable(
      ["destination", "ours", "theirs", "source", "checked on", "passports"],
      unexplained.map(({ destination, ours, theirs, source, checkedOn, passports }) => [
        destination,
        write(ours),
        write(theirs),
        source,
        checkedOn,
        passports.join(" "),
      ]),
    )
  }
  yield* Console.log("\nNo mistakes found.")
})

const verify = makeCommand("verify", {
  about: "Check every fact, and print coverage and staleness",
  usage: "landfall data verify [--data DIR] [--on DATE] [--json]",
  examples: { "landfall data verify": "The facts of ./data" },
  takes: { data: dataFlag, on: onFlag },
  *run({ data, on, json }) {
    // Loaded here, because every other command starts faster without it.
    const { verifyData } = yield* Effect.promise(() => import("../data-files/verify-data.ts"))
    const day = Option.getOrUndefined(on)
    if (day !== undefined && parseCivilDate(day) === null) {
      const message = `--on: ${JSON.stringify(day)} is not a calendar date YYYY-MM-DD.`
      return yield* new CalledWrongly({ message })
    }
    const report = yield* orFail(verifyData(data, { today: yield* today, ...(day === undefined ? {} : { on: day }) }))
    if (json) return yield* printWire(report)
    yield* printReport(report)
  },
})

const coverage = makeCommand("coverage", {
  about: "Print how many pairs have each field, as a table of Markdown",
  examples: {
    "landfall data coverage": "Of the facts of ./data",
    "landfall data coverage --busiest": "Of the forty busiest destinations",
  },
  takes: {
    data: dataFlag,
    busiest: switchFlag("busiest", "Of the forty busiest destinations, by subject, and which lack it"),
  },
  *run({ data, json, busiest }) {
    const [{ verifyData }, { formatFullCoverage }, { formatBusiest }] = yield* Effect.promise(() =>
      Promise.all([
        import("../data-files/verify-data.ts"),
        import("../data-files/full-coverage.ts"),
        import("../data-files/busiest.ts"),
      ]),
    )
    const report = yield* orFail(verifyData(data, { today: yield* today }))
    const table = busiest ? formatBusiest(report.fields.busiest) : formatFullCoverage(report.fields)
    yield* json ? printWire(busiest ? report.fields.busiest : report.fields) : Console.log(table.trimEnd())
  },
})

const format = makeCommand("format", {
  about: "Write the facts in the project's style: order of keys and rows, lines, no other change",
  examples: { "landfall data format": "The files of ./data" },
  takes: { data: dataFlag },
  *run({ data, json }) {
    const { formatDataFolder } = yield* Effect.promise(() => import("../data-files/format-data.ts"))
    const changedFiles = yield* orFail(formatDataFolder(data))
    yield* json
      ? printWire({ changedFiles })
      : Console.log(changedFiles.length === 0 ? "Nothing to change." : changedFiles.join("\n"))
  },
})

const update = makeCommand("update", {
  about: "Import newer copies of the sources, and report what a person has to check",
  usage:
    "landfall data update DIR [--data DIR] [--on DATE] [-o FILE] [--each DIR] [--dry-run] [--unconfirmed] [--json]",
  examples: {
    "landfall data update newer --dry-run": "What the copies in ./newer would change, and what has to be reviewed",
  },
  takes: {
    from: Argument.String("dir").pipe(
      Argument.withDescription("A folder of newer copies with table/YYYY-MM-DD.csv, second-source/*.json, or both"),
    ),
    data: dataFlag,
    on: textFlag(
      "on",
      "DATE",
      "The day of the update, YYYY-MM-DD, from which the dataset is named; today (UTC) when absent",
    ),
    output: outputFlag("The file for the report; the standard output when absent").pipe(Flag.optional),
    each: textFlag("each", "DIR", "The folder for a report CODE.md of each destination that the table changes"),
    dryRun: switchFlag("dry-run", "Write only the report"),
    unconfirmed: switchFlag(
      "unconfirmed",
      "For review: write what needs a second source too, which `data verify` refuses until its rows name one",
    ),
    confirm: confirmFlag,
  },
  *run({ from, data, on: given, output, each, dryRun, unconfirmed, confirm, json }) {
    const [{ updateData }, { formatEach, formatUpdate }] = yield* Effect.promise(() =>
      Promise.all([import("../data-files/update.ts"), import("../data-files/update-report.ts")]),
    )
    const on = Option.isSome(given) ? given.value : yield* today
    if (parseCivilDate(on) === null) {
      const message = `--on: ${JSON.stringify(on)} is not a calendar date YYYY-MM-DD.`
      return yield* new CalledWrongly({ message })
    }
    const report = yield* orFail(
      updateData({ folder: data, from, on, dryRun, unconfirmed, confirmed: yield* readConfirmed(confirm) }),
    )
    if (Option.isSome(each)) yield* writeEach(each.value, formatEach(report))
    const text = formatUpdate(report)
    if (Option.isSome(output)) yield* onFile(output.value, () => replaceFile(output.value, text))
    if (json) return yield* printWire(report)
    yield* Option.isNone(output)
      ? Console.log(text.trimEnd())
      : Console.log(
          `${output.value}: ${report.changes.length} pairs of the table, ${report.secondSource?.rows.length ?? 0} rows of the second source, ` +
            `${report.duePairs} pairs due for a look; ${report.changedFiles.length} files ${report.written ? "changed" : "would change"}.`,
        )
  },
})

const watch = makeCommand("watch", {
  about: "Look which official pages of data/claims have changed, and list them by destination",
  usage: "landfall data watch --state FILE [--data DIR] [--destination CODE] [-o DIR] [--allow-private] [--json]",
  examples: {
    "landfall data watch --state watched.json -o work":
      "Compare every page with the last look, and write a file for each destination with work",
    "landfall data watch --state watched.json --destination KEN": "Look at the pages of Kenya alone",
  },
  takes: {
    state: Flag.String("state").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("What each page said at the last look; made by the first"),
    ),
    data: dataFlag,
    destinations: Flag.String("destination").pipe(
      Flag.withMetavar("CODE"),
      Flag.withDescription("Look at the pages of this destination; of all when absent"),
      Flag.atLeast(0),
    ),
    output: outputFlag("The folder for a file CODE.md of each destination with work").pipe(Flag.optional),
    allowsPrivate: switchFlag("allow-private", "Take http and private addresses too, without pauses: for development"),
  },
  *run({ state, data, destinations, output, allowsPrivate, json }) {
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
      const message = `--destination: ${JSON.stringify(stranger)} is not a destination of ${data}/claims, such as KEN.`
      return yield* new CalledWrongly({ message })
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
      const message = `None of ${nameCount(looks.length, "page")} could be read; the first: ${looks[0]?.url} ${looks[0]?.why}.`
      return yield* new CommandFailed({ message })
    }
    const work = watching.listWork(looks)
    const texts = new Map(work.map(code => [code, watching.formatWork(code, looks)]))
    if (Option.isSome(output)) yield* writeEach(output.value, texts)
    // Last, so that a change is not forgotten whose work could not be written.
    yield* onFile(state, () => replaceFile(state, records.formatRecord(watching.WatchRecord, record)))
    if (json) return yield* printWire({ hosts, work, looks })
    const counts = [...Map.groupBy(looks, ({ found }) => found)].map(([found, of]) => `${of.length} ${found}`).sort()
    yield* Console.log(
      `${nameCount(looks.length, "page")} of ${nameCount(hosts, "host")}: ${counts.join(", ") || "none"}. ` +
        `${nameCount(work.length, "destination")} with work: ${work.join(" ") || "none"}.`,
    )
    const unread = looks.filter(look => !isRead(look))
    if (unread.length > 0) {
      yield* Console.log("\nNot read:")
      yield* printTable(
        ["what", "why", "page", "destinations"],
        unread.map(({ found, why, url, uses }) => [found, why ?? "", url, uses.map(use => use.destination).join(" ")]),
      )
    }
    if (Option.isNone(output)) for (const text of texts.values()) yield* Console.log(`\n${text.trimEnd()}`)
  },
})

const claim = makeCommand("claim", {
  about: "Turn the text of the issue form for wrong data into a claim of its own file in data/additions",
  usage: "landfall data claim FILE [--data DIR] [--dry-run] [--json]",
  examples: { "landfall data claim issue.md --dry-run": "Say what the form would add, and write nothing" },
  takes: {
    file: Argument.String("file").pipe(Argument.withDescription("The text of the issue, as GitHub writes its form")),
    data: dataFlag,
    dryRun: switchFlag("dry-run", "Write nothing"),
  },
  *run({ file, data, dryRun, json }) {
    const { addForm } = yield* Effect.promise(() => import("../data-files/read-form.ts"))
    const read = () => readFileSync(file, "utf8")
    const added = yield* orFail(addForm({ form: file, read, folder: data, on: yield* today, dryRun }))
    if (json) return yield* printWire(added)
    const verb = dryRun ? "would say" : "says"
    yield* Console.log(`${added.file} ${verb} ${added.says} of ${added.passports.join(" ")} for ${added.destination}.`)
  },
})

export const data = Command.make("data").pipe(
  Command.withDescription("Import tables, update, check, watch and format the facts"),
  Command.withSubcommands([update, importTable, claim, watch, verify, coverage, format]),
)
