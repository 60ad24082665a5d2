/**
 * How does a deployment follow a feed of datasets?
 *
 * Every process asks the database each minute whether a look is due, and one of them does it. A newer, valid dataset is installed like any
 * other, with notifications; never one that is older than the installed one, or that changes more than a tenth of the pairs. A problem is
 * logged once while it lasts, and the waits between looks grow.
 */
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { Clock, Effect, Random, Schedule } from "effect"
import { FORMAT_VERSION } from "../../src/engine.ts"
import { inspectBytes, readDatasetBytes } from "../answers/dataset-file.ts"
import { lookAtFeed, nameFault, readFeedState, waitForLook } from "../feed/follow.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { InstallRefused, installDataset } from "./install-dataset.ts"
import { LiveDataset } from "./live-dataset.ts"

/** How often each process asks whether a look is due. */
const POLL_MS = 60_000
/** Longer than a look can take: two downloads of 20 seconds and an installation. */
const LEASE_MS = 300_000

/** A feed, and the keys that must sign it. */
interface FeedToFollow {
  readonly url: URL
  readonly keys: readonly string[]
  /** The runtime's own when absent. */
  readonly fetch?: typeof fetch
}

/** Looks at the feed if a look is due and no other process has it. */
export const lookIfDue = Effect.fnUntraced(function* ({ url, keys, fetch }: FeedToFollow) {
  const live = yield* LiveDataset
  const { datasets } = yield* Storage
  const nowMs = yield* Clock.currentTimeMillis
  const untilMs = nowMs + LEASE_MS
  const feed = createHash("sha256")
    .update(JSON.stringify([url.href, keys]))
    .digest("hex")
  const claimed = yield* datasets.claimLook(feed, nowMs, untilMs)
  if (claimed === undefined) return
  yield* live.refresh
  const current = live.read()
  let state = claimed.state === null ? null : readFeedState(claimed.state)
  if (state === null && claimed.state !== null) {
    yield* Effect.logWarning(
      "LANDFALL_DATASET_FEED: the stored state cannot be read. The feed is followed as a new one.",
    )
  }
  const looked = yield* Effect.tryPromise(signal =>
    lookAtFeed({
      url: url.href,
      keys,
      state,
      save: async next => {
        state = next
      },
      inUse: { version: current.version, asOf: current.asOf },
      nowMs,
      readerFormat: FORMAT_VERSION,
      inspect: bytes => inspectBytes(current, bytes),
      signal,
      ...(fetch === undefined ? {} : { fetch }),
    }),
  ).pipe(Effect.orDie)
  const fault = looked.ok
    ? yield* installDataset(live.configured, looked.bytes).pipe(
        Effect.tap(({ after, events }) =>
          Effect.logInfo(`installed dataset ${after} from LANDFALL_DATASET_FEED: ${events.length} events`),
        ),
        Effect.as(null),
        Effect.catchTag("InstallRefused", ({ message }) => Effect.succeed({ reason: "not_installed", message })),
      )
    : looked.reason === "not_modified"
      ? null
      : looked
  yield* live.refresh
  const said = nameFault(fault?.reason ?? (looked.ok ? undefined : looked.reason), state, claimed.said)
  if (fault !== null && said !== claimed.said) {
    yield* Effect.annotateLogs(Effect.logWarning(`LANDFALL_DATASET_FEED: nothing was installed: ${fault.message}`), {
      reason: fault.reason,
    })
  }
  if (said === null && claimed.said !== null) yield* Effect.logInfo("LANDFALL_DATASET_FEED: followed again")
  const failures = fault === null ? 0 : claimed.failures + 1
  const waitMs = waitForLook(failures, yield* Random.next)
  const next = { state: state && JSON.stringify(state), said, failures }
  yield* datasets.saveLook(untilMs, next, nowMs + waitMs, nowMs)
})

/** Follows a feed; ends with the scope. */
export const followFeed = Effect.fnUntraced(function* (feed: FeedToFollow) {
  const outages = new OutageLog("LANDFALL_DATASET_FEED cannot be followed, because the database cannot do its work")
  yield* Effect.forkScoped(Effect.repeat(outages.watch(lookIfDue(feed)), Schedule.spaced(POLL_MS)))
})

// How is a dataset installed by copying a file to a path? The file is checked every {@link LOOK_MS}. It is installed when its size or time has
// changed and then stayed the same from one check to the next, so that a copy in progress is left alone. A refusal is logged once, and the
// file is tried again only after it has changed.

/** How often the file is checked. */
const LOOK_MS = 1_000

/** The size and time of a file; null if it does not exist. */
function describeFile(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs}` : null
}

/** Installs the file at a path whenever it changes; ends with the scope. */
export const watchFile = Effect.fnUntraced(function* (path: string) {
  const live = yield* LiveDataset
  let handled: string | null = null
  let seen: string | null = null
  const look = Effect.gen(function* () {
    const found = yield* Effect.try(() => describeFile(path))
    const isStill = found !== null && found === seen
    seen = found
    if (!isStill || found === handled) return
    handled = found
    const bytes = readDatasetBytes(path)
    if (!bytes.ok) return yield* new InstallRefused({ message: bytes.message })
    const { after, events } = yield* installDataset(live.configured, bytes.value)
    yield* Effect.logInfo(`installed dataset ${after} from LANDFALL_DATASET_WATCH: ${events.length} events`)
    yield* live.refresh
  }).pipe(
    Effect.catch(error => {
      // A database that cannot be reached may be there at the next check.
      if ("_tag" in error && error._tag === "Unavailable") handled = null
      return Effect.logWarning(`LANDFALL_DATASET_WATCH: ${path} was not installed: ${error.message}`)
    }),
  )
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(LOOK_MS)))
})
