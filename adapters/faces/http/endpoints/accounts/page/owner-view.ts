/**
 * What does somebody see who is signed in? The plan, keys, what was used, webhooks, sessions, changes, and the owner's own data. Keys are
 * shown and changed within an hour of following a link.
 */
import type { Account, AccountKey } from "../../../../../customers/accounts/account.ts"
import { maskApiKey } from "../../../../../customers/accounts/api-key.ts"
import { SCOPES } from "../../../../../customers/accounts/key-limits.ts"
import type { OpenSession } from "../../../../../customers/accounts/sessions.ts"
import type { Offer } from "../../../../../customers/billing/billing.ts"
import { type Feature, lowestPlanWith, type PlanTable } from "../../../../../customers/plans/plans.ts"
import type { ListedWebhook } from "../../../../../delivery/webhooks/webhooks.ts"
import { PLAN_IDS, type PlanId } from "../../../../../platform/settings/feature-options.ts"
import type { AuditRow } from "../../../../../platform/storage/audit-repository.ts"
import type { Usage } from "../usage.ts"
import { type Html, html } from "./html.ts"
import { hiddenFields, type View } from "./layout.ts"
import { writeUsage } from "./usage-plot.ts"
import type { MessageName, Words } from "./words.ts"

/** Everything that the page shows of an account. */
export interface OwnedAccount {
  readonly account: Account
  /** Whole; null where it was deactivated. */
  readonly key: string | null
  readonly usage: Usage
  readonly teamKeys: readonly AccountKey[]
  readonly namedKeys: readonly AccountKey[]
  readonly sessions: readonly OpenSession[]
  /** The last changes, the newest first. */
  readonly audit: readonly AuditRow[]
  /** Whether keys may be shown, and the account be erased. */
  readonly isFresh: boolean
  readonly nowMs: number
  readonly webhooks: readonly ListedWebhook[]
  readonly plans: PlanTable
  readonly offers: readonly Offer[]
  readonly customer: { readonly isSubscribed: boolean; readonly isCustomer: boolean }
}

/** Where things are exported from, by a plain link: the browser keeps the answer as a file. */
const EXPORT_PATH = "/api/v1/visa/auth/account"

const form = ({ language }: Words, does: string, body: Html): Html =>
  html`<form method="post" action="/account">${hiddenFields(does, language)}${body}</form>`

const section = (id: string, heading: string, body: Html): Html =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${body}
</section>`

/** A table that scrolls by itself on a narrow screen. */
const table = (name: string, label: string, columns: readonly string[], rows: Html): Html =>
  html`<div class="wide" role="group" aria-label="${label}" tabindex="0"><table id="${name}">
<thead><tr>${columns.map(column => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`

const FEATURES: readonly (readonly [Feature, MessageName])[] = [
  ["group", "plan.groups"],
  ["bulk", "plan.bulk"],
  ["webhooks", "plan.webhooks"],
  ["teamKeys", "plan.team_keys"],
]

function writePlan(words: Words, owned: OwnedAccount, wanted: PlanId | null): Html {
  const { say, number } = words
  const { account, customer, offers, plans } = owned
  const rows = PLAN_IDS.map(id => {
    const { features, lookup, requestsPerMonth, spotsPerMonth } = plans.byId[id]
    const named = FEATURES.flatMap(([feature, message]) => (features[feature] ? [say(message)] : []))
    const isYours = id === account.plan
    return html`<tr${isYours ? html` class="yours" aria-current="true"` : ""}><th scope="row"><span translate="no">${id}</span>${isYours ? html` <span class="soft">${say("plan.yours")}</span>` : ""}</th>
<td>${number(requestsPerMonth)}</td><td>${number(lookup.per30Days)}</td><td>${number(spotsPerMonth)}</td><td>${named.join(", ")}</td></tr>`
  })
  const columns = ["plan", "plan.requests", "plan.lookups", "plan.spots", "plan.features"] as const
  const chosen = offers.findIndex(({ plan }) => plan === wanted)
  const choose = html`<p><label for="offer">${say("plan.choose")}</label>
<select id="offer" name="offer">${offers.map(
    ({ plan, period }, at) =>
      html`<option value="${plan} ${period}"${at === chosen ? html` selected` : ""}>${say(`plan.${period}`, { plan })}</option>`,
  )}</select></p>
<p class="soft">${say("plan.price")}</p>
<p><button>${say("plan.buy")}</button></p>`
  return section(
    "plan",
    say("plan"),
    html`<p>${say("plan.now", { plan: account.plan })}</p>
${table(
  "plans",
  say("plan"),
  columns.map(name => say(name)),
  html`${rows}`,
)}
${offers.length === 0 ? html`<p>${say("plan.not_sold")}</p>` : customer.isSubscribed ? "" : form(words, "buy", choose)}
${customer.isCustomer && offers.length > 0 ? form(words, "portal", html`<p><button>${say("plan.change")}</button></p>`) : ""}`,
  )
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
    return section("key", say("key"), html`${masked}${writeStale(words, owned)}`)
  }
  const active = [...namedKeys, ...teamKeys].filter(({ isActive }) => isActive)
  const replace = html`<p><input type="checkbox" id="sure" name="sure" value="yes" required> <label class="sure" for="sure">${say("key.sure")}</label></p>
${
  active.length > 0 &&
  html`<p><input type="checkbox" id="end-team-keys" name="end_team_keys" value="yes"> <label class="sure" for="end-team-keys">${say("key.end_team", { names: active.map(({ name }) => name).join(", ") })}</label></p>`
}
<p><button class="plain">${say("key.replace")}</button></p>`
  const shown =
    key === null
      ? html`<p>${say("key.none")}</p>${form(words, "make_key", html`<p><button>${say("key.make")}</button></p>`)}`
      : html`<p><span translate="no">${maskApiKey(key)}</span></p>
<details><summary>${say("key.show")}</summary><p><code id="whole-key" class="key" translate="no">${key}</code></p>
<p class="soft">${say("key.use", { header: "x-api-key" })}</p></details>
${form(words, "replace_key", replace)}`
  return section("key", say("key"), shown)
}

function writeUse(words: Words, { usage }: OwnedAccount): Html {
  const { say, number, day, month } = words
  const pools = Object.entries(usage.pools)
  const rows = pools.map(
    ([name, { used, limit, remaining, resets_at }]) =>
      html`<tr><th scope="row" translate="no">${name}</th><td>${number(used)}</td><td>${number(limit)}</td><td>${number(remaining)}</td><td>${resets_at === null ? "–" : day(resets_at)}</td></tr>`,
  )
  const columns = ["usage.surface", "usage.used", "usage.limit", "usage.left", "usage.resets"] as const
  const heading = say("usage", { month: month(`${usage.month}-01`) })
  return section(
    "usage",
    heading,
    html`${table(
      "limits",
      heading,
      columns.map(name => say(name)),
      html`${rows}`,
    )}
<p class="soft">${say("usage.rolling")}</p>
${writeUsage(
  words,
  pools.map(([name, { days }]) => ({ name, days })),
)}`,
  )
}

/** What is said where a plan does not have something; null where it has it. */
function writeNeeded({ say }: Words, { account, plans }: OwnedAccount, feature: Feature, message: MessageName) {
  if (plans.byId[account.plan].features[feature]) return null
  return html`<p>${say(message, { plan: lowestPlanWith(feature, plans) ?? "–" })}</p>`
}

function writeTeamKeys(words: Words, owned: OwnedAccount): Html {
  const { say, day } = words
  const { teamKeys, isFresh } = owned
  const needed = writeNeeded(words, owned, "teamKeys", "team_keys.needed")
  const rows = teamKeys.map(({ id, name, isActive, keyPrefix, createdAt }) => {
    const end = html`<input type="hidden" name="id" value="${id}"><button class="plain" aria-label="${say("team_keys.end_named", { name })}">${say("team_keys.end")}</button>`
    return html`<tr><th scope="row">${name}</th><td translate="no">${keyPrefix}…</td><td>${day(createdAt)}</td><td>${say(isActive ? "team_keys.active" : "team_keys.ended")}</td><td>${isActive ? form(words, "end_team_key", end) : ""}</td></tr>`
  })
  const make = html`<p><label for="team-key-name">${say("name")}</label> <input id="team-key-name" name="name" type="text" maxlength="100" autocomplete="off" required></p>
<p><button>${say("team_keys.make")}</button></p>`
  return section(
    "team-keys",
    say("team_keys"),
    html`${needed ?? html`<p>${say("team_keys.text")}</p>`}
${
  rows.length > 0
    ? table(
        "team-key-list",
        say("team_keys"),
        [say("name"), say("key"), say("team_keys.made"), say("team_keys.state"), say("team_keys.end")],
        html`${rows}`,
      )
    : needed === null && html`<p>${say("team_keys.none")}</p>`
}
${needed === null && isFresh && form(words, "make_team_key", make)}`,
  )
}

function writeNamedKeys(words: Words, { namedKeys, isFresh, nowMs }: OwnedAccount): Html {
  const { say, number, day } = words
  const state = ({ isActive, expiresAt }: AccountKey): string => {
    if (!isActive || (expiresAt !== null && nowMs >= expiresAt)) return say("team_keys.ended")
    return expiresAt === null
      ? say("team_keys.active")
      : `${say("keys.until")} ${day(new Date(expiresAt).toISOString())}`
  }
  const rows = namedKeys.map(key => {
    const { id, name, keyPrefix, scopes, allowedAddresses, used, lastUsedAt } = key
    const works = key.isActive && (key.expiresAt === null || nowMs < key.expiresAt)
    const act = (does: string, label: string, text: string) =>
      form(
        words,
        does,
        html`<input type="hidden" name="id" value="${id}"><button class="plain" aria-label="${label}">${text}</button>`,
      )
    const canRotate = works && isFresh && key.replacedAt === null
    return html`<tr><th scope="row">${name}</th><td translate="no">${keyPrefix}…</td><td translate="no">${[...scopes, ...allowedAddresses].join(", ")}</td><td>${number(used)}</td><td>${lastUsedAt === null ? "–" : day(new Date(lastUsedAt).toISOString())}</td><td>${state(key)}</td><td>${canRotate && act("rotate_key", say("keys.rotate_named", { name }), say("keys.rotate"))}${works && act("end_key", say("keys.end_named", { name }), say("team_keys.end"))}</td></tr>`
  })
  const boxes = SCOPES.map(
    scope =>
      html`<label class="sure" translate="no"><input type="checkbox" name="scope_${scope}" value="yes"> ${scope}</label> `,
  )
  const make = html`<p><label for="key-name">${say("name")}</label> <input id="key-name" name="name" type="text" maxlength="100" autocomplete="off" required></p>
<fieldset><legend>${say("keys.scopes")}</legend>${boxes}</fieldset>
<p><label for="key-until">${say("keys.until")}</label> <input id="key-until" name="until" type="date"></p>
<p><label for="key-from">${say("keys.from")}</label> <input id="key-from" name="from" type="text" maxlength="1000" autocomplete="off" placeholder="203.0.113.0/24, 2001:db8::/32"></p>
<p><button>${say("keys.make")}</button></p>`
  const columns = ["name", "key", "keys.scopes", "keys.used", "keys.last", "team_keys.state", "keys.rotate"] as const
  return section(
    "keys",
    say("keys"),
    html`<p>${say("keys.text")}</p>
${
  rows.length > 0 &&
  table(
    "key-list",
    say("keys"),
    columns.map(name => say(name)),
    html`${rows}`,
  )
}
${isFresh && form(words, "make_named_key", make)}`,
  )
}

/** An instant to the minute, in UTC. */
const writeInstant = ({ day }: Words, at: string): Html =>
  html`<time datetime="${at}">${day(at)} ${at.slice(11, 16)} UTC</time>`

function writeSessions(words: Words, { sessions }: OwnedAccount): Html {
  const { say } = words
  const rows = sessions.map(
    ({ beganAt, expiresAt, family, isCurrent }) =>
      html`<tr><td>${writeInstant(words, new Date(beganAt).toISOString())}</td><td>${writeInstant(words, new Date(expiresAt).toISOString())}</td><td translate="no">${family ?? "–"}</td><td>${isCurrent && say("sessions.here")}</td></tr>`,
  )
  const columns = ["sessions.since", "keys.until", "sessions.from", "team_keys.state"] as const
  return section(
    "sessions",
    say("sessions"),
    html`${table(
      "session-list",
      say("sessions"),
      columns.map(name => say(name)),
      html`${rows}`,
    )}
${form(words, "sign_out_everywhere", html`<p><button class="plain">${say("sessions.end")}</button></p>`)}`,
  )
}

function writeAudit(words: Words, { audit }: OwnedAccount): Html {
  const { say } = words
  const rows = audit.map(
    ({ at, actor, action, detail }) =>
      html`<tr><td>${writeInstant(words, at)}</td><td translate="no">${actor}</td><td translate="no">${action}${detail === "" ? "" : `: ${detail}`}</td></tr>`,
  )
  const columns = ["audit.when", "audit.who", "audit.what"] as const
  return section(
    "audit",
    say("audit"),
    table(
      "audit-list",
      say("audit"),
      columns.map(name => say(name)),
      html`${rows}`,
    ),
  )
}

function writeWebhooks(words: Words, owned: OwnedAccount): Html {
  const { say, day } = words
  const { webhooks } = owned
  const needed = writeNeeded(words, owned, "webhooks", "webhooks.needed")
  const describeLast = ({ lastDelivery: last }: ListedWebhook): Html => {
    if (last === null) return html`${say("webhooks.no_delivery")}`
    const at = new Date(last.last_at ?? last.created_at).toISOString()
    const status = last.last_status === null ? last.last_error : `HTTP ${last.last_status}`
    return html`${say(`webhooks.${last.state}`)}${status === null ? "" : ` (${status})`}, <span translate="no">${last.type}</span>, <time datetime="${at}">${day(at)} ${at.slice(11, 16)} UTC</time>`
  }
  const rows = webhooks.map(
    webhook =>
      html`<tr><th scope="row" class="address" translate="no">${webhook.url}</th><td>${webhook.isActive ? say("team_keys.active") : say("webhooks.stopped")}</td><td>${describeLast(webhook)}</td></tr>`,
  )
  return section(
    "webhooks",
    say("webhooks"),
    html`${needed ?? html`<p>${say("webhooks.text")}</p>`}
${
  rows.length > 0
    ? table(
        "webhook-list",
        say("webhooks"),
        [say("webhooks.address"), say("team_keys.state"), say("webhooks.last")],
        html`${rows}`,
      )
    : needed === null && html`<p>${say("webhooks.none")}</p>`
}`,
  )
}

function writeData(words: Words, owned: OwnedAccount): Html {
  const { say } = words
  const erase = html`<p id="erasing">${say("data.erase_text")}</p>
<p><label for="erase-email">${say("email")}</label> <input id="erase-email" name="email" type="email" maxlength="254" autocomplete="off" required aria-describedby="erasing"></p>
<p><button class="plain">${say("data.erase")}</button></p>`
  return section(
    "data",
    say("data"),
    html`<p><a href="${EXPORT_PATH}" download>${say("data.export")}</a></p>
<details><summary>${say("data.erase")}</summary>${owned.isFresh ? form(words, "erase", erase) : writeStale(words, owned)}</details>`,
  )
}

/** The page of an owner. */
export function viewOfOwner(words: Words, owned: OwnedAccount, wanted: PlanId | null): View {
  const { say, month } = words
  const ways: readonly (readonly [id: string, label: string])[] = [
    ["plan", say("plan")],
    ["key", say("key")],
    ["usage", say("usage", { month: month(`${owned.usage.month}-01`) })],
    ["keys", say("keys")],
    ["team-keys", say("team_keys")],
    ["webhooks", say("webhooks")],
    ["sessions", say("sessions")],
    ["audit", say("audit")],
    ["data", say("data")],
  ]
  return {
    title: say("account"),
    isOwned: true,
    head: form(words, "sign_out", html`<button>${say("sign_out")}</button>`),
    body: html`<p class="address">${say("signed_in_as", { email: owned.account.email })}</p>
<nav aria-label="${say("sections")}"><ul>${ways.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>
${writePlan(words, owned, wanted)}
${writeKey(words, owned)}
${writeUse(words, owned)}
${writeNamedKeys(words, owned)}
${writeTeamKeys(words, owned)}
${writeWebhooks(words, owned)}
${writeSessions(words, owned)}
${writeAudit(words, owned)}
${writeData(words, owned)}`,
  }
}
