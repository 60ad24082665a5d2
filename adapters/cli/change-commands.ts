/**
 * `landfall history FRA CHN` and `landfall watch FRA JPN,THA --since 2026-06-01`: how the answers of pairs have changed and are announced to
 * change, each change with its source; and what has changed for a passport, for a job that runs every day.
 *
 * `watch` finds changes since a day, from the records of changes; since the last run, whose state a file stores; or since another dataset. It
 * exits with 3 if something has changed and with 0 if not, so a job need not read the output. Changes that are announced for a future day are
 * listed, and count only if they are new since the last run or the other dataset: a date alone does not say when they were announced.
 *
 * `landfall diff BEFORE AFTER`: which pairs changed between two datasets, and how severe each change is.
 */
import { existsSync } from "node:fs"
import { Schema } from "effect"
import type { ListInstalled, PolicyTerms } from "../../src/full.ts"
import {
  type Dataset,
  datasetOn,
  diffDatasets,
  type Found,
  listScheduledChanges,
  lookupRequirement,
  type PairChange,
  REQUIREMENTS,
} from "../../src/index.ts"
import { loadFactsOf } from "../answers/dataset-file.ts"
import {
  type ChangeHistory,
  type ChangeRecord,
  compareFound,
  groupScheduled,
  listPairChanges,
  type Terms,
} from "../answers/pair-changes.ts"
import type { PairQuestion } from "../answers/visa-answers.ts"
import { toWire } from "../answers/wire-names.ts"
import { formatRecord } from "../files/record-files.ts"
import { replaceFile } from "../files/replace-file.ts"
import { readJsonFields } from "../validation/fields.ts"
import {
  argument,
  isSet,
  makeCommand,
  optionalArgument,
  printAnswer,
  type Running,
  readWords,
  text,
} from "./command.ts"
import { CommandEnded, failed, wrong } from "./failure.ts"
import {
  countries,
  country,
  type LocalWords,
  lang,
  loadFull,
  loadWords,
  makeQuestion,
  makeWording,
  nameCount,
  onFile,
  openDatasetFile,
  orUsage,
  readCountries,
  readDay,
  readText,
  today,
} from "./inputs.ts"
import { table, tableUnder } from "./print.ts"

/** `--installed`: the history of a deployment too. */
const installed = isSet(
  "Include what installed datasets have changed, by the deployment that LANDFALL_DATABASE_URL names",
)

/** Loads everything that is known of changes, up to a day that still counts as past. */
async function loadChangeHistory(dataset: Dataset, untilOn: string, isInstalled: boolean, at: Running) {
  const { loadLocalisedFacts, readDatasetFacts } = await loadFull()
  const facts = readDatasetFacts(dataset)
  if (!facts.ok) throw failed(facts.error.message)
  const localised = await loadLocalisedFacts(dataset, "en", { missions: false })
  const listInstalled: ListInstalled = isInstalled ? await readInstalled(at) : () => []
  return { localised, untilOn, listInstalled, scheduled: groupScheduled(dataset) }
}

async function readInstalled(at: Running): Promise<ListInstalled> {
  const [{ openDeployment }, { followInstalled }] = await Promise.all([
    import("./operator-deployment.ts"),
    import("../events/installed-changes.ts"),
  ])
  const { run } = await openDeployment(at)
  const { load, list } = await run(followInstalled)
  const show = await run(load)
  show()
  return list
}

const rowOf = (
  { on, first_seen: seen, previous, current, note, after_ban, sources }: ChangeRecord,
  words: LocalWords,
): readonly string[] => [
  seen === undefined ? (on ?? "") : `after ${seen.after}, by ${seen.by}`,
  note ?? writeTerms(previous, words),
  note === undefined ? writeTerms(current, words) : "",
  [...(after_ban === true ? ["after a ban of the pandemic"] : []), ...sources.map(({ name }) => name)].join("; "),
]

const writeTerms = (terms: Terms | null, words: LocalWords): string =>
  words.answer(terms === null ? null : { requirement: terms.requirement, days: terms.visa_free_days })

export const history = makeQuestion("history", {
  examples: {
    "landfall history FRA CHN": "A French passport in China",
    "landfall history FRA CHN --json": "For programs",
  },
  takes: { passport: country("FRA"), destination: country("CHN"), installed },
  async run({ passport, destination, installed: isInstalled, dataset, words }, at) {
    const recorded = await loadChangeHistory(dataset, today(), isInstalled, at)
    const { past, announced } = listPairChanges(recorded, { passport, destination })
    const isKnown = dataset.passports.includes(passport) && dataset.destinations.includes(destination)
    if (!isKnown && past.length + announced.length === 0) {
      const message = `${passport} to ${destination}: Nothing is recorded for this passport and destination.`
      throw failed(message, { code: "no_record", given: { passport, destination } })
    }
    const pair = words.pair(passport, destination)
    const list = (title: string, changes: typeof past) =>
      tableUnder(
        title,
        ["on", "before", "after", "source"],
        changes.map(change => rowOf(change, words)),
      )
    const unchanged = `${pair}: no change is recorded. That does not prove that nothing changed.`
    const title = `${pair}, by the day on which each change began, or the two between which it was first seen:\n`
    return {
      json: { passport, destination, dataset_version: dataset.version, changes: past, announced },
      text: [...(past.length === 0 ? [unchanged] : list(title, past)), ...list("\nAnnounced:\n", announced)],
    }
  },
})

// What does `landfall watch` remember between two runs?
// The answer of each pair and which of its changes were announced, as JSON that people can read. A file of another shape is
// refused and never overwritten.

/** The answer of a pair, null where there was no record, and its announced changes, each by a text that is the same for the same change. */
const RememberedPair = Schema.Struct({
  requirement: Schema.NullOr(Schema.Literals(REQUIREMENTS)),
  days: Schema.NullOr(Schema.Finite),
  uncertain: Schema.Boolean,
  announced: Schema.Array(Schema.String),
})
type RememberedPair = typeof RememberedPair.Type

/** A run: its day, and the pairs, each under its passport and destination with a blank between them. */
const WatchState = Schema.Struct({
  format: Schema.Literal("landfall-watch-1"),
  on: Schema.String,
  dataset_version: Schema.String,
  pairs: Schema.Record(Schema.String, RememberedPair),
})

export const watch = makeQuestion("watch", {
  about:
    "What has changed for passports at destinations since a day, since the last run or since another dataset; ends with 3 where something has",
  examples: {
    "landfall watch FRA JPN,THA --since 2026-06-01": "From the recorded changes",
    "landfall watch FRA --state french.json": "Every destination, since the last run",
    "landfall watch FRA CHN --before old.landfall --json": "Between two datasets, for programs",
  },
  takes: {
    passports: countries,
    destinations: optionalArgument("Destinations in the same form; every one when absent"),
    since: text("DATE", "Recorded changes on this day or later", readDay),
    state: text("FILE", "Changes since the last run with this file, which stores the state"),
    before: text("FILE", "Differences from this older dataset file"),
    installed,
  },
  async run({ passports, since, state, before, installed: isInstalled, dataset: opened, words, json, ...given }, at) {
    if ([since, state, before].filter(flag => flag !== undefined).length !== 1) {
      const expected = "one of --since, --state and --before"
      throw wrong("--since, --state or --before: give one of them.", { expected })
    }
    const untilOn = today()
    const dataset = orUsage(datasetOn(opened, untilOn < opened.asOf ? opened.asOf : untilOn))
    const destinations =
      given.destinations === undefined
        ? dataset.destinations
        : await readCountries(dataset, given.destinations, "destinations")
    const recorded = await loadChangeHistory(opened, untilOn, isInstalled, at)
    const pairs = [...new Set(passports)].flatMap(passport =>
      [...new Set(destinations)].map(destination => ({ passport, destination })),
    )
    const seen = look({ since, state, before, pairs, dataset, untilOn, recorded }, at)
    const { changes, announced, isFirst } = seen
    const changed = changes.length + seen.news > 0
    const list = (found: readonly ChangeRecord[]) =>
      table(
        ["pair", "on", "before", "after", "source"],
        found.map(change => [`${change.passport} ${change.destination}`, ...rowOf(change, words)]),
      )
    const count = `${changes.length === 0 ? "no" : changes.length} ${changes.length === 1 ? "change" : "changes"}`
    const names = passports.map(code => `${code} ${words.country(code)}`).join(", ")
    const answer = {
      json: {
        on: untilOn,
        dataset_version: dataset.version,
        pairs: pairs.length,
        first_run: isFirst,
        changed,
        changes,
        announced,
      },
      text: [
        isFirst
          ? `${names}: ${nameCount(pairs.length, "pair is", "pairs are")} stored; the next run reports the changes since.`
          : `${names}: ${count} in ${nameCount(pairs.length, "pair")}. Dataset ${dataset.version}.`,
        ...(changes.length > 0 ? [list(changes)] : []),
        ...(announced.length > 0 ? ["\nAnnounced:", list(announced)] : []),
      ],
    }
    // A run that was not reported is not remembered.
    printAnswer(at, answer, json)
    seen.remember()
    if (changed) throw new CommandEnded("Something has changed.", 3)
    return undefined
  },
})

interface Watched {
  readonly since: string | undefined
  readonly state: string | undefined
  readonly before: string | undefined
  readonly pairs: readonly PairQuestion[]
  readonly dataset: Dataset
  readonly untilOn: string
  readonly recorded: ChangeHistory
}

/** Finds the changes to print, how many of the announced ones are new, and what to remember when the answer was printed. */
function look({ since, state, before, ...watched }: Watched, at: Running) {
  const { pairs, dataset, untilOn, recorded } = watched
  const known = pairs.map(pair => ({
    pair,
    name: `${pair.passport} ${pair.destination}`,
    ...listPairChanges(recorded, pair),
  }))
  const announced = known.flatMap(each => each.announced)
  const done = { isFirst: false, remember: () => {} }
  if (since !== undefined) {
    const changes = known.flatMap(({ past }) => past.filter(({ on }) => on !== null && on >= since))
    return { ...done, changes, announced, news: 0 }
  }
  if (before !== undefined) {
    const older = openDatasetFile(before, at)
    const view = orUsage(datasetOn(older, untilOn < older.asOf ? older.asOf : untilOn))
    const changes = pairs.flatMap(pair => compareFound(pair, findAnswer(view, pair), findAnswer(dataset, pair)) ?? [])
    const scheduled = groupScheduled(older)
    const old = pairs.flatMap(pair => listPairChanges({ ...recorded, scheduled }, pair).announced)
    const fresh = listNew(announced, old.map(keyOf))
    return { ...done, changes, announced: fresh, news: fresh.length }
  }
  const path = state ?? ""
  const last = readRemembered(path, at)
  const now = known.map(({ pair, name, announced: ahead }) => {
    const { requirement = null, days = null, uncertain = false } = findAnswer(dataset, pair) ?? {}
    return [name, { requirement, days, uncertain, announced: ahead.map(keyOf) }] as const
  })
  const changes = known.flatMap(({ pair, name }) => {
    const was = last.get(name)
    if (was === undefined) return []
    const { requirement } = was
    return compareFound(pair, requirement === null ? null : { ...was, requirement }, findAnswer(dataset, pair)) ?? []
  })
  const fresh = known.flatMap(({ name, announced: ahead }) => {
    const was = last.get(name)
    return was === undefined ? [] : listNew(ahead, was.announced)
  })
  return {
    changes,
    announced: fresh,
    news: fresh.length,
    isFirst: known.every(({ name }) => !last.has(name)),
    remember: () => {
      const pairs = Object.fromEntries([...new Map([...last, ...now])].sort(([a], [b]) => (a < b ? -1 : 1)))
      const state = { format: "landfall-watch-1", on: untilOn, dataset_version: dataset.version, pairs }
      onFile(path, () => replaceFile(path, formatRecord(WatchState, state)))
    },
  }
}

function findAnswer(dataset: Dataset, { passport, destination }: PairQuestion): Found | null {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" ? answer : null
}

const keyOf = ({ passport, destination, on, current }: ChangeRecord): string =>
  [passport, destination, on, current?.requirement ?? "none", current?.visa_free_days ?? ""].join(" ")

const listNew = (announced: readonly ChangeRecord[], known: readonly string[]) =>
  announced.filter(change => !known.includes(keyOf(change)))

function readRemembered(path: string, at: Running) {
  if (path !== "" && !existsSync(path)) return new Map<string, RememberedPair>()
  const state = readJsonFields(readText(path, at))
  if (!Schema.is(WatchState)(state)) throw failed(`${path}: is not a file that landfall watch has written.`)
  return new Map(Object.entries(state.pairs))
}

const FIELDS = ["record", "requirement", "days", "uncertain", "basis", "source", "verified_on"] as const
const USUAL_FIELDS = ["record", "requirement", "days", "uncertain"] as const
/** The facts of a policy that are compared. */
const FACTS = ["fee", "processing_days", "validity"] as const

export const diff = makeCommand("diff", {
  examples: {
    "landfall diff old.landfall": "An older file against the embedded dataset",
    "landfall diff old.landfall new.landfall --fields requirement --json": "Two files, for programs",
  },
  takes: {
    before: argument("The older dataset file"),
    after: optionalArgument("The newer dataset file; the embedded dataset when absent"),
    fields: text(
      "LIST",
      `What to compare, by commas: ${FIELDS.join(",")}; record,requirement,days,uncertain when absent`,
      readWords(FIELDS),
    ),
    lang,
  },
  async run({ before, after, fields, lang }, at) {
    const older = openDatasetFile(before, at)
    const newer = openDatasetFile(after, at)
    const options = { fields: fields ?? USUAL_FIELDS }
    const changes = diffDatasets(older, newer, options)
    const scheduled = listScheduledChanges(newer, newer.asOf, options)
    const facts = fields === undefined ? await compareFacts(older, newer) : null
    const json = {
      before: older.version,
      after: newer.version,
      count: changes.length,
      changes: changes.map(describePairChange),
      scheduled: scheduled.map(change => ({ ...describePairChange(change), effective_from: change.effectiveFrom })),
      ...(facts === null ? {} : { facts }),
    }
    const columns = "passport destination previous current"
    return {
      json,
      columns: {
        changes: `${columns} severity`,
        scheduled: `effective_from ${columns}`,
        facts: "passport destination fields previous current",
      },
      say: makeWording(await loadWords(lang)),
    }
  },
})

/** The differences between the facts of two datasets; null if neither has its own facts. */
async function compareFacts(older: Dataset, newer: Dataset) {
  const { diffPolicies, readDatasetFacts } = await loadFull()
  const own = [older, newer].map(dataset => {
    const read = readDatasetFacts(dataset)
    if (!read.ok) throw failed(read.error.message)
    return read.value
  })
  if (own.every(facts => facts === null)) return null
  const [before, after] = await Promise.all([loadFactsOf(older), loadFactsOf(newer)])
  const changes = diffPolicies({ dataset: older, facts: before }, { dataset: newer, facts: after }, newer.asOf)
  return changes.flatMap(({ passport, destination, severity, previous, current, ...change }) => {
    const fields = FACTS.filter(field => change.fields.includes(field))
    const side = (terms: PolicyTerms | null) => {
      const named = terms === null ? null : toWire(terms)
      return Object.fromEntries(fields.map(field => [field, named?.[field] ?? null]))
    }
    const sides = { previous: side(previous), current: side(current) }
    return fields.length === 0 ? [] : [{ passport, destination, fields, severity, ...sides }]
  })
}

function describePairChange({ passport, destination, previous, current, fields, severity }: PairChange) {
  const side = (answer: Found | null) =>
    answer === null
      ? null
      : { requirement: answer.requirement, visa_free_days: answer.days, source: answer.source?.id ?? null }
  return { passport, destination, fields, severity, previous: side(previous), current: side(current) }
}
