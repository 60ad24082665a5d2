/**
 * Who asks, and may they?
 *
 * The outermost step of every endpoint that is not public: no key is 401, a key that is unknown or deactivated 403, a plan that is
 * too low 403. Only then are parameters looked at, so that somebody without a key learns nothing from them. Every answer to an
 * authenticated caller says what is left of the quota.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import type { Caller } from "../accounts/account.ts"
import { type Feature, lowestPlanWith, PLAN_IDS, type Plan, type PlanTable } from "../accounts/plans.ts"
import { type Answer, answerJson, NOT_STORED, toHeaderRecord, toResponse } from "./answer.ts"
import { Backend, type BackendShape, type Site, signupUrl, upgradeUrl } from "./backend.ts"
import type { Sender } from "./keyless.ts"
import { listQuotaHeaders } from "./metered.ts"

/** What an endpoint demands of whoever calls it. */
export class AccessRule extends Context.Service<
  AccessRule,
  { readonly allowsKeyless?: true; readonly feature?: Feature }
>()("landfall/http/AccessRule") {}

/** Who asks: a caller with a key, or somebody who may do without. */
export class Visitor extends Context.Service<Visitor, { readonly caller: Caller | null }>()("landfall/http/Visitor") {}

export const Unauthorized = Schema.Struct({
  error: Schema.String,
  message: Schema.String,
  signup_url: Schema.String,
  free_tier: Schema.String,
})
  .annotate({ identifier: "Unauthorized", description: "No key was given." })
  .pipe(HttpApiSchema.status(401))

export const Forbidden = Schema.Struct({
  error: Schema.String,
  message: Schema.String,
  required_plan: Schema.optionalKey(Schema.NullOr(Schema.String)),
  upgrade_url: Schema.optionalKey(Schema.String),
})
  .annotate({ identifier: "Forbidden", description: "The key is unknown or deactivated, or its plan is too low." })
  .pipe(HttpApiSchema.status(403))

/** Guards every endpoint of a group. */
export class Access extends HttpApiMiddleware.Service<Access, { provides: Visitor }>()("landfall/http/Access", {
  error: [Unauthorized, Forbidden],
}) {
  static readonly layer = Layer.effect(Access, Effect.map(Backend, makeAccess))
}

/** Says 401. */
export function answerNoKey(site: Site, plans: PlanTable): Answer {
  const body = {
    error: "An API key is required.",
    message: "Send your key in the x-api-key header.",
    signup_url: signupUrl(site),
    free_tier: `${plans.byId.free.requestsPerMonth} requests a month`,
  }
  // RFC 9110, section 15.5.2: a 401 names a way to authenticate.
  return answerJson(401, body, [...NOT_STORED, "www-authenticate", 'ApiKey header="x-api-key"'])
}

/** Says 403 for a key that opens nothing. */
export function answerUnknownKey(): Answer {
  const body = { error: "This API key is not valid.", message: "The key is unknown or was deactivated." }
  return answerJson(403, body, NOT_STORED)
}

/** Says 403 for a plan that does not have a feature. */
export function answerPlanTooLow(feature: Feature, { site, plans }: BackendShape, plan: string): Answer {
  const required = lowestPlanWith(feature, plans)
  const message =
    required === null ? "No plan of this service has it." : `It needs the plan ${required} or above; yours is ${plan}.`
  const body = {
    error: "Your plan does not include this endpoint.",
    message,
    required_plan: required,
    upgrade_url: upgradeUrl(site),
  }
  return answerJson(403, body, NOT_STORED)
}

/** Says 403 for a language that a plan does not have; null where it has it. */
export function refuseLanguage(language: string, { site, plans }: BackendShape, { plan }: Caller): Answer | null {
  const speaks = (languages: Plan["languages"]) => languages === "all" || languages.includes(language)
  if (speaks(plan.languages)) return null
  const required = PLAN_IDS.find(id => speaks(plans.byId[id].languages)) ?? null
  const body = {
    error: "Your plan does not include this language.",
    message:
      required === null ? "No plan of this service has it." : `It needs the plan ${required}; yours is ${plan.id}.`,
    required_plan: required,
    upgrade_url: upgradeUrl(site),
  }
  return answerJson(403, body, NOT_STORED)
}

/** The sender of a request, as far as the server knows. */
export const senderOf = (request: HttpServerRequest.HttpServerRequest): Sender => ({
  headers: request.headers,
  socketAddress: request.remoteAddress._tag === "Some" ? request.remoteAddress.value : undefined,
})

/** The key of a request, or null. A key that is given twice is no key that anybody has. */
function findKey(
  headers: Readonly<Record<string, string | undefined>>,
  search: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | null {
  const key = headers["x-api-key"] || search.api_key
  return key === undefined || key === "" ? null : String(key)
}

function makeAccess(backend: BackendShape): Access["Service"] {
  const { accounts, meter, keyless, site, plans } = backend

  const answerCaller = Effect.fnUntraced(function* <E>(
    caller: Caller,
    response: Effect.Effect<HttpServerResponse.HttpServerResponse, E>,
  ) {
    const given = yield* response
    if (given.headers["x-ratelimit-limit"] !== undefined) return given
    const quota = yield* Effect.orDie(meter.loadQuota(caller))
    const headers = listQuotaHeaders(quota, caller.plan.id, yield* Clock.currentTimeMillis)
    return HttpServerResponse.setHeaders(given, toHeaderRecord(headers))
  })

  return (endpointEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const rule = Context.getOrElse(endpoint.annotations, AccessRule, () => ({}) as AccessRule["Service"])
      const key = findKey(request.headers, yield* HttpServerRequest.ParsedSearchParams)
      if (key === null) {
        return rule.allowsKeyless && keyless.welcomes(senderOf(request))
          ? yield* Effect.provideService(endpointEffect, Visitor, { caller: null })
          : toResponse(answerNoKey(site, plans))
      }
      const nowMs = yield* Clock.currentTimeMillis
      const caller = accounts.peekCaller(key, nowMs) ?? (yield* Effect.orDie(accounts.findCaller(key)))
      if (caller === null) return toResponse(answerUnknownKey())
      const { feature } = rule
      const isAllowed = feature === undefined || caller.plan.features[feature]
      const response = isAllowed
        ? Effect.provideService(endpointEffect, Visitor, { caller })
        : Effect.succeed(toResponse(answerPlanTooLow(feature, backend, caller.plan.id)))
      return yield* answerCaller(caller, response)
    })
}
