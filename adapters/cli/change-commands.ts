/**
 * `landfall history FRA CHN` and `landfall watch FRA JPN,THA --since 2026-06-01`: how the answers of pairs have changed and are announced to
 * change, each change with its source; and what has changed for a passport, for a job that runs every day.
 *
 * `watch` finds changes since a day, from the records of changes; since the last run, whose state a file stores; or since another dataset. It
 * exits with 3 if something has changed and with 0 if not, so a job need not read the output. Changes that are announced for a future day are
 * listed, and count only if they are new since the last run or the other dataset: a date alone does not say when they were announced.
 */

import { existsSync } from "node:fs"
import { DateTime, Effect } from "effect"
import type { ListInstalled } from "../../src/full.ts"
import {
  type Dataset,
  datasetOn,
  type Found,
  isRequirement,
  lookupRequirement,
  parseCivilDate,
  type Requirement,
} from "../../src/index.ts"
import type { ChangeHistory, ChangeRecord, Pair, Terms } from "../answers/pair-changes.ts"
import { replaceFile } from "../files/replace-file.ts"
import { isFields, readJsonFields } from "../validation/fields.ts"
import { isSet, optionalArgument, text } from "./command.ts"
import { nameCount, onFile, openDatasetFile, orUsage, readText } from "./command-outcome.ts"
import { countries, country, makeQuestion, readCountries } from "./dataset-question.ts"
import { CalledWrongly, CommandFailed, failed, SomethingChanged } from "./failure.ts"
import { loadFull, type Words } from "./language.ts"
import { onDeployment } from "./load-deployment.ts"
import { printAnswer, table } from "./print.ts"

/** `--installed`: the history of a deployment too. */
export const installed = isSet(
  "Include what installed datasets have changed, by the deployment that LANDFALL_DATABASE_URL names",
)

/** Today in UTC, by the clock. */
export const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Reads a day of a flag, or ends with 2. */
export const readDay = (flag: string, given: string): Effect.Effect<string, CalledWrongly> => {
  if (parseCivilDate(given) !== null) return Effect.succeed(given)
  const expected = "a calendar date YYYY-MM-DD from 1900 to 2199"
  const message = `${flag}: ${expected} is expected, not ${JSON.stringify(given)}.`
  return Effect.fail(new CalledWrongly({ message, field: flag, given, expected }))
}

const NOTHING: ListInstalled = () => []

/** Loads everything that is known of changes, up to a day that still counts as past. */
export const loadChangeHistory = (
  dataset: Dataset,
  { untilOn, isInstalled }: { readonly untilOn: string; readonly isInstalled: boolean },
): Effect.Effect<ChangeHistory, CommandFailed> =>
  Effect.gen(function* () {
    const { loadLocalisedFacts, readDatasetFacts } = yield* loadFull
    const facts = readDatasetFacts(dataset)
    if (!facts.ok) return yield* failed(facts.error.message)
    const { groupScheduled } = yield* Effect.promise(() => import("../answers/pair-changes.ts"))
    const localised = yield* Effect.promise(() => loadLocalisedFacts(dataset, "en", { missions: false }))
    const listInstalled = isInstalled ? yield* readInstalled : NOTHING
    return { localised, untilOn, listInstalled, scheduled: groupScheduled(dataset) }
  })

const readInstalled = Effect.gen(function* () {
  const { followInstalled } = yield* Effect.promise(() => import("../events/installed-changes.ts"))
  const load = Effect.gen(function* () {
    const { load, list } = yield* followInstalled
    const show = yield* load
    show()
    return list
  })
  return yield* onDeployment(() => load)
})

export const rowOf = (
  { on, first_seen: seen, previous, current, note, after_ban, sources }: ChangeRecord,
  words: Words,
): readonly string[] => [
  seen === undefined ? (on ?? "") : `after ${seen.after}, by ${seen.by}`,
  note ?? writeTerms(previous, words),
  note === undefined ? writeTerms(current, words) : "",
  [...(after_ban === true ? ["after a ban of the pandemic"] : []), ...sources.map(({ name }) => name)].join("; "),
]

const writeTerms = (terms: Terms | null, words: Words): string =>
  words.answer(terms === null ? null : { requirement: terms.requirement, days: terms.visa_free_days })

export const history = makeQuestion("history", {
  about: "How the answer of a pair has changed and is announced to change, with sources",
  examples: {
    "landfall history FRA CHN": "A French passport in China",
    "landfall history FRA CHN --json": "For programs",
  },
  takes: { passport: country("FRA"), destination: country("CHN"), installed },
  *run({ passport, destination, installed: isInstalled, dataset, words }) {
    const recorded = yield* loadChangeHistory(dataset, { untilOn: yield* today, isInstalled })
    const { listPairChanges } = yield* Effect.promise(() => import("../answers/pair-changes.ts"))
    const { past, announced } = listPairChanges(recorded, { passport, destination })
    const isKnown = dataset.passports.includes(passport) && dataset.destinations.includes(destination)
    if (!isKnown && past.length + announced.length === 0) {
      const message = `${passport} to ${destination}: Nothing is recorded for this passport and destination.`
      return yield* new CommandFailed({ message, code: "no_record", given: { passport, destination } })
    }
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    const list = (title: string, changes: typeof past) =>
      changes.length === 0
        ? []
        : [
            title,
            table(
              ["on", "before", "after", "source"],
              changes.map(change => rowOf(change, words)),
            ),
          ]
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

export interface RememberedPair {
  /** Null where there was no record. */
  readonly requirement: Requirement | null
  readonly days: number | null
  readonly uncertain: boolean
  /** The announced changes, each by a text that is the same for the same change. */
  readonly announced: readonly string[]
}

/** Keyed by passport and destination, with a blank between them. */
export type Remembered = ReadonlyMap<string, RememberedPair>

export interface State {
  /** The day of the run (`YYYY-MM-DD`). */
  readonly on: string
  readonly version: string
  readonly pairs: Remembered
}

const FORMAT = "landfall-watch-1"

/** Writes a run as the text of its file, a pair a line. */
export function writeState({ on, version, pairs }: State): string {
  const lines = [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([pair, known]) => `    ${JSON.stringify(pair)}: ${JSON.stringify(known)}`)
  const head = `  "format": "${FORMAT}",\n  "on": ${JSON.stringify(on)},\n  "dataset_version": ${JSON.stringify(version)},`
  return `{\n${head}\n  "pairs": {\n${lines.join(",\n")}\n  }\n}\n`
}

/** Reads the text of a file; null if {@link writeState} has not written it. */
export function readState(text: string): State | null {
  const given = readJsonFields(text)
  if (given?.format !== FORMAT || !isFields(given.pairs)) return null
  const entries = Object.entries(given.pairs)
  if (!entries.every(([, known]) => isRemembered(known))) return null
  const { on, dataset_version: version } = given
  if (typeof on !== "string" || typeof version !== "string") return null
  return { on, version, pairs: new Map(entries as [string, RememberedPair][]) }
}

function isRemembered(value: unknown): boolean {
  if (!isFields(value)) return false
  const { requirement, days, uncertain, announced } = value
  return (
    (requirement === null || isRequirement(requirement)) &&
    (days === null || typeof days === "number") &&
    typeof uncertain === "boolean" &&
    Array.isArray(announced) &&
    announced.every(key => typeof key === "string")
  )
}

export const watch = makeQuestion("watch", {
  about:
    "What has changed for passports at destinations since a day, since the last run or since another dataset; ends with 3 where something has",
  short: "What has changed since a day or the last run, for a job that runs every day",
  examples: {
    "landfall watch FRA JPN,THA --since 2026-06-01": "From the recorded changes",
    "landfall watch FRA --state french.json": "Every destination, since the last run",
    "landfall watch FRA CHN --before old.landfall --json": "Between two datasets, for programs",
  },
  takes: {
    passports: countries,
    destinations: optionalArgument("Destinations in the same form; every one when absent"),
    since: text("DATE", "Recorded changes on this day or later"),
    state: text("FILE", "Changes since the last run with this file, which stores the state"),
    before: text("FILE", "Differences from this older dataset file"),
    installed,
  },
  *run({ passports, since, state, before, installed: isInstalled, dataset: opened, words, json, ...given }) {
    if ([since, state, before].filter(flag => flag !== undefined).length !== 1) {
      const message = "--since, --state or --before: give one of them."
      return yield* new CalledWrongly({ message, expected: "one of --since, --state and --before" })
    }
    const untilOn = yield* today
    const dataset = yield* orUsage(datasetOn(opened, untilOn < opened.asOf ? opened.asOf : untilOn))
    const destinations =
      given.destinations === undefined
        ? dataset.destinations
        : yield* readCountries(dataset, given.destinations, { field: "destinations" })
    const recorded = yield* loadChangeHistory(opened, { untilOn, isInstalled })
    const pairs = [...new Set(passports)].flatMap(passport =>
      [...new Set(destinations)].map(destination => ({ passport, destination })),
    )
    const seen = yield* look({ since, state, before, pairs, dataset, untilOn, recorded })
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
    yield* printAnswer(answer, json)
    yield* seen.remember
    if (changed) return yield* new SomethingChanged({ message: "Something has changed." })
    return undefined
  },
})

interface Watched {
  readonly since: string | undefined
  readonly state: string | undefined
  readonly before: string | undefined
  readonly pairs: readonly Pair[]
  readonly dataset: Dataset
  readonly untilOn: string
  readonly recorded: ChangeHistory
}

/** Finds the changes to print, how many of the announced ones are new, and what to remember when the answer was printed. */
const look = (watched: Watched) =>
  Effect.gen(function* () {
    const { listPairChanges, compareFound, groupScheduled } = yield* Effect.promise(
      () => import("../answers/pair-changes.ts"),
    )
    const { pairs, dataset, untilOn, recorded } = watched
    const known = pairs.map(pair => ({ pair, ...listPairChanges(recorded, pair) }))
    const announced = known.flatMap(each => each.announced)
    const done = { isFirst: false, remember: Effect.void }
    if (watched.since !== undefined) {
      const since = yield* readDay("--since", watched.since)
      const changes = known.flatMap(({ past }) => past.filter(({ on }) => on !== null && on >= since))
      return { ...done, changes, announced, news: 0 }
    }
    if (watched.before !== undefined) {
      const older = yield* openDatasetFile(watched.before)
      const view = yield* orUsage(datasetOn(older, untilOn < older.asOf ? older.asOf : untilOn))
      const changes = pairs.flatMap(pair => compareFound(pair, findAnswer(view, pair), findAnswer(dataset, pair)) ?? [])
      const before = groupScheduled(older)
      const old = pairs.flatMap(pair => listPairChanges({ ...recorded, scheduled: before }, pair).announced)
      const fresh = listNew(announced, new Set(old.map(keyOf)))
      return { ...done, changes, announced: fresh, news: fresh.length }
    }
    const path = watched.state ?? ""
    const last = yield* readRemembered(path)
    const now: Remembered = new Map(
      known.map(({ pair, announced: ahead }) => {
        const found = findAnswer(dataset, pair)
        const { requirement = null, days = null, uncertain = false } = found ?? {}
        return [`${pair.passport} ${pair.destination}`, { requirement, days, uncertain, announced: ahead.map(keyOf) }]
      }),
    )
    const remember = onFile(path, () =>
      replaceFile(path, writeState({ on: untilOn, version: dataset.version, pairs: new Map([...last, ...now]) })),
    )
    const changes = pairs.flatMap(pair => {
      const was = last.get(`${pair.passport} ${pair.destination}`)
      if (was === undefined) return []
      return (
        compareFound(
          pair,
          was.requirement === null ? null : { ...was, requirement: was.requirement },
          findAnswer(dataset, pair),
        ) ?? []
      )
    })
    const fresh = known.flatMap(({ pair, announced: ahead }) => {
      const was = last.get(`${pair.passport} ${pair.destination}`)
      return was === undefined ? [] : listNew(ahead, new Set(was.announced))
    })
    const isFirst = pairs.every(pair => !last.has(`${pair.passport} ${pair.destination}`))
    return { changes, announced: fresh, news: fresh.length, isFirst, remember }
  })

function findAnswer(dataset: Dataset, { passport, destination }: Pair): Found | null {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" ? answer : null
}

const keyOf = ({ passport, destination, on, current }: ChangeRecord): string =>
  [passport, destination, on, current?.requirement ?? "none", current?.visa_free_days ?? ""].join(" ")

const listNew = (announced: readonly ChangeRecord[], known: ReadonlySet<string>) =>
  announced.filter(change => !known.has(keyOf(change)))

const readRemembered = (path: string): Effect.Effect<Remembered, CommandFailed> =>
  Effect.gen(function* () {
    if (path !== "" && !existsSync(path)) return new Map()
    const state = readState(yield* readText(path))
    if (state !== null) return state.pairs
    return yield* failed(`${path}: is not a file that landfall watch has written.`)
  })
