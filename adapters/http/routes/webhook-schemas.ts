/** The bodies of subscriptions and deliveries: how they are written, and their schemas for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { REQUIREMENT_NAMES } from "../../answers/lookup-answer.ts"
import { POLICY_EVENT_TYPES } from "../../events/events.ts"
import { EVENT_TYPES, type EventType } from "../../events/followers/subscription.ts"
import { DELIVERY_STATES } from "../../storage/tables.ts"
import type { DeliveryRow } from "../../storage/webhooks-repository.ts"
import { formatInstant } from "../../time/utc-calendar.ts"
import type { ListedWebhook, Webhook } from "../../webhooks/webhooks.ts"
import { fieldsFrom, makeBody } from "../pipeline/describe-row.ts"

const Texts = Schema.Array(Schema.String)
const EventTypes = Schema.Array(Schema.Literals(EVENT_TYPES))
const Severity = Schema.NullOr(Schema.Literals(["minor", "major"]))
const MaybeText = Schema.NullOr(Schema.String)

export const DELIVERY = fieldsFrom<DeliveryRow>()({
  id: Schema.Int,
  event_id: Schema.String.annotate({ description: "The same at every attempt, to recognise duplicates." }),
  type: Schema.String,
  state: Schema.Literals(DELIVERY_STATES),
  attempts: [Schema.Int, ({ attempt }) => attempt],
  created_at: [Schema.String, row => formatInstant(row.created_at)],
  next_attempt_at: [MaybeText, row => (row.state === "pending" ? formatInstant(row.due_at) : null)],
  last_attempt: [
    Schema.NullOr(
      Schema.Struct({
        at: Schema.String,
        status: Schema.NullOr(Schema.Int),
        error: MaybeText,
        response: MaybeText.annotate({ description: "The first 4 KiB of the receiver's answer." }),
      }),
    ),
    ({ last_at, last_status: status, last_error: error, last_body: response }) =>
      last_at === null ? null : { at: formatInstant(last_at), status, error, response },
  ],
})

export const Delivery = makeBody("Delivery", "The delivery of one event to one subscription.", DELIVERY.schemas)

/** A webhook, and the last attempt to send to it where that was looked up. */
export type Written = Webhook & Partial<Pick<ListedWebhook, "lastDelivery">>

const state = {
  description: Schema.String,
  created_at: Schema.String,
  active: [Schema.Boolean, ({ isActive }: Written) => isActive],
  disabled_because: MaybeText,
  last_delivery: [
    Schema.NullOr(Delivery),
    ({ lastDelivery = null }: Written) => (lastDelivery === null ? null : DELIVERY.write(lastDelivery)),
  ],
} as const

const secret = Schema.String.annotate({ description: "Shown only in this answer." })

const events = [EventTypes, ({ terms }: Written) => terms.types] as const

/** A subscription as the visa service writes it. */
export const VISA_WEBHOOK = fieldsFrom<Written>()({
  id: Schema.Int,
  url: Schema.String,
  events,
  filter: [
    Schema.Struct({ passports: Texts, destinations: Texts, types: EventTypes, severity: Severity }),
    ({ terms: { passports, destinations, types, severity } }) => ({ passports, destinations, types, severity }),
  ],
  ...state,
})

/** The lookup's ids are texts. */
export const nameWebhook = (id: number): string => `wh_${id}`

/** A subscription as the lookup writes it. */
export const LOOKUP_WEBHOOK = fieldsFrom<Written>()({
  id: [Schema.String, ({ id }) => nameWebhook(id)],
  url: Schema.String,
  events,
  passports: [Texts, ({ terms }) => terms.passports],
  destinations: [Texts, ({ terms }) => terms.destinations],
  severity: [Severity, ({ terms }) => terms.severity],
  ...state,
})

const request = {
  url: Schema.String,
  events: Schema.optionalKey(EventTypes),
  description: Schema.optionalKey(Schema.String),
}
const filter = {
  passports: Schema.optionalKey(Texts),
  destinations: Schema.optionalKey(Texts),
  severity: Schema.optionalKey(Severity),
}

export const VisaWebhookRequest = makeBody("VisaWebhookRequest", "The changes to follow; all without a filter.", {
  ...request,
  filter: Schema.optionalKey(Schema.Struct({ ...filter, types: Schema.optionalKey(EventTypes) })),
})

export const LookupWebhookRequest = makeBody(
  "LookupWebhookRequest",
  "The changes to follow; all without passports and destinations.",
  { ...request, ...filter },
)

const VisaWebhook = makeBody("VisaWebhook", "A webhook.", VISA_WEBHOOK.schemas)

export const VisaWebhooks = makeBody("VisaWebhooks", "Every webhook of the account.", {
  webhooks: Schema.Array(VisaWebhook),
  next_cursor: Schema.NullOr(Schema.String),
})

export const VisaWebhookMade = makeBody("VisaWebhookMade", "The webhook, with its secret.", {
  webhook: Schema.Struct({ ...VISA_WEBHOOK.schemas, secret }),
  message: Schema.String,
})

export const VisaWebhookEnabled = makeBody("VisaWebhookEnabled", "The webhook, which is active again.", {
  webhook: VisaWebhook,
})

export const VisaWebhookDeleted = makeBody("VisaWebhookDeleted", "The webhook was deleted.", {
  deleted: Schema.Boolean,
  id: Schema.Int,
})

export const LookupWebhook = makeBody("LookupWebhook", "A webhook.", LOOKUP_WEBHOOK.schemas)

export const LookupWebhooks = makeBody("LookupWebhooks", "Every webhook of the account.", {
  webhooks: Schema.Array(LookupWebhook),
  next_cursor: Schema.NullOr(Schema.String),
})

export const LookupWebhookMade = makeBody("LookupWebhookMade", "The webhook, with its secret.", {
  ...LOOKUP_WEBHOOK.schemas,
  secret,
})

export const LookupWebhookDeleted = makeBody("LookupWebhookDeleted", "The webhook was deleted.", {
  deleted: Schema.Boolean,
  id: Schema.String,
})

export const SimulateRequest = makeBody("SimulateRequest", "A change of one pair.", {
  passport: Schema.String,
  destination: Schema.String,
  requirement: Schema.optionalKey(
    Schema.Literals(Object.values(REQUIREMENT_NAMES)).annotate({
      description: "The new requirement; by default `visa_required`, or `visa_free` if a visa is required today.",
    }),
  ),
})

export const Simulated = makeBody("Simulated", "The event is being sent.", {
  event_id: Schema.String,
  webhooks: Schema.Array(Schema.String).annotate({ description: "The ids of the webhooks that get it." }),
})

export const SecretRotated = makeBody("SecretRotated", "Both secrets sign until the given instant.", {
  id: Schema.String,
  secret,
  previous_secret_valid_until: Schema.String,
})

export const Deliveries = makeBody("Deliveries", "Deliveries of thirty days, the newest first.", {
  deliveries: Schema.Array(Delivery),
  next_cursor: MaybeText,
})

const Sources = Schema.Array(Schema.Struct({ name: Schema.String, url: MaybeText }))

const Terms = Schema.NullOr(
  Schema.Struct({
    requirement: Schema.Literals(Object.values(REQUIREMENT_NAMES)),
    stay_days: Schema.NullOr(Schema.Int),
    fee_usd: Schema.NullOr(Schema.Finite),
  }).annotate({ identifier: "EventTerms", description: "The terms of the pair, with further fields if they changed." }),
)

const pair = { destination: Schema.String, passport: Schema.String }

const PolicyChange = Schema.Struct({
  ...pair,
  previous: Terms.annotate({ description: "Null if nothing was recorded." }),
  current: Terms.annotate({ description: "Null if nothing is recorded any more." }),
  effective_from: Schema.String,
  sources: Sources,
  severity: Schema.Literals(["minor", "major"]),
  fields: Texts,
}).annotate({ identifier: "PolicyChange" })

const ChangedSources = Schema.Struct({ sources: Sources })

/** What an event of each type is about. */
const DATA_OF_EVENTS: Readonly<Record<EventType, Schema.Top>> = {
  "visa.policy_changed": PolicyChange,
  "visa.policy_announced": PolicyChange,
  "visa.source_updated": Schema.Struct({
    ...pair,
    previous: ChangedSources,
    current: ChangedSources,
    sources: Sources,
  }),
  "webhook.ping": Schema.Struct({ webhook_id: Schema.Int, message: Schema.String }),
  "job.completed": Schema.Struct({
    job_id: Schema.String,
    lines: Schema.Int,
    failed: Schema.Int,
    verdicts: Schema.Struct({ blocked: Schema.Int, no_blocker_found: Schema.Int }),
    pairs_charged: Schema.Int,
    result_bytes: Schema.Int,
    result_path: Schema.String,
  }),
}

const nameEvent = (type: string): string =>
  `Event_${type}`.replace(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The body that a webhook receives for an event of a type. */
export const describeEvent = (type: EventType) =>
  makeBody(nameEvent(type), "The body of a delivery.", {
    id: Schema.String.annotate({ description: "The same at every attempt, to recognise duplicates." }),
    type: Schema.Literal(type),
    created_at: Schema.String,
    api_version: Schema.String,
    livemode: Schema.Boolean.annotate({ description: "False for events that test keys have sent or caused." }),
    ...(POLICY_EVENT_TYPES.some(of => of === type)
      ? {
          installation: Schema.optionalKey(Schema.Int).annotate({
            description: "The number of the data's installation.",
          }),
        }
      : {}),
    data: DATA_OF_EVENTS[type],
  })
