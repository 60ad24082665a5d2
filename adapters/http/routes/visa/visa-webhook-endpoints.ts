/** `/api/v1/visa/webhooks`: subscriptions to changes of policies. */

import { HttpApiSchema } from "effect/http-api"
import { actingAs } from "../../../accounts/audit-trail.ts"
import { readSubscription } from "../../../events/followers/subscription.ts"
import { Targets } from "../../../events/followers/target-guard.ts"
import { Webhooks } from "../../../webhooks/webhooks.ts"
import { BadRequest, describe, NotFound } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { idOf } from "../../pipeline/parameters.ts"
import { asQuestion } from "../accounts/read-fields.ts"
import { type PageAsked, WHOLE_PAGE } from "../pages.ts"
import {
  accountOf,
  answerTooManySent,
  answerWebhooks,
  makeSubscription,
  TOO_MANY_WEBHOOKS,
  waitForSent,
  webhooksOf,
  writeListed,
  writeVisaWebhook,
} from "../webhook-answers.ts"
import {
  VisaWebhookDeleted,
  VisaWebhookEnabled,
  VisaWebhookMade,
  VisaWebhookRequest,
  VisaWebhooks,
} from "../webhook-schemas.ts"

const PATH = "/api/v1/visa/webhooks"
const shared = { path: PATH, surface: "visa", access: { kind: "key", feature: "webhooks", scope: "webhooks" } } as const
const id = idOf({ description: "The id of the webhook." })

const answerNoWebhook = () => answerError(404, "There is no webhook of this id.")

const listWebhooks = endpoint({
  ...shared,
  name: "listWebhooks",
  method: "GET",
  needs: { webhooks: Webhooks },
  parameters: WHOLE_PAGE,
  answer: (page: PageAsked, context) => answerWebhooks(page, context, writeVisaWebhook),
})

const createWebhook = endpoint({
  ...shared,
  name: "createWebhook",
  method: "POST",
  needs: { targets: Targets, webhooks: Webhooks },
  parameters: {},
  takesBody: true,
  read: ({ body }, { dataset, targets }) => asQuestion(readSubscription(body, { shape: "visa", dataset, targets })),
  answer: (request, context) =>
    waitForSent(context, makeSubscription(context, request), answerTooManySent, made => {
      if (made === null) return answerError(400, TOO_MANY_WEBHOOKS)
      const webhook = { ...writeVisaWebhook(made.webhook), secret: made.secret }
      const message = "Keep the secret: it is shown only in this answer. A webhook.ping follows."
      return answerJson(201, { webhook, message }, NOT_STORED)
    }),
})

/** Switches a webhook on again. */
const enableWebhook = endpoint({
  ...shared,
  name: "enableWebhook",
  method: "POST",
  path: `${PATH}/enable`,
  needs: { webhooks: Webhooks },
  parameters: { id },
  answer: ({ id }, context) =>
    waitForSent(
      context,
      actingAs("key")(webhooksOf(context).enable(accountOf(context), id)),
      answerTooManySent,
      found =>
        found === null
          ? answerNoWebhook()
          : answerJson(200, { webhook: writeListed(found, writeVisaWebhook) }, NOT_STORED),
    ),
})

const deleteWebhook = endpoint({
  ...shared,
  name: "deleteWebhook",
  method: "DELETE",
  needs: { webhooks: Webhooks },
  parameters: { id },
  answer: ({ id }, context) =>
    context
      .run(actingAs("key")(webhooksOf(context).remove(accountOf(context), id)))
      .then(isRemoved => (isRemoved ? answerJson(200, { deleted: true, id }, NOT_STORED) : answerNoWebhook())),
})

export const webhookEndpoints = /* @__PURE__ */ (() =>
  [
    describe(listWebhooks, {
      summary: "List webhooks",
      description: "The state of each webhook, and the result of its last delivery.",
      success: VisaWebhooks,
    }),
    describe(createWebhook, {
      summary: "Follow changes of policies",
      description:
        "Matching changes are sent to the URL as signed POSTs; an empty list means everything. Only this answer shows the secret, and a ping follows.",
      payload: VisaWebhookRequest,
      success: VisaWebhookMade.pipe(HttpApiSchema.status(201)),
      error: [BadRequest],
    }),
    describe(enableWebhook, {
      summary: "Enable a webhook again",
      description: "For a disabled webhook; its waiting deliveries are sent too.",
      success: VisaWebhookEnabled,
      error: [NotFound],
    }),
    describe(deleteWebhook, {
      summary: "End a webhook",
      success: VisaWebhookDeleted,
      error: [NotFound],
    }),
  ] as const)()
