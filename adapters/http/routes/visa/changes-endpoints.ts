/**
 * `GET /api/v1/visa/changes`: the withdrawn feed of changes; `/changes.atom` and `/changes.ics`; and the live stream of questions.
 *
 * The withdrawn feed comes back only when every event has a named, verified official source. Until then it answers that it is unavailable,
 * which does not mean that nothing has changed.
 */

import { Context, Effect, Layer, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { formatCivilDate } from "../../../../src/engine.ts"
import { nameInEnglish } from "../../../answers/english-names.ts"
import { type FeedHead, tellEvent, writeAtom, writeCalendar } from "../../../events/feeds.ts"
import { RequestWindow } from "../../../quota/meter.ts"
import { Storage } from "../../../storage/storage.ts"
import { Clients } from "../../../validation/addresses.ts"
import { endpoint, optional, type Parameter, type ParameterDocument, parsed } from "../../pipeline/endpoint.ts"
import { answerError, answerJson, answerText, NOT_STORED } from "../../pipeline/http-message.ts"
import { LiveActivity, MountedSite } from "../../pipeline/process-state.ts"
import { destination, passport } from "./visa-endpoints.ts"
import { LiveEvent, RecentAnswer, Withdrawn } from "./visa-schemas.ts"

const RETRY_AFTER_SECONDS = 86_400

const ignored = (document: Omit<ParameterDocument, "description">): Parameter<string | undefined> =>
  optional(parsed("anything", text => text, { description: "Ignored.", ...document }))

/** The withdrawn feed: always 503. */
const changes = endpoint("GET /api/v1/visa/changes", {
  name: "changes",
  surface: "visa",
  access: { kind: "public" },
  needs: { site: MountedSite },
  answer: (_, context) => {
    const body = {
      error: "The feed of policy changes is withdrawn. That does not mean that nothing has changed.",
      status: "unavailable",
      contact: context.site.contact,
    }
    return answerJson(503, body, [...NOT_STORED, "retry-after", String(RETRY_AFTER_SECONDS)])
  },
  summary: "Feed of policy changes (withdrawn)",
  description:
    "Always 503, which does not mean that nothing has changed. The feed returns when every event has a verified official source.",
  deprecation: { since: "2026-11-21", sunset: "2027-06-01", note: "tag/visa-public" },
  // Parameters of the withdrawn feed. Clients still send them, and none is refused.
  ignores: {
    passport: ignored({ type: "string" }),
    destination: ignored({ type: "string" }),
    since: ignored({ type: "string" }),
    type: ignored({ type: "string" }),
    severity: ignored({ type: "string", enum: ["minor", "major"] }),
    wishlist: ignored({ type: "string" }),
    limit: ignored({ type: "integer", minimum: 1, maximum: 200, default: 50 }),
    offset: ignored({ type: "integer", minimum: 0, default: 0 }),
  },
  errors: [Withdrawn],
})

export const changesEndpoints = [changes] as const

// `GET /changes.atom` and `/changes.ics`: the changes for a passport, without an account.
// The newest changes for feed readers, and announced ones for calendars. A feed is made once for each dataset and day, and kept. The number
// of feeds that an address may have made in a minute is limited. Corrections of data are left out, because no law has changed.

/** How many feeds are made for an address in a minute. */
export const FEEDS_A_MINUTE = 60
const MAXIMUM_ADDRESSES = 100_000
/** How many changes a feed lists. */
const MAXIMUM_ENTRIES = 100

/** Counts the feeds that were made lately, by address. */
export class MadeFeeds extends Context.Service<MadeFeeds, RequestWindow>()("landfall/http/MadeFeeds") {
  static readonly layer = Layer.sync(
    MadeFeeds,
    () => new RequestWindow({ limit: FEEDS_A_MINUTE, windowMs: 60_000, maximumKeys: MAXIMUM_ADDRESSES }),
  )
}

/** A form of the feed: its name, its media type, and whether it lists announced changes. */
const feed = (form: {
  readonly name: string
  readonly path: `/${string}`
  readonly contentType: string
  readonly summary: string
  readonly description: string
  readonly standard: string
  readonly isAhead: boolean
  readonly write: (head: FeedHead, entries: readonly ReturnType<typeof tellEvent>[]) => string
}) =>
  endpoint(`GET ${form.path}`, {
    name: form.name,
    summary: form.summary,
    description: form.description,
    success: Schema.String.annotate({ description: form.standard }).pipe(
      HttpApiSchema.asText({ contentType: form.contentType.split(";", 1)[0] as string }),
    ),
    errors: [404, 429],
    surface: "visa",
    access: { kind: "public" },
    needs: { clients: Clients, madeFeeds: MadeFeeds, site: MountedSite, storage: Storage },
    parameters: { passport, destination: optional(destination) },
    keepAs: ({ passport, destination = "" }) => passport + destination,
    answer: ({ passport, destination }, context) => {
      const { clients, dataset, madeFeeds, nowMs, request, site, storage } = context
      const isKnown = dataset.passports.includes(passport)
      if (!isKnown || (destination !== undefined && !dataset.destinations.includes(destination))) {
        return answerError(404, "Nothing is recorded for these codes.")
      }
      const waitSeconds = madeFeeds.admit(clients.name(request), nowMs)
      if (waitSeconds > 0) {
        const message = `At most ${FEEDS_A_MINUTE} feeds a minute are made for one address.`
        return answerError(429, message, ["retry-after", String(waitSeconds)])
      }
      const scope = destination === undefined ? passport : `${passport}/${destination}`
      const query = new URLSearchParams({ passport, ...(destination === undefined ? {} : { destination }) })
      const to = destination === undefined ? "" : ` to ${nameInEnglish(destination)}`
      const head: FeedHead = {
        title: `Changes of visa rules for passports of ${nameInEnglish(passport)}${to}`,
        scope: `/${scope}`,
        url: new URL(`${form.path}?${query}`, site.publicUrl).href,
        startedAt: `${formatCivilDate(dataset.sinceDay)}T00:00:00.000Z`,
      }
      const asked = { passport, destination: destination ?? null, nowMs, isAhead: form.isAhead, limit: MAXIMUM_ENTRIES }
      const made = Effect.map(storage.events.listOfPassport(asked), events =>
        form.write(
          head,
          // An event that waited for its day is published on that day.
          events.map(event =>
            tellEvent(form.isAhead ? event : { ...event, created_at: Math.max(event.created_at, event.due_at) }),
          ),
        ),
      )
      return Effect.map(made, text => answerText(form.contentType, text, ["cache-control", "public, max-age=900"]))
    },
  })

const changesAtom = feed({
  name: "changesAtom",
  path: "/changes.atom",
  contentType: "application/atom+xml; charset=utf-8",
  isAhead: false,
  write: writeAtom,
  summary: "Changes for a passport as an Atom feed",
  description: "The newest hundred. May be cached for a quarter of an hour, and has an `ETag`.",
  standard: "RFC 4287.",
})
const changesCalendar = feed({
  name: "changesCalendar",
  path: "/changes.ics",
  contentType: "text/calendar; charset=utf-8",
  isAhead: true,
  write: writeCalendar,
  summary: "Announced changes for a passport as a calendar",
  description: "Each change is an event on the whole day on which it takes effect.",
  standard: "RFC 5545.",
})

export const changeFeedEndpoints = [changesAtom, changesCalendar] as const

// `GET /api/v1/visa/live` and `/live/recent`: the current questions.
// Server-sent events, one `data:` line for each answered question. After two seconds without one, a comment keeps the connection open. The
// number of listeners is limited, in total and for each address.

export const MAXIMUM_LISTENERS = 1_000
/** The most listeners from one address. */
export const MAXIMUM_LISTENERS_AT_ADDRESS = 20
const RECENT_MAX_AGE_SECONDS = 5

const LATER = ["retry-after", "60"]

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
