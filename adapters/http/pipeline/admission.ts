/**
 * Who is the caller, may he call, and which limit is charged?
 *
 * A missing key is 401, an unknown or deactivated key 403, an expired one 401, one that may not be used from
 * the address or for the scope 403, a plan that is too low 403. Only then are parameters read, so a caller without a key learns nothing
 * from them. A change of what is stored for an account needs a confirmed address, and is counted by the hour. A charge is reserved before the record is looked up and counted only for a 2xx answer. Nothing waits in between unless the row
 * does.
 */
import { Effect } from "effect"
import type { Caller } from "../../accounts/account.ts"
import { Accounts } from "../../accounts/accounts.ts"
import { explainKeyRefusal, judgeKey, type KeyRefusal } from "../../accounts/key-limits.ts"
import { Sessions } from "../../accounts/sessions.ts"
import { Signup } from "../../accounts/signup.ts"
import type { Feature } from "../../plans/plans.ts"
import type { CallerPool, KeylessPool, Limit, Quota, Refusal } from "../../quota/limits.ts"
import { Meter, type Reservation } from "../../quota/meter.ts"
import { Clients, isForwarded, isLoopbackHost } from "../../validation/addresses.ts"
import {
  type Access,
  changesAccount,
  type Endpoint,
  type Given,
  type MeteredAnswer,
  type SurfaceName,
  scopeOf,
  takesKey,
} from "./endpoint.ts"
import type { ClassNames } from "./fair-queue.ts"
import {
  type Answer,
  after,
  answerJson,
  isSuccess,
  listReplacedHeaders,
  NOT_STORED,
  type RawQuery,
  type ServiceRequest,
  type Soon,
} from "./http-message.ts"
import type { Check, Exchange, Gate, Reserved } from "./pipeline.ts"
import { LiveActivity, MountedSite } from "./process-state.ts"
import {
  answerNoSession,
  answerNotFresh,
  comesFromElsewhere,
  DISABLED_ACCOUNT,
  FROM_ELSEWHERE,
  readSessionCookie,
  UNCLEAR_SESSION,
} from "./session-cookie.ts"

/** The services of these checks. */
export const ADMISSION_NEEDS = {
  accounts: Accounts,
  activity: LiveActivity,
  clients: Clients,
  meter: Meter,
  sessions: Sessions,
  signup: Signup,
  site: MountedSite,
} as const

type SessionAccess = Extract<Access, { readonly kind: "session" }>

/** Makes the checks of keys, plans and counts, and what adds the rest of the quota to an answer. */
export function makeAdmission(
  { accounts, activity, clients, meter, sessions, signup, site }: Given<typeof ADMISSION_NEEDS>,
  rulesBySurface: Readonly<Partial<Record<SurfaceName, KeyRules>>>,
): { readonly gate: Gate; readonly addQuota: (exchange: Exchange) => Soon<void> } {
  const keyless = new KeylessGate(site)

  function rulesOf({ known }: Exchange): KeyRules {
    const rules = known === undefined ? undefined : rulesBySurface[known.surface]
    if (rules === undefined) throw new Error(`${known?.path} takes keys, and its surface has no rules for them`)
    return rules
  }

  function admit(exchange: Exchange, caller: Caller | null): void {
    exchange.caller = caller
    exchange.plan = caller?.plan.id ?? null
  }

  /** Why the key may not be used for this request; null if it may. */
  const judge = ({ request, nowMs }: Exchange, caller: Caller, row: Pick<Endpoint, "access" | "surface">) =>
    judgeKey(caller, {
      scope: scopeOf(row),
      mode: row.access.kind === "key" ? row.access.mode : undefined,
      nowMs,
      readAddress: () => clients.address(request),
    })

  /** Finds the caller of a key, without SQL if he is known. */
  function findCaller(exchange: Exchange, key: string): Soon<Caller | null> {
    const known = accounts.peekCaller(key, exchange.nowMs)
    return known === undefined ? exchange.run(accounts.findCaller(key)) : known
  }

  /** Recognises a caller with a key, and refuses nobody. */
  function recognise(exchange: Exchange): Soon<void> {
    const row = [...(exchange.known?.byMethod.values() ?? [])].find(({ access }) => takesKey(access))
    const key = row === undefined ? null : rulesOf(exchange).findKey(exchange.request, exchange.rawQuery)
    if (row === undefined || key === null) return
    return after(findCaller(exchange, key), caller => {
      if (caller === null || judge(exchange, caller, row) === null) admit(exchange, caller)
    })
  }

  /** Finds who is signed in; a request that another site made a browser send is refused. */
  function checkSession(exchange: Exchange, { isOptional, isFresh }: SessionAccess): Soon<Answer | undefined> {
    const { request } = exchange
    if (comesFromElsewhere(request, site)) return isOptional ? undefined : FROM_ELSEWHERE
    const shown = readSessionCookie(request.header("cookie"))
    if (shown.kind === "unclear") return UNCLEAR_SESSION
    if (shown.kind === "none") return isOptional ? undefined : answerNoSession(site)
    return exchange.run(sessions.find(shown.token)).then(found => {
      if (found === null) return isOptional ? undefined : answerNoSession(site)
      if (found.account.isDisabled) return DISABLED_ACCOUNT
      if (isFresh && !found.isFresh) return answerNotFresh(site)
      exchange.session = found
      return undefined
    })
  }

  const checkKey: Check = exchange => {
    const { access } = exchange.row
    if (access.kind === "public") return undefined
    if (access.kind === "session") return checkSession(exchange, access)
    const rules = rulesOf(exchange)
    const key = rules.findKey(exchange.request, exchange.rawQuery)
    if (key !== null) return after(findCaller(exchange, key), caller => checkCaller(exchange, caller))
    const isWelcome = access.kind === "open" || (access.kind === "keyless" && keyless.welcomes(exchange.request))
    if (!isWelcome) return rules.answerNoKey(exchange)
    admit(exchange, null)
    return undefined
  }

  /** Admits the caller of a key that was shown, or says why not. */
  function checkCaller(exchange: Exchange, caller: Caller | null): Answer | undefined {
    const { row } = exchange
    const rules = rulesOf(exchange)
    if (caller === null) return rules.answerUnknownKey(exchange)
    const refusal = judge(exchange, caller, row)
    if (refusal !== null) return rules.answerKeyRefused(refusal, exchange)
    admit(exchange, caller)
    meter.noteKey(caller.keyId, exchange.nowMs)
    if (caller.replacedAt !== null) exchange.added.push(...listReplacedHeaders(caller.replacedAt, caller.expiresAt))
    const isUnconfirmed = !caller.isConfirmed && changesAccount(row)
    if (isUnconfirmed) return rules.answerKeyRefused({ kind: "unconfirmed" }, exchange)
    const feature = row.access.kind === "key" ? row.access.feature : undefined
    if (feature === undefined || caller.plan[feature]) return undefined
    return rules.answerPlanTooLow(feature, caller, exchange)
  }

  const checkLanguage: Check = exchange => {
    const { caller, language } = exchange
    if (!caller || language === undefined) return undefined
    return rulesOf(exchange).refuseLanguage(language, caller) ?? undefined
  }

  function addLimits(exchange: Exchange, quota: Quota): void {
    const { caller, added, nowMs } = exchange
    const rules = rulesOf(exchange)
    if (caller) added.push(...rules.listQuotaHeaders(quota, caller, nowMs))
    else added.push(...(rules.keyless?.listLimitHeaders?.(quota.limits, nowMs) ?? []))
    exchange.hasLimits = true
  }

  /** A question that may be answered, and what it costs; null for nothing. A class, because V8 makes functions of an object at once old. */
  class Admitted implements Reserved {
    readonly #exchange: Exchange
    readonly #held: Reservation | null

    constructor(exchange: Exchange, held: Reservation | null) {
      this.#exchange = exchange
      this.#held = held
    }

    /** Counts an answered question and notifies the listeners. `HEAD` is counted too, because its headers reveal the answer. */
    conclude(answer: MeteredAnswer): Answer {
      const { isHead, nowMs, question, row } = this.#exchange
      const isAnswered = isSuccess(answer)
      if (this.#held !== null) {
        if (isAnswered) this.#held.commit(answer.charge)
        this.#held.release()
        addLimits(this.#exchange, this.#held)
      }
      const pair = isAnswered && !isHead ? row.tells?.(question) : undefined
      if (pair !== undefined) activity.record(pair.passport, pair.destination, nowMs)
      return answer
    }

    release(): void {
      this.#held?.release()
    }
  }

  /** Counts a change of what is stored for an account. */
  function reserveChange(exchange: Exchange): Promise<Reserved | Answer> {
    const { caller, session } = exchange
    // Sessions apart from keys: whoever has stolen a key cannot stop the owner from ending it.
    const counted = signup.limit("write", caller ? `key ${caller.accountId}` : `owner ${session?.account.id}`).pipe(
      Effect.as(new Admitted(exchange, null)),
      Effect.catchTag("TriedTooOften", ({ message, retryAfterSeconds }) =>
        Effect.succeed(exchange.refuse({ kind: "too_often", message, retryAfterSeconds })),
      ),
    )
    return exchange.run(counted)
  }

  /** Reserves what a question costs: of the caller's quota, or of the allowance of the client's address. */
  function reserve(exchange: Exchange): Soon<Reserved | Answer> {
    const { caller, cost, nowMs, row } = exchange
    if (changesAccount(row)) return reserveChange(exchange)
    if (cost === undefined || caller === undefined) return new Admitted(exchange, null)
    const rules = rulesOf(exchange)
    if (caller === null) {
      const allowance = rules.keyless
      if (allowance === undefined) throw new Error(`${row.path} takes no key, and its surface has no allowance`)
      const client = clients.name(exchange.request)
      const asked = { pool: allowance.pool, charge: cost.charge }
      const held = meter.reserveKeyless(client, asked, nowMs) ?? exchange.run(meter.reserveKeylessLoaded(client, asked))
      return after(held, found => {
        exchange.hasLimits = true
        return found.ok ? new Admitted(exchange, found) : allowance.answerRefusal(found, nowMs)
      })
    }
    const asked = { ...cost, pool: rules.pool }
    const held = meter.reserve(caller, asked, nowMs) ?? exchange.run(meter.reserveLoaded(caller, asked))
    return after(held, (found): Reserved | Answer => {
      if (found.ok) return new Admitted(exchange, found)
      exchange.hasLimits = true
      return rules.answerRefusal(found, caller, exchange)
    })
  }

  /** Adds the rest of the quota for an authenticated caller, whatever the answer is. */
  function addQuota(exchange: Exchange): Soon<void> {
    const { caller, hasLimits, nowMs } = exchange
    if (!caller || hasLimits) return
    const { pool } = rulesOf(exchange)
    const quota = meter.readQuota(caller, nowMs, pool) ?? exchange.run(meter.loadQuota(caller, pool))
    return after(quota, loaded => addLimits(exchange, loaded))
  }

  /** A caller who pays has a class of its own; everybody else, with a free key too, is a stranger of an address. */
  function classify({ known, rawQuery, request }: Exchange): ClassNames {
    const row = known?.byMethod.get(request.method)
    const rules = row !== undefined && takesKey(row.access) ? rulesBySurface[row.surface] : undefined
    const key = rules === undefined ? findShownKey(request) : rules.findKey(request, rawQuery)
    return (key === null ? undefined : accounts.findPayer(key)) ?? clients.networks(request)
  }

  return { gate: { classify, recognise, checkKey, checkLanguage, reserve }, addQuota }
}

// Where do the callers of a surface put their key, and how does the surface refuse them or report the rest of the limits?
// There is one value for each surface; the checks of keys and counts are the same for all.

/** How one surface treats callers without a key. */
export interface KeylessRules {
  readonly pool: KeylessPool
  readonly answerRefusal: (refusal: Refusal, nowMs: number) => Answer
  /** The headers of an answer without a key; none where answers to requests with a key have the rest of the quota. */
  readonly listLimitHeaders?: (limits: readonly Limit[], nowMs: number) => readonly string[]
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
