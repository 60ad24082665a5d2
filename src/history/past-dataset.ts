/**
 * How do functions that work on a dataset work for a past day?
 *
 * With a view of a dataset in which every pair has the history's answer for that day. Scores, ranks and comparisons accept it like any
 * other dataset. It has no conditions, zones or transit rules, because those of the past are not recorded. Decisions use another view, the
 * dataset with its past, because a journey has many days.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import type { Requirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import {
  answerIndexAt,
  completeDataset,
  type Dataset,
  type DatasetParts,
  type FindPast,
  type Found,
  type NoRecord,
  type PastRule,
  takeDataset,
} from "../dataset/open.ts"
import { type DatasetError, describe, failure, type InputError, type Result, success } from "../errors.ts"
import { type RankedPassport, rankPassports } from "../mobility/score.ts"
import { type History, lookupPast, openHistory, type PastFound } from "./past.ts"

/**
 * Makes the view of a dataset for a past day.
 *
 * On a day between two tables that differ, the earlier one counts. Where a table writes "e-visa" for e-visa and eTA, the pair counts as what the tables called it once they told the two apart, if nothing
 * changed until then, and else as e-visa, the harder of the two. An entry card, which is not a requirement of today, is no record. Fails with
 * `InputRefused` for a day before the first table or after the last. Some four milliseconds.
 *
 * @example
 * ```ts
 * const view = pastDataset(embeddedHistory(), embeddedDataset(), "2022-03-06")
 * const score = view.ok ? scorePassport(view.value, "JPN") : view
 * score.ok && score.value.kind === "found" && score.value.on // => "2022-03-06"
 * ```
 */
export function pastDataset(history: History, dataset: Dataset, on: string): Result<Dataset, InputError> {
  const day = parseCivilDate(on)
  const { firstOn, untilOn } = findWhole(history)
  if (day === null || on < firstOn || on > untilOn) {
    const message = `${describe(on)} is not a calendar date YYYY-MM-DD from ${firstOn} to ${untilOn}.`
    return failure({ tag: "InputRefused", message: `on: ${message}`, issues: [{ path: "on", message }] })
  }
  return success(buildView(history, takeDataset(dataset), day))
}

// Published lists are for one destination; only tables cover all of them.
function findWhole({ series }: History): { readonly firstOn: string; readonly untilOn: string } {
  const seen = series.filter(({ kind }) => kind === "seen")
  const whole = seen.length > 0 ? seen : series
  return {
    firstOn: formatCivilDate(Math.min(...whole.map(({ days }) => days[0] as EpochDay))),
    untilOn: formatCivilDate(Math.max(...whole.map(({ untilDay }) => untilDay))),
  }
}

function buildView(history: History, dataset: Dataset, day: EpochDay): Dataset {
  const { passports, destinations, answers: present } = dataset
  const answers: (Found | NoRecord)[] = [present[0] as NoRecord]
  const places = new Map<unknown, number>()
  const placeOf = (key: unknown, make: () => Found | NoRecord): number =>
    getOrInsert(places, key, () => answers.push(make()) - 1)
  const pairs = new Uint16Array(passports.length * destinations.length)
  passports.forEach((passport, row) => {
    destinations.forEach((destination, column) => {
      const pair = row * destinations.length + column
      const today = present[answerIndexAt(dataset, pair, dataset.asOfDay)]
      if (today?.kind === "found" && today.home) {
        pairs[pair] = placeOf(today, () => today)
        return
      }
      const answer = lookupPast(history, passport, destination, day)
      if (answer.kind !== "found") return
      const requirement = countAs(answer)
      if (requirement === null) return
      const key = `${requirement} ${answer.value.days} ${answer.source.id}`
      pairs[pair] = placeOf(key, () => makeFound(dataset, answer, requirement))
    })
  })
  const rest = {
    header: { regions: dataset.regions, regionOf: dataset.regionOf, gdpUsdMillions: dataset.gdpUsdMillions },
    sources: [],
  }
  const on = formatCivilDate(day)
  const { sections: _, ...bare } = dataset
  const table = { ...bare, answers, pairs, asOf: on, asOfDay: day, sinceDay: day, timelines: new Map() }
  return completeDataset(table, rest, destinations.join(""))
}

/**
 * Says which requirement a past answer counts as: its own, else what it was called later, else an e-visa where the table has one word for e-visa
 * and eTA; null for an entry card, which does not name a requirement of today.
 *
 * @example
 * ```ts
 * countAs({ value: { word: "e_visa_or_eta", requirement: null, days: null, reason: null }, laterCalled: null }) // => "e_visa"
 * ```
 */
export function countAs({ value, laterCalled }: Pick<PastFound, "value" | "laterCalled">): Requirement | null {
  return value.requirement ?? laterCalled ?? (value.word === "e_visa_or_eta" ? "e_visa" : null)
}

function makeFound(
  dataset: Dataset,
  { value, source }: Pick<PastFound, "value" | "source">,
  requirement: Requirement,
): Found {
  return Object.freeze({
    kind: "found",
    requirement,
    days: value.days,
    home: false,
    uncertain: false,
    basis: null,
    bloc: null,
    follows: null,
    source,
    verifiedOn: null,
    citedOn: null,
    datasetVersion: dataset.version,
  })
}

const views = new WeakMap<History, WeakMap<Dataset, Dataset>>()

/**
 * Adds a history to a dataset, so that a decision on a journey before the dataset's first day uses the answers of its days.
 *
 * Only decisions read it. Such an answer is imported and says so; if two lists around a day differ, the decision names both. Returns the
 * same view at every call.
 *
 * @example
 * ```ts
 * const dataset = datasetWithPast(embeddedHistory(), embeddedDataset())
 * const stops = [{ destination: "CHN", from: "2023-06-01", to: "2023-06-10" }]
 * const judged = decide(dataset, { passport: "FRA", stops })
 * const decision = judged.ok && judged.value.kind === "decided" ? judged.value : null
 * decision?.conditions.map(({ code }) => code) // => ["visa_required"]
 * decision?.unknowns.at(-2)?.code // => "imported_past"
 * ```
 */
export function datasetWithPast(history: History, dataset: Dataset): Dataset {
  const taken = takeDataset(dataset)
  return getOrInsert(
    getOrInsert(views, history, () => new WeakMap()),
    taken,
    () => addPast(history, taken),
  )
}

function addPast(history: History, taken: Dataset): Dataset {
  const rules = new WeakMap<PastFound, PastRule>()
  const past: FindPast = (passport, destination, day) => {
    const said = lookupPast(history, passport, destination, day)
    if (said.kind === "malformed") return { kind: "no_record", reason: "no_rule", message: said.message }
    if (said.kind === "no_record") return said
    return getOrInsert(rules, said, () => makeRule(taken, said))
  }
  return Object.freeze({ ...taken, past })
}

function makeRule(dataset: Dataset, said: PastFound): PastRule {
  const { value, laterCalled, firstSeen, lastSeen, or, source } = said
  const requirement = value.requirement ?? laterCalled
  const isSame = or === null || or.value.requirement === requirement
  // The requirement is known where both lists have it, whatever they say of the days.
  const days = or === null || or.value.days === value.days ? value.days : null
  return Object.freeze({
    kind: "found",
    word: value.word,
    days: value.days,
    answer:
      requirement !== null && isSame ? makeFound(dataset, { value: { ...value, days }, source }, requirement) : null,
    after: firstSeen.after,
    by: firstSeen.by,
    until: lastSeen,
    or: or === null ? null : { word: or.value.word, days: or.value.days, by: or.firstSeen.by },
    source: source.name,
  })
}

// ---- Ranks of the past

// How have the ranks of passports changed between two days of the past?

/** The scores and ranks of a passport on two days. */
export interface RankMove {
  readonly passport: string
  readonly scoreBefore: number
  readonly score: number
  readonly rankBefore: number
  readonly rank: number
}

/**
 * Lists the days of a history's tables from a day on (`YYYY-MM-DD`), the oldest first; all of them without a day. Cannot fail.
 *
 * @example
 * ```ts
 * listTableDays(embeddedHistory())[0] // => "2020-11-19"
 * ```
 */
export function listTableDays({ series }: History, sinceOn = ""): readonly string[] {
  return series.flatMap(({ kind, dates }) => (kind === "seen" ? dates.filter(on => on >= sinceOn) : []))
}

/**
 * Compares the ranks of two past days. The passport that gained most ranks comes first; of equal gains the one whose score gained more, then by code.
 * Passports that are ranked on only one of the days are left out. Empty for a day that the history does not have.
 *
 * @example
 * ```ts
 * const days = { before: "2020-11-19", after: "2024-01-05" }
 * compareRanks(embeddedHistory(), embeddedDataset(), days).length // => 199
 * ```
 */
export function compareRanks(
  history: History,
  dataset: Dataset,
  { before, after }: { readonly before: string; readonly after: string },
): readonly RankMove[] {
  const earlier = new Map(rankOn(history, dataset, before).map(row => [row.passport, row]))
  const moves = rankOn(history, dataset, after).flatMap(({ passport, score, rank }) => {
    const was = earlier.get(passport)
    return was === undefined ? [] : [{ passport, scoreBefore: was.score, score, rankBefore: was.rank, rank }]
  })
  return moves.sort(
    (a, b) => gainedRanks(b) - gainedRanks(a) || gainedScore(b) - gainedScore(a) || (a.passport < b.passport ? -1 : 1),
  )
}

const gainedRanks = ({ rankBefore, rank }: RankMove): number => rankBefore - rank

const gainedScore = ({ scoreBefore, score }: RankMove): number => score - scoreBefore

function rankOn(history: History, dataset: Dataset, on: string): readonly RankedPassport[] {
  const view = pastDataset(history, dataset, on)
  const ranking = view.ok ? rankPassports(view.value) : view
  return ranking.ok ? ranking.value.passports : []
}

// ---- The history of a dataset

// How does a dataset file carry a history of its own?
//
// As one section behind its pairs, in the layout of `past.ts`. Lookups of the present do not read it.

/** The name of the section. */
const PAST = "PAST"

/**
 * Adds a history to a compiled dataset. Fails with `MalformedDataset` for bytes that are not a history.
 *
 * @example
 * ```ts
 * const added = addHistory(parts, new Uint8Array(3))
 * !added.ok && added.error.tag // => "MalformedDataset"
 * ```
 */
export function addHistory(parts: DatasetParts, bytes: Uint8Array): Result<DatasetParts, DatasetError> {
  const history = openHistory(bytes)
  return history.ok ? success({ ...parts, sections: new Map([...(parts.sections ?? []), [PAST, bytes]]) }) : history
}

const opened = new WeakMap<Uint8Array, Result<History, DatasetError>>()

/**
 * Opens the history of a dataset; null if its file has none.
 *
 * Fails with `MalformedDataset`. The same object for every view of the dataset.
 *
 * @example
 * ```ts
 * const own = readDatasetHistory(embeddedDataset())
 * own.ok && own.value // => null
 * ```
 */
export function readDatasetHistory(dataset: Dataset): Result<History | null, DatasetError> {
  const bytes = takeDataset(dataset).sections?.get(PAST)
  if (bytes === undefined) return success(null)
  return getOrInsert(opened, bytes, () => openHistory(bytes))
}
