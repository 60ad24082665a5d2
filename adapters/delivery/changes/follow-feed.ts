/**
 * How does a deployment follow a feed of datasets?
 *
 * Every process asks the database each minute whether a look is due, and one of them gets it. A newer dataset that may be believed is installed by the
 * way of all installations, so that webhooks tell of it; never one that is older than what is installed, or that changes more than a tenth of
 * the pairs. What goes wrong is logged once for as long as it lasts, and looked at again after longer and longer waits.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Random, Schedule } from "effect"
import { FORMAT_VERSION } from "../../../src/engine.ts"
import { inspectDataset } from "../../knowledge/answers/changed-share.ts"
import { type FeedState, lookAtFeed } from "../../platform/feed/follow.ts"
import { type Retries, waitAfter } from "../../platform/queue/schedule.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { installDataset } from "./install.ts"
import { LiveDataset } from "./live-dataset.ts"

/** How often each process asks whether a look is due. */
const POLL_MS = 60_000
/** How often the feed is looked at, by whichever process. */
const LOOK_MS = 3_600_000
/** Longer than a look can take: two downloads of 20 seconds and an installation. */
const LEASE_MS = 300_000
const RETRIES: Retries = {
  waitsMs: [60_000, 300_000, 900_000, 3_600_000, 21_600_000],
  isEndless: true,
  longestAskedMs: 0,
}
/** Waits differ by a tenth to both sides, so that those who failed together do not come back together. */
const JITTER = 0.1

/** A feed, and by whom it has to be signed. */
export interface FeedToFollow {
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
  let state: FeedState | null = claimed.state === null ? null : JSON.parse(claimed.state)
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
      inspect: bytes => inspectDataset(current, bytes),
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
  // Under this name a fault is logged once, by whichever process meets it. A file that was refused stays so while the index says 304.
  const isRefusedStill = !looked.ok && looked.reason === "not_modified" && state?.refused != null
  const said = isRefusedStill
    ? claimed.said
    : fault && `${fault.reason} ${state?.index?.version} ${state?.index?.trust}`
  if (fault !== null && said !== claimed.said) {
    yield* Effect.annotateLogs(Effect.logWarning(`LANDFALL_DATASET_FEED: nothing was installed: ${fault.message}`), {
      reason: fault.reason,
    })
  }
  if (said === null && claimed.said !== null) yield* Effect.logInfo("LANDFALL_DATASET_FEED: followed again")
  const failures = fault === null ? 0 : claimed.failures + 1
  const waitMs = failures === 0 ? LOOK_MS : (waitAfter(RETRIES, failures, null) as number)
  const jitter = yield* Random.nextBetween(1 - JITTER, 1 + JITTER)
  const next = { state: state && JSON.stringify(state), said, failures }
  yield* datasets.saveLook(untilMs, next, nowMs + Math.round(waitMs * jitter))
})

/** Follows a feed; ends with the scope. */
export const followFeed = Effect.fnUntraced(function* (feed: FeedToFollow) {
  const outages = new OutageLog("LANDFALL_DATASET_FEED cannot be followed, because the database cannot do its work")
  yield* Effect.forkScoped(Effect.repeat(outages.watch(lookIfDue(feed)), Schedule.spaced(POLL_MS)))
})
