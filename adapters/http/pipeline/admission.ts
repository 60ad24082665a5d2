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
import { judgeKey, TOO_MANY_WRITES } from "../../accounts/key-limits.ts"
import { Sessions } from "../../accounts/sessions.ts"
import { Signup } from "../../accounts/signup.ts"
import type { Quota } from "../../quota/limits.ts"
import { Meter, type Reservation } from "../../quota/meter.ts"
import { LiveActivity } from "./activity.ts"
import { Clients } from "./client-address.ts"
import { listReplacedHeaders } from "./common-headers.ts"
import {
  type Access,
  changesAccount,
  type Endpoint,
  type Given,
  type MeteredAnswer,
  scopeOf,
  takesKey,
} from "./endpoint.ts"
import type { ClassNames } from "./fair-queue.ts"
import { type Answer, after, isSuccess, type Soon } from "./http-answer.ts"
import { answerError } from "./http-errors.ts"
import { findShownKey, KeylessGate, type KeyRules } from "./key-rules.ts"
import { MountedSite } from "./mounted-site.ts"
import type { Check, Exchange, Gate, Reserved } from "./pipeline.ts"
import {
  answerNoSession,
  answerNotFresh,
  comesFromElsewhere,
  DISABLED_ACCOUNT,
  FROM_ELSEWHERE,
  readSessionCookie,
  UNCLEAR_SESSION,
} from "./session-cookie.ts"
import type { SurfaceName } from "./surface.ts"

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
    return isUnconfirmed ? rules.answerKeyRefused({ kind: "unconfirmed" }, exchange) : undefined
  }

  const checkPlan: Check = exchange => {
    const { access } = exchange.row
    const feature = access.kind === "key" ? access.feature : undefined
    if (feature === undefined || !exchange.caller || exchange.caller.plan.features[feature]) return undefined
    return rulesOf(exchange).answerPlanTooLow(feature, exchange.caller, exchange)
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
    else added.push(...(rules.keyless?.listLimitHeaders(quota.limits, nowMs) ?? []))
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
    const counted = signup
      .limit("write", caller ? `key ${caller.accountId}` : `owner ${session?.account.id}`)
      .pipe(Effect.as(null), Effect.catchTag("TriedTooOften", Effect.succeed))
    return exchange.run(counted).then(refusal => {
      if (refusal === null) return new Admitted(exchange, null)
      const { retryAfterSeconds } = refusal
      return caller
        ? rulesOf(exchange).answerKeyRefused({ kind: "writes", retryAfterSeconds }, exchange)
        : answerError(429, TOO_MANY_WRITES, ["retry-after", String(retryAfterSeconds)])
    })
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

  return { gate: { classify, recognise, checkKey, checkPlan, checkLanguage, reserve }, addQuota }
}
