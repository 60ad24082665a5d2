/**
 * Where are the full facts of a dataset stored?
 *
 * After its pairs and terms in the same file, as one section of JSON in ASCII: fees, validity, missions, history and everything else of a record except the requirement. Records over a
 * file without it use the facts of the program. Facts are checked when they are written, as when they are read. They are not parsed for lookups of pairs.
 */
import { readAscii, writeAscii } from "../dataset/file-form.ts"
import type { DatasetParts } from "../dataset/format.ts"
import { type Dataset, takeDataset } from "../dataset/open.ts"
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import { type FullFacts, openFullFacts } from "../record/full-facts.ts"
import { type HistoryIndex, openHistory } from "../record/history.ts"
import { type MissionIndex, openMissions } from "../record/missions.ts"
import { type FactsSection, findSectionMistake } from "./check-section.ts"

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
  const known = opened.get(bytes)
  if (known !== undefined) return known
  const read = openSection(bytes)
  opened.set(bytes, read)
  return read
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
