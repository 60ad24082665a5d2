/**
 * What do the forms of webhooks do? The same as the endpoints of webhooks, under the same limits. A secret is shown only in the answer that
 * makes it.
 */
import { Effect } from "effect"
import { actingAs } from "../../../../accounts/audit-trail.ts"
import { EVENT_TYPES, readSubscription } from "../../../../events/followers/subscription.ts"
import { lowestPlanWith } from "../../../../plans/plans.ts"
import { MAXIMUM_WEBHOOKS } from "../../../../webhooks/webhooks.ts"
import { idOf } from "../../../pipeline/parameters.ts"
import {
  type Acting,
  done,
  freshly,
  goBack,
  type OwnersForm,
  readText,
  refuse,
  show,
  withFields,
  wrong,
} from "./forms.ts"

const id = idOf({ description: "The webhook." })
const delivery = idOf({ description: "The delivery." })

const noSuchWebhook = (sent: OwnersForm): Acting => refuse(sent, 404, wrong("wrong.webhook"))

/** The webhooks that a form is about: those of test keys have their own sender. */
const webhooksOf = ({ context: { webhooks }, form }: OwnersForm) =>
  readText(form.mode) === "test" ? webhooks.test : webhooks

/** Limits an action to plans that include it. */
const planned =
  (act: (sent: OwnersForm) => Acting): ((sent: OwnersForm) => Acting) =>
  sent => {
    const { plans } = sent.context
    return plans.byId[sent.account.plan].features.webhooks
      ? act(sent)
      : refuse(sent, 403, wrong("webhooks.needed", { plan: lowestPlanWith("webhooks", plans) ?? "–" }))
  }

const readCodes = (value: OwnersForm["form"][string] | undefined): readonly string[] =>
  readText(value)
    .split(/[\s,]+/)
    .filter(code => code !== "")

const make = (sent: OwnersForm): Acting => {
  const { account, context, form } = sent
  const { dataset, targets, webhooks } = context
  const body = {
    url: form.url,
    events: EVENT_TYPES.filter(type => form[`type_${type.replace(".", "_")}`] === "yes"),
    filter: { passports: readCodes(form.passports), destinations: readCodes(form.destinations) },
  }
  const read = readSubscription(JSON.stringify(body), { shape: "visa", dataset, targets })
  if (!read.ok) {
    const [{ path, message }] = read.issues as [(typeof read.issues)[number]]
    return refuse(sent, 400, wrong("wrong.webhook_field", { field: path, reason: message }))
  }
  return webhooks.create(account.id, read.value).pipe(
    actingAs("owner"),
    Effect.flatMap(({ secret, webhook: { url } }) =>
      show(sent, { notices: [done("said.webhook_made", { url }, secret)] }),
    ),
    Effect.catchTag("TooManyWebhooks", () => refuse(sent, 400, wrong("wrong.webhooks", { count: MAXIMUM_WEBHOOKS }))),
  )
}

const ping = withFields({ id }, (sent, { id }) =>
  Effect.flatMap(webhooksOf(sent).ping(sent.account.id, id), row =>
    row === null ? noSuchWebhook(sent) : goBack(sent, "pinged", [], { webhook: String(id) }),
  ),
)

const enable = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .enable(sent.account.id, id)
    .pipe(
      actingAs("owner"),
      Effect.flatMap(found => (found === null ? noSuchWebhook(sent) : goBack(sent, "webhook_enabled"))),
    ),
)

const rotateSecret = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .rotateSecret(sent.account.id, id)
    .pipe(
      actingAs("owner"),
      Effect.flatMap(rotated =>
        rotated === null
          ? noSuchWebhook(sent)
          : show(sent, { notices: [done("said.secret_rotated", {}, rotated.secret)] }),
      ),
    ),
)

const end = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .remove(sent.account.id, id)
    .pipe(
      actingAs("owner"),
      Effect.flatMap(isRemoved => (isRemoved ? goBack(sent, "webhook_ended") : noSuchWebhook(sent))),
    ),
)

const replay = withFields({ id, delivery }, (sent, { id, delivery }) =>
  Effect.flatMap(webhooksOf(sent).replay(sent.account.id, id, delivery), row =>
    row === null ? noSuchWebhook(sent) : goBack(sent, "replayed", [], { webhook: String(id) }),
  ),
)

/** What the forms of webhooks do, by their names. */
export const WEBHOOK_ACTIONS: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  make_webhook: freshly(planned(make)),
  ping_webhook: planned(ping),
  enable_webhook: planned(enable),
  rotate_secret: freshly(planned(rotateSecret)),
  // An account without webhooks in its plan may still delete old ones.
  end_webhook: freshly(end),
  replay_delivery: planned(replay),
}
