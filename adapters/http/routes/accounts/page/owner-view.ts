/**
 * What does a signed-in owner see? The plan, keys, usage, webhooks, sessions, changes, and the owner's own data. Keys are shown and changed
 * within an hour after a link was followed.
 */

import { Effect } from "effect"
import { maskApiKey, SCOPES } from "../../../../accounts/key-limits.ts"
import type { SignedIn } from "../../../../accounts/sessions.ts"
import type { PricedOffer } from "../../../../billing/billing.ts"
import { EVENT_TYPES } from "../../../../events/followers/subscription.ts"
import { type Feature, lowestPlanWith } from "../../../../plans/plans.ts"
import { TEST_REQUESTS_PER_DAY } from "../../../../quota/limits.ts"
import { PLAN_IDS, type PlanId } from "../../../../settings/feature-options.ts"
import { REQUEST_DAYS } from "../../../../storage/storage.ts"
import type { DeliveryRow } from "../../../../storage/webhooks-repository.ts"
import { formatUtcDay, utcDayAt } from "../../../../time/utc-calendar.ts"
import type { ListedWebhook } from "../../../../webhooks/webhooks.ts"
import { idOf } from "../../../pipeline/endpoint.ts"
import type { RawQuery } from "../../../pipeline/http-message.ts"
import { describeUsage, type PageContext } from "../account-answers.ts"
import { type Html, html } from "./html.ts"
import {
  copyable,
  form,
  type MessageName,
  section,
  table,
  type View,
  type Words,
  writeFirstRequest,
  writeHidden,
  writeInstant,
} from "./layout.ts"

/** The days on which something was asked, each with its bar. */
function writeDays(words: Words, pools: readonly (readonly [name: string, pool: Usage["pools"][string]])[]): Html {
  const { say, number, day } = words
  const days = (pools[0]?.[1].days ?? []).map(({ on }, at) => {
    const used = pools.map(([, { days }]) => days[at]?.used ?? 0)
    return { on, used, total: used.reduce((sum, count) => sum + count, 0) }
  })
  const most = days.reduce((one, other) => (other.total > one.total ? other : one), { on: "", total: 0 })
  if (most.total === 0) return html`<p>${say("usage.nothing")}</p>`
  const total = days.reduce((sum, day) => sum + day.total, 0)
  const rows = days
    .filter(day => day.total > 0)
    .map(({ on, used, total }) => {
      const bar = html`<meter max="${most.total}" value="${total}" aria-label="${number(total)}"></meter>`
      return html`<tr><th scope="row"><time datetime="${on}">${day(on)}</time></th>${used.map(count => html`<td>${number(count)}</td>`)}<td>${bar}</td></tr>`
    })
  const names = pools.map(([name]) => html`<span translate="no">${name}</span>`)
  return html`<h3>${say("usage.by_day")}</h3>
<p>${say("usage.most", { total, day: day(most.on), most: most.total })}</p>
${table(words, "by-day", say("usage.by_day"), ["usage.day", ...names, "usage.used"], rows)}`
}

// How does the page show webhooks? A list with the last delivery of each, a form to make one, and the deliveries of one with request and
// response.

/** How many deliveries a page shows. A link leads to the others. */
const DELIVERIES_SHOWN = 20

/** The deliveries of the selected webhook, the newest first; `olderThan` is the number below which the others are, null without any. */
type ShownDeliveries = NonNullable<OwnedAccount["deliveries"]>

/** A button of a row, which sends the row's fields; `label` names it where its text does not say of which row it is. */
function act(
  words: Words,
  does: string,
  fields: Readonly<Record<string, string | number>>,
  text: string,
  kind = "second",
  label?: string,
): Html {
  const hidden = Object.entries(fields).map(([name, value]) => writeHidden(name, String(value)))
  const named = label !== undefined && html` aria-label="${label}"`
  return form(words, does, html`${hidden}<button class="${kind}"${named}>${text}</button>`)
}

/** How the last attempt of a delivery ended. */
const statusOf = ({ last_status, last_error }: DeliveryRow): string | null =>
  last_status === null ? last_error : `HTTP ${last_status}`

function describeLast(words: Words, { lastDelivery: last }: ListedWebhook): Html {
  const { say } = words
  if (last === null) return html`${say("webhooks.no_delivery")}`
  const status = statusOf(last)
  const at = new Date(last.last_at ?? last.created_at).toISOString()
  return html`${say(`webhooks.${last.state}`)}${status === null ? "" : ` (${status})`}, <span translate="no">${last.type}</span>, ${writeInstant(words, at)}`
}

/** What a webhook follows, in codes. */
const describeTerms = ({ terms, isTest }: ListedWebhook): string =>
  [
    ...(isTest ? ['"livemode": false'] : []),
    ...terms.types,
    ...terms.passports,
    ...terms.destinations,
    ...(terms.severity === null ? [] : [terms.severity]),
  ].join(", ")

/** The fields that identify a webhook in its forms. */
const fieldsOf = ({ id, isTest }: ListedWebhook) => (isTest ? { id, mode: "test" } : { id })

function writeRow(words: Words, webhook: ListedWebhook, isFresh: boolean): Html {
  const { say, language } = words
  const { id, url, isActive, disabledBecause } = webhook
  const fields = fieldsOf(webhook)
  const actions = [
    isActive
      ? act(words, "ping_webhook", fields, say("webhooks.ping"))
      : act(words, "enable_webhook", fields, say("webhooks.enable")),
    isFresh && act(words, "rotate_secret", fields, say("webhooks.rotate")),
    isFresh && act(words, "end_webhook", fields, say("webhooks.end"), "plain"),
  ]
  return html`<tr><th scope="row" class="address"><span translate="no">${url}</span><br><span class="soft" translate="no">${describeTerms(webhook)}</span></th><td>${isActive ? say("team_keys.active") : say("webhooks.stopped")}${disabledBecause !== null && html`<br><span class="soft" lang="en" dir="ltr">${disabledBecause}</span>`}</td><td>${describeLast(words, webhook)}<br><a href="/account?webhook=${id}&amp;lang=${language}#deliveries">${say("webhooks.deliveries")}</a></td><td>${actions}</td></tr>`
}

const writeMake = (words: Words): Html => {
  const { say } = words
  const types = EVENT_TYPES.map(
    type =>
      html`<label class="sure" translate="no"><input type="checkbox" name="type_${type.replace(".", "_")}" value="yes"> ${type}</label> `,
  )
  const field = (id: string, name: string, label: string, attributes: Html) =>
    html`<p><label for="webhook-${id}">${label}</label> <input id="webhook-${id}" name="${name}" type="text" autocomplete="off" ${attributes}></p>`
  return form(
    words,
    "make_webhook",
    html`<p><label for="webhook-url">${say("webhooks.address")}</label> <input id="webhook-url" name="url" type="url" maxlength="2000" autocomplete="off" required placeholder="https://example.org/landfall"></p>
<fieldset><legend>${say("webhooks.types")}</legend>${types}</fieldset>
${field("passports", "passports", say("webhooks.passports"), html`maxlength="300" placeholder="IND, PHL"`)}
${field("destinations", "destinations", say("webhooks.destinations"), html`maxlength="300" placeholder="DEU, JPN"`)}
<p><button>${say("webhooks.make")}</button></p>`,
  )
}

function writeDelivery(words: Words, webhook: ListedWebhook, delivery: DeliveryRow): Html {
  const { say, number } = words
  const { id, type, state, attempt, body, last_body, created_at } = delivery
  const status = statusOf(delivery)
  const answered = last_body !== null && last_body !== ""
  return html`<tr><td>${writeInstant(words, new Date(created_at).toISOString())}</td><td translate="no">${type}</td><td>${say(`webhooks.${state}`)}${status === null ? "" : ` (${status})`}</td><td>${number(attempt)}</td><td>${act(words, "replay_delivery", { ...fieldsOf(webhook), delivery: id }, say("webhooks.replay"))}</td></tr>
<tr class="bodies"><td colspan="5"><details><summary>${say("webhooks.sent")}</summary><pre translate="no">${body}</pre></details>${answered && html`<details><summary>${say("webhooks.answered")}</summary><pre translate="no">${last_body}</pre></details>`}</td></tr>`
}

function writeDeliveries(words: Words, { rows, olderThan }: ShownDeliveries, webhook: ListedWebhook): Html {
  const { say, language } = words
  const columns = ["audit.when", "webhooks.types", "team_keys.state", "webhooks.attempts", "webhooks.replay"] as const
  const heading = say("webhooks.deliveries")
  const written = rows.map(row => writeDelivery(words, webhook, row))
  return html`<div id="deliveries"><h3>${heading}: <span class="address" translate="no">${webhook.url}</span></h3>
${table(words, "delivery-list", heading, columns, written, html`<p>${say("webhooks.no_delivery")}</p>`)}
${olderThan !== null && html`<p><a href="/account?webhook=${webhook.id}&amp;before=${olderThan}&amp;lang=${language}#deliveries">${say("older")}</a></p>`}</div>`
}

function writeWebhooks(words: Words, owned: OwnedAccount): Html {
  const { say } = words
  const needed = writeNeeded(words, owned, "webhooks", "webhooks.needed")
  const { webhooks, deliveries, isFresh } = owned
  const looked = deliveries === null ? undefined : webhooks.find(({ id }) => id === deliveries.webhookId)
  const columns = ["webhooks.address", "team_keys.state", "webhooks.last", "webhooks.act"] as const
  const rows = webhooks.map(webhook => writeRow(words, webhook, isFresh))
  const none = needed === null && html`<p>${say("webhooks.none")}</p>`
  return html`${needed ?? html`<p>${say("webhooks.text")}</p>`}
${table(words, "webhook-list", say("webhooks"), columns, rows, none)}
${looked !== undefined && writeDeliveries(words, deliveries as ShownDeliveries, looked)}
${needed === null && isFresh && html`<details><summary>${say("webhooks.make")}</summary>${writeMake(words)}</details>`}`
}

// What does the page show of an account? The data of a signed-in owner, and the deliveries of the webhook that the address names.

export type OwnedAccount = Effect.Success<ReturnType<typeof gatherAccount>>
type Usage = OwnedAccount["usage"]

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
    const found = yield* webhooks.listDeliveries(accountId, webhookId, page).pipe(
      Effect.catchTag("NoSuchWebhook", () => webhooks.test.listDeliveries(accountId, webhookId, page)),
      Effect.catchTag("NoSuchWebhook", () => Effect.succeed(null)),
    )
    if (found === null) return null
    const rows = found.slice(0, DELIVERIES_SHOWN)
    const olderThan = found.length > rows.length ? (rows.at(-1)?.id ?? null) : null
    return { webhookId, rows, olderThan }
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

/** The path of the export, as a plain link: the browser saves the answer as a file. */
const EXPORT_PATH = "/api/v1/visa/auth/account"

const FEATURES: readonly (readonly [Feature, MessageName])[] = [
  ["group", "plan.groups"],
  ["bulk", "plan.bulk"],
  ["webhooks", "plan.webhooks"],
  ["teamKeys", "plan.team_keys"],
]

function writePlan(words: Words, owned: OwnedAccount, wanted: PlanId | null): Html {
  const { say, number, money } = words
  const { account, customer, offers, plans } = owned
  const priceOf = (id: PlanId, period: PricedOffer["period"]): string | null => {
    const price = offers.find(offer => offer.plan === id && offer.period === period)?.price
    return price == null ? null : money(price.amount, price.currency)
  }
  const hasPrices = offers.some(({ price }) => price !== null)
  const isWhole = offers.every(({ price }) => price !== null)
  const rows = PLAN_IDS.map(id => {
    const plan = plans.byId[id]
    const named = FEATURES.flatMap(([feature, message]) => (plan[feature] ? [say(message)] : []))
    const isYours = id === account.plan
    return html`<tr${isYours ? html` class="yours" aria-current="true"` : ""}><th scope="row"><span translate="no">${id}</span>${isYours ? html` <span class="soft">${say("plan.yours")}</span>` : ""}</th>
<td>${number(plan.requestsPerMonth)}</td><td>${number(plan.lookup.per30Days)}</td><td>${number(plan.spotsPerMonth)}</td><td>${named.join(", ")}</td>${hasPrices && html`<td>${priceOf(id, "monthly") ?? "–"}</td><td>${priceOf(id, "annual") ?? "–"}</td>`}</tr>`
  })
  const columns: readonly MessageName[] = [
    ...(["plan", "plan.requests", "plan.lookups", "plan.spots", "plan.features"] as const),
    ...(hasPrices ? (["plan.a_month", "plan.a_year"] as const) : []),
  ]
  const chosen = offers.findIndex(({ plan }) => plan === wanted)
  const choose = html`<p><label for="offer">${say("plan.choose")}</label>
<select id="offer" name="offer">${offers.map(
    ({ plan, period }, at) =>
      html`<option value="${plan} ${period}"${at === chosen ? html` selected` : ""}>${say(`plan.${period}`, { plan })}</option>`,
  )}</select></p>
${!isWhole && html`<p class="soft">${say("plan.price")}</p>`}
<p><button>${say("plan.buy")}</button></p>`
  return html`<p>${say("plan.now", { plan: account.plan })}</p>
${table(words, "plans", say("plan"), columns, rows)}
${offers.length === 0 ? html`<p>${say("plan.not_sold")}</p>` : customer.isSubscribed ? "" : form(words, "buy", choose)}
${customer.customerId !== null && offers.length > 0 ? form(words, "portal", html`<p><button>${say("plan.change")}</button></p>`) : ""}
${writeReferral(words, owned)}
${writeInvoices(words, owned)}`
}

/** Who is paid for having referred the owner, which the owner may decline. */
const writeReferral = (words: Words, { referral }: OwnedAccount): Html | null =>
  referral === undefined
    ? null
    : html`<p>${words.say("referral", { id: referral.referred_by })}</p>
${form(words, "decline_referral", html`<p><button class="plain">${words.say("referral.decline")}</button></p>`)}`

function writeInvoices(words: Words, { invoices }: OwnedAccount): Html | null {
  const { say, day, money } = words
  if (invoices.length === 0) return null
  const rows = invoices.map(
    ({ invoiceId, paidAt, paidCents, refundedCents, currency }) =>
      html`<tr><td>${day(new Date(paidAt).toISOString())}</td><td>${money(paidCents, currency)}</td><td>${refundedCents > 0 ? money(refundedCents, currency) : "–"}</td><td class="address" translate="no">${invoiceId}</td></tr>`,
  )
  const columns = ["usage.day", "invoices.paid", "invoices.refunded", "invoices.number"] as const
  return html`<h3>${say("invoices")}</h3>
${table(words, "invoice-list", say("invoices"), columns, rows)}`
}

/** The first request, ready to copy: with the key if keys may be shown. The copied text has the whole key, the shown text does not. */
function writeOwnRequest(words: Words, { key, isFresh, publicUrl }: OwnedAccount): Html | null {
  if (key === null) return null
  const [shown, copied] = (isFresh ? [maskApiKey(key), key] : ["$KEY", "$KEY"]).map(each =>
    writeFirstRequest(publicUrl, each),
  )
  return html`<h3>${words.say("first")}</h3>
<p>${copyable(words, "first-request", shown ?? "", copied)}</p>`
}

/** Asks for a fresh link before keys are shown or changed. */
const writeStale = (words: Words, { account }: OwnedAccount): Html =>
  html`<p>${words.say("fresh.text")}</p>
${form(words, "sign_in", html`<input type="hidden" name="email" value="${account.email}"><p><button>${words.say("sign_in.send")}</button></p>`)}`

function writeKey(words: Words, owned: OwnedAccount): Html {
  const { say } = words
  const { key, teamKeys, namedKeys } = owned
  if (!owned.isFresh) {
    const masked = key === null ? "" : html`<p><span translate="no">${maskApiKey(key)}</span></p>`
    return html`${masked}${writeOwnRequest(words, owned)}${writeStale(words, owned)}`
  }
  const active = [...namedKeys, ...teamKeys].filter(({ isActive }) => isActive)
  const replace = html`<p><input type="checkbox" id="sure" name="sure" value="yes" required> <label class="sure" for="sure">${say("key.sure")}</label></p>
${
  active.length > 0 &&
  html`<p><input type="checkbox" id="end-team-keys" name="end_team_keys" value="yes"> <label class="sure" for="end-team-keys">${say("key.end_team", { names: active.map(({ name }) => name).join(", ") })}</label></p>`
}
<p><button class="plain">${say("key.replace")}</button></p>`
  return key === null
    ? html`<p>${say("key.none")}</p>${form(words, "make_key", html`<p><button>${say("key.make")}</button></p>`)}`
    : html`<p><span translate="no">${maskApiKey(key)}</span></p>
<details><summary>${say("key.show")}</summary><p>${copyable(words, "whole-key", key)}</p>
<p class="soft">${say("key.use", { header: "x-api-key" })}</p></details>
${writeOwnRequest(words, owned)}
${form(words, "replace_key", replace)}`
}

function writeUse(words: Words, { usage }: OwnedAccount, heading: string): Html {
  const { say, number, day } = words
  const pools = Object.entries(usage.pools)
  const rows = pools.map(
    ([name, { used, limit, remaining, resets_at }]) =>
      html`<tr><th scope="row" translate="no">${name}</th><td>${number(used)}</td><td>${number(limit)}</td><td>${number(remaining)}</td><td>${resets_at === null ? "–" : day(resets_at)}</td></tr>`,
  )
  const columns = ["usage.surface", "usage.used", "usage.limit", "usage.left", "usage.resets"] as const
  return html`${table(words, "limits", heading, columns, rows)}
<p class="soft">${say("usage.rolling")}</p>
${writeDays(words, pools)}`
}

function writeRequests(words: Words, { requests }: OwnedAccount): Html {
  const { say, number, day } = words
  const rows = requests.map(
    ({ day: on, method, route, status, requests: count }) =>
      html`<tr><td><time datetime="${on}">${day(on)}</time></td><td translate="no">${method} ${route}</td><td>${status}</td><td>${number(count)}</td></tr>`,
  )
  const columns = ["usage.day", "requests.path", "requests.status", "requests.count"] as const
  return html`<p>${say("requests.text", { days: REQUEST_DAYS })}</p>
${table(words, "request-list", say("requests"), columns, rows, html`<p>${say("requests.none")}</p>`)}`
}

/** The text if a plan does not include something; null if it does. */
function writeNeeded({ say }: Words, { account, plans }: OwnedAccount, feature: Feature, message: MessageName) {
  if (plans.byId[account.plan][feature]) return null
  return html`<p>${say(message, { plan: lowestPlanWith(feature, plans) ?? "–" })}</p>`
}

function writeTeamKeys(words: Words, owned: OwnedAccount): Html {
  const { say, day } = words
  const { teamKeys, isFresh } = owned
  const needed = writeNeeded(words, owned, "teamKeys", "team_keys.needed")
  const rows = teamKeys.map(({ id, name, isActive, keyPrefix, createdAt }) => {
    const end = act(words, "end_team_key", { id }, say("team_keys.end"), "plain", say("team_keys.end_named", { name }))
    return html`<tr><th scope="row">${name}</th><td translate="no">${keyPrefix}…</td><td>${day(createdAt)}</td><td>${say(isActive ? "team_keys.active" : "team_keys.ended")}</td><td>${isActive && end}</td></tr>`
  })
  const make = html`<p><label for="team-key-name">${say("name")}</label> <input id="team-key-name" name="name" type="text" maxlength="100" autocomplete="off" required></p>
<p><button>${say("team_keys.make")}</button></p>`
  const columns = ["name", "key", "team_keys.made", "team_keys.state", "team_keys.end"] as const
  const none = needed === null && html`<p>${say("team_keys.none")}</p>`
  return html`${needed ?? html`<p>${say("team_keys.text")}</p>`}
${table(words, "team-key-list", say("team_keys"), columns, rows, none)}
${needed === null && isFresh && form(words, "make_team_key", make)}`
}

function writeNamedKeys(words: Words, { namedKeys, isFresh, nowMs }: OwnedAccount): Html {
  const { say, number, day } = words
  const writeDay = (ms: number): string => day(new Date(ms).toISOString())
  const rows = namedKeys.map(key => {
    const { id, name, keyPrefix, scopes, allowedAddresses, used, lastUsedAt, expiresAt } = key
    const works = key.isActive && (expiresAt === null || nowMs < expiresAt)
    const until = expiresAt === null ? say("team_keys.active") : `${say("keys.until")} ${writeDay(expiresAt)}`
    const change = (does: string, label: string, text: string) => act(words, does, { id }, text, "plain", label)
    const canRotate = works && isFresh && key.replacedAt === null
    return html`<tr><th scope="row">${name}</th><td translate="no">${keyPrefix}…</td><td translate="no">${[...scopes, ...allowedAddresses].join(", ")}</td><td>${number(used)}</td><td>${lastUsedAt === null ? "–" : writeDay(lastUsedAt)}</td><td>${works ? until : say("team_keys.ended")}</td><td>${canRotate && change("rotate_key", say("keys.rotate_named", { name }), say("keys.rotate"))}${works && change("end_key", say("keys.end_named", { name }), say("team_keys.end"))}</td></tr>`
  })
  const boxes = SCOPES.map(
    scope =>
      html`<label class="sure" translate="no"><input type="checkbox" name="scope_${scope}" value="yes"> ${scope}</label> `,
  )
  const make = html`<p><label for="key-name">${say("name")}</label> <input id="key-name" name="name" type="text" maxlength="100" autocomplete="off" required></p>
<fieldset><legend>${say("keys.scopes")}</legend>${boxes}</fieldset>
<p><label for="key-until">${say("keys.until")}</label> <input id="key-until" name="until" type="date"></p>
<p><label for="key-from">${say("keys.from")}</label> <input id="key-from" name="from" type="text" maxlength="1000" autocomplete="off" placeholder="203.0.113.0/24, 2001:db8::/32"></p>
<p><label class="sure"><input type="checkbox" name="mode" value="test"> ${say("keys.test", { count: TEST_REQUESTS_PER_DAY })}</label></p>
<p><button>${say("keys.make")}</button></p>`
  const columns = ["name", "key", "keys.scopes", "keys.used", "keys.last", "team_keys.state", "keys.rotate"] as const
  return html`<p>${say("keys.text")}</p>
${table(words, "key-list", say("keys"), columns, rows, null)}
${isFresh && form(words, "make_named_key", make)}`
}

function writeSessions(words: Words, { sessions }: OwnedAccount): Html {
  const { say } = words
  const rows = sessions.map(
    ({ beganAt, expiresAt, family, isCurrent }) =>
      html`<tr><td>${writeInstant(words, new Date(beganAt).toISOString())}</td><td>${writeInstant(words, new Date(expiresAt).toISOString())}</td><td translate="no">${family ?? "–"}</td><td>${isCurrent && say("sessions.here")}</td></tr>`,
  )
  const columns = ["sessions.since", "keys.until", "sessions.from", "team_keys.state"] as const
  return html`${table(words, "session-list", say("sessions"), columns, rows)}
${form(words, "sign_out_everywhere", html`<p><button class="plain">${say("sessions.end")}</button></p>`)}`
}

function writeAudit(words: Words, { audit }: OwnedAccount): Html {
  const { say } = words
  const rows = audit.map(
    ({ at, actor, action, detail }) =>
      html`<tr><td>${writeInstant(words, at)}</td><td translate="no">${actor}</td><td translate="no">${action}${detail === "" ? "" : `: ${detail}`}</td></tr>`,
  )
  const columns = ["audit.when", "audit.who", "audit.what"] as const
  return table(words, "audit-list", say("audit"), columns, rows)
}

function writeData(words: Words, owned: OwnedAccount): Html {
  const { say } = words
  const erase = html`<p id="erasing">${say("data.erase_text")}</p>
<p><label for="erase-email">${say("email")}</label> <input id="erase-email" name="email" type="email" maxlength="254" autocomplete="off" required aria-describedby="erasing"></p>
<p><button class="plain">${say("data.erase")}</button></p>`
  return html`<p><a href="${EXPORT_PATH}" download>${say("data.export")}</a></p>
<details><summary>${say("data.erase")}</summary>${owned.isFresh ? form(words, "erase", erase) : writeStale(words, owned)}</details>`
}

export function viewOfOwner(words: Words, owned: OwnedAccount, wanted: PlanId | null): View {
  const { say, month } = words
  const use = say("usage", { month: month(`${owned.usage.month}-01`) })
  const parts: readonly (readonly [id: string, heading: string, body: Html])[] = [
    ["plan", say("plan"), writePlan(words, owned, wanted)],
    ["key", say("key"), writeKey(words, owned)],
    ["usage", use, writeUse(words, owned, use)],
    ["requests", say("requests"), writeRequests(words, owned)],
    ["keys", say("keys"), writeNamedKeys(words, owned)],
    ["team-keys", say("team_keys"), writeTeamKeys(words, owned)],
    ["webhooks", say("webhooks"), writeWebhooks(words, owned)],
    ["sessions", say("sessions"), writeSessions(words, owned)],
    ["audit", say("audit"), writeAudit(words, owned)],
    ["data", say("data"), writeData(words, owned)],
  ]
  return {
    title: say("account"),
    isOwned: true,
    head: form(words, "sign_out", html`<button>${say("sign_out")}</button>`),
    body: html`<p class="address">${say("signed_in_as", { email: owned.account.email })}</p>
<nav aria-label="${say("sections")}"><ul>${parts.map(([id, heading]) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav>
${parts.map(([id, heading, body], at) => html`${at > 0 && "\n"}${section(id, heading, body)}`)}`,
  }
}
