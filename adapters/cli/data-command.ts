/** `landfall data …`: imports tables into the facts, and checks the facts. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { parseCivilDate } from "../../src/engine.ts"
import { AHEAD_DAYS, type Difference, groupDifferences } from "../data-files/freshness.ts"
import { importTableFile } from "../data-files/import-file.ts"
import { replaceFile } from "../files/replace-file.ts"
import { today } from "./change-history.ts"
import { makeCommand } from "./command.ts"
import {
  CalledWrongly,
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

const importTable = makeCommand("import", {
  about: "Import a Passport Index table into data/policies",
  examples: { "landfall data import table.csv --dry-run": "Report what would change, and write nothing" },
  takes: {
    file: Argument.String("file").pipe(Argument.withDescription("A table of requirements, CSV with alpha-3 codes")),
    data: dataFlag,
    source: textFlag("source", "ID", "The table's id in sources.json; the only imported source when absent"),
    dryRun: switchFlag("dry-run", "Report what would change and what would be dropped, and write nothing"),
    replace: switchFlag("replace", "Drop the imported rules of pairs that the table leaves out"),
  },
  *run({ file, data, source, dryRun, replace, json }) {
    const report = yield* orFail(
      importTableFile({ file, folder: data, source: Option.getOrNull(source), dryRun, replace }),
    )
    if (json) return yield* printWire(report)
    yield* Console.log(
      `${nameCount(report.pairs, "pair")} (${report.form}) for ${nameCount(report.destinations, "destination")} from ${report.source}: ` +
        `${nameCount(report.changedFiles.length, "file")} ${report.written ? "changed" : "would change"}.`,
    )
    if (!report.written) for (const path of report.changedFiles) yield* Console.log(path)
    if (report.pairsLeftOut > 0) {
      yield* Console.log(
        `No imported rule ${report.written ? "is" : "would be"} left for ${nameCount(report.pairsLeftOut, "pair")} of these that the table does not hold.`,
      )
    }
    for (const { destination, pairs } of report.pairsDropped) {
      yield* Console.log(
        `${destination}: ${nameCount(pairs, "pair")} ${report.written ? "lost" : "would lose"} their imported rule.`,
      )
    }
    if (report.daysDropped.length > 0) {
      yield* Console.log(`Days dropped where a visa is required: ${report.daysDropped.join(" ")}`)
    }
  },
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
    const report = yield* orFail(verifyData(data, day))
    if (json) return yield* printWire(report)
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
      `\n${report.policies} policies, ${report.rules} rules, ${report.reviewedRules} reviewed rules, ${report.sources} sources; as of ${report.asOf}.` +
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
    const report = yield* orFail(verifyData(data))
    const table = busiest ? formatBusiest(report.fields.busiest) : formatFullCoverage(report.fields)
    yield* json ? printWire(busiest ? report.fields.busiest : report.fields) : Console.log(table.trimEnd())
  },
})

const corroborate = makeCommand("corroborate", {
  about: "Compare a second source with the facts, and apply its newer official pages",
  examples: { "landfall data corroborate data/second-source/LKA.json": "One destination" },
  takes: {
    files: Argument.String("file").pipe(
      Argument.withDescription("A condensed file of the second source, such as data/second-source/LKA.json"),
      Argument.atLeast(1),
    ),
    data: dataFlag,
  },
  *run({ files, data, json }) {
    const [{ corroborateFiles }, { countComparison }] = yield* Effect.promise(() =>
      Promise.all([import("../data-files/corroborate-files.ts"), import("../data-files/differences.ts")]),
    )
    const { checks, changedFiles } = yield* orFail(corroborateFiles({ files, folder: data }))
    const counts = countComparison(checks)
    if (json) return yield* printWire({ ...counts, changedFiles })
    const { known, byOutcome } = counts
    yield* Console.log(
      `${known} pairs of ${counts.destinations} destinations compared: ${byOutcome.agrees} ask the same, ${byOutcome.way} another of its ways; ` +
        `${byOutcome.requirement} requirements and ${byOutcome.days} stays corrected, ${byOutcome.adds} completed, ${byOutcome.kept} kept, ` +
        `${byOutcome.open} disputed; ${counts.unread} rows not read; ` +
        `${changedFiles.length} files changed.`,
    )
  },
})

const differences = makeCommand("differences", {
  about: "Print the differences between the second source and the facts, as Markdown tables",
  examples: { "landfall data differences": "Of the facts of ./data" },
  takes: { data: dataFlag },
  *run({ data, json }) {
    const [{ compareStoredFiles }, { countComparison, formatDifferences }] = yield* Effect.promise(() =>
      Promise.all([import("../data-files/corroborate-files.ts"), import("../data-files/differences.ts")]),
    )
    const checks = yield* orFail(compareStoredFiles(data))
    yield* json ? printWire(countComparison(checks)) : Console.log(formatDifferences(checks).trimEnd())
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

const tables = makeCommand("tables", {
  about: "Write the counts of a document, such as docs/data.md, from the facts",
  examples: { "landfall data tables docs/data.md": "Those of the page on data" },
  takes: {
    file: Argument.String("file").pipe(
      Argument.withDescription("A document with tables between comments, docs/data.md when absent"),
      Argument.withDefault("docs/data.md"),
    ),
    data: dataFlag,
  },
  *run({ file, data, json }) {
    const { writeGeneratedTables } = yield* Effect.promise(() => import("../data-files/generated-tables.ts"))
    const report = yield* orFail(writeGeneratedTables({ file, folder: data }))
    yield* json ? printWire(report) : Console.log(report.changed ? file : "Nothing to change.")
  },
})

const importHistory = makeCommand("import-history", {
  about: "Import a folder of dated tables into data/past, for answers about past days",
  examples: { "landfall data import-history tables --dry-run": "Report what would change, and write nothing" },
  takes: {
    folder: Argument.String("dir").pipe(
      Argument.withDescription("A folder of dated tables, YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv"),
    ),
    data: dataFlag,
    source: Flag.String("source").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("The id of the tables in sources.json"),
      Flag.withDefault("passport-index-tables"),
    ),
    dryRun: switchFlag("dry-run", "Report what would change, and write nothing"),
  },
  *run({ folder, data, source, dryRun, json }) {
    const { importHistoryFolder } = yield* Effect.promise(() => import("../data-files/import-history.ts"))
    const report = yield* orFail(importHistoryFolder({ from: folder, folder: data, source, dryRun }))
    if (json) return yield* printWire(report)
    const { tables, copies, tooOld, changes, passing, passingBans } = report
    yield* printText(
      `${report.pairs} pairs for ${report.destinations} destinations from ${tables.length} tables of ${report.source}, ${tables[0]} to ${tables.at(-1)}: ` +
        `${report.changedFiles.length} files ${report.written ? "changed" : "would change"}.\n` +
        `${changes} changes, ${passing} of them reversed within thirty days (${passingBans} are bans of the pandemic); all are kept.\n` +
        `Left out: ${copies.length} copies of the table before (${copies.join(" ") || "none"}), ${tooOld.length} tables before 2020-11-19.`,
    )
  },
})

const update = makeCommand("update", {
  about: "Import newer copies of the sources, and report what a person has to check",
  usage: "landfall data update DIR [--data DIR] [--on DATE] [-o FILE] [--dry-run] [--json]",
  examples: {
    "landfall data update newer --dry-run": "What the copies in ./newer would change, and what has to be reviewed",
  },
  takes: {
    from: Argument.String("dir").pipe(
      Argument.withDescription(
        "A folder of newer copies with some of table/YYYY-MM-DD.csv, dated-tables/YYYY-MM-DD.csv (all of them) and second-source/*.json",
      ),
    ),
    data: dataFlag,
    on: textFlag(
      "on",
      "DATE",
      "The day of the update, YYYY-MM-DD, from which the dataset is named; today (UTC) when absent",
    ),
    output: outputFlag("The file for the report; the standard output when absent").pipe(Flag.optional),
    dryRun: switchFlag("dry-run", "Write only the report"),
  },
  *run({ from, data, on: given, output, dryRun, json }) {
    const [{ updateData }, { formatUpdate }] = yield* Effect.promise(() =>
      Promise.all([import("../data-files/update.ts"), import("../data-files/update-report.ts")]),
    )
    const on = Option.isSome(given) ? given.value : yield* today
    if (parseCivilDate(on) === null) {
      const message = `--on: ${JSON.stringify(on)} is not a calendar date YYYY-MM-DD.`
      return yield* new CalledWrongly({ message })
    }
    const report = yield* orFail(updateData({ folder: data, from, on, dryRun }))
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

export const data = Command.make("data").pipe(
  Command.withDescription("Import tables, compare sources, update, check and format the facts"),
  Command.withSubcommands([
    update,
    importTable,
    importHistory,
    corroborate,
    differences,
    verify,
    coverage,
    format,
    tables,
  ]),
)
