/** `landfall dataset …`: builds, describes, verifies and exports datasets. */
import { Console, Effect } from "effect"
import { addFacts, compileFacts, type DatasetParts, encodeDataset, layOutHistory } from "../../src/compiler.ts"
import { type Dataset, openDataset } from "../../src/index.ts"
import { countCoverage } from "../data-files/count-coverage.ts"
import type { DataRecords } from "../data-files/data-files.ts"
import { listExportNames, listExportRows, writeCsv, writeParquet } from "../data-files/export-pairs.ts"
import { notices } from "../data-files/notices.generated.ts"
import { nameFiles, readDataRecords, toFacts } from "../data-files/read-facts.ts"
import { replaceFile } from "../files/replace-file.ts"
import { argument, choice, isSet, load, makeCommand, makeGroup, optionalArgument, or, output, text } from "./command.ts"
import { nameCount, onFile, openDatasetFile, openDatasetOn, orFail, readDatasetBytes } from "./command-outcome.ts"
import { feedCommands } from "./dataset-feed.ts"
import { day } from "./dataset-question.ts"
import { type CommandFailed, failed, wrong } from "./failure.ts"
import { install, rollback } from "./install-command.ts"
import { points, table } from "./print.ts"

// `landfall dataset export`: every pair with a record, for a spreadsheet, a program or a warehouse.

export const exportPairs = makeCommand("dataset export", {
  about: "Print every pair with a record as CSV, JSON or Parquet",
  examples: { "landfall dataset export --format json -o pairs.json": "The embedded dataset as JSON" },
  takes: {
    file: optionalArgument("A dataset file; the embedded dataset when absent"),
    format: choice(["csv", "json", "parquet"], "The format; CSV when absent"),
    output: output("The output file; the standard output when absent"),
    on: day,
    withSources: isSet("In CSV and JSON too: the evidence of each answer, its day and the dataset's version"),
  },
  *run({ file, format, output, on, withSources, json }) {
    const wanted = format ?? (json ? "json" : "csv")
    if (json && wanted !== "json") {
      return yield* wrong(`--json and --format ${wanted}: give one of them.`)
    }
    if (wanted === "parquet" && output === undefined) {
      return yield* wrong("--format parquet: name a file with -o.")
    }
    const rows = listExportRows(yield* openDatasetOn(file, on))
    const names = listExportNames(withSources)
    const picked = () => rows.map(row => Object.fromEntries(names.map(name => [name, row[name]])))
    const content =
      wanted === "parquet"
        ? yield* Effect.promise(() => writeParquet(rows))
        : wanted === "csv"
          ? writeCsv(rows, names)
          : `${JSON.stringify(picked(), null, 2)}\n`
    if (output !== undefined) yield* onFile(output, () => replaceFile(output, content))
    yield* Console.log(
      output === undefined ? String(content).slice(0, -1) : `${output}: ${nameCount(rows.length, "pair")}`,
    )
  },
})

export const dataFolder = or(text("DIR", "The folder of facts; ./data when absent"), "data")

const build = makeCommand("dataset build", {
  about: "Compile the facts into a dataset file",
  examples: { "landfall dataset build -o today.landfall": "Of the facts of ./data" },
  takes: {
    data: dataFolder,
    output: or(output("Where to write the dataset; dataset.landfall when absent"), "dataset.landfall"),
    pairsOnly: isSet("Leave the full facts out; records over the file then use the facts of the program"),
  },
  *run({ data, output, pairsOnly }) {
    const records = yield* orFail(readDataRecords(data))
    const compiled = compileFacts(toFacts(records))
    if (!compiled.ok) return yield* toFailure(nameFiles(data, compiled.error, records))
    const whole = pairsOnly ? compiled : yield* compileWhole(data, records, compiled.value)
    if (!whole.ok) return yield* toFailure(whole.error)
    const bytes = encodeDataset(whole.value)
    const opened = openDataset(bytes)
    if (!opened.ok) return yield* toFailure(opened.error)
    yield* onFile(output, () => replaceFile(output, bytes))
    const { version, as_of } = records.dataset
    return {
      json: { file: output, version, as_of, bytes: bytes.length },
      text: [`${output}: dataset ${version}, ${bytes.length} bytes`],
    }
  },
})

/** Compiles the full facts of a folder and adds them to its pairs. */
const compileWhole = (data: string, records: DataRecords, pairs: DatasetParts) =>
  Effect.gen(function* () {
    const { readFullRecords, compileFactsSection } = yield* load(() => [
      import("../data-files/full-read.ts"),
      import("../data-files/full-compile.ts"),
    ])
    const full = yield* orFail(readFullRecords(data))
    const whole = addFacts(pairs, compileFactsSection(full))
    return whole.ok ? yield* addPast(data, records, whole.value) : whole
  })

/** Adds the past, if the folder has one. */
const addPast = (data: string, records: DataRecords, parts: DatasetParts) =>
  Effect.gen(function* () {
    const [{ listPast }, { addHistory }] = yield* Effect.promise(() =>
      Promise.all([import("../data-files/past-claims.ts"), import("../../src/history.ts")]),
    )
    const past = listPast(records)
    if (past.length === 0) return { ok: true, value: parts } as const
    const history = layOutHistory(past)
    return history.ok ? addHistory(parts, history.value) : yield* toFailure(nameFiles(data, history.error))
  })

const info = makeCommand("dataset info", {
  about: "Show the contents of a dataset, and the owners of its data",
  examples: { "landfall dataset info": "The embedded dataset" },
  takes: { file: optionalArgument("A dataset file; the embedded dataset when absent") },
  *run({ file }) {
    const dataset = yield* openDatasetFile(file)
    const summary = { ...describeDataset(dataset), ...(yield* describeSections(dataset)) }
    const rows = Object.entries(summary).map(([name, value]) => [name, String(value)])
    return {
      json: { ...summary, attributions: notices.attributions },
      text: [
        table([], rows),
        "\nThe facts in this program are the work of others (whole notices: data/LICENSES.md, and /docs of the service):",
        ...notices.attributions.map(line => points(`- ${line}`)),
      ],
    }
  },
})

// Loaded where it is needed, because every other command starts faster without it.
const loadDatasetFile = Effect.promise(() => import("../answers/dataset-file.ts"))
const loadFull = Effect.promise(() => import("../../src/full.ts"))

/** The contents of a dataset besides its pairs, with their day; for a file of pairs only, the program's facts. */
const describeSections = (dataset: Dataset) =>
  Effect.gen(function* () {
    const { loadFullFacts, readDatasetFacts } = yield* loadFull
    const own = readDatasetFacts(dataset)
    if (!own.ok) return yield* failed(own.error.message)
    const facts = own.value?.facts ?? (yield* Effect.promise(loadFullFacts))
    let count = 0
    for (const code of dataset.destinations) {
      const known = facts.factsOf(code)
      for (const facts of Object.values(known)) count += facts.length
    }
    return {
      facts_in_file: own.value !== null,
      facts_bytes: own.value?.bytes ?? 0,
      facts_version: facts.version,
      facts_as_of: facts.asOf,
      facts: count,
    }
  })

const verify = makeCommand("dataset verify", {
  about: "Check all of a dataset file: format, length, checksum, tables",
  examples: { "landfall dataset verify today.landfall": "Any damage is named" },
  takes: { file: argument("A dataset file") },
  *run({ file }) {
    const { openWholeDataset } = yield* loadDatasetFile
    const bytes = yield* readDatasetBytes(file)
    const opened = openWholeDataset(bytes)
    if (!opened.ok) return yield* failed(`${file}: ${opened.message}`)
    const { version, formatVersion } = opened.value
    return {
      json: { file, sound: true, version, format_version: formatVersion, bytes: bytes.length },
      text: [`${file}: sound. Dataset ${version}, format ${formatVersion}, ${bytes.length} bytes.`],
    }
  },
})

function describeDataset(dataset: Dataset) {
  const coverage = countCoverage(dataset)
  return {
    version: dataset.version,
    format_version: dataset.formatVersion,
    as_of: dataset.asOf,
    passports: dataset.passports.length,
    destinations: dataset.destinations.length,
    pairs: dataset.pairs.length,
    pairs_with_record: coverage.found,
    pairs_without_record: dataset.pairs.length - coverage.found,
    pairs_imported: coverage.imported,
    pairs_verified: coverage.verified,
    pairs_uncertain: coverage.uncertain,
    pairs_with_dated_rules: dataset.timelines.size,
    distinct_answers: dataset.answers.length - 1,
  }
}

function toFailure(error: { readonly message: string }): CommandFailed {
  return failed(error.message)
}

export const dataset = makeGroup("dataset", "Build, describe, verify, export, install, publish and fetch datasets", [
  build,
  info,
  verify,
  exportPairs,
  install,
  rollback,
  ...feedCommands,
])
