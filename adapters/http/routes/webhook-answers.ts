/**
 * What do the webhook endpoints of both surfaces share?
 *
 * The records in their wire form, and the reader of a subscription. Each surface has its own paths and its own form of refusals.
 */

import { Effect } from "effect"
import type { Caller } from "../../accounts/account.ts"
import { ATTEMPT_LIMITS, TriedTooOften } from "../../accounts/attempts.ts"
import { actingAs } from "../../accounts/audit-trail.ts"
import type { SubscriptionRequest } from "../../events/followers/subscription.ts"
import type { DeliveryRow } from "../../storage/deliveries-repository.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { formatInstant } from "../../time/utc-calendar.ts"
import { type ListedWebhook, MAXIMUM_WEBHOOKS, type Webhook, type Webhooks } from "../../webhooks/webhooks.ts"
import type { AnswerContext, ContextOf } from "../pipeline/endpoint.ts"
import { type Answer, answerJson, NOT_STORED } from "../pipeline/http-answer.ts"
import { answerError } from "../pipeline/http-errors.ts"
import { cutPage, type PageAsked, pageAbove } from "./pages.ts"

/** The account of a request, for rows that require a key. */
export function accountOf({ caller }: AnswerContext): number {
  return (caller as Caller).accountId
}

/** The subscriptions that a key sees: a test key those of test keys, any other key the live ones. */
export const webhooksOf = ({
  caller,
  webhooks,
}: ContextOf<{ webhooks: typeof Webhooks }>): Omit<Webhooks["Service"], "test"> =>
  (caller as Caller).isTest ? webhooks.test : webhooks

export const writeDelivery = (row: DeliveryRow) => ({
  id: row.id,
  event_id: row.event_id,
  type: row.type,
  state: row.state,
  attempts: row.attempt,
  created_at: formatInstant(row.created_at),
  next_attempt_at: row.state === "pending" ? formatInstant(row.due_at) : null,
  last_attempt:
    row.last_at === null
      ? null
      : { at: formatInstant(row.last_at), status: row.last_status, error: row.last_error, response: row.last_body },
})

/** The state of a webhook, and the result of the last attempt. */
const writeState = ({ description, createdAt, isActive, disabledBecause }: Webhook, last: DeliveryRow | null) => ({
  description,
  created_at: createdAt,
  active: isActive,
  disabled_because: disabledBecause,
  last_delivery: last === null ? null : writeDelivery(last),
})

/** A subscription as the visa service writes it. */
export const writeVisaWebhook = (webhook: Webhook, last: DeliveryRow | null = null) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.terms.types,
  filter: {
    passports: webhook.terms.passports,
    destinations: webhook.terms.destinations,
    types: webhook.terms.types,
    severity: webhook.terms.severity,
  },
  ...writeState(webhook, last),
})

export const writeLookupWebhook = (webhook: Webhook, last: DeliveryRow | null = null) => ({
  id: nameWebhook(webhook.id),
  url: webhook.url,
  events: webhook.terms.types,
  passports: webhook.terms.passports,
  destinations: webhook.terms.destinations,
  severity: webhook.terms.severity,
  ...writeState(webhook, last),
})

export const writeListed = <Written>(
  { lastDelivery, ...webhook }: ListedWebhook,
  write: (webhook: Webhook, last: DeliveryRow | null) => Written,
): Written => write(webhook, lastDelivery)

/** A page of the account's subscriptions, as a surface writes them. */
export function answerWebhooks(
  asked: PageAsked,
  context: ContextOf<{ webhooks: typeof Webhooks }>,
  write: (webhook: Webhook, last: DeliveryRow | null) => object,
) {
  const page = pageAbove(asked)
  return context.run(webhooksOf(context).list(accountOf(context), page)).then(found => {
    const { items: webhooks, next_cursor } = cutPage(found, page, webhook => writeListed(webhook, write))
    return answerJson(200, { webhooks, next_cursor }, NOT_STORED)
  })
}

/** Makes a subscription and has it pinged; null where the account has as many as it may have. */
export const makeSubscription = (context: ContextOf<{ webhooks: typeof Webhooks }>, request: SubscriptionRequest) =>
  Effect.catchTag(actingAs("key")(webhooksOf(context).create(accountOf(context), request)), "TooManyWebhooks", () =>
    Effect.succeed(null),
  )

/** Waits for an action that sends requests to receivers, and answers; `refuse` answers an account that has sent too many lately. */
export const waitForSent = <Value>(
  context: Pick<AnswerContext, "run">,
  work: Effect.Effect<Value, TriedTooOften | Unavailable>,
  refuse: (refusal: TriedTooOften) => Answer,
  answer: (value: Value) => Answer,
) =>
  context
    .run(Effect.catchTag(work, "TriedTooOften", refusal => Effect.succeed(refusal)))
    .then(value => (value instanceof TriedTooOften ? refuse(value) : answer(value)))

export const TOO_MANY_WEBHOOKS = `An account may have at most ${MAXIMUM_WEBHOOKS} webhooks.`

/** The message for an account that has caused too many requests to receivers. */
export const TOO_MANY_SENT = `An account has ${ATTEMPT_LIMITS.send.limit} requests sent an hour: pings, new and enabled webhooks, simulated changes, repeated deliveries and completed jobs together.`

/** How the visa service refuses such an account. */
export const answerTooManySent = ({ retryAfterSeconds }: TriedTooOften): Answer =>
  answerError(429, TOO_MANY_SENT, ["retry-after", String(retryAfterSeconds)])

/** The lookup's ids are texts. */
export const nameWebhook = (id: number): string => `wh_${id}`
