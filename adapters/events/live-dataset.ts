/**
 * From which dataset does this process answer now?
 *
 * From the one that was installed last, by any process. A counter is read every {@link POLL_MS}; when it has moved, the new
 * dataset is opened and replaces the old one between two requests. If the new one cannot be read or opened, the old one stays; a process that
 * starts then answers from the configured one.
 */
import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { LocalisedFactsCache, makeTodayView } from "../answers/today.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { openCurrentDataset, planDatedEvents } from "./install-dataset.ts"
import { followInstalled } from "./installed-changes.ts"

/** How long an installation by another process can go unnoticed. */
const POLL_MS = 1_000
/** How often a process notes from which installation it answers, and how long it counts as alive. */
const REPORT_MS = 10_000
const ALIVE_MS = 30_000

export class LiveDataset extends Context.Service<LiveDataset>()("landfall/changes/LiveDataset", {
  make: Effect.fnUntraced(function* (configured: Dataset) {
    const storage = yield* Storage
    const outages = new OutageLog("a newly installed dataset may not be in use yet")
    let revision = yield* storage.datasets.readRevision
    let { dataset, passedOver } = yield* openCurrentDataset(configured)
    let refusedRevision = -1
    if (passedOver === null) {
      // Events of dated rules are sent on their day, and have to be noted before that day comes.
      yield* planDatedEvents(dataset)
    } else {
      yield* Effect.logError(`answers are from dataset ${dataset.version}, because ${passedOver}`)
      // No installation is in use. That is what the other processes learn.
      ;[revision, refusedRevision] = [0, revision]
    }
    const installed = yield* followInstalled
    const show = yield* installed.load
    show()

    const id = randomUUID()
    let reportsAtMs = Number.NEGATIVE_INFINITY
    let lost = 0
    const report = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      yield* storage.nodes.note({
        id,
        installation_id: revision,
        refused_id: passedOver === null ? null : refusedRevision,
        refused_because: passedOver,
        alive_until: nowMs + ALIVE_MS,
      })
      lost += yield* storage.nodes.forgetLost(nowMs - ALIVE_MS)
      reportsAtMs = nowMs + REPORT_MS
    })
    yield* Effect.addFinalizer(() => Effect.ignore(storage.nodes.remove({ id })))
    yield* report

    const look = Effect.gen(function* () {
      const newest = yield* storage.datasets.readRevision
      if (newest === revision || newest === refusedRevision) {
        if ((yield* Clock.currentTimeMillis) >= reportsAtMs) yield* report
        return
      }
      const current = yield* openCurrentDataset(configured)
      if (current.passedOver !== null) {
        yield* Effect.logError(`answers stay those of dataset ${dataset.version}, because ${current.passedOver}`)
        ;[refusedRevision, passedOver] = [newest, current.passedOver]
        yield* report
        return
      }
      const showChanges = yield* installed.load
      revision = newest
      ;({ dataset, passedOver } = current)
      showChanges()
      yield* report
      yield* Effect.logInfo(`answers are from dataset ${dataset.version} now`)
    }).pipe(Effect.provideService(Storage, storage))
    const refresh = Effect.ignore(outages.tell(look))
    yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(POLL_MS)))
    const read = () => dataset
    return {
      read,
      /** Whether the dataset that was installed last cannot be opened, so that answers are from another one. */
      isPassedOver: () => passedOver !== null,
      /** The installation that was refused; null where none is. */
      readRefused: () => (passedOver === null ? null : refusedRevision),
      /** How many nodes were lost, as this process has found: they ended without a word. */
      countLost: () => lost,
      /** The dataset as it is on the day of an instant. */
      today: makeTodayView(read),
      localisedFacts: new LocalisedFactsCache(installed.list),
      /** The changes of installations, up to the current dataset. */
      listInstalled: installed.list,
      /** The dataset that is used while nothing is installed. */
      configured,
      /** Checks now whether another dataset was installed. */
      refresh,
    }
  }),
}) {
  /** Uses the last installed dataset, or else a given one. */
  static readonly layer = (configured: Dataset) => Layer.effect(LiveDataset, LiveDataset.make(configured))
}

// Do all processes use the data of an event before anybody is notified? Each notes the installation that it uses. Events are distributed when
// all live processes use it, or after {@link PATIENCE_MS}: a process that was killed, or that cannot open the dataset, must not stop all
// notification. The log names those that are behind.

/** How long events wait for processes that are behind. */
const PATIENCE_MS = 5_000

/** Returns a function that finds the newest installation whose events may be sent; every one if this process answers no requests. */
export const followAnswered: Effect.Effect<Effect.Effect<number, Unavailable>, never, Storage> = Effect.gen(
  function* () {
    const { datasets, nodes } = yield* Storage
    const live = Option.getOrUndefined(yield* Effect.serviceOption(LiveDataset))
    if (live === undefined) return Effect.succeed(Number.MAX_SAFE_INTEGER)
    let answered = 0
    let waiting = { newest: -1, sinceMs: 0 }
    return Effect.gen(function* () {
      const newest = yield* datasets.readRevision
      if (newest <= answered) return answered
      yield* live.refresh
      const nowMs = yield* Clock.currentTimeMillis
      const behind = yield* nodes.listBehind(newest, nowMs)
      if (behind.length > 0) {
        if (waiting.newest !== newest) waiting = { newest, sinceMs: nowMs }
        if (nowMs - waiting.sinceMs < PATIENCE_MS) return answered
        yield* Effect.logWarning(
          `events of installation ${newest} are sent, although ${behind.length} processes do not use it yet`,
          {
            behind,
          },
        )
      }
      answered = newest
      return answered
    })
  },
)
