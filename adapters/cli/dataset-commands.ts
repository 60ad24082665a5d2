/** `landfall dataset …`: builds, describes, verifies and exports datasets. `landfall explain FRA JPN`: the claim that decided, and those that it beat, from the facts of a clone. */
import {
  addFacts,
  compileFacts,
  type DatasetParts,
  type ExplainedRule,
  encodeDataset,
  explainRequirement,
  layOutHistory,
} from "../../src/compiler.ts"
import { addHistory } from "../../src/history.ts"
import { type Dataset, embeddedDataset, openDataset } from "../../src/index.ts"
import { openWholeDataset } from "../answers/dataset-file.ts"
import { toWire } from "../answers/wire-names.ts"
import { explainClaims } from "../data-files/answer-claims.ts"
import type { DataRecords } from "../data-files/data-files.ts"
import { listExportNames, listExportRows, writeCsv, writeParquet } from "../data-files/export-pairs.ts"
import { countCoverage } from "../data-files/freshness.ts"
import { compileFactsSection } from "../data-files/full-compile.ts"
import { readOthers } from "../data-files/full-read.ts"
import { notices } from "../data-files/notices.generated.ts"
import { listPast } from "../data-files/past-claims.ts"
import { nameFiles, placeRules, readDataRecords, toFacts, withClaimsOf } from "../data-files/read-facts.ts"
import { replaceFile } from "../files/replace-file.ts"
import { argument, choice, isSet, makeCommand, optionalArgument, or, output, text } from "./command.ts"
import { failed, wrong } from "./failure.ts"
import {
  country,
  day,
  type LocalWords,
  lang,
  loadFull,
  loadWords,
  nameCount,
  onFile,
  openDatasetFile,
  openDatasetOn,
  orFail,
  orUsage,
  readCountry,
  readDatasetBytes,
} from "./inputs.ts"
import { layOutRecord, points, table } from "./print.ts"

// `landfall dataset export`: every pair with a record, for a spreadsheet, a program or a warehouse.

export const exportPairs = makeCommand("dataset export", {
  examples: { "landfall dataset export --format json -o pairs.json": "The embedded dataset as JSON" },
  takes: {
    file: optionalArgument("A dataset file; the embedded dataset when absent"),
    format: choice(["csv", "json", "parquet"], "The format; CSV when absent"),
    output: output("The output file; the standard output when absent"),
    on: day,
    withSources: isSet("In CSV and JSON too: the evidence of each answer, its day and the dataset's version"),
  },
  async run({ file, format, output, on, withSources, json }, at) {
    const wanted = format ?? (json ? "json" : "csv")
    if (json && wanted !== "json") {
      throw wrong(`--json and --format ${wanted}: give one of them.`)
    }
    if (wanted === "parquet" && output === undefined) {
      throw wrong("--format parquet: name a file with -o.")
    }
    const rows = listExportRows(openDatasetOn(file, on, at))
    const names = listExportNames(withSources)
    const picked = () => rows.map(row => Object.fromEntries(names.map(name => [name, row[name]])))
    const content =
      wanted === "parquet"
        ? await writeParquet(rows)
        : wanted === "csv"
          ? writeCsv(rows, names)
          : `${JSON.stringify(picked(), null, 2)}\n`
    if (output !== undefined) onFile(output, () => replaceFile(output, content))
    at.console.log(output === undefined ? String(content).slice(0, -1) : `${output}: ${nameCount(rows.length, "pair")}`)
    return undefined
  },
})

export const dataFolder = or(text("DIR", "The folder of facts; ./data when absent"), "data")

export const build = makeCommand("dataset build", {
  examples: { "landfall dataset build -o today.landfall": "Of the facts of ./data" },
  takes: {
    data: dataFolder,
    output: or(output("Where to write the dataset; dataset.landfall when absent"), "dataset.landfall"),
    pairsOnly: isSet("Leave the full facts out; records over the file then use the facts of the program"),
  },
  async run({ data, output, pairsOnly }) {
    const records = orFail(readDataRecords(data))
    const compiled = compileFacts(toFacts(records))
    if (!compiled.ok) throw failed(nameFiles(data, compiled.error, records).message)
    const whole = pairsOnly ? compiled : compileWhole(data, records, compiled.value)
    if (!whole.ok) throw failed(whole.error.message)
    const bytes = encodeDataset(whole.value)
    const opened = openDataset(bytes)
    if (!opened.ok) throw failed(opened.error.message)
    onFile(output, () => replaceFile(output, bytes))
    const { version, as_of } = records.dataset
    return { json: { file: output, version, as_of, bytes: bytes.length } }
  },
})

/** Adds the full facts of a folder to its pairs, and the past, if it has one. */
function compileWhole(data: string, records: DataRecords, pairs: DatasetParts) {
  const whole = addFacts(pairs, compileFactsSection(orFail(readOthers(data, records))))
  const past = whole.ok ? listPast(records) : []
  if (!whole.ok || past.length === 0) return whole
  const history = layOutHistory(past)
  if (!history.ok) throw failed(nameFiles(data, history.error).message)
  return addHistory(whole.value, history.value)
}

export const info = makeCommand("dataset info", {
  examples: { "landfall dataset info": "The embedded dataset" },
  takes: { file: optionalArgument("A dataset file; the embedded dataset when absent") },
  async run({ file }, at) {
    const dataset = openDatasetFile(file, at)
    const summary = { ...describeDataset(dataset), ...(await describeSections(dataset)) }
    return {
      json: { ...summary, attributions: notices.attributions },
      text: [
        ...layOutRecord(summary),
        "\nThe facts in this program are the work of others (whole notices: data/LICENSES.md, and /docs of the service):",
        ...notices.attributions.map(line => points(`- ${line}`)),
      ],
    }
  },
})

/** The contents of a dataset besides its pairs, with their day; for a file of pairs only, the program's facts. */
async function describeSections(dataset: Dataset) {
  const { loadFullFacts, readDatasetFacts } = await loadFull()
  const own = readDatasetFacts(dataset)
  if (!own.ok) throw failed(own.error.message)
  const facts = own.value?.facts ?? (await loadFullFacts())
  let count = 0
  for (const code of dataset.destinations) {
    for (const known of Object.values(facts.factsOf(code))) count += known.length
  }
  return {
    facts_in_file: own.value !== null,
    facts_bytes: own.value?.bytes ?? 0,
    facts_version: facts.version,
    facts_as_of: facts.asOf,
    facts: count,
  }
}

export const verify = makeCommand("dataset verify", {
  examples: { "landfall dataset verify today.landfall": "Any damage is named" },
  takes: { file: argument("A dataset file") },
  async run({ file }, at) {
    const bytes = readDatasetBytes(file, at)
    const opened = openWholeDataset(bytes)
    if (!opened.ok) throw failed(`${file}: ${opened.message}`)
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

export const explain = makeCommand("explain", {
  examples: { "landfall explain LCA GBR": "The claim that decided, and those that it beat" },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day, lang, data: dataFolder },
  async run({ on, lang, data, ...given }) {
    const dataset = embeddedDataset()
    const passport = await readCountry(dataset, given.passport, "passport")
    const destination = await readCountry(dataset, given.destination, "destination")
    const words = await loadWords(lang)
    const records = withClaimsOf(orFail(readDataRecords(data)), destination)
    const facts = toFacts(records)
    const place = placeRules(records)
    const explanation = orUsage(explainRequirement(facts, passport, destination, on ?? facts.asOf))
    const { decided, beaten } = explanation
    const ruling = decided === null ? null : explainClaims(records, passport, decided.policy)
    const order = (ruling?.trace ?? []).map(({ value: { word, days, opinions, isOfTable }, says }) => ({
      answer: days === null ? word : `${word} ${days}`,
      claims: [...opinions.map(({ place: claim }) => claim), ...(isOfTable ? ["tables"] : [])],
      says,
    }))
    const treaty = ruling?.treaty?.id ?? null
    const json = toWire({ ...explanation, order, treaty })
    const pair = words.pair(passport, destination)
    if (decided === null) return { json, text: [`${pair} on ${explanation.on}: nothing is claimed of this pair.`] }
    const doubt = explanation.uncertain ? " (uncertain)" : ""
    return {
      json,
      text: [
        `${pair} on ${explanation.on}, decided by the first of these claims${doubt}:\n`,
        table(
          ["claim", "names", "says", "in force", "source", "page", "read"],
          [decided, ...beaten].map(rule => toRow(rule, place, words)),
        ),
        `\nThe order of claims on ${records.dataset.as_of}:\n`,
        table(
          ["answer", "claims", "which"],
          order.map(({ answer, claims, says }) => [answer, claims.join(" "), says]),
        ),
        ...(treaty === null ? [] : [`\nThe treaty ${treaty} is a floor: no answer is below its terms.`]),
      ],
    }
  },
})

function toRow(
  { policy, field, selector, terms }: ExplainedRule,
  place: ReturnType<typeof placeRules>,
  words: LocalWords,
): string[] {
  const placed = place({ record: `policies/${policy}`, field })
  const inForce = `${terms.from ?? "…"} – ${terms.until ?? "…"}`
  const claim = field === "home" ? "home" : `${placed.record} ${placed.field}`
  const said = [words.answer(terms), inForce, terms.source ?? "none", terms.sourceUrl ?? "", terms.verifiedOn ?? ""]
  return [claim, selector, ...said]
}
