/**
 * What can an account do with its subscriptions?
 *
 * Make one, see them with their last delivery, send a ping, change the secret, read deliveries, replay one, and delete one. Both
 * surfaces use this. A secret is shown once, when it is made, and kept sealed; for {@link OLD_SECRET_MS} after a change the old
 * one signs too. An account does not see the subscriptions of others. Those of test keys are apart from the live ones: neither sees the other's,
 * and they get nothing but pings, jobs of test keys and simulated changes. Everything here that sends a request at an account's wish is
 * counted where it is sent, so that no surface can forget the limit; it fails with `TriedTooOften`. What names a subscription that the
 * account does not have fails with `NoSuchWebhook`.
 */

import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { type Dataset, lookupAt, type Requirement } from "../../src/engine.ts"
import type { PolicyTerms } from "../../src/full.ts"
import { makeAttempts } from "../accounts/attempts.ts"
import { type AuditAction, makeAuditTrail } from "../accounts/audit-trail.ts"
import { REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import { addressEvent, writeEventData } from "../events/events.ts"
import { concerns, parseTerms, type SubscriptionRequest } from "../events/followers/subscription.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeSealer } from "../secrets/sealing.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { above } from "../storage/table-statements.ts"
import type { DeliveryRow, DeliveryState, WebhookRow } from "../storage/webhooks-repository.ts"
import { type ReadFields, readBodyWith, sayExpected } from "../validation/fields.ts"

/** How long a secret signs after it was replaced. */
const OLD_SECRET_MS = 86_400_000
const MAXIMUM_WEBHOOKS = 100

/** The account has as many subscriptions as it may have. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Int,
  message: Schema.String,
}) {}
const TOO_MANY = new TooManyWebhooks({
  limit: MAXIMUM_WEBHOOKS,
  message: `An account may have at most ${MAXIMUM_WEBHOOKS} webhooks.`,
})
/** There is no such subscription or delivery, or it is another account's. */
export class NoSuchWebhook extends Schema.TaggedError<NoSuchWebhook>()("NoSuchWebhook", {}) {}

const describeRow = (row: WebhookRow) => ({
  id: row.id,
  url: row.url,
  terms: parseTerms(row.terms),
  description: row.description,
  /** Made by a test key. */
  isTest: row.is_test === 1,
  isActive: row.disabled_because === null,
  /** Why nothing is sent any more; null while it is active. */
  disabledBecause: row.disabled_because,
  /** ISO 8601. */
  createdAt: row.created_at,
})

export type Webhook = Readonly<ReturnType<typeof describeRow>>

/** A subscription with its last delivery that was tried. */
export interface ListedWebhook extends Webhook {
  readonly lastDelivery: DeliveryRow | null
}

/** Seals and opens the secrets of subscriptions. */
export const sealSecrets = (secret: DeploymentSecret["Service"]) =>
  makeSealer(secret, { purpose: "webhook secret seal", table: "webhooks" })

const makeSecret = () => `whsec_${randomBytes(32).toString("base64")}`

const PING_MESSAGE = "This endpoint is subscribed to changes of visa policies."

/** The subscriptions of this deployment. */
export class Webhooks extends Context.Service<Webhooks>()("landfall/webhooks/Webhooks", {
  make: Effect.gen(function* () {
    const { attempts, audit, deliveries, transact, webhooks } = yield* Storage
    const { note } = makeAuditTrail({ audit })
    const secret = yield* DeploymentSecret
    const { seal } = sealSecrets(secret)
    const { limit } = makeAttempts({ attempts }, secret)
    const countSent = (accountId: number, requests = 1) => limit("send", String(accountId), requests)
    const nameEvent = () => `evt_${randomBytes(16).toString("hex")}`

    /** The operations on live subscriptions, or on those of test keys. */
    const makeOfMode = (isTest: boolean) => {
      const noteChange = (accountId: number, action: AuditAction, id: number) =>
        note(accountId, action, `${isTest ? "test " : ""}webhook ${id}`)

      const sendPing = (accountId: number, id: number, nowMs: number): Effect.Effect<number, Unavailable> => {
        const data = { webhook_id: id, message: PING_MESSAGE }
        const ping = { id: nameEvent(), type: "webhook.ping", atMs: nowMs, isLive: !isTest, data }
        return deliveries.insertAll([addressEvent(ping, accountId, [id])], nowMs)
      }

      const withLast = (rows: readonly WebhookRow[]) =>
        Effect.map(deliveries.listLast(rows.map(({ id }) => id)), last =>
          rows.map(
            (row): ListedWebhook => ({
              ...describeRow(row),
              lastDelivery: last.find(({ webhook_id }) => webhook_id === row.id) ?? null,
            }),
          ),
        )

      const requireRow = (account_id: number, id: number) =>
        Effect.flatMap(webhooks.find({ id, account_id, is_test: Number(isTest) }), row =>
          row === undefined ? Effect.fail(new NoSuchWebhook()) : Effect.succeed(row),
        )

      const find = (accountId: number, id: number) =>
        Effect.map(
          Effect.flatMap(requireRow(accountId, id), row => withLast([row])),
          ([listed]) => listed!,
        )

      return {
        /** Subscribes, and sends a ping. The secret is shown here and nowhere else. */
        create: (accountId: number, { url, terms, description }: SubscriptionRequest) =>
          transact(
            Effect.gen(function* () {
              const nowMs = yield* Clock.currentTimeMillis
              const id = yield* webhooks.nextId
              if ((yield* webhooks.count({ account_id: accountId, is_test: Number(isTest) })) >= MAXIMUM_WEBHOOKS)
                return yield* TOO_MANY
              yield* countSent(accountId)
              const secret = makeSecret()
              const row: WebhookRow = {
                id,
                account_id: accountId,
                url,
                terms: JSON.stringify(terms),
                description,
                sealed_secret: seal(id, secret),
                sealed_old_secret: null,
                old_secret_until: 0,
                failing_since: null,
                disabled_because: null,
                created_at: new Date(nowMs).toISOString(),
                is_test: Number(isTest),
              }
              yield* webhooks.insert(row)
              yield* noteChange(accountId, "webhook_made", id)
              yield* sendPing(accountId, id, nowMs)
              return { webhook: describeRow(row), secret }
            }),
          ),

        list: (
          accountId: number,
          { aboveId = 0, ...most }: { readonly aboveId?: number; readonly limit?: number } = {},
        ) =>
          Effect.flatMap(
            webhooks.list(
              { account_id: accountId, is_test: Number(isTest), id: above(aboveId) },
              { order: ["id"], ...most },
            ),
            withLast,
          ),

        find,

        remove: (accountId: number, id: number) =>
          transact(
            Effect.all([requireRow(accountId, id), webhooks.remove(id), noteChange(accountId, "webhook_ended", id)]),
          ),

        /** The delivery of the ping. */
        ping: (accountId: number, id: number) =>
          transact(
            Effect.gen(function* () {
              yield* requireRow(accountId, id)
              yield* countSent(accountId)
              const deliveryId = yield* sendPing(accountId, id, yield* Clock.currentTimeMillis)
              return (yield* deliveries.find(id, deliveryId))!
            }),
          ),

        /** Sends again to a subscription that was disabled: what waits, and new events. */
        enable: (accountId: number, id: number) =>
          Effect.andThen(
            transact(
              Effect.all([
                requireRow(accountId, id),
                countSent(accountId),
                webhooks.enable(id),
                noteChange(accountId, "webhook_enabled", id),
              ]),
            ),
            find(accountId, id),
          ),

        /** The new secret and until when the old one signs too. */
        rotateSecret: (accountId: number, id: number) =>
          transact(
            Effect.gen(function* () {
              const { sealed_secret } = yield* requireRow(accountId, id)
              const oldUntilMs = (yield* Clock.currentTimeMillis) + OLD_SECRET_MS
              const secret = makeSecret()
              yield* webhooks.rotateSecret(id, {
                sealed_secret: seal(id, secret),
                sealed_old_secret: sealed_secret,
                old_secret_until: oldUntilMs,
              })
              yield* noteChange(accountId, "webhook_secret_replaced", id)
              return { secret, oldUntilMs }
            }),
          ),

        /** Deliveries, the newest first. */
        listDeliveries: (
          accountId: number,
          id: number,
          page: { readonly state: DeliveryState | null; readonly beforeId: number; readonly limit: number },
        ) => Effect.andThen(requireRow(accountId, id), deliveries.list({ webhookId: id, ...page })),

        /** The replayed delivery, or the delivery as it is if it is under way. */
        replay: (accountId: number, id: number, deliveryId: number) =>
          transact(
            Effect.gen(function* () {
              yield* requireRow(accountId, id)
              if (yield* deliveries.replay(id, deliveryId, yield* Clock.currentTimeMillis)) yield* countSent(accountId)
              return (yield* deliveries.find(id, deliveryId)) ?? (yield* new NoSuchWebhook())
            }),
          ),
      }
    }

    /** Sends an invented change to the subscriptions that follow it; returns its event's id, and the number of deliveries. */
    const simulate = (accountId: number, change: SimulatedChange) =>
      transact(
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const followers = yield* webhooks.list({ account_id: accountId, is_test: 1 }, { order: ["id"] })
          const concerned = followers.filter(
            ({ disabled_because, terms }) => disabled_because === null && concerns(parseTerms(terms), change),
          )
          const eventId = nameEvent()
          const data = writeSimulated(change, nowMs)
          const event = { id: eventId, type: change.type, atMs: nowMs, isLive: false, data }
          const webhookIds = concerned.map(({ id }) => id)
          yield* countSent(accountId, webhookIds.length)
          if (webhookIds.length > 0) yield* deliveries.insertAll([addressEvent(event, accountId, webhookIds)], nowMs)
          return { eventId, webhookIds }
        }),
      )

    return { ...makeOfMode(false), test: { ...makeOfMode(true), simulate } }
  }),
}) {
  static readonly layer = Layer.effect(Webhooks, Webhooks.make)
}

// Which change is simulated?
// One pair changes from today's requirement to the one in the request. The event has the form of a real one, with `livemode: false` and
// without a source. It has no other effect.

/** A requested change, and today's requirement. */
export interface SimulatedChange {
  readonly type: "visa.policy_changed"
  readonly passport: string
  readonly destination: string
  readonly severity: "major"
  /** Null where nothing is recorded. */
  readonly previous: Requirement | null
  readonly current: Requirement
}

/** The new requirement if the request does not name one. */
const OPPOSITES: Readonly<Partial<Record<Requirement, Requirement>>> = {
  visa_required: "visa_free",
  no_admission: "visa_free",
}

/** The codes of the pair, and where the known ones are. */
const CODES = { passport: "passports", destination: "destinations" } as const

/** Reads the body of a request that simulates a change; names its mistakes. */
export const readSimulated = (text: string, dataset: Dataset): ReadFields<SimulatedChange> =>
  readBodyWith(text, [...Object.keys(CODES), "requirement"], (body, reader) => {
    const readCode = (path: keyof typeof CODES): string => {
      const given = body[path]
      const known = dataset[CODES[path]]
      const code = typeof given === "string" ? known.find(one => one === given.toUpperCase()) : undefined
      if (code === undefined) reader.report(path, sayExpected("an ISO 3166-1 alpha-3 code that is recorded", given))
      return code ?? ""
    }
    const passport = readCode("passport")
    const destination = readCode("destination")
    const asked = Object.entries(REQUIREMENT_NAMES).find(([, name]) => name === body.requirement)?.[0] as
      | Requirement
      | undefined
    if (body.requirement !== undefined && asked === undefined)
      reader.report("requirement", `Expected one of ${Object.values(REQUIREMENT_NAMES).join(", ")}`)
    const [from, to] = [dataset.passports.indexOf(passport), dataset.destinations.indexOf(destination)]
    const today = from < 0 || to < 0 ? null : lookupAt(dataset, from, to)
    const previous = today?.kind === "found" ? today.requirement : null
    const current = asked ?? (previous === null ? undefined : OPPOSITES[previous]) ?? "visa_required"
    return { type: "visa.policy_changed", passport, destination, severity: "major", previous, current }
  })

const termsOf = (requirement: Requirement): PolicyTerms => ({
  requirement,
  days: null,
  uncertain: false,
  basis: null,
  bloc: null,
  follows: null,
  fee: null,
  processingDays: null,
  validity: null,
  sources: [],
})

/** The `data` of its event. */
function writeSimulated(change: SimulatedChange, nowMs: number): object {
  const { passport, destination, severity, previous, current } = change
  return writeEventData({
    kind: "changed",
    passport,
    destination,
    previous: previous === null ? null : termsOf(previous),
    current: termsOf(current),
    fields: ["requirement"],
    severity,
    effectiveFrom: new Date(nowMs).toISOString().slice(0, 10),
  })
}
