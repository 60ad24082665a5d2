/**
 * What does a publisher publish about a new dataset?
 *
 * The release that the index names, and its changes against the dataset before it as events, the same as an installation writes.
 */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { readDatasetFacts } from "../../src/full.ts"
import { readDatasetHistory } from "../../src/history.ts"
import type { Release } from "../feed/feed-index.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import { comparePolicies, openSide } from "./install-dataset.ts"

/**
 * From which format on the shape of each part of a file is the one that this program writes. Older programs refuse a file with a part of
 * another shape; a part that they may ignore, because it has a name of its own, is not listed. `test/dataset/shapes.test.ts` notices a
 * change of shape.
 */
const SHAPED_SINCE = { pairs: 4, facts: 3, history: 3 }

/** The format that a program has to read at least to open a dataset, by what the dataset uses. */
function findOldestReader(dataset: Dataset): number {
  const [facts, history] = [readDatasetFacts(dataset), readDatasetHistory(dataset)]
  const used = [
    SHAPED_SINCE.pairs,
    ...(facts.ok && facts.value === null ? [] : [SHAPED_SINCE.facts]),
    ...(history.ok && history.value === null ? [] : [SHAPED_SINCE.history]),
  ]
  return Math.max(dataset.formatVersion, ...used)
}

/** A dataset that is to be published. */
export interface ReleaseInput {
  readonly bytes: Uint8Array
  readonly dataset: Dataset
  /** The dataset of the release before it; null for the first. */
  readonly before: Dataset | null
  readonly nowMs: number
  /** The number of the release, which is part of its events' ids. */
  readonly number: number
}

/** Makes a release: the served file, its changes, and those that it announces. */
export const makeRelease = ({ bytes, dataset, before, nowMs, number }: ReleaseInput) =>
  Effect.gen(function* () {
    const after = yield* openSide(dataset)
    const sides = { before: before === null ? after : yield* openSide(before), after, isCorrection: false, nowMs }
    const { changes, makeEvents } = comparePolicies(sides)
    const packed = gzipSync(bytes, { level: 9 })
    const count = (severity: string) =>
      changes.filter(change => change.kind === "changed" && change.severity === severity).length
    const release: Release = {
      version: dataset.version,
      as_of: dataset.asOf,
      sha256: createHash("sha256").update(packed).digest("hex"),
      bytes: packed.length,
      unpacked_bytes: bytes.length,
      format: dataset.formatVersion,
      oldest_reader: findOldestReader(dataset),
      pairs: dataset.pairs.length,
      changes: { major: count("major"), minor: count("minor") },
      previous: before?.version ?? null,
    }
    return { release, packed, events: makeEvents(number).now }
  })

/**
 * The announced changes of a dataset's dated rules after an instant, as events. They are dated by the dataset's own day, so that they stay
 * the same.
 */
export const listAnnounced = (dataset: Dataset, nowMs: number): Effect.Effect<readonly EventRow[]> =>
  Effect.map(openSide(dataset), side => {
    const { makeEvents } = comparePolicies({ before: side, after: side, isCorrection: false, nowMs })
    const created_at = Date.parse(`${dataset.asOf}T00:00:00Z`)
    return makeEvents(0).later.map(event => ({ ...event, created_at }))
  })
