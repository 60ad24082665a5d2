/**
 * Who is the caller, may he call, and which limit is charged?
 *
 * These stages surround the row. A missing key is 401, an unknown or deactivated key 403, an expired one 401, one that may not be used from
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
import type { KeylessRefusal } from "../../quota/keyless-ledger.ts"
import type { Quota, Reservation } from "../../quota/ledger.ts"
import { Meter } from "../../quota/meter.ts"
import { LiveActivity } from "./activity.ts"
import { Clients } from "./client-address.ts"
import { listReplacedHeaders } from "./deprecations.ts"
import {
  type Access,
  type Cost,
  changesAccount,
  type Endpoint,
  type Given,
  type MeteredAnswer,
  scopeOf,
  takesKey,
} from "./endpoint.ts"
import type { Exchange } from "./exchange.ts"
import { type Answer, isSuccess } from "./http-answer.ts"
import { answerError } from "./http-errors.ts"
import type { KeyRules } from "./key-rules.ts"
import { KeylessGate } from "./keyless.ts"
import { Later, mapLater, type StageOutcome, waitFor } from "./later.ts"
import { MountedSite } from "./mounted-site.ts"
import type { Finish, Stage } from "./pipeline.ts"
import { comesFromElsewhere, readSessionCookie } from "./session-cookie.ts"
import { answerNoSession, answerNotFresh, DISABLED_ACCOUNT, FROM_ELSEWHERE, UNCLEAR_SESSION } from "./session-rules.ts"
import { type Answerer, rowOf } from "./stages.ts"
import type { SurfaceName } from "./surface.ts"

/** The services of these stages. */
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

/** Makes the stages for keys and counts. */
export function makeAdmission(
  { accounts, activity, clients, meter, sessions, signup, site }: Given<typeof ADMISSION_NEEDS>,
  rulesBySurface: Readonly<Partial<Record<SurfaceName, KeyRules>>>,
  answerQuestion: Answerer,
) {
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
  function identify(exchange: Exchange, key: string, then: (caller: Caller | null) => StageOutcome): StageOutcome {
    const known = accounts.peekCaller(key, exchange.nowMs)
    return known === undefined ? waitFor(accounts.findCaller(key), then) : then(known)
  }

  /** Recognises a caller with a key, and refuses nobody. */
  const recognise: Stage = exchange => {
    const row = [...(exchange.known?.byMethod.values() ?? [])].find(({ access }) => takesKey(access))
    if (row === undefined) return undefined
    const key = rulesOf(exchange).findKey(exchange.request, exchange.rawQuery)
    if (key === null) return undefined
    return identify(exchange, key, caller => {
      if (caller === null || judge(exchange, caller, row) === null) admit(exchange, caller)
      return undefined
    })
  }

  /** Finds who is signed in; a request that another site made a browser send is refused. */
  function admitSession(exchange: Exchange, { isOptional, isFresh }: SessionAccess): StageOutcome {
    const { request } = exchange
    if (comesFromElsewhere(request, site)) return isOptional ? undefined : FROM_ELSEWHERE
    const shown = readSessionCookie(request.header("cookie"))
    if (shown.kind === "unclear") return UNCLEAR_SESSION
    if (shown.kind === "none") return isOptional ? undefined : answerNoSession(site)
    return waitFor(sessions.find(shown.token), found => {
      if (found === null) return isOptional ? undefined : answerNoSession(site)
      if (found.account.isDisabled) return DISABLED_ACCOUNT
      if (isFresh && !found.isFresh) return answerNotFresh(site)
      exchange.session = found
      return undefined
    })
  }

  const authenticate: Stage = exchange => {
    const { access } = rowOf(exchange)
    if (access.kind === "public") return undefined
    if (access.kind === "session") return admitSession(exchange, access)
    const rules = rulesOf(exchange)
    const key = rules.findKey(exchange.request, exchange.rawQuery)
    if (key === null) {
      const isWelcome = access.kind === "open" || (access.kind === "keyless" && keyless.welcomes(exchange.request))
      if (!isWelcome) return rules.answerNoKey(exchange)
      admit(exchange, null)
      return undefined
    }
    const known = accounts.peekCaller(key, exchange.nowMs)
    if (known !== undefined) return admitCaller(exchange, known)
    return waitFor(accounts.findCaller(key), found => admitCaller(exchange, found))
  }

  /** Admits the caller of a key that was shown, or says why not. */
  function admitCaller(exchange: Exchange, caller: Caller | null): StageOutcome {
    const row = rowOf(exchange)
    const rules = rulesOf(exchange)
    if (caller === null) return rules.answerUnknownKey(exchange)
    const refusal = judge(exchange, caller, row)
    if (refusal !== null) return rules.answerKeyRefused(refusal, exchange)
    admit(exchange, caller)
    meter.noteKey(caller.keyId, exchange.nowMs)
    if (caller.replacedAt !== null) exchange.added.push(...listReplacedHeaders(caller.replacedAt, caller.expiresAt))
    if (!caller.isConfirmed && changesAccount(row)) return rules.answerKeyRefused({ kind: "unconfirmed" }, exchange)
    const feature = row.access.kind === "key" ? row.access.feature : undefined
    return feature === undefined || caller.plan.features[feature]
      ? undefined
      : rules.answerPlanTooLow(feature, caller, exchange)
  }

  /** Refuses a language that the caller's plan does not have. */
  const checkLanguage: Stage = exchange => {
    if (!exchange.caller) return undefined
    const language = rowOf(exchange).language?.(exchange.query)
    return language === undefined
      ? undefined
      : (rulesOf(exchange).refuseLanguage(language, exchange.caller) ?? undefined)
  }

  function addLimits(exchange: Exchange, quota: Quota): undefined {
    const { caller, added, nowMs } = exchange
    const rules = rulesOf(exchange)
    if (caller) added.push(...rules.listQuotaHeaders(quota, caller, nowMs))
    else added.push(...(rules.keyless?.listLimitHeaders(quota.limits, nowMs) ?? []))
    exchange.hasLimits = true
    return undefined
  }

  /** Counts an answered question and notifies the listeners. `HEAD` is counted too, because its headers reveal the answer. */
  function conclude(exchange: Exchange, answer: MeteredAnswer, reservation: Reservation | null): Answer {
    const isAnswered = isSuccess(answer)
    if (reservation !== null) {
      if (isAnswered) reservation.commit(answer.charge)
      reservation.release()
      addLimits(exchange, reservation)
    }
    const pair = isAnswered && !exchange.isHead ? rowOf(exchange).tells?.(exchange.question) : undefined
    if (pair !== undefined) activity.record(pair.passport, pair.destination, exchange.nowMs)
    return answer
  }

  /** Answers under a reservation; an exception releases it. */
  function answerUnder(exchange: Exchange, reservation: Reservation | null): StageOutcome {
    let given: MeteredAnswer | Later
    try {
      given = answerQuestion(exchange)
    } catch (cause) {
      reservation?.release()
      throw cause
    }
    if (!(given instanceof Later)) return conclude(exchange, given, reservation)
    exchange.reservation = reservation
    return mapLater(given, outcome => {
      if (outcome !== undefined && "body" in outcome) return conclude(exchange, outcome, reservation)
      reservation?.release()
      return outcome
    })
  }

  /** Counts a change of what is stored for an account, and answers. */
  function answerChange(exchange: Exchange): StageOutcome {
    const { caller, session } = exchange
    // Sessions apart from keys: whoever has stolen a key cannot stop the owner from ending it.
    const counted = signup
      .limit("write", caller ? `key ${caller.accountId}` : `owner ${session?.account.id}`)
      .pipe(Effect.as(null), Effect.catchTag("TriedTooOften", Effect.succeed))
    return waitFor(counted, (refusal): StageOutcome => {
      if (refusal === null) return answerUnder(exchange, null)
      const { retryAfterSeconds } = refusal
      return caller
        ? rulesOf(exchange).answerKeyRefused({ kind: "writes", retryAfterSeconds }, exchange)
        : answerError(429, TOO_MANY_WRITES, ["retry-after", String(retryAfterSeconds)])
    })
  }

  const answerCharged: Stage = exchange => {
    const { caller } = exchange
    if (changesAccount(rowOf(exchange))) return answerChange(exchange)
    const cost = rowOf(exchange).cost?.(exchange.question)
    if (cost === undefined || caller === undefined) return answerUnder(exchange, null)
    if (caller === null) return answerKeyless(exchange, cost)
    const { pool } = rulesOf(exchange)
    const request = { ...cost, pool }
    const settle = (held: NonNullable<ReturnType<typeof meter.reserve>>): StageOutcome => {
      if (held.ok) return answerUnder(exchange, held)
      exchange.hasLimits = true
      return rulesOf(exchange).answerRefusal(held, caller, exchange)
    }
    const held = meter.reserve(caller, request, exchange.nowMs)
    return held === null ? waitFor(meter.reserveLoaded(caller, request), settle) : settle(held)
  }

  /** Charges the client's address, and answers. */
  function answerKeyless(exchange: Exchange, { charge }: Cost): StageOutcome {
    const { request, nowMs } = exchange
    const { keyless } = rulesOf(exchange)
    if (keyless === undefined) throw new Error(`${exchange.known?.path} takes no key, and its surface has no allowance`)
    const client = clients.name(request)
    const asked = { pool: keyless.pool, charge }
    const settle = (held: Reservation | KeylessRefusal): StageOutcome => {
      exchange.hasLimits = true
      if (!held.ok) return keyless.answerRefusal(held, nowMs)
      return answerUnder(exchange, held)
    }
    const held = meter.reserveKeyless(client, asked, nowMs)
    return held === null ? waitFor(meter.reserveKeylessLoaded(client, asked), settle) : settle(held)
  }

  /** Adds the rest of the quota for an authenticated caller, whatever the answer is. */
  const addQuota: Finish = exchange => {
    const { caller, hasLimits, nowMs } = exchange
    if (!caller || hasLimits) return undefined
    const { pool } = rulesOf(exchange)
    const quota = meter.readQuota(caller, nowMs, pool)
    return quota === null
      ? waitFor(meter.loadQuota(caller, pool), loaded => addLimits(exchange, loaded))
      : addLimits(exchange, quota)
  }

  return { recognise, authenticate, checkLanguage, answerCharged, addQuota }
}
