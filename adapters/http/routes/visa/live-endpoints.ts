/**
 * `GET /api/v1/visa/live` and `/live/recent`: the current questions.
 *
 * Server-sent events, one `data:` line for each answered question. After two seconds without one, a comment keeps the connection open. The
 * number of listeners is limited, in total and for each address.
 */

import { HttpApiSchema } from "effect/http-api"
import { LiveActivity } from "../../pipeline/activity.ts"
import { Clients } from "../../pipeline/client-address.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerError, answerJson } from "../../pipeline/http-answer.ts"
import { LiveEvent, RecentAnswer } from "./visa-schemas.ts"

export const MAXIMUM_LISTENERS = 1_000
/** The most listeners from one address. */
export const MAXIMUM_LISTENERS_AT_ADDRESS = 20
const RETRY_AFTER_SECONDS = 60
const RECENT_MAX_AGE_SECONDS = 5

const LATER = ["retry-after", String(RETRY_AFTER_SECONDS)]

const shared = { surface: "visa", access: { kind: "public" } } as const

/** The stream. */
const live = endpoint("GET /api/v1/visa/live", {
  ...shared,
  name: "live",
  needs: { activity: LiveActivity, clients: Clients },
  answer: (_, context) => {
    const { activity, clients } = context
    const address = clients.name(context.request)
    if (activity.listenerCount >= MAXIMUM_LISTENERS) {
      return answerError(503, "Too many clients are listening; use /live/recent.", LATER)
    }
    if (activity.countListenersAt(address) >= MAXIMUM_LISTENERS_AT_ADDRESS) {
      const message = `At most ${MAXIMUM_LISTENERS_AT_ADDRESS} streams are open for one address; use /live/recent.`
      return answerError(429, message, LATER)
    }
    return {
      status: 200,
      contentType: "text/event-stream",
      // A proxy must not collect events.
      headers: ["cache-control", "no-store", "x-accel-buffering", "no"],
      body: { open: sink => activity.listen(sink, address, context.nowMs) },
    }
  },
  summary: "Live activity",
  description:
    "Server-sent events: each answered question is one `data:` line; a comment every two seconds without any.",
  success: HttpApiSchema.StreamSse({ data: LiveEvent }),
  errors: [429],
})

/** The last events. */
const liveRecent = endpoint("GET /api/v1/visa/live/recent", {
  ...shared,
  name: "liveRecent",
  needs: { activity: LiveActivity },
  answer: (_, context) => {
    const events = context.activity.listRecent()
    const headers = ["cache-control", `public, max-age=${RECENT_MAX_AGE_SECONDS}`]
    return answerJson(200, { events, count: events.length }, headers)
  },
  summary: "Recent activity",
  description: "May be cached for five seconds.",
  success: RecentAnswer,
})

export const liveEndpoints = [live, liveRecent] as const
