/**
 * Where are the full facts of a dataset stored?
 *
 * After its pairs and terms in the same file, as one section of JSON in ASCII: fees, validity, missions, history and everything else of a record except the requirement. Records over a
 * file without it use the facts of the program. Facts are checked when they are written, as when they are read. They are not parsed for lookups of pairs.
 */

import { REQUIREMENTS } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import { readAscii, writeAscii } from "../dataset/file-form.ts"
import { type Dataset, type DatasetParts, takeDataset } from "../dataset/open.ts"
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import { anyText, count, date, isCodes, isListOf, isNullOr, isRowOf, isSound, type Test, url } from "../rules/table.ts"
import { FACT_KINDS, type Subject } from "./fact-fields.ts"
import {
  type FactRow,
  type FullFacts,
  type FullParts,
  type HistoryIndex,
  type HistoryParts,
  MISSION_KINDS,
  type MissionIndex,
  type MissionParts,
  openFullFacts,
  openHistory,
  openMissions,
  type PublishedChanges,
} from "./full-facts.ts"

/** The name of the section. */
const FULL = "FULL"

/** The longest section that is read, in bytes: some twenty times what is known today. */
export const MAXIMUM_FACTS_BYTES = 16_777_216

/** The full facts, opened. */
export interface DatasetFacts {
  readonly facts: FullFacts
  readonly missions: MissionIndex
  readonly history: HistoryIndex
  readonly bytes: number
}

const refuse = (mistake: string) =>
  failure<DatasetError>({
    tag: "MalformedDataset",
    message: `The facts of the dataset contradict themselves: ${mistake}.`,
  })

/**
 * Adds full facts to a compiled dataset. Fails with `MalformedDataset` for malformed facts.
 *
 * @example
 * ```ts
 * const added = addFacts(parts, { facts: factParts, missions: missionParts, history: historyParts })
 * added.ok && [...(added.value.sections?.keys() ?? [])] // => ["FULL"]
 * ```
 */
export function addFacts(parts: DatasetParts, section: FactsSection): Result<DatasetParts, DatasetError> {
  try {
    const mistake = findSectionMistake(section)
    if (mistake !== null) return refuse(mistake)
    const sections = new Map([...(parts.sections ?? []), [FULL, writeAscii(section)]])
    return success({ ...parts, sections })
  } catch {
    return refuse("they cannot be read")
  }
}

const opened = new WeakMap<Uint8Array, Result<DatasetFacts, DatasetError>>()

/**
 * Opens the full facts of a dataset; null if it has none.
 *
 * Fails with `MalformedDataset`. Some ten milliseconds the first time; the same object for every view of the dataset from then on.
 *
 * @example
 * ```ts
 * const own = readDatasetFacts(embeddedDataset())
 * own.ok && own.value // => null
 * ```
 */
export function readDatasetFacts(dataset: Dataset): Result<DatasetFacts | null, DatasetError> {
  const bytes = takeDataset(dataset).sections?.get(FULL)
  if (bytes === undefined) return success(null)
  return getOrInsert(opened, bytes, () => openSection(bytes))
}

function openSection(bytes: Uint8Array): Result<DatasetFacts, DatasetError> {
  if (bytes.length > MAXIMUM_FACTS_BYTES) {
    return refuse(`they take ${bytes.length} bytes, at most ${MAXIMUM_FACTS_BYTES} are read`)
  }
  let section: FactsSection
  try {
    section = JSON.parse(readAscii(bytes, 0, bytes.length)) as FactsSection
  } catch {
    return refuse("they are not JSON")
  }
  const mistake = findSectionMistake(section)
  if (mistake !== null) return refuse(mistake)
  return success(
    Object.freeze({
      facts: openFullFacts(section.facts),
      missions: openMissions(section.missions),
      history: openHistory(section.history),
      bytes: bytes.length,
    }),
  )
}

// ---- Checking a section

// Are the full facts of a dataset sound, so that every record can be made from them?
//
// The same check runs when a file is written and when one is opened. Facts that pass have the declared types, and no index is outside its
// table. Counts are compared with the actual numbers, so that a false count cannot make anything larger than the file was.

/** The full facts as compiled. */
export interface FactsSection {
  readonly facts: FullParts
  readonly missions: MissionParts
  readonly history: HistoryParts
}

/** Says whether a value is an object of named fields. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Says whether a text is an address of the web that can be shown as a link.
 *
 * @example
 * ```ts
 * isWebAddress("https://example.org/visa?lang=en") // => true
 * isWebAddress("javascript:alert(1)") // => false
 * ```
 */
export function isWebAddress(text: unknown): boolean {
  return url.fits(text)
}

const isText = anyText.fits
const isDate = date.fits
const isRank = count(0, REQUIREMENTS.length - 1).fits
const isUrlOrNone = isNullOr(isWebAddress)
const isDateOrNone = isNullOr(isDate)
const isTextOrNone = isNullOr(isText)

/** Finds the first mistake in the facts; null if there is none. Cannot fail on parsed JSON. */
function findSectionMistake(section: FactsSection): string | null {
  if (!isObject(section)) return "the section is not an object"
  const { facts, missions, history } = section
  return findFactsMistake(facts) ?? findMissionsMistake(missions) ?? findHistoryMistake(history)
}

function findFactsMistake(parts: FullParts): string | null {
  if (!isObject(parts)) return "there are no facts"
  if (!isText(parts.codes) || !/^([A-Z]{5})*$/.test(parts.codes)) return "its codes of countries have another shape"
  if (!isText(parts.version) || !isDate(parts.asOf)) return "they do not say of which dataset and day they are"
  const source = [isText, isText, isUrlOrNone, isDateOrNone, isTextOrNone, isTextOrNone] as const
  if (!isListOf(value => isRowOf(...source)(value))(parts.sources)) return "the sources have another shape"
  const isSource = isNullOr(count(0, parts.sources.length - 1).fits)
  if (!isListOf(isRowOf(isSource, isUrlOrNone, isDateOrNone, isDateOrNone))(parts.origins)) {
    return "the origins have another shape"
  }
  if (!isObject(parts.facts)) return "the facts are not ordered by subject"
  const isOrigin = count(0, parts.origins.length - 1).fits
  for (const subject of Object.keys(FACT_KINDS) as Subject[]) {
    const isFact: Test = isRowOf(isOrigin, isCodes, isNullOr(isListOf(isRank)), isNullOr(isCodes), value =>
      isSound(FACT_KINDS[subject], value),
    )
    const rows: unknown = parts.facts[subject]
    if (!Array.isArray(rows)) return `there is no list of facts of ${subject}`
    const wrong = (rows as readonly FactRow[]).findIndex(fact => !isFact(fact))
    if (wrong >= 0) return `fact ${wrong} of ${subject} has another shape`
  }
  return null
}

function findMissionsMistake(parts: MissionParts): string | null {
  if (!isObject(parts)) return "there are no missions"
  const { asOf, source, pairs, counts, kinds, cities, websites, phones, emails = "" } = parts
  if (![source, pairs, counts, kinds, cities, websites, phones, emails].every(isText))
    return "a list of missions is not a text"
  // Without missions there is no day of the missions either.
  if (!isDate(asOf) && pairs !== "") return "the missions have no day"
  if (!/^([A-Z]{6})*$/.test(pairs)) return "the pairs of missions have another shape"
  if (!/^[1-9a-z]*$/.test(counts) || counts.length * 6 !== pairs.length) return "the missions are not counted by pair"
  let total = 0
  for (const digit of counts) total += Number.parseInt(digit, 36)
  if (!/^\d*$/.test(kinds) || kinds.length !== total) return `${kinds.length} missions where ${total} are announced`
  for (const digit of kinds) if (Number(digit) >= MISSION_KINDS.length) return "a mission is of no kind"
  const columns = { cities, websites, phones, ...(parts.emails === undefined ? {} : { emails }) }
  for (const [name, text] of Object.entries(columns)) {
    const lines = text.split("\n")
    if (lines.length !== Math.max(total, 1)) return `${lines.length} ${name} where ${total} missions are announced`
    if (name === "websites" && lines.some(line => line !== "" && !isWebAddress(line)))
      return "a website is not an address"
  }
  return null
}

function findHistoryMistake(parts: HistoryParts): string | null {
  if (!isObject(parts)) return "there is no history"
  const { asOf, source, days, tables = [], changes } = parts
  if (!isText(source) || !isListOf(isDate)(days) || !isListOf(isDate)(tables) || !isObject(changes))
    return "the history has another shape"
  const destinations = Object.entries(changes)
  if (!isDate(asOf) && destinations.length > 0) return "the history has no day"
  const isStay = isNullOr(count(0, 36_500).fits)
  const isChange = isRowOf(count(0, days.length - 1).fits, isRank, isRank, isStay, isStay, count(0, 1).fits, isCodes)
  const wrong = destinations.find(([destination, rows]) => !isCodes(destination) || !isListOf(isChange)(rows))
  if (wrong !== undefined) return `the history of ${wrong[0].slice(0, 20)} has another shape`
  const { published = {} } = parts
  if (!isObject(published)) return "the published changes have another shape"
  const isPublished = (given: PublishedChanges) =>
    isObject(given) &&
    isText(given.name) &&
    isNullOr(isText)(given.url) &&
    (given.passports === "" || isCodes(given.passports)) &&
    isListOf(isChange)(given.changes)
  const wrongList = Object.entries(published).find(
    ([code, lists]) => !isCodes(code) || !Array.isArray(lists) || !lists.every(isPublished),
  )
  return wrongList === undefined ? null : `the published changes of ${wrongList[0].slice(0, 20)} have another shape`
}
