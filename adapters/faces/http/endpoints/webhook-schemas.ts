/** The bodies of subscriptions and deliveries, for the reference. The contract tests hold real answers against them. */
import { Schema } from "effect"
import { EVENT_TYPES } from "../../../delivery/followers/subscription.ts"
import { REQUIREMENT_NAMES } from "../../../knowledge/answers/lookup.ts"
import { DELIVERY_STATES } from "../../../platform/storage/deliveries-repository.ts"

const Texts = Schema.Array(Schema.String)
const EventTypes = Schema.Array(Schema.Literals(EVENT_TYPES))
const Severity = Schema.NullOr(Schema.Literals(["minor", "major"]))
const MaybeText = Schema.NullOr(Schema.String)

export const Delivery = Schema.Struct({
  id: Schema.Int,
  event_id: Schema.String.annotate({ description: "The same at every attempt: what duplicates are recognised by." }),
  type: Schema.String,
  state: Schema.Literals(DELIVERY_STATES),
  attempts: Schema.Int,
  created_at: Schema.String,
  next_attempt_at: MaybeText,
  last_attempt: Schema.NullOr(
    Schema.Struct({
      at: Schema.String,
      status: Schema.NullOr(Schema.Int),
      error: MaybeText,
      response: MaybeText.annotate({ description: "At most 4 KiB of the receiver's answer." }),
    }),
  ),
}).annotate({ identifier: "Delivery", description: "One event on its way to one subscription." })

const state = {
  description: Schema.String,
  created_at: Schema.String,
  active: Schema.Boolean,
  disabled_because: MaybeText,
  last_delivery: Schema.NullOr(Delivery),
}

const secret = Schema.String.annotate({ description: "Shown this once." })

const visaFields = {
  id: Schema.Int,
  url: Schema.String,
  events: EventTypes,
  filter: Schema.Struct({ passports: Texts, destinations: Texts, types: EventTypes, severity: Severity }),
  ...state,
}

const lookupFields = {
  id: Schema.String,
  url: Schema.String,
  events: EventTypes,
  passports: Texts,
  destinations: Texts,
  severity: Severity,
  ...state,
}

const request = {
  url: Schema.String,
  events: Schema.optionalKey(EventTypes),
  description: Schema.optionalKey(Schema.String),
}
const filter = {
  passports: Schema.optionalKey(Texts),
  destinations: Schema.optionalKey(Texts),
  severity: Schema.optionalKey(Severity),
}

export const VisaWebhookRequest = Schema.Struct({
  ...request,
  filter: Schema.optionalKey(Schema.Struct({ ...filter, types: Schema.optionalKey(EventTypes) })),
}).annotate({ identifier: "VisaWebhookRequest", description: "What to follow; without a filter everything." })

export const LookupWebhookRequest = Schema.Struct({ ...request, ...filter }).annotate({
  identifier: "LookupWebhookRequest",
  description: "What to follow; without passports and destinations everything.",
})

const VisaWebhook = Schema.Struct(visaFields).annotate({ identifier: "VisaWebhook", description: "A webhook." })

export const VisaWebhooks = Schema.Struct({
  webhooks: Schema.Array(VisaWebhook),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "VisaWebhooks", description: "Every webhook of the account." })

export const VisaWebhookMade = Schema.Struct({
  webhook: Schema.Struct({ ...visaFields, secret }),
  message: Schema.String,
}).annotate({ identifier: "VisaWebhookMade", description: "The webhook, with its secret." })

export const VisaWebhookEnabled = Schema.Struct({ webhook: VisaWebhook }).annotate({
  identifier: "VisaWebhookEnabled",
  description: "The webhook, which is active again.",
})

export const VisaWebhookDeleted = Schema.Struct({ deleted: Schema.Boolean, id: Schema.Int }).annotate({
  identifier: "VisaWebhookDeleted",
  description: "The webhook was deleted.",
})

export const LookupWebhook = Schema.Struct(lookupFields).annotate({
  identifier: "LookupWebhook",
  description: "A webhook.",
})

export const LookupWebhooks = Schema.Struct({
  webhooks: Schema.Array(LookupWebhook),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({
  identifier: "LookupWebhooks",
  description: "Every webhook of the account.",
})

export const LookupWebhookMade = Schema.Struct({ ...lookupFields, secret }).annotate({
  identifier: "LookupWebhookMade",
  description: "The webhook, with its secret.",
})

export const LookupWebhookDeleted = Schema.Struct({ deleted: Schema.Boolean, id: Schema.String }).annotate({
  identifier: "LookupWebhookDeleted",
  description: "The webhook was deleted.",
})

export const SimulateRequest = Schema.Struct({
  passport: Schema.String,
  destination: Schema.String,
  requirement: Schema.optionalKey(
    Schema.Literals(Object.values(REQUIREMENT_NAMES)).annotate({
      description:
        "What the pair changes to; `visa_required` where it is left out, or `visa_free` where that is required today.",
    }),
  ),
}).annotate({ identifier: "SimulateRequest", description: "A change of one pair." })

export const Simulated = Schema.Struct({
  event_id: Schema.String,
  webhooks: Schema.Array(Schema.String).annotate({ description: "The webhooks that it is sent to." }),
}).annotate({ identifier: "Simulated", description: "The event is on its way." })

export const SecretRotated = Schema.Struct({
  id: Schema.String,
  secret,
  previous_secret_valid_until: Schema.String,
}).annotate({ identifier: "SecretRotated", description: "Until then both secrets sign." })

export const Deliveries = Schema.Struct({
  deliveries: Schema.Array(Delivery),
  next_cursor: MaybeText,
}).annotate({ identifier: "Deliveries", description: "Deliveries of thirty days, the newest first." })
