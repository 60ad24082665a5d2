/** Which page answers a request, in which language, and with which notice? */
import { Effect } from "effect"
import { isLanguage, type Language } from "../../../../../../src/full.ts"
import { LINK_MINUTES, type SignedIn } from "../../../../../customers/accounts/sessions.ts"
import { AFFILIATE_ID } from "../../../../../customers/billing/affiliates.ts"
import { preferLanguage } from "../../../../../customers/mail/texts.ts"
import { REQUEST_DAYS } from "../../../../../customers/metering/meter.ts"
import { isToken } from "../../../../../platform/secrets/token.ts"
import { PLAN_IDS, type PlanId } from "../../../../../platform/settings/feature-options.ts"
import type { Unavailable } from "../../../../../platform/storage/storage-errors.ts"
import { formatUtcDay, utcDayAt } from "../../../../../platform/time/utc-calendar.ts"
import type { Answer } from "../../../pipeline/answer.ts"
import { type RawQuery, readQuery } from "../../../pipeline/query.ts"
import { readSessionCookie } from "../../../pipeline/session-cookie.ts"
import type { PageContext } from "../page-needs.ts"
import { describeUsage } from "../usage.ts"
import { answerPageText, type Notice, writePage } from "./layout.ts"
import { viewOfOwner } from "./owner-view.ts"
import { type SentForm, viewOfLink, viewOfStranger } from "./stranger-view.ts"
import { DELIVERIES_SHOWN, type ShownDeliveries } from "./webhooks-view.ts"
import { makeWords } from "./words.ts"

/** Who is signed in: an account, nobody, or the owner of an account that an operator has disabled. */
export type Visitor =
  | ({ readonly kind: "owner" } & SignedIn)
  | { readonly kind: "disabled" }
  | { readonly kind: "stranger" }

/** Finds who has sent a request. */
export function findVisitor(context: PageContext): Effect.Effect<Visitor, Unavailable> {
  const shown = readSessionCookie(context.request.header("cookie"))
  if (shown.kind !== "token") return Effect.succeed({ kind: "stranger" })
  return Effect.map(context.sessions.find(shown.token), found =>
    found === null
      ? { kind: "stranger" }
      : found.account.isDisabled
        ? { kind: "disabled" }
        : { kind: "owner", ...found },
  )
}

/** The language of a page: the requested one, the owner's, or the one that the browser prefers. */
export function chooseLanguage(context: PageContext, asked: unknown, visitor: Visitor): Language {
  if (isLanguage(asked)) return asked
  const own = visitor.kind === "owner" ? visitor.account.language : null
  return own ?? preferLanguage(context.request.header("accept-language"))
}

/** How many changes the page shows. The API has the others. */
const AUDIT_LINES = 20
/** How many lines of requests and of invoices it shows. */
const REQUEST_LINES = 200
const INVOICE_LINES = 24

const readNumber = (text: unknown): number | null =>
  typeof text === "string" && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null

/** The deliveries of the webhook in an address; null if it names none of the account. */
const gatherDeliveries = ({ webhooks }: PageContext, accountId: number, { webhook, before }: RawQuery) =>
  Effect.gen(function* () {
    const webhookId = readNumber(webhook)
    if (webhookId === null || webhookId > 999_999_999) return null
    const page = { state: null, beforeId: readNumber(before) ?? Number.MAX_SAFE_INTEGER, limit: DELIVERIES_SHOWN + 1 }
    const live = yield* webhooks.listDeliveries(accountId, webhookId, page)
    const found = live ?? (yield* webhooks.test.listDeliveries(accountId, webhookId, page))
    if (found === null) return null
    const rows = found.slice(0, DELIVERIES_SHOWN)
    const olderThan = found.length > rows.length ? (rows.at(-1)?.id ?? null) : null
    return { webhookId, rows, olderThan } satisfies ShownDeliveries
  })

const gather = (context: PageContext, signedIn: SignedIn, query: RawQuery) =>
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
    }
  })

/** What a page shows besides the account's data. */
export interface Shown {
  readonly status?: number
  readonly notices?: readonly Notice[]
  readonly sent?: SentForm
  readonly headers?: readonly string[]
}

/** Shows the page to the sender of a request. */
export const showPage = (
  context: PageContext,
  visitor: Visitor,
  language: Language,
  { status = 200, notices = [], sent, headers }: Shown = {},
): Effect.Effect<Answer, Unavailable> =>
  Effect.gen(function* () {
    const words = makeWords(language)
    const query = readQuery(context.request.search)
    if (visitor.kind === "owner") {
      const owned = yield* gather(context, visitor, query)
      return answerPageText(status, writePage(words, viewOfOwner(words, owned, readPlan(query)), notices), headers)
    }
    const { unconfirmedRequests } = context.plans
    const isNew = sent === undefined ? query.register !== undefined : sent.does === "register"
    const affiliateId = sent?.affiliateId ?? readAffiliate(query.affiliate)
    const view = viewOfStranger(words, { affiliateId, isNew, unconfirmedRequests, sent: sent ?? null })
    const disabled: Notice = { kind: "wrong", message: "wrong.disabled" }
    const said = visitor.kind === "disabled" ? [disabled, ...notices] : notices
    return answerPageText(status, writePage(words, view, said), headers)
  })

/** The affiliate whose link was followed; null for none. */
export const readAffiliate = (id: unknown): string | null =>
  typeof id === "string" && AFFILIATE_ID.test(id) ? id : null

/** The plan in the address; the first paid one by default. */
const readPlan = ({ plan }: RawQuery): PlanId | null => PLAN_IDS.find(id => id === plan) ?? null

/** The notices that an address may select. */
const SAID: Readonly<Record<string, Notice>> = {
  signed_out: { kind: "done", message: "said.signed_out" },
  confirmed: { kind: "done", message: "said.confirmed" },
  pinged: { kind: "done", message: "said.pinged" },
  replayed: { kind: "done", message: "said.replayed" },
  webhook_enabled: { kind: "done", message: "said.webhook_enabled" },
  webhook_ended: { kind: "done", message: "said.webhook_ended" },
  key_ended: { kind: "done", message: "said.key_ended" },
  sessions_ended: { kind: "done", message: "said.sessions_ended" },
  team_key_ended: { kind: "done", message: "said.team_key_ended" },
  erased: { kind: "done", message: "said.erased" },
  bought: { kind: "done", message: "said.bought" },
  not_bought: { kind: "wrong", message: "said.not_bought" },
}

/** A link that no longer works. */
export const SPENT_LINK: Notice = { kind: "wrong", message: "wrong.link", values: { minutes: LINK_MINUTES } }

/** The notices after a return from the payment provider. */
const CHECKOUTS: Readonly<Record<string, string>> = { done: "bought", canceled: "not_bought" }

export const openPage = (context: PageContext): Effect.Effect<Answer, Unavailable> =>
  Effect.gen(function* () {
    const query = readQuery(context.request.search)
    const visitor = yield* findVisitor(context)
    const named = typeof query.checkout === "string" ? CHECKOUTS[query.checkout] : query.said
    const notice = typeof named === "string" && Object.hasOwn(SAID, named) ? SAID[named] : undefined
    return yield* showPage(context, visitor, chooseLanguage(context, query.lang, visitor), {
      notices: notice === undefined ? [] : [notice],
    })
  })

/** Answers a browser that opens a mailed link: with its button, or with the reason why it does not work. Changes nothing. */
export const showLink = (context: PageContext): Effect.Effect<Answer, Unavailable> => {
  const { token, lang } = readQuery(context.request.search)
  const stranger: Visitor = { kind: "stranger" }
  const language = chooseLanguage(context, lang, stranger)
  if (typeof token !== "string" || !isToken(token))
    return showPage(context, stranger, language, { status: 400, notices: [SPENT_LINK] })
  const words = makeWords(language)
  return Effect.succeed(answerPageText(200, writePage(words, viewOfLink(words, token), [])))
}
