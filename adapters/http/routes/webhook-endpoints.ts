/**
 * The subscriptions to changes of policies, on both surfaces: `/api/v1/visa/webhooks`, and the lookup's `/webhooks…` with their secrets and
 * the results of their deliveries.
 *
 * Each surface has its own paths, its own form of ids and records, and its own form of refusals.
 */
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Caller } from "../../accounts/account.ts"
import { REQUIREMENT_NAMES } from "../../answers/lookup-answer.ts"
import { readSubscription, type SubscriptionRequest } from "../../events/followers/subscription.ts"
import { Targets } from "../../events/followers/target-guard.ts"
import { DELIVERY_STATES } from "../../storage/tables.ts"
import { MAXIMUM_WEBHOOKS, readSimulated, type SimulatedChange, Webhooks } from "../../webhooks/webhooks.ts"
import { type AnswerContext, type ContextOf, endpoint, type ReadQuestion } from "../pipeline/endpoint.ts"
import { type Answer, answerJson, NOT_STORED } from "../pipeline/http-answer.ts"
import { answerError } from "../pipeline/http-errors.ts"
import { choice, idOf, optional, parsed } from "../pipeline/parameters.ts"
import { accountOf, asQuestion } from "./accounts/account-answers.ts"
import { answerLookupError } from "./lookup/lookup-errors.ts"
import { cutPage, type PageAsked, pageAbove, pageBelow, pageParameters, WHOLE_PAGE } from "./pages.ts"
import {
  DELIVERY,
  Deliveries,
  Delivery,
  LOOKUP_WEBHOOK,
  LookupWebhook,
  LookupWebhookDeleted,
  LookupWebhookMade,
  LookupWebhookRequest,
  LookupWebhooks,
  nameWebhook,
  SecretRotated,
  Simulated,
  SimulateRequest,
  VISA_WEBHOOK,
  VisaWebhookDeleted,
  VisaWebhookEnabled,
  VisaWebhookMade,
  VisaWebhookRequest,
  VisaWebhooks,
  type Written,
} from "./webhook-schemas.ts"

type WebhooksContext = ContextOf<{ webhooks: typeof Webhooks }>

/** The subscriptions that a key sees: a test key those of test keys, any other key the live ones. */
const webhooksOf = ({ caller, webhooks }: WebhooksContext): Omit<Webhooks["Service"], "test"> =>
  (caller as Caller).isTest ? webhooks.test : webhooks

/** A page of the account's subscriptions, as a surface writes them. */
function answerWebhooks(asked: PageAsked, context: WebhooksContext, write: (webhook: Written) => object) {
  const page = pageAbove(asked)
  return Effect.map(webhooksOf(context).list(accountOf(context), page), found => {
    const { items: webhooks, next_cursor } = cutPage(found, page, write)
    return answerJson(200, { webhooks, next_cursor }, NOT_STORED)
  })
}

/** Makes a subscription and has it pinged; null where the account has as many as it may have. */
const makeSubscription = (context: WebhooksContext, request: SubscriptionRequest) =>
  Effect.catchTag(webhooksOf(context).create(accountOf(context), request), "TooManyWebhooks", () =>
    Effect.succeed(null),
  )

const TOO_MANY_WEBHOOKS = `An account may have at most ${MAXIMUM_WEBHOOKS} webhooks.`
const access = { kind: "key", feature: "webhooks", scope: "webhooks" } as const
const needs = { webhooks: Webhooks } as const

// Those of the visa service.

const PATH = "/api/v1/visa/webhooks"
const visa = { path: PATH, surface: "visa", access, needs } as const
const visaId = idOf({ description: "The id of the webhook." })

const answerNoWebhook = () => answerError(404, "There is no webhook of this id.")

const LISTED = {
  summary: "List webhooks",
  description: "The state of each webhook, and the result of its last delivery.",
}
const MADE = {
  summary: "Follow changes of policies",
  description:
    "Matching changes are sent to the URL as signed POSTs; an empty list means everything. Only this answer shows the secret, and a ping follows.",
}
const ENABLED = {
  summary: "Enable a webhook again",
  description: "For a disabled webhook; its waiting deliveries are sent too.",
}

const listWebhooks = endpoint({
  ...visa,
  ...LISTED,
  name: "listWebhooks",
  method: "GET",
  parameters: WHOLE_PAGE,
  answer: (page: PageAsked, context) => answerWebhooks(page, context, VISA_WEBHOOK.write),
  success: VisaWebhooks,
})

const createWebhook = endpoint({
  ...visa,
  ...MADE,
  name: "createWebhook",
  method: "POST",
  needs: { ...needs, targets: Targets },
  parameters: {},
  takesBody: true,
  read: ({ body }, { dataset, targets }) => asQuestion(readSubscription(body, { shape: "visa", dataset, targets })),
  answer: (request: SubscriptionRequest, context) =>
    Effect.map(makeSubscription(context, request), made => {
      if (made === null) return answerError(400, TOO_MANY_WEBHOOKS)
      const webhook = { ...VISA_WEBHOOK.write(made.webhook), secret: made.secret }
      const message = "Keep the secret: it is shown only in this answer. A webhook.ping follows."
      return answerJson(201, { webhook, message }, NOT_STORED)
    }),
  payload: VisaWebhookRequest,
  example: {
    url: "https://example.com/landfall",
    filter: { passports: ["FRA"], destinations: ["JPN", "CHN"], severity: "major" },
  },
  success: VisaWebhookMade.pipe(HttpApiSchema.status(201)),
  errors: [400],
})

/** Switches a webhook on again. */
const enableWebhook = endpoint({
  ...visa,
  ...ENABLED,
  name: "enableWebhook",
  method: "POST",
  path: `${PATH}/enable`,
  parameters: { id: visaId },
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).enable(accountOf(context), id), found =>
      found === null ? answerNoWebhook() : answerJson(200, { webhook: VISA_WEBHOOK.write(found) }, NOT_STORED),
    ),
  success: VisaWebhookEnabled,
  errors: [404],
})

const deleteWebhook = endpoint({
  ...visa,
  name: "deleteWebhook",
  method: "DELETE",
  parameters: { id: visaId },
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).remove(accountOf(context), id), isRemoved =>
      isRemoved ? answerJson(200, { deleted: true, id }, NOT_STORED) : answerNoWebhook(),
    ),
  summary: "End a webhook",
  success: VisaWebhookDeleted,
  errors: [404],
})

export const webhookEndpoints = [listWebhooks, createWebhook, enableWebhook, deleteWebhook] as const

// Those of the lookup.

const lookup = { surface: "lookup", access, needs, method: "POST" } as const

const deliveryId = idOf({ description: "The id of a delivery." })

const id = parsed(
  "the id of a webhook, such as wh_118000000000000",
  text => (text.startsWith("wh_") ? deliveryId.read(text.slice(3)) : undefined),
  { pattern: /^wh_[1-9][0-9]{0,15}$/, description: "The id of a webhook.", example: "wh_118000000000000" },
)

const PAGE = 20
const status = optional(choice(DELIVERY_STATES, { description: "Only deliveries in this state.", example: "pending" }))

/** Answers with a record, or that there is no such webhook. */
const orNotFound = <Found>(
  { requestId }: AnswerContext,
  found: Found | null,
  write: (found: Found) => unknown,
): Answer =>
  found === null
    ? answerLookupError({ status: 404, code: "not_found", message: "There is no such webhook or delivery.", requestId })
    : answerJson(200, write(found), NOT_STORED)

/** A body as a question, or its refusal by the first mistake. */
function asLookupQuestion<Value>(
  read: Parameters<typeof asQuestion<Value>>[0],
  { requestId }: AnswerContext,
): ReadQuestion<Value> {
  if (read.ok) return { ok: true, question: read.value }
  const [{ path, message } = { path: "", message: "" }] = read.issues
  const named =
    path === "" ? ({ code: "invalid_request" } as const) : ({ code: "invalid_parameter", param: path } as const)
  return { ok: false, answer: answerLookupError({ status: 400, ...named, message, requestId }) }
}

const listSubscriptions = endpoint({
  ...lookup,
  ...LISTED,
  name: "listSubscriptions",
  method: "GET",
  path: "/webhooks",
  parameters: WHOLE_PAGE,
  answer: (page: PageAsked, context) => answerWebhooks(page, context, LOOKUP_WEBHOOK.write),
  success: LookupWebhooks,
})

const createSubscription = endpoint({
  ...lookup,
  ...MADE,
  name: "createSubscription",
  path: "/webhooks",
  needs: { ...needs, targets: Targets },
  parameters: {},
  takesBody: true,
  read: ({ body }, context) => {
    const { dataset, targets } = context
    return asLookupQuestion(readSubscription(body, { shape: "lookup", dataset, targets }), context)
  },
  answer: (request: SubscriptionRequest, context) =>
    Effect.map(makeSubscription(context, request), made => {
      if (made !== null) {
        return answerJson(201, { ...LOOKUP_WEBHOOK.write(made.webhook), secret: made.secret }, NOT_STORED)
      }
      const { requestId } = context
      return answerLookupError({ status: 400, code: "invalid_request", message: TOO_MANY_WEBHOOKS, requestId })
    }),
  payload: LookupWebhookRequest,
  example: { url: "https://example.com/landfall", passports: ["FRA"], destinations: ["JPN", "CHN"] },
  success: LookupWebhookMade.pipe(HttpApiSchema.status(201)),
  errors: [400],
})

const one = { ...lookup, path: "/webhooks/:id", parameters: { id }, errors: [404] } as const

const getSubscription = endpoint({
  ...one,
  name: "getSubscription",
  method: "GET",
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).find(accountOf(context), id), found =>
      orNotFound(context, found, LOOKUP_WEBHOOK.write),
    ),
  summary: "One webhook",
  success: LookupWebhook,
})

const deleteSubscription = endpoint({
  ...one,
  name: "deleteSubscription",
  method: "DELETE",
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).remove(accountOf(context), id), isRemoved =>
      orNotFound(context, isRemoved || null, () => ({ deleted: true, id: nameWebhook(id) })),
    ),
  summary: "End a webhook",
  success: LookupWebhookDeleted,
})

const pingSubscription = endpoint({
  ...one,
  name: "pingSubscription",
  path: "/webhooks/:id/ping",
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).ping(accountOf(context), id), sent => orNotFound(context, sent, DELIVERY.write)),
  summary: "Send a ping",
  success: Delivery,
})

const enableSubscription = endpoint({
  ...one,
  ...ENABLED,
  name: "enableSubscription",
  path: "/webhooks/:id/enable",
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).enable(accountOf(context), id), found =>
      orNotFound(context, found, LOOKUP_WEBHOOK.write),
    ),
  success: LookupWebhook,
})

const rotateSubscriptionSecret = endpoint({
  ...one,
  name: "rotateSubscriptionSecret",
  path: "/webhooks/:id/rotate-secret",
  answer: ({ id }, context) =>
    Effect.map(webhooksOf(context).rotateSecret(accountOf(context), id), rotated =>
      orNotFound(context, rotated, ({ secret, oldUntilMs }) => ({
        id: nameWebhook(id),
        secret,
        previous_secret_valid_until: new Date(oldUntilMs).toISOString(),
      })),
    ),
  summary: "Change the secret",
  description: "For 24 hours the old secret signs too.",
  success: SecretRotated,
})

const listDeliveries = endpoint({
  ...one,
  name: "listDeliveries",
  method: "GET",
  path: "/webhooks/:id/deliveries",
  parameters: { id, status, ...pageParameters(PAGE) },
  answer: ({ id, status, cursor, limit = PAGE }, context) => {
    const page = { state: status ?? null, ...pageBelow({ limit, cursor }) }
    return Effect.map(webhooksOf(context).listDeliveries(accountOf(context), id, page), found =>
      orNotFound(context, found, rows => {
        const { items: deliveries, next_cursor } = cutPage(rows, page, DELIVERY.write)
        return { deliveries, next_cursor }
      }),
    )
  },
  summary: "List deliveries and their results",
  description: "Kept for thirty days, the newest first.",
  success: Deliveries,
})

const replayDelivery = endpoint({
  ...one,
  name: "replayDelivery",
  path: "/webhooks/:id/deliveries/:delivery_id/replay",
  parameters: { id, delivery_id: deliveryId },
  answer: ({ id, delivery_id }, context) =>
    Effect.map(webhooksOf(context).replay(accountOf(context), id, delivery_id), found =>
      orNotFound(context, found, DELIVERY.write),
    ),
  summary: "Send a delivery again",
  description: "Starts with the first attempt, with the same event id.",
  success: Delivery,
})

/** Sends a change that has not happened. */
const simulateChange = endpoint({
  ...lookup,
  name: "simulateChange",
  path: "/webhooks/simulate",
  access: { ...access, mode: "test" },
  parameters: {},
  takesBody: true,
  read: ({ body }, context) => asLookupQuestion(readSimulated(body, context.dataset, REQUIREMENT_NAMES), context),
  answer: (change: SimulatedChange, context) =>
    Effect.map(context.webhooks.test.simulate(accountOf(context), change), sent =>
      answerJson(202, { event_id: sent.eventId, webhooks: sent.webhookIds.map(nameWebhook) }, NOT_STORED),
    ),
  summary: "Simulate a change",
  description:
    "With a test key: sends an invented `visa.policy_changed` event of a pair to the webhooks of test keys that follow the pair. `requirement` is the new requirement. The event has `livemode: false`.",
  payload: SimulateRequest,
  example: { passport: "FRA", destination: "JPN", requirement: "visa_required" },
  success: Simulated.pipe(HttpApiSchema.status(202)),
  errors: [400],
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
