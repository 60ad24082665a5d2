/**
 * What happens when a dataset is installed?
 *
 * It is opened and compared with the current dataset, once; then the dataset, the installation and every event are written in one
 * transaction: all of it, or nothing. Any process makes the deliveries from the events afterwards. A dataset that is older than
 * the one it replaces is refused unless that is forced.
 *
 * An installed dataset that cannot be opened (another version of the program wrote it, or it is damaged) is passed over: answers are from the
 * configured one. What replaces it cannot be compared with it. Nobody is notified then, because notifying everybody of everything would be
 * wrong for nearly all, and the installation is recorded as a repair, so that the history can say that its changes are not known.
 */

import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { Clock, Effect, Schema } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { diffPolicies, listAnnouncedChanges, type PolicySide, readDatasetFacts } from "../../src/full.ts"
import { readDatasetHistory } from "../../src/history.ts"
import { embeddedDataset } from "../../src/index.ts"
import { loadFactsOf, openWholeDataset, type Read, readDatasetBytes } from "../answers/dataset-file.ts"
import type { Release } from "../feed/feed-index.ts"
import type { EventRow, InstallationKind, InstallationRow } from "../storage/datasets-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"
import { makeDatedEvent, makeEvent } from "./events.ts"
import { writePage } from "./installed-changes.ts"

/** The dataset file that the configuration names cannot be answered from. */
export class DatasetRefused extends Schema.TaggedError<DatasetRefused>()("DatasetRefused", {
  message: Schema.String,
}) {}

/** Opens the dataset file of the configuration, or the embedded dataset. */
export const openConfiguredDataset = (path: string | null): Effect.Effect<Dataset, DatasetRefused> =>
  Effect.gen(function* () {
    if (path === null) return embeddedDataset()
    const refuse = (reason: string) => new DatasetRefused({ message: `LANDFALL_DATASET: ${path}: ${reason}` })
    const bytes = readDatasetBytes(path)
    if (!bytes.ok) return yield* refuse(bytes.message)
    const opened = openWholeDataset(bytes.value)
    return opened.ok ? opened.value : yield* refuse(opened.message)
  })

/** The dataset was not installed, and nothing has changed. */
export class InstallRefused extends Schema.TaggedError<InstallRefused>()("InstallRefused", {
  message: Schema.String,
}) {}

interface InstallOptions {
  /** Not a change of law: answers change, and nobody is notified. */
  readonly isCorrection?: boolean
  /** Installs a dataset that is older than what it replaces. */
  readonly isForced?: boolean
  /** Writes nothing. */
  readonly isDryRun?: boolean
}

/** The changes of an installation, actual or possible. */
export type Installed = Effect.Success<ReturnType<typeof replace>>

/** Opens the dataset of an installation, with its stored file: the configured dataset where it has none. */
const openInstallation = (installation: InstallationRow | undefined, configured: Dataset) =>
  Effect.gen(function* () {
    if (installation === undefined || installation.dataset_id === null) {
      return { row: null, opened: { ok: true, value: configured } as Read<Dataset> }
    }
    const { datasets } = yield* Storage
    const row = (yield* datasets.find({ id: installation.dataset_id })) ?? null
    const refuse = (message: string): Read<Dataset> => ({ ok: false, message })
    if (row === null) return { row, opened: refuse(`the dataset of installation ${installation.id} is no longer kept`) }
    const opened = openWholeDataset(new Uint8Array(Buffer.from(row.content, "base64")))
    if (opened.ok) return { row, opened }
    return { row, opened: refuse(`the installed dataset ${row.version} cannot be opened: ${opened.message}`) }
  })

/** Finds the dataset that was installed last, or the configured one if nothing was installed or it cannot be opened. */
export const openCurrentDataset = (configured: Dataset) =>
  Effect.gen(function* () {
    const { datasets } = yield* Storage
    const installation = yield* datasets.findNewest
    const { row, opened } = yield* openInstallation(installation, configured)
    return {
      dataset: opened.ok ? opened.value : configured,
      /** Null where nothing was ever installed. */
      installation: installation ?? null,
      /** The stored file of the installation; null where there is none. */
      row,
      /** Why the installed dataset is passed over, so that `dataset` is the configured one; null where it is not. */
      passedOver: opened.ok ? null : opened.message,
    }
  })

/** The dataset that questions are answered from. */
type CurrentDataset = Effect.Success<ReturnType<typeof openCurrentDataset>>

/** A dataset with the facts that records over it are made of. */
export const openSide = (dataset: Dataset): Effect.Effect<PolicySide> =>
  Effect.map(
    Effect.promise(() => loadFactsOf(dataset)),
    facts => ({ dataset, facts }),
  )

interface Replacement {
  readonly before: PolicySide
  readonly after: PolicySide
  readonly isCorrection: boolean
  readonly nowMs: number
}

/** Computes what a replacement changes, once; the number of the installation is not known yet. */
export function comparePolicies({ before, after, isCorrection, nowMs }: Replacement) {
  const today = formatUtcDay(utcDayAt(nowMs))
  const changes = diffPolicies(before, after, today)
  const dated = listAnnouncedChanges(after, today)
  const known = new Set(listAnnouncedChanges(before, today).map(({ key }) => key))
  // Announced by this dataset and not by the one before.
  const announced = dated.filter(({ key }) => !known.has(key))
  const makeEvents = (installationId: number) => {
    const origin = { installationId, nowMs, isCorrection }
    return {
      now: [...changes, ...announced].map(change => makeEvent(change, origin)),
      later: dated.map(change => makeDatedEvent(change, origin)),
    }
  }
  return { changes, announced, makeEvents }
}

interface Target {
  readonly kind: InstallationKind
  readonly dataset: Dataset
  /** Null for the configured dataset. */
  readonly datasetId: Effect.Effect<number | null, Unavailable>
  readonly replacesId: number | null
}

/** Replaces the current dataset by another one. */
const replace = (current: CurrentDataset, target: Target, isDryRun: boolean) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const nowMs = yield* Clock.currentTimeMillis
    const { passedOver } = current
    const after = yield* openSide(target.dataset)
    const { changes, announced, makeEvents } = comparePolicies({
      // Compared with itself, a dataset has no changes but those that its dated rules make later.
      before: passedOver === null ? yield* openSide(current.dataset) : after,
      after,
      isCorrection: target.kind === "correction",
      nowMs,
    })
    const before = current.row?.version ?? current.dataset.version
    const summary = { before, after: target.dataset.version, changes, announced, passedOver }
    if (isDryRun) return { ...summary, installationId: null, events: makeEvents(0).now }
    const write = Effect.gen(function* () {
      // Locked first, so that the second of two simultaneous installations waits, and then sees that its comparison is outdated.
      const installationId = yield* storage.datasets.nextInstallationId
      const newest = yield* storage.datasets.findNewest
      if ((newest?.id ?? null) !== (current.installation?.id ?? null)) {
        return yield* new InstallRefused({ message: "another dataset was installed meanwhile: try again" })
      }
      yield* storage.installations.insert({
        id: installationId,
        dataset_id: yield* target.datasetId,
        replaces_id: target.replacesId,
        kind: passedOver === null ? target.kind : "repair",
        installed_at: new Date(nowMs).toISOString(),
      })
      const { now, later } = makeEvents(installationId)
      yield* storage.installedChanges.insert({ installation_id: installationId, content: writePage(now) })
      yield* storage.events.deleteWaiting(nowMs)
      yield* storage.events.insertAll([...now, ...later])
      // Without those that wait for their day.
      return { installationId, events: now }
    })
    return { ...summary, ...(yield* storage.transact(write)) }
  })

/**
 * Installs the bytes of a dataset file.
 *
 * Fails with `InstallRefused` for a file that cannot be opened, is older than the current dataset or is the current one already,
 * and with `Unavailable`; then nothing was changed.
 */
export const installDataset = (configured: Dataset, bytes: Uint8Array, options: InstallOptions = {}) =>
  Effect.gen(function* () {
    const { isCorrection = false, isForced = false, isDryRun = false } = options
    const opened = openWholeDataset(bytes)
    if (!opened.ok) return yield* new InstallRefused({ message: opened.message })
    const dataset = opened.value
    const { datasets } = yield* Storage
    const current = yield* openCurrentDataset(configured)
    const content = Buffer.from(bytes).toString("base64")
    if (current.row?.content === content) {
      return yield* new InstallRefused({ message: `dataset ${dataset.version} is installed already` })
    }
    const { version, as_of } = current.row ?? { version: current.dataset.version, as_of: current.dataset.asOf }
    if (dataset.asOf < as_of && !isForced) {
      const message = `dataset ${dataset.version} is of ${dataset.asOf}, older than the current dataset ${version} of ${as_of}; --force installs it all the same`
      return yield* new InstallRefused({ message })
    }
    const datasetId = Effect.gen(function* () {
      const id = yield* datasets.nextDatasetId
      yield* datasets.insert({ id, version: dataset.version, as_of: dataset.asOf, content })
      return id
    })
    const target: Target = {
      kind: isCorrection ? "correction" : "install",
      dataset,
      datasetId,
      replacesId: current.installation?.id ?? null,
    }
    return yield* replace(current, target, isDryRun)
  })

/**
 * Installs the dataset before the current one; if the current one cannot be opened, the newest before it that can.
 *
 * Fails with `InstallRefused` where there is none.
 */
export const rollBack = (configured: Dataset, { isDryRun = false }: Pick<InstallOptions, "isDryRun"> = {}) =>
  Effect.gen(function* () {
    const { installations } = yield* Storage
    const current = yield* openCurrentDataset(configured)
    const { installation } = current
    if (installation === null || installation.dataset_id === null) {
      return yield* new InstallRefused({ message: "there is no installation to roll back" })
    }
    const findReplaced = ({ replaces_id }: InstallationRow) =>
      replaces_id === null ? Effect.undefined : installations.find({ id: replaces_id })
    let before = yield* findReplaced(installation)
    let { opened } = yield* openInstallation(before, configured)
    while (!opened.ok && current.passedOver !== null && before !== undefined) {
      before = yield* findReplaced(before)
      opened = (yield* openInstallation(before, configured)).opened
    }
    if (!opened.ok) return yield* new InstallRefused({ message: opened.message })
    const target: Target = {
      kind: "rollback",
      dataset: opened.value,
      datasetId: Effect.succeed(before?.dataset_id ?? null),
      replacesId: before?.replaces_id ?? null,
    }
    return yield* replace(current, target, isDryRun)
  })

/** Notes what the current dataset's dated rules will change, so that events are sent on their day even if nothing is installed by then. */
export const planDatedEvents = (dataset: Dataset) =>
  Effect.gen(function* () {
    const { datasets, events, transact } = yield* Storage
    const nowMs = yield* Clock.currentTimeMillis
    const installationId = (yield* datasets.findNewest)?.id ?? 0
    const origin = { installationId, nowMs, isCorrection: false }
    const dated = listAnnouncedChanges(yield* openSide(dataset), formatUtcDay(utcDayAt(nowMs)))
    yield* transact(events.insertAll(dated.map(change => makeDatedEvent(change, origin))))
  })

// What does a publisher publish about a new dataset? The release that the index names, and its changes against the dataset before it as
// events, the same as an installation writes.

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
interface ReleaseInput {
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
