/**
 * How does the page show webhooks? A list with the last delivery of each, a form to make one, and the deliveries of one with request and
 * response.
 */

import { EVENT_TYPES } from "../../../../events/followers/subscription.ts"
import type { DeliveryRow } from "../../../../storage/deliveries-repository.ts"
import type { ListedWebhook } from "../../../../webhooks/webhooks.ts"
import type { Words } from "./account-page-words.ts"
import { type Html, html } from "./html.ts"
import { form, section, table, writeHidden, writeInstant } from "./layout.ts"

/** How many deliveries a page shows. A link leads to the others. */
export const DELIVERIES_SHOWN = 20

/** The deliveries of the selected webhook, the newest first. */
export interface ShownDeliveries {
  readonly webhookId: number
  readonly rows: readonly DeliveryRow[]
  /** The number below which the older ones are; null if there are none. */
  readonly olderThan: number | null
}

/** The subscriptions of an account, those of test keys last. */
export interface OwnedWebhooks {
  readonly webhooks: readonly ListedWebhook[]
  readonly deliveries: ShownDeliveries | null
  /** Whether an owner may make and delete them: a link was followed within the hour. */
  readonly isFresh: boolean
}

/** A button of a row, which sends the row's fields. */
function act(
  words: Words,
  does: string,
  fields: Readonly<Record<string, string | number>>,
  label: string,
  kind = "second",
): Html {
  const hidden = Object.entries(fields).map(([name, value]) => writeHidden(name, String(value)))
  return form(words, does, html`${hidden}<button class="${kind}">${label}</button>`)
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
  const { id, url, isActive } = webhook
  const fields = fieldsOf(webhook)
  const actions = [
    isActive
      ? act(words, "ping_webhook", fields, say("webhooks.ping"))
      : act(words, "enable_webhook", fields, say("webhooks.enable")),
    isFresh && act(words, "rotate_secret", fields, say("webhooks.rotate")),
    isFresh && act(words, "end_webhook", fields, say("webhooks.end"), "plain"),
  ]
  return html`<tr><th scope="row" class="address"><span translate="no">${url}</span><br><span class="soft" translate="no">${describeTerms(webhook)}</span></th><td>${isActive ? say("team_keys.active") : say("webhooks.stopped")}</td><td>${describeLast(words, webhook)}<br><a href="/account?webhook=${id}&amp;lang=${language}#deliveries">${say("webhooks.deliveries")}</a></td><td>${actions}</td></tr>`
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
  return html`<div id="deliveries"><h3>${heading}: <span class="address" translate="no">${webhook.url}</span></h3>
${
  rows.length === 0
    ? html`<p>${say("webhooks.no_delivery")}</p>`
    : table(
        words,
        "delivery-list",
        heading,
        columns,
        rows.map(row => writeDelivery(words, webhook, row)),
      )
}
${olderThan !== null && html`<p><a href="/account?webhook=${webhook.id}&amp;before=${olderThan}&amp;lang=${language}#deliveries">${say("older")}</a></p>`}</div>`
}

/** The webhooks of an account; `needed` is the plan that includes them, if the current one does not. */
export function writeWebhooks(words: Words, owned: OwnedWebhooks, needed: Html | null): Html {
  const { say } = words
  const { webhooks, deliveries, isFresh } = owned
  const looked = deliveries === null ? undefined : webhooks.find(({ id }) => id === deliveries.webhookId)
  const columns = ["webhooks.address", "team_keys.state", "webhooks.last", "webhooks.act"] as const
  return section(
    "webhooks",
    say("webhooks"),
    html`${needed ?? html`<p>${say("webhooks.text")}</p>`}
${
  webhooks.length > 0
    ? table(
        words,
        "webhook-list",
        say("webhooks"),
        columns,
        webhooks.map(webhook => writeRow(words, webhook, isFresh)),
      )
    : needed === null && html`<p>${say("webhooks.none")}</p>`
}
${looked !== undefined && writeDeliveries(words, deliveries as ShownDeliveries, looked)}
${needed === null && isFresh && html`<details><summary>${say("webhooks.make")}</summary>${writeMake(words)}</details>`}`,
  )
}
