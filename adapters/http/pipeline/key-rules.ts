/**
 * Where do the callers of a surface put their key, and how does the surface refuse them or report the rest of the limits?
 *
 * There is one value for each surface; the checks of keys and counts are the same for all.
 */
import type { Caller } from "../../accounts/account.ts"
import { explainKeyRefusal, type KeyRefusal } from "../../accounts/key-limits.ts"
import type { Feature } from "../../plans/plans.ts"
import type { CallerPool, KeylessPool, Limit, Quota, Refusal } from "../../quota/limits.ts"
import { isLoopbackHost } from "../../settings/hosts.ts"
import { isForwarded } from "./client-address.ts"
import { type Answer, answerJson, NOT_STORED } from "./http-answer.ts"
import { answerError } from "./http-errors.ts"
import type { RawQuery, ServiceRequest } from "./request.ts"

/** How one surface treats callers without a key. */
export interface KeylessRules {
  readonly pool: KeylessPool
  readonly answerRefusal: (refusal: Refusal, nowMs: number) => Answer
  readonly listLimitHeaders: (limits: readonly Limit[], nowMs: number) => readonly string[]
}

/** Which request is answered, and when. */
export interface AskedNow {
  readonly requestId: string
  readonly nowMs: number
}

/** How one surface treats keys and limits. */
export interface KeyRules {
  /** The limits that a request with a key is charged to. */
  readonly pool: CallerPool
  /** The key of a request, or null. */
  readonly findKey: (request: ServiceRequest, query: RawQuery) => string | null
  readonly answerNoKey: (asked: AskedNow) => Answer
  readonly answerUnknownKey: (asked: AskedNow) => Answer
  /** Refuses a key that has expired, or that may not be used from here or for this. */
  readonly answerKeyRefused: (refusal: KeyRefusal, asked: AskedNow) => Answer
  readonly answerPlanTooLow: (feature: Feature, caller: Caller, asked: AskedNow) => Answer
  /** Refuses a language that the caller's plan does not have; null where it has it. */
  readonly refuseLanguage: (language: string, caller: Caller) => Answer | null
  /** The answer if a limit is reached; its headers have the rest. */
  readonly answerRefusal: (refusal: Refusal, caller: Caller, asked: AskedNow) => Answer
  /** The rest of the limits, for every answer to a known caller. */
  readonly listQuotaHeaders: (quota: Quota, caller: Caller, nowMs: number) => readonly string[]
  /** The limits of a client address without a key, and how they are reported; absent where every request needs a key. */
  readonly keyless?: KeylessRules
}

/** RFC 9110, section 15.5.2: a 401 names a way to authenticate. */
export const KEY_CHALLENGE = ["www-authenticate", 'ApiKey header="x-api-key"'] as const

/** The key in a header of a request, `x-api-key` or a bearer token, where no surface says how it is read. */
export const findShownKey = (request: ServiceRequest): string | null =>
  request.header("x-api-key") || (/^bearer +(\S+)$/i.exec(request.header("authorization") ?? "")?.[1] ?? null)

/**
 * The key of a request to a surface that reads it from `x-api-key`, the query's `api_key` or a bearer token; one that is given twice does not
 * count. A bearer token is read last: a gateway in front of a client may have added its own.
 */
export const findApiKey: KeyRules["findKey"] = (request, query) => {
  const key = request.header("x-api-key") || query.api_key || findShownKey(request)
  return key === null || key === "" ? null : String(key)
}

/** The answer of such a surface to an unknown key. */
export const UNKNOWN_KEY = /* @__PURE__ */ answerJson(
  403,
  { error: "This API key is not valid.", message: "The key is unknown or was deactivated." },
  NOT_STORED,
)

/** The answer of such a surface to a key that may not be used: 401 if it has expired, otherwise 403. */
export const answerKeyRefused: KeyRules["answerKeyRefused"] = refusal => {
  const message = explainKeyRefusal(refusal)
  switch (refusal.kind) {
    case "expired":
      return answerJson(401, { error: "expired", message }, [...NOT_STORED, ...KEY_CHALLENGE])
    case "address":
      return answerJson(403, { error: "This API key may not be used from here.", message }, NOT_STORED)
    case "unconfirmed":
      return answerJson(403, { error: "The e-mail address of this account is not confirmed.", message }, NOT_STORED)
    case "writes":
      return answerError(429, message, ["retry-after", String(refusal.retryAfterSeconds)])
    case "scope":
    case "mode": {
      const error = "This API key may not be used for this."
      const scope = refusal.kind === "scope" ? { required_scope: refusal.scope } : {}
      return answerJson(403, { error, message, ...scope }, NOT_STORED)
    }
  }
}

const LOCAL_ORIGIN = /^https?:\/\/(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const EXTENSION_ORIGIN =
  /^(?:chrome-extension|moz-extension|safari-web-extension|safari-extension|ms-browser-extension|extension):\/\/[^\s/]+$/i

export interface KeylessSettings {
  /** Origins of the service's own site. */
  readonly origins: readonly string[]
  /** Whether requests from the server's own machine need no key. */
  readonly trustsOwnMachine: boolean
}

/**
 * Decides whether a pair may be checked without a key. The service's own site may, and programs on the caller's own machine: a page on
 * localhost, a browser extension, a program on the machine of a development server that is not reachable from outside. This is a convenience
 * and no protection (a request written by hand can carry any `Origin`), so every client address has a limit a minute, as for all requests
 * without a key.
 */
export class KeylessGate {
  readonly #settings: KeylessSettings
  readonly #origins: ReadonlySet<string>

  constructor(settings: KeylessSettings) {
    this.#settings = settings
    this.#origins = new Set(settings.origins)
  }

  /** Says whether the sender needs no key. */
  welcomes(request: ServiceRequest): boolean {
    const { socketAddress } = request
    const origin = request.header("origin")
    if (origin !== undefined) {
      return this.#origins.has(origin) || LOCAL_ORIGIN.test(origin) || EXTENSION_ORIGIN.test(origin)
    }
    return (
      this.#settings.trustsOwnMachine &&
      socketAddress !== undefined &&
      isLoopbackHost(socketAddress) &&
      !isForwarded(request)
    )
  }
}
