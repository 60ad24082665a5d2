/**
 * `GET /api/v1/visa/live` and `/live/recent`: what is being asked right now?
 *
 * Server-sent events, one `data:` line an answered question; where two seconds pass without any, a comment keeps the connection
 * open. A listener that reads too slowly misses the oldest events, and nobody waits for it.
 */
import { Effect, Queue, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Activity, ActivityEvent } from "../activity.ts"
import { type Answer, answerError, answerJson, toResponse } from "../answer.ts"
import type { BackendShape } from "../backend.ts"

/** After how long without an event a comment is sent. */
export const KEEPALIVE = "2 seconds"
/** How many may listen at once. */
export const MAXIMUM_LISTENERS = 1_000
/** How many events wait for a slow listener. */
const WAITING_EVENTS = 256
const RECENT_MAX_AGE_SECONDS = 5

const encoder = new TextEncoder()
const KEEPALIVE_COMMENT = encoder.encode(": keepalive\n\n")

const formatEvents = (events: readonly ActivityEvent[]): Uint8Array =>
  encoder.encode(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(""))

/** Listens from now on, as the bytes of the stream. */
const listen = (activity: Activity): Stream.Stream<Uint8Array> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const events = yield* Queue.sliding<ActivityEvent>(WAITING_EVENTS)
      yield* Effect.acquireRelease(
        Effect.sync(() => activity.listen(event => Queue.offerUnsafe(events, event))),
        stop => Effect.sync(stop),
      )
      const next = Effect.timeoutOrElse(Effect.map(Queue.takeBetween(events, 1, WAITING_EVENTS), formatEvents), {
        duration: KEEPALIVE,
        orElse: () => Effect.succeed(KEEPALIVE_COMMENT),
      })
      // The first comment is sent at once, so that the client sees that it is connected.
      return Stream.concat(Stream.make(KEEPALIVE_COMMENT), Stream.fromEffectRepeat(next))
    }),
  )

/** Answers with the stream, which ends when the service stops. */
export function streamLive({ activity, lifecycle }: BackendShape): HttpServerResponse.HttpServerResponse {
  if (activity.listenerCount >= MAXIMUM_LISTENERS) {
    return toResponse(answerError(503, "Too many clients listen already; ask /live/recent.", ["retry-after", "60"]))
  }
  return HttpServerResponse.stream(Stream.interruptWhen(listen(activity), lifecycle.stopping), {
    contentType: "text/event-stream",
    headers: {
      "cache-control": "no-store",
      // A proxy must not collect events, and compressing them would.
      "content-encoding": "identity",
      "x-accel-buffering": "no",
    },
  })
}

/** Answers 200 with the last events. */
export function answerRecent(activity: Activity): Answer {
  const events = activity.listRecent()
  return answerJson(200, { events, count: events.length }, [
    "cache-control",
    `public, max-age=${RECENT_MAX_AGE_SECONDS}`,
  ])
}
