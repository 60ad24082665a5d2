/** `/webhooks…`: subscriptions to changes of policies, their secrets, and the results of their deliveries. */

import type { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { TriedTooOften } from "../../../accounts/attempts.ts"
import { actingAs } from "../../../accounts/audit-trail.ts"
import { REQUIREMENT_NAMES } from "../../../answers/lookup-answer.ts"
import { readSubscription, type SubscriptionRequest } from "../../../events/followers/subscription.ts"
import { Targets } from "../../../events/followers/target-guard.ts"
import { DELIVERY_STATES } from "../../../storage/deliveries-repository.ts"
import type { Unavailable } from "../../../storage/storage-errors.ts"
import { readSimulated, type SimulatedChange } from "../../../webhooks/simulated-change.ts"
import { Webhooks } from "../../../webhooks/webhooks.ts"
import { describe } from "../../pipeline/describe-row.ts"
import {
  type AnswerContext,
  type ContextOf,
  endpoint,
  type Method,
  type ReadQuestion,
} from "../../pipeline/endpoint.ts"
import { type Answer, answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { choice, idOf, optional, type Parameter } from "../../pipeline/parameters.ts"
import { cutPage, type PageAsked, pageBelow, pageParameters, WHOLE_PAGE } from "../pages.ts"
import {
  accountOf,
  answerWebhooks,
  makeSubscription,
  nameWebhook,
  TOO_MANY_SENT,
  TOO_MANY_WEBHOOKS,
  waitForSent,
  webhooksOf,
  writeDelivery,
  writeListed,
  writeLookupWebhook,
} from "../webhook-answers.ts"
import {
  Deliveries,
  Delivery,
  LookupWebhook,
  LookupWebhookDeleted,
  LookupWebhookMade,
  LookupWebhookRequest,
  LookupWebhooks,
  SecretRotated,
  Simulated,
  SimulateRequest,
} from "../webhook-schemas.ts"
import { answerLookupError } from "./lookup-errors.ts"
import { lookupError } from "./lookup-schemas.ts"

const shared = { surface: "lookup", access: { kind: "key", feature: "webhooks", scope: "webhooks" } } as const

const deliveryId = idOf({ description: "The id of a delivery." })

const id: Parameter<number> = {
  expected: "the id of a webhook, such as wh_118000000000000",
  isRequired: true,
  document: {
    type: "string",
    pattern: "^wh_[1-9][0-9]{0,15}$",
    description: "The id of a webhook.",
    example: "wh_118000000000000",
  },
  read: text => (text.startsWith("wh_") ? deliveryId.read(text.slice(3)) : undefined),
}

const PAGE = 20
const status = optional(choice(DELIVERY_STATES, { description: "Only deliveries in this state.", example: "pending" }))

const noSuchWebhook = ({ requestId }: AnswerContext): Answer =>
  answerLookupError({ status: 404, code: "not_found", message: "There is no such webhook or delivery.", requestId })

/** Answers with a record, or that there is no such webhook. */
const orNotFound = <Found>(context: AnswerContext, found: Found | null, write: (found: Found) => unknown): Answer =>
  found === null ? noSuchWebhook(context) : answerJson(200, write(found), NOT_STORED)

/** Waits for an action that sends requests to receivers, unless the account has sent too many lately. */
const waitForSentBy = <Value>(
  context: AnswerContext,
  work: Effect.Effect<Value, TriedTooOften | Unavailable>,
  answer: (value: Value) => Answer,
) =>
  waitForSent(
    context,
    work,
    ({ retryAfterSeconds }) =>
      answerLookupError({
        status: 429,
        code: "rate_limited",
        message: TOO_MANY_SENT,
        requestId: context.requestId,
        headers: ["retry-after", String(retryAfterSeconds)],
      }),
    answer,
  )

/** Refuses a body by its first mistake. */
function refuseBody(issues: readonly { readonly path: string; readonly message: string }[], requestId: string): Answer {
  const [{ path, message } = { path: "", message: "" }] = issues
  return answerLookupError(
    path === ""
      ? { status: 400, code: "invalid_request", message, requestId }
      : { status: 400, code: "invalid_parameter", message, param: path, requestId },
  )
}

const listSubscriptions = endpoint({
  ...shared,
  name: "listSubscriptions",
  method: "GET",
  path: "/webhooks",
  needs: { webhooks: Webhooks },
  parameters: WHOLE_PAGE,
  answer: (page: PageAsked, context) => answerWebhooks(page, context, writeLookupWebhook),
})

const createSubscription = endpoint({
  ...shared,
  name: "createSubscription",
  method: "POST",
  path: "/webhooks",
  needs: { targets: Targets, webhooks: Webhooks },
  parameters: {},
  takesBody: true,
  read: ({ body }, context): ReadQuestion<SubscriptionRequest> => {
    const { requestId, targets } = context
    const read = readSubscription(body, { shape: "lookup", dataset: context.dataset, targets })
    return read.ok ? { ok: true, question: read.value } : { ok: false, answer: refuseBody(read.issues, requestId) }
  },
  answer: (request: SubscriptionRequest, context) =>
    waitForSentBy(context, makeSubscription(context, request), made => {
      if (made !== null) {
        return answerJson(201, { ...writeLookupWebhook(made.webhook), secret: made.secret }, NOT_STORED)
      }
      const { requestId } = context
      return answerLookupError({ status: 400, code: "invalid_request", message: TOO_MANY_WEBHOOKS, requestId })
    }),
})

/** A row about one webhook. */
const ofOne = (
  name: string,
  method: Method,
  path: `/webhooks/:id${string}`,
  answer: (id: number, context: ContextOf<{ webhooks: typeof Webhooks }>) => Promise<Answer>,
) =>
  endpoint({
    ...shared,
    name,
    method,
    path,
    needs: { webhooks: Webhooks },
    parameters: { id },
    answer: ({ id }, context) => answer(id, context),
  })

const getSubscription = ofOne("getSubscription", "GET", "/webhooks/:id", (id, context) =>
  context
    .run(webhooksOf(context).find(accountOf(context), id))
    .then(found => orNotFound(context, found, webhook => writeListed(webhook, writeLookupWebhook))),
)

const deleteSubscription = ofOne("deleteSubscription", "DELETE", "/webhooks/:id", (id, context) =>
  context
    .run(actingAs("key")(webhooksOf(context).remove(accountOf(context), id)))
    .then(isRemoved => orNotFound(context, isRemoved || null, () => ({ deleted: true, id: nameWebhook(id) }))),
)

const pingSubscription = ofOne("pingSubscription", "POST", "/webhooks/:id/ping", (id, context) =>
  waitForSentBy(context, webhooksOf(context).ping(accountOf(context), id), sent =>
    orNotFound(context, sent, writeDelivery),
  ),
)

const enableSubscription = ofOne("enableSubscription", "POST", "/webhooks/:id/enable", (id, context) =>
  waitForSentBy(context, actingAs("key")(webhooksOf(context).enable(accountOf(context), id)), found =>
    orNotFound(context, found, webhook => writeListed(webhook, writeLookupWebhook)),
  ),
)

const rotateSubscriptionSecret = ofOne(
  "rotateSubscriptionSecret",
  "POST",
  "/webhooks/:id/rotate-secret",
  (id, context) =>
    context.run(actingAs("key")(webhooksOf(context).rotateSecret(accountOf(context), id))).then(rotated =>
      orNotFound(context, rotated, ({ secret, oldUntilMs }) => ({
        id: nameWebhook(id),
        secret,
        previous_secret_valid_until: new Date(oldUntilMs).toISOString(),
      })),
    ),
)

const listDeliveries = endpoint({
  ...shared,
  name: "listDeliveries",
  method: "GET",
  path: "/webhooks/:id/deliveries",
  needs: { webhooks: Webhooks },
  parameters: { id, status, ...pageParameters(PAGE) },
  answer: ({ id, status, cursor, limit = PAGE }, context) => {
    const page = { state: status ?? null, ...pageBelow({ limit, cursor }) }
    return context.run(webhooksOf(context).listDeliveries(accountOf(context), id, page)).then(found =>
      orNotFound(context, found, rows => {
        const { items: deliveries, next_cursor } = cutPage(rows, page, writeDelivery)
        return { deliveries, next_cursor }
      }),
    )
  },
})

const replayDelivery = endpoint({
  ...shared,
  name: "replayDelivery",
  method: "POST",
  path: "/webhooks/:id/deliveries/:delivery_id/replay",
  needs: { webhooks: Webhooks },
  parameters: { id, delivery_id: deliveryId },
  answer: ({ id, delivery_id }, context) =>
    waitForSentBy(context, webhooksOf(context).replay(accountOf(context), id, delivery_id), found =>
      orNotFound(context, found, writeDelivery),
    ),
})

/** Sends a change that has not happened. */
const simulateChange = endpoint({
  ...shared,
  name: "simulateChange",
  method: "POST",
  path: "/webhooks/simulate",
  access: { ...shared.access, mode: "test" },
  needs: { webhooks: Webhooks },
  parameters: {},
  takesBody: true,
  read: ({ body }, { dataset, requestId }): ReadQuestion<SimulatedChange> => {
    const read = readSimulated(body, dataset, REQUIREMENT_NAMES)
    return read.ok ? { ok: true, question: read.value } : { ok: false, answer: refuseBody(read.issues, requestId) }
  },
  answer: (change: SimulatedChange, context) =>
    waitForSentBy(context, context.webhooks.test.simulate(accountOf(context), change), sent =>
      answerJson(202, { event_id: sent.eventId, webhooks: sent.webhookIds.map(nameWebhook) }, NOT_STORED),
    ),
})

const ERRORS = ([400, 401, 403, 405, 500, 503] as const).map(lookupError)
const ERRORS_OF_ONE = [...ERRORS, lookupError(404)] as const
const ERRORS_OF_CHANGE = [...ERRORS_OF_ONE, lookupError(429)] as const
const ERRORS_OF_BODY = [...ERRORS, lookupError(413), lookupError(415), lookupError(429)] as const

export const subscriptionEndpoints = /* @__PURE__ */ (() =>
  [
    describe(listSubscriptions, {
      summary: "List webhooks",
      description: "The state of each webhook, and the result of its last delivery.",
      success: LookupWebhooks,
      error: ERRORS,
    }),
    describe(createSubscription, {
      summary: "Follow changes of policies",
      description:
        "Matching changes are sent to the URL as signed POSTs; an empty list means everything. Only this answer shows the secret, and a ping follows.",
      payload: LookupWebhookRequest,
      success: LookupWebhookMade.pipe(HttpApiSchema.status(201)),
      error: ERRORS_OF_BODY,
    }),
    describe(getSubscription, {
      summary: "One webhook",
      success: LookupWebhook,
      error: ERRORS_OF_ONE,
    }),
    describe(deleteSubscription, {
      summary: "End a webhook",
      success: LookupWebhookDeleted,
      error: ERRORS_OF_CHANGE,
    }),
    describe(pingSubscription, {
      summary: "Send a ping",
      success: Delivery,
      error: ERRORS_OF_CHANGE,
    }),
    describe(simulateChange, {
      summary: "Simulate a change",
      description:
        "With a test key: sends an invented `visa.policy_changed` event of a pair to the webhooks of test keys that follow the pair. `requirement` is the new requirement. The event has `livemode: false`.",
      payload: SimulateRequest,
      success: Simulated.pipe(HttpApiSchema.status(202)),
      error: ERRORS_OF_BODY,
    }),
    describe(enableSubscription, {
      summary: "Enable a webhook again",
      description: "For a disabled webhook; its waiting deliveries are sent too.",
      success: LookupWebhook,
      error: ERRORS_OF_CHANGE,
    }),
    describe(rotateSubscriptionSecret, {
      summary: "Change the secret",
      description: "For 24 hours the old secret signs too.",
      success: SecretRotated,
      error: ERRORS_OF_CHANGE,
    }),
    describe(listDeliveries, {
      summary: "List deliveries and their results",
      description: "Kept for thirty days, the newest first.",
      success: Deliveries,
      error: ERRORS_OF_ONE,
    }),
    describe(replayDelivery, {
      summary: "Send a delivery again",
      description: "Starts with the first attempt, with the same event id.",
      success: Delivery,
      error: ERRORS_OF_CHANGE,
    }),
  ] as const)()
