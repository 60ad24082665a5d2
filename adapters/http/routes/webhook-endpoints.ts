/**
 * The subscriptions to changes of policies, on both surfaces: `/api/v1/visa/webhooks`, and the lookup's `/webhooks…` with their secrets and
 * the results of their deliveries.
 *
 * Each surface has its own paths, its own form of ids and records, and its own form of refusals.
 */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Caller } from "../../accounts/account.ts"
import type { TriedTooOften } from "../../accounts/attempts.ts"
import { REQUIREMENT_NAMES } from "../../answers/lookup-answer.ts"
import { POLICY_EVENT_TYPES } from "../../events/events.ts"
import {
  EVENT_TYPES,
  type EventType,
  readSubscription,
  type SubscriptionRequest,
} from "../../events/followers/subscription.ts"
import { Targets } from "../../events/followers/target-guard.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { DELIVERY_STATES } from "../../storage/tables.ts"
import type { DeliveryRow } from "../../storage/webhooks-repository.ts"
import { formatInstant } from "../../time/utc-calendar.ts"
import {
  type ListedWebhook,
  readSimulated,
  type SimulatedChange,
  type Webhook,
  Webhooks,
} from "../../webhooks/webhooks.ts"
import { fieldsFrom, makeBody } from "../pipeline/describe-row.ts"
import {
  type AnswerContext,
  type ContextOf,
  choice,
  endpoint,
  idOf,
  optional,
  parsed,
  type ReadQuestion,
  type Refused,
} from "../pipeline/endpoint.ts"
import { answerJson, NOT_STORED } from "../pipeline/http-message.ts"
import { accountOf, asQuestion } from "./accounts/account-answers.ts"
import { answerLookupError } from "./lookup/lookup-errors.ts"
import { cutPage, type PageAsked, pageAbove, pageBelow, pageParameters, WHOLE_PAGE } from "./pages.ts"

// How are subscriptions and deliveries written, and what does a webhook receive?

const Texts = Schema.Array(Schema.String)
const EventTypes = Schema.Array(Schema.Literals(EVENT_TYPES))
const Severity = Schema.NullOr(Schema.Literals(["minor", "major"]))
const MaybeText = Schema.NullOr(Schema.String)

const DELIVERY = fieldsFrom<DeliveryRow>()({
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

const Delivery = makeBody("Delivery", "The delivery of one event to one subscription.", DELIVERY.schemas)

/** A webhook, and the last attempt to send to it where that was looked up. */
type Written = Webhook & Partial<Pick<ListedWebhook, "lastDelivery">>

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
const VISA_WEBHOOK = fieldsFrom<Written>()({
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
const nameWebhook = (id: number): string => `wh_${id}`

/** A subscription as the lookup writes it. */
const LOOKUP_WEBHOOK = fieldsFrom<Written>()({
  id: [Schema.String, ({ id }) => nameWebhook(id)],
  url: Schema.String,
  events,
  passports: [Texts, ({ terms }) => terms.passports],
  destinations: [Texts, ({ terms }) => terms.destinations],
  severity: [Severity, ({ terms }) => terms.severity],
  ...state,
})

const requested = {
  url: Schema.String,
  events: Schema.optionalKey(EventTypes),
  description: Schema.optionalKey(Schema.String),
}
const filter = {
  passports: Schema.optionalKey(Texts),
  destinations: Schema.optionalKey(Texts),
  severity: Schema.optionalKey(Severity),
}

const VisaWebhook = makeBody("VisaWebhook", "A webhook.", VISA_WEBHOOK.schemas)

const LookupWebhook = makeBody("LookupWebhook", "A webhook.", LOOKUP_WEBHOOK.schemas)

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

type WebhooksContext = ContextOf<{ webhooks: typeof Webhooks }>
type Own = Omit<Webhooks["Service"], "test">

/** The subscriptions that a key sees: a test key those of test keys, any other key the live ones. */
const webhooksOf = ({ caller, webhooks }: WebhooksContext): Own =>
  (caller as Caller).isTest ? webhooks.test : webhooks

/** Answers with what a webhook of the account is or has. */
const answerOwn = <Found, Failure extends Refused | TriedTooOften | Unavailable>(
  context: WebhooksContext,
  look: (own: Own, accountId: number) => Effect.Effect<Found, Failure>,
  write: (found: Found) => unknown,
) => Effect.map(look(webhooksOf(context), accountOf(context)), found => answerJson(200, write(found), NOT_STORED))

const access = { kind: "key", feature: "webhooks", scope: "webhooks" } as const
const needs = { webhooks: Webhooks } as const

// Those of the visa service.

const visa = { surface: "visa", access, needs } as const
const visaId = idOf({ description: "The id of the webhook." })

/** What lists the account's subscriptions page by page, as a surface writes them. */
const listing = (identifier: string, written: Schema.Top, write: (webhook: Written) => object) => ({
  parameters: WHOLE_PAGE,
  answer: (asked: PageAsked, context: WebhooksContext) => {
    const page = pageAbove(asked)
    return Effect.map(webhooksOf(context).list(accountOf(context), page), found => {
      const { items: webhooks, next_cursor } = cutPage(found, page, write)
      return answerJson(200, { webhooks, next_cursor }, NOT_STORED)
    })
  },
  summary: "List webhooks",
  description: "The state of each webhook, and the result of its last delivery.",
  success: makeBody(identifier, "Every webhook of the account.", {
    webhooks: Schema.Array(written),
    next_cursor: MaybeText,
  }),
})
const MADE = {
  summary: "Follow changes of policies",
  description:
    "Matching changes are sent to the URL as signed POSTs; an empty list means everything. Only this answer shows the secret, and a ping follows.",
}
const ENABLED = {
  summary: "Enable a webhook again",
  description: "For a disabled webhook; its waiting deliveries are sent too.",
}

const listWebhooks = endpoint("GET /api/v1/visa/webhooks", {
  ...visa,
  ...listing("VisaWebhooks", VisaWebhook, VISA_WEBHOOK.write),
  name: "listWebhooks",
})

const createWebhook = endpoint("POST /api/v1/visa/webhooks", {
  ...visa,
  ...MADE,
  name: "createWebhook",
  needs: { ...needs, targets: Targets },
  takesBody: true,
  read: ({ body }, { dataset, targets }) => asQuestion(readSubscription(body, { shape: "visa", dataset, targets })),
  answer: (request: SubscriptionRequest, context) =>
    Effect.map(webhooksOf(context).create(accountOf(context), request), made => {
      const webhook = { ...VISA_WEBHOOK.write(made.webhook), secret: made.secret }
      const message = "Keep the secret: it is shown only in this answer. A webhook.ping follows."
      return answerJson(201, { webhook, message }, NOT_STORED)
    }),
  payload: makeBody("VisaWebhookRequest", "The changes to follow; all without a filter.", {
    ...requested,
    filter: Schema.optionalKey(Schema.Struct({ ...filter, types: Schema.optionalKey(EventTypes) })),
  }),
  example: {
    url: "https://example.com/landfall",
    filter: { passports: ["FRA"], destinations: ["JPN", "CHN"], severity: "major" },
  },
  success: makeBody("VisaWebhookMade", "The webhook, with its secret.", {
    webhook: Schema.Struct({ ...VISA_WEBHOOK.schemas, secret }),
    message: Schema.String,
  }).pipe(HttpApiSchema.status(201)),
})

/** Switches a webhook on again. */
const enableWebhook = endpoint("POST /api/v1/visa/webhooks/enable", {
  ...visa,
  ...ENABLED,
  name: "enableWebhook",
  parameters: { id: visaId },
  answer: ({ id }, context) =>
    answerOwn(
      context,
      (own, account) => own.enable(account, id),
      found => ({ webhook: VISA_WEBHOOK.write(found) }),
    ),
  success: makeBody("VisaWebhookEnabled", "The webhook, which is active again.", {
    webhook: VisaWebhook,
  }),
  errors: [404],
})

const deleteWebhook = endpoint("DELETE /api/v1/visa/webhooks", {
  ...visa,
  name: "deleteWebhook",
  parameters: { id: visaId },
  answer: ({ id }, context) =>
    answerOwn(
      context,
      (own, account) => own.remove(account, id),
      () => ({ deleted: true, id }),
    ),
  summary: "End a webhook",
  success: makeBody("VisaWebhookDeleted", "The webhook was deleted.", {
    deleted: Schema.Boolean,
    id: Schema.Int,
  }),
  errors: [404],
})

export const webhookEndpoints = [listWebhooks, createWebhook, enableWebhook, deleteWebhook] as const

// Those of the lookup.

const lookup = { surface: "lookup", access, needs } as const

const deliveryId = idOf({ description: "The id of a delivery." })

const id = parsed(
  "the id of a webhook, such as wh_118000000000000",
  text => (text.startsWith("wh_") ? deliveryId.read(text.slice(3)) : undefined),
  { pattern: /^wh_[1-9][0-9]{0,15}$/, description: "The id of a webhook.", example: "wh_118000000000000" },
)

const PAGE = 20
const status = optional(choice(DELIVERY_STATES, { description: "Only deliveries in this state.", example: "pending" }))

/** A body as a question, or its refusal by the first mistake. */
function asLookupQuestion<Value>(
  read: Parameters<typeof asQuestion<Value>>[0],
  { requestId }: AnswerContext,
): ReadQuestion<Value> {
  if (read.ok) return { ok: true, question: read.value }
  const [{ path, message } = { path: "", message: "" }] = read.issues
  const named =
    path === "" ? ({ code: "invalid_request" } as const) : ({ code: "invalid_parameter", param: path } as const)
  return { ok: false, answer: answerLookupError({ ...named, message, requestId }) }
}

const listSubscriptions = endpoint("GET /webhooks", {
  ...lookup,
  ...listing("LookupWebhooks", LookupWebhook, LOOKUP_WEBHOOK.write),
  name: "listSubscriptions",
})

const createSubscription = endpoint("POST /webhooks", {
  ...lookup,
  ...MADE,
  name: "createSubscription",
  needs: { ...needs, targets: Targets },
  takesBody: true,
  read: ({ body }, context) => {
    const { dataset, targets } = context
    return asLookupQuestion(readSubscription(body, { shape: "lookup", dataset, targets }), context)
  },
  answer: (request: SubscriptionRequest, context) =>
    Effect.map(webhooksOf(context).create(accountOf(context), request), ({ webhook, secret }) =>
      answerJson(201, { ...LOOKUP_WEBHOOK.write(webhook), secret }, NOT_STORED),
    ),
  payload: makeBody("LookupWebhookRequest", "The changes to follow; all without passports and destinations.", {
    ...requested,
    ...filter,
  }),
  example: { url: "https://example.com/landfall", passports: ["FRA"], destinations: ["JPN", "CHN"] },
  success: makeBody("LookupWebhookMade", "The webhook, with its secret.", {
    ...LOOKUP_WEBHOOK.schemas,
    secret,
  }).pipe(HttpApiSchema.status(201)),
})

const one = { ...lookup, parameters: { id }, errors: [404] } as const

const getSubscription = endpoint("GET /webhooks/:id", {
  ...one,
  name: "getSubscription",
  answer: ({ id }, context) => answerOwn(context, (own, account) => own.find(account, id), LOOKUP_WEBHOOK.write),
  summary: "One webhook",
  success: LookupWebhook,
})

const deleteSubscription = endpoint("DELETE /webhooks/:id", {
  ...one,
  name: "deleteSubscription",
  answer: ({ id }, context) =>
    answerOwn(
      context,
      (own, account) => own.remove(account, id),
      () => ({ deleted: true, id: nameWebhook(id) }),
    ),
  summary: "End a webhook",
  success: makeBody("LookupWebhookDeleted", "The webhook was deleted.", {
    deleted: Schema.Boolean,
    id: Schema.String,
  }),
})

const pingSubscription = endpoint("POST /webhooks/:id/ping", {
  ...one,
  name: "pingSubscription",
  answer: ({ id }, context) => answerOwn(context, (own, account) => own.ping(account, id), DELIVERY.write),
  summary: "Send a ping",
  success: Delivery,
})

const enableSubscription = endpoint("POST /webhooks/:id/enable", {
  ...one,
  ...ENABLED,
  name: "enableSubscription",
  answer: ({ id }, context) => answerOwn(context, (own, account) => own.enable(account, id), LOOKUP_WEBHOOK.write),
  success: LookupWebhook,
})

const rotateSubscriptionSecret = endpoint("POST /webhooks/:id/rotate-secret", {
  ...one,
  name: "rotateSubscriptionSecret",
  answer: ({ id }, context) =>
    answerOwn(
      context,
      (own, account) => own.rotateSecret(account, id),
      ({ secret, oldUntilMs }) => ({
        id: nameWebhook(id),
        secret,
        previous_secret_valid_until: new Date(oldUntilMs).toISOString(),
      }),
    ),
  summary: "Change the secret",
  description: "For 24 hours the old secret signs too.",
  success: makeBody("SecretRotated", "Both secrets sign until the given instant.", {
    id: Schema.String,
    secret,
    previous_secret_valid_until: Schema.String,
  }),
})

const listDeliveries = endpoint("GET /webhooks/:id/deliveries", {
  ...one,
  name: "listDeliveries",
  parameters: { id, status, ...pageParameters(PAGE) },
  answer: ({ id, status, cursor, limit = PAGE }, context) => {
    const page = { state: status ?? null, ...pageBelow({ limit, cursor }) }
    const list = (own: Own, account: number) => own.listDeliveries(account, id, page)
    return answerOwn(context, list, rows => {
      const { items: deliveries, next_cursor } = cutPage(rows, page, DELIVERY.write)
      return { deliveries, next_cursor }
    })
  },
  summary: "List deliveries and their results",
  description: "Kept for thirty days, the newest first.",
  success: makeBody("Deliveries", "Deliveries of thirty days, the newest first.", {
    deliveries: Schema.Array(Delivery),
    next_cursor: MaybeText,
  }),
})

const replayDelivery = endpoint("POST /webhooks/:id/deliveries/:delivery_id/replay", {
  ...one,
  name: "replayDelivery",
  parameters: { id, delivery_id: deliveryId },
  answer: ({ id, delivery_id }, context) =>
    answerOwn(context, (own, account) => own.replay(account, id, delivery_id), DELIVERY.write),
  summary: "Send a delivery again",
  description: "Starts with the first attempt, with the same event id.",
  success: Delivery,
})

/** Sends a change that has not happened. */
const simulateChange = endpoint("POST /webhooks/simulate", {
  ...lookup,
  name: "simulateChange",
  access: { ...access, mode: "test" },
  takesBody: true,
  read: ({ body }, context) => asLookupQuestion(readSimulated(body, context.dataset), context),
  answer: (change: SimulatedChange, context) =>
    Effect.map(context.webhooks.test.simulate(accountOf(context), change), sent =>
      answerJson(202, { event_id: sent.eventId, webhooks: sent.webhookIds.map(nameWebhook) }, NOT_STORED),
    ),
  summary: "Simulate a change",
  description:
    "With a test key: sends an invented `visa.policy_changed` event of a pair to the webhooks of test keys that follow the pair. `requirement` is the new requirement. The event has `livemode: false`.",
  payload: makeBody("SimulateRequest", "A change of one pair.", {
    passport: Schema.String,
    destination: Schema.String,
    requirement: Schema.optionalKey(
      Schema.Literals(Object.values(REQUIREMENT_NAMES)).annotate({
        description: "The new requirement; by default `visa_required`, or `visa_free` if a visa is required today.",
      }),
    ),
  }),
  example: { passport: "FRA", destination: "JPN", requirement: "visa_required" },
  success: makeBody("Simulated", "The event is being sent.", {
    event_id: Schema.String,
    webhooks: Schema.Array(Schema.String).annotate({ description: "The ids of the webhooks that get it." }),
  }).pipe(HttpApiSchema.status(202)),
})

export const subscriptionEndpoints = [
  listSubscriptions,
  createSubscription,
  getSubscription,
  deleteSubscription,
  pingSubscription,
  simulateChange,
  enableSubscription,
  rotateSubscriptionSecret,
  listDeliveries,
  replayDelivery,
] as const
