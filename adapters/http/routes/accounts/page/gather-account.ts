/** What does the page show of an account? The data of a signed-in owner, and the deliveries of the webhook that the address names. */
import { Effect } from "effect"
import type { SignedIn } from "../../../../accounts/sessions.ts"
import { REQUEST_DAYS } from "../../../../quota/meter.ts"
import { formatUtcDay, utcDayAt } from "../../../../time/utc-calendar.ts"
import { idOf } from "../../../pipeline/parameters.ts"
import type { RawQuery } from "../../../pipeline/query.ts"
import type { PageContext } from "../page-needs.ts"
import { describeUsage } from "../usage-answers.ts"
import { DELIVERIES_SHOWN, type ShownDeliveries } from "./webhooks-view.ts"

export type OwnedAccount = Effect.Success<ReturnType<typeof gatherAccount>>

/** How many changes the page shows. The API has the others. */
const AUDIT_LINES = 20
/** How many lines of requests and of invoices it shows. */
const REQUEST_LINES = 200
const INVOICE_LINES = 24

const id = idOf({ description: "" })
const readId = (text: unknown): number | null => (typeof text === "string" ? (id.read(text) ?? null) : null)

/** The deliveries of the webhook in an address; null if it names none of the account. */
const gatherDeliveries = ({ webhooks }: PageContext, accountId: number, { webhook, before }: RawQuery) =>
  Effect.gen(function* () {
    const webhookId = readId(webhook)
    if (webhookId === null) return null
    const page = { state: null, beforeId: readId(before) ?? Number.MAX_SAFE_INTEGER, limit: DELIVERIES_SHOWN + 1 }
    const live = yield* webhooks.listDeliveries(accountId, webhookId, page)
    const found = live ?? (yield* webhooks.test.listDeliveries(accountId, webhookId, page))
    if (found === null) return null
    const rows = found.slice(0, DELIVERIES_SHOWN)
    const olderThan = found.length > rows.length ? (rows.at(-1)?.id ?? null) : null
    return { webhookId, rows, olderThan } satisfies ShownDeliveries
  })

/** Everything that the page shows of an account. */
export const gatherAccount = (context: PageContext, signedIn: SignedIn, query: RawQuery) =>
  Effect.gen(function* () {
    const { accounts, billing, plans, sessions, site, storage, webhooks } = context
    const { account, isFresh } = signedIn
    const keys = yield* Effect.catchTag(accounts.listKeys(account.id), "AccountNotFound", () => Effect.succeed([]))
    return {
      account,
      isFresh,
      nowMs: context.nowMs,
      namedKeys: keys.filter(({ kind }) => kind === "named" || kind === "test"),
      sessions: yield* sessions.list(signedIn),
      audit: yield* storage.audit.listBelow(account.id, { beforeId: Number.MAX_SAFE_INTEGER, limit: AUDIT_LINES }),
      /** The whole key; null if it was deactivated. */
      key: yield* Effect.catchTag(accounts.revealKey(account.id), "AccountNotFound", () => Effect.succeed(null)),
      usage: yield* describeUsage(context, account, context.nowMs),
      teamKeys: keys.filter(({ kind }) => kind === "team"),
      requests: yield* storage.requestDays.listOf(
        account.id,
        formatUtcDay(utcDayAt(context.nowMs) - REQUEST_DAYS + 1),
        REQUEST_LINES,
      ),
      webhooks: [...(yield* webhooks.list(account.id)), ...(yield* webhooks.test.list(account.id))],
      deliveries: yield* gatherDeliveries(context, account.id, query),
      plans,
      offers: yield* billing.priceOffers,
      invoices: yield* billing.listInvoices(account.id, INVOICE_LINES),
      publicUrl: site.publicUrl,
      customer: yield* billing.readCustomer(account.id),
      referral: yield* storage.affiliates.findReferral(account.id),
    }
  })
