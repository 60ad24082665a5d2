/**
 * May a request be served, and what is left after it?
 *
 * A request reserves everything that it costs before it is answered, all or nothing: requests of one limit or two, distinct items, a token of
 * the second. It is committed for a 2xx answer and released for any other. A team key charges its owner's account. An account without a
 * confirmed address has a few requests in all. Requests without a key are counted by client address: quick checks in a sliding minute in
 * memory, spots and distinct pairs by UTC day in the database, where an address is only a hash that differs every day. What this process
 * holds answers without SQL; where that is not enough the result is null, and the database must be asked.
 */
import { createHmac } from "node:crypto"
import { Clock, Context, Effect, Layer, Scope, Semaphore } from "effect"
import type { Caller } from "../accounts/account.ts"
import { Plans } from "../plans/plans.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { PlanId } from "../settings/feature-options.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { KeyUses, RequestDays, type RequestKind, type WaitingCounts } from "../storage/waiting-counts.ts"
import { secondsUntil, utcDayAt } from "../time/utc-calendar.ts"
import { type Asked, Distinct } from "./distinct.ts"
import {
  type CallerPool,
  type CountedPool,
  describeCount,
  describeDistinct,
  type KeylessPool,
  type Limit,
  POOLS,
  type Quota,
  type Refusal,
  type RefusalReason,
  type Today,
  todayAt,
} from "./limits.ts"
import { type Block, Blocks } from "./request-blocks.ts"

/** How often idle blocks go back, and statistics are saved. */
export const FLUSH_MS = 500
/** After how long without a request an address leaves the memory. */
const KEYLESS_IDLE_MS = 60_000
/** How many addresses are kept in memory at once. */
export const MAXIMUM_ADDRESSES = 100_000
/** The one client that further addresses share when there are too many. */
const CROWD = ""
const CHECK_WINDOW_SECONDS = 60
const PAIRS_LIST = "pairs"

/** The cost of a request: requests, and the destinations (one, or a list) for each passport (one, or a list). */
export interface Charge {
  readonly charge: number
  readonly passport?: string | readonly string[]
  readonly destinations?: string | readonly string[]
  /** The surface whose limits are charged; the visa service by default. */
  readonly pool?: CallerPool
}

/** The cost of a request without a key. */
export interface KeylessCharge {
  readonly pool: KeylessPool
  /** Requests; 1 by default. */
  readonly charge?: number
  /** The distinct pairs that are asked for. */
  readonly pairs?: readonly string[]
}

/** How often one thing was refused. */
export interface RefusalCount {
  readonly pool: CallerPool | KeylessPool
  readonly reason: RefusalReason
  /** The plan, or `none` without a key. */
  readonly plan: PlanId | "none"
  count: number
}

/** Options for tests. */
export interface MeterOptions {
  readonly maximumAddresses?: number
}

/** One limit that a request is charged to. */
interface Due {
  readonly block: Block
  readonly limit: number
}

/** What a request costs, and for whom. */
interface Bill extends Pick<RefusalCount, "pool" | "plan"> {
  readonly today: Today
  /** The limits that count its charge, the deciding one first. */
  readonly dues: readonly Due[]
  readonly charge: number
  /** Its distinct items. */
  readonly asked: Asked | null
  /** The tokens of a lookup. */
  readonly bucket: TokenBucket | null
  /** The key that is charged; null without one. */
  readonly keyId: number | null
}

const asList = (given: string | readonly string[]): readonly string[] => (typeof given === "string" ? [given] : given)

const describeDue = ({ block, limit }: Due): Limit =>
  describeCount(block.pool, block.today, { limit, remaining: block.remaining(limit), firstDay: block.firstDay })

/** A charge that is held for one request. The first call of commit or release counts; later ones do nothing. */
export interface Reservation extends Quota {
  readonly ok: true
  /** Counts the request; `charge` is what it cost, at most what was reserved, which it is by default. */
  readonly commit: (charge?: number) => void
  /** Releases everything: the request was not answered with a 2xx. */
  readonly release: () => void
}

/** Holds a charge; `settle` counts what it cost, or null where nothing was answered. A class, because each request makes one. */
class HeldCharge implements Reservation {
  readonly ok = true
  readonly policy: Limit["policy"]
  readonly limit: number
  readonly windowSeconds: number | null
  readonly renewsAt: number | null
  remaining: number
  #isOpen = true
  readonly #charge: number
  readonly #listLimits: () => readonly Limit[]
  readonly #settle: (charge: number | null) => void

  constructor(
    quota: Limit,
    charge: number,
    listLimits: () => readonly Limit[],
    settle: (charge: number | null) => void,
  ) {
    this.policy = quota.policy
    this.limit = quota.limit
    this.windowSeconds = quota.windowSeconds
    this.renewsAt = quota.renewsAt
    this.remaining = quota.remaining
    this.#charge = charge
    this.#listLimits = listLimits
    this.#settle = settle
  }

  get limits(): readonly Limit[] {
    const { policy, remaining } = this
    return this.#listLimits().map(limit => (limit.policy === policy ? { ...limit, remaining } : limit))
  }

  commit(cost = this.#charge): void {
    this.#close(Math.min(cost, this.#charge))
  }

  release(): void {
    this.#close(null)
  }

  #close(charged: number | null): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.remaining += this.#charge - (charged ?? 0)
    this.#settle(charged)
  }
}

const makeMeter = Effect.fnUntraced(function* ({ maximumAddresses = MAXIMUM_ADDRESSES }: MeterOptions) {
  const storage = yield* Storage
  const plans = yield* Plans
  const addressKey = (yield* DeploymentSecret).deriveKey("visitor address")
  const scope = yield* Scope.Scope
  const blocks = new Blocks(storage, yield* Effect.context<Scope.Scope>())
  const distinct = new Distinct(storage, scope)
  const buckets = new Map<string, TokenBucket>()
  const checks = new RequestWindow({
    limit: plans.keylessChecksPerMinute,
    windowMs: CHECK_WINDOW_SECONDS * 1_000,
    maximumKeys: maximumAddresses,
  })
  const addresses = new Map<string, { readonly subject: string; readonly day: string; readonly usedAt: number }>()
  const keys = new KeyUses()
  const requests = new RequestDays()
  const refusals = new Map<string, RefusalCount>()

  let known = todayAt(0)
  const findToday = (nowMs: number): Today => {
    if (nowMs < known.day.startsAt || nowMs >= known.day.endsAt) known = todayAt(nowMs)
    return known
  }

  const bucketOf = (subject: string, perSecond: number): TokenBucket => {
    const known = buckets.get(subject)
    const bucket = known?.perSecond === perSecond ? known : new TokenBucket(perSecond)
    if (bucket !== known) buckets.set(subject, bucket)
    return bucket
  }

  /** How the database names an address today. */
  const nameAddress = (client: string, today: Today, nowMs: number): string => {
    const name = addresses.has(client) || addresses.size < maximumAddresses ? client : CROWD
    const day = today.day.name
    const address = addresses.get(name)
    // The one that was used last is the last.
    addresses.delete(name)
    if (address?.day === day) {
      addresses.set(name, { ...address, usedAt: nowMs })
      return address.subject
    }
    const subject = createHmac("sha256", addressKey).update(`${day} ${name}`).digest("base64url")
    addresses.set(name, { subject, day, usedAt: nowMs })
    return subject
  }

  function billOf(caller: Caller, request: Charge, nowMs: number): Bill {
    const { charge, pool = "visa", passport, destinations } = request
    const { accountId, keyId, plan } = caller
    const subject = String(accountId)
    const today = findToday(nowMs)
    const paying = caller.isTest ? "test" : pool
    const due = (of: CountedPool): Due => ({
      block: blocks.find(of, subject, today, nowMs),
      limit: POOLS[of].most(plan, plans),
    })
    const cap = plan.destinationsPerPassportAndDay
    // Also with a test key: all keys of an account share its lists of destinations.
    const isGuarded = pool === "visa" && cap !== null && passport !== undefined && destinations !== undefined
    return {
      pool,
      plan: plan.id,
      today,
      dues: caller.isConfirmed ? [due(paying)] : [due("unconfirmed"), due(paying)],
      charge,
      asked: isGuarded ? { subject, lists: asList(passport), items: asList(destinations), cap } : null,
      bucket: paying === "lookup" ? bucketOf(subject, plan.lookup.perSecond) : null,
      keyId,
    }
  }

  function keylessBillOf(client: string, { pool, charge = 1, pairs = [] }: KeylessCharge, nowMs: number): Bill {
    const today = findToday(nowMs)
    const subject = nameAddress(client, today, nowMs)
    const of = { pool, plan: "none", today, charge, bucket: null, keyId: null } as const
    if (pool !== "spots") {
      return { ...of, dues: [], asked: { subject, lists: [PAIRS_LIST], items: pairs, cap: plans.keylessPairsPerDay } }
    }
    const block = blocks.find("keyless", subject, today, nowMs)
    return { ...of, dues: [{ block, limit: plans.keylessSpotsPerDay }], asked: null }
  }

  /** Every limit that a bill is held to: tokens first, then the deciding one. */
  function listLimits({ dues, bucket, asked, today }: Bill, nowMs: number): Limit[] {
    const limits = dues.map(describeDue)
    if (bucket !== null) {
      const { perSecond: limit } = bucket
      const remaining = bucket.count(nowMs)
      limits.unshift({ policy: "second", limit, remaining, windowSeconds: 1, renewsAt: bucket.fullAt(nowMs) })
    }
    if (dues.length === 0 && asked !== null) {
      limits.push(describeDistinct("pairs", asked.cap, distinct.remaining(asked, PAIRS_LIST, today), today))
    }
    return limits
  }

  function quotaOf(bill: Bill, nowMs: number): Quota {
    const limits = listLimits(bill, nowMs)
    return { ...(limits.find(({ policy }) => policy !== "second") as Limit), limits }
  }

  /** Reserves everything of a bill, or says which limit refuses; null if the database must be asked. */
  function hold(bill: Bill, nowMs: number): Reservation | RefusalReason | null {
    const { dues, charge, asked, bucket, keyId, today } = bill
    for (const { block, limit } of dues) {
      const verdict = block.judge(charge, limit, nowMs)
      if (verdict === null) return null
      if (!verdict) return POOLS[block.pool].policy
    }
    const held = asked === null ? undefined : distinct.hold(asked, today, nowMs)
    if (held === null) return null
    if (held === false) return dues.length === 0 ? "pairs" : "anti_abuse"
    if (bucket?.take(nowMs) === false) return "second"
    for (const { block, limit } of dues) blocks.hold(block, charge, limit, nowMs)
    const [deciding] = dues
    return new HeldCharge(
      deciding === undefined ? quotaOf(bill, nowMs) : describeDue(deciding),
      deciding === undefined ? 0 : charge,
      () => listLimits(bill, nowMs),
      charged => {
        for (const { block } of dues) blocks.release(block, charge - (charged ?? 0))
        if (charged !== null && keyId !== null) keys.note(keyId, charged, nowMs)
        if (held === undefined) return
        if (charged === null) distinct.release(held)
        else distinct.commit(held)
      },
    )
  }

  function countRefusal(of: Omit<RefusalCount, "count">): void {
    const name = `${of.pool} ${of.reason} ${of.plan}`
    const counted = refusals.get(name) ?? { ...of, count: 0 }
    refusals.set(name, counted)
    counted.count++
  }

  /** Describes a refusal, and counts it. */
  function refuse(bill: Bill, reason: RefusalReason, nowMs: number): Refusal {
    const { pool, plan, asked, bucket, today } = bill
    countRefusal({ pool, reason, plan })
    const quota = quotaOf(bill, nowMs)
    const cap = reason === "anti_abuse" || reason === "pairs" ? (asked?.cap ?? 0) : null
    const limits =
      reason === "anti_abuse" ? [...quota.limits, describeDistinct("destinations", cap ?? 0, 0, today)] : quota.limits
    const ofLimit = limits.find(({ policy }) => policy === reason)?.renewsAt ?? null
    const ofBucket = reason === "second" ? bucket?.nextTokenAt(nowMs) : undefined
    const renewsAt = cap === null ? (ofBucket ?? ofLimit) : today.day.endsAt
    const retryAfterSeconds = renewsAt === null ? null : secondsUntil(renewsAt, nowMs)
    return { ...quota, limits, ok: false, reason, retryAfterSeconds, destinationsCap: cap }
  }

  /** Reserves everything of a bill, or refuses it; null if the database must be asked. */
  function settle(bill: Bill, nowMs: number): Reservation | Refusal | null {
    const held = hold(bill, nowMs)
    return typeof held === "string" ? refuse(bill, held, nowMs) : held
  }

  /** Counts a quick check without a key, in memory alone. */
  function reserveCheck(client: string, nowMs: number): Reservation | Refusal {
    const retryAfterSeconds = checks.admit(client, nowMs)
    const { remaining, renewsAt } = checks.count(client, nowMs)
    const [policy, limit, windowSeconds] = ["keyless", plans.keylessChecksPerMinute, CHECK_WINDOW_SECONDS] as const
    const quota = { policy, limit, remaining, windowSeconds, renewsAt }
    const limits = [quota]
    if (retryAfterSeconds === 0)
      return new HeldCharge(
        quota,
        0,
        () => limits,
        () => undefined,
      )
    countRefusal({ pool: "checks", reason: policy, plan: "none" })
    return { ...quota, limits, ok: false, reason: policy, retryAfterSeconds, destinationsCap: null }
  }

  /** Asks the database what memory does not know of a bill. */
  const ask = Effect.fnUntraced(function* ({ dues, charge, asked, today }: Bill, nowMs: number) {
    for (const { block, limit } of dues) {
      if (block.judge(charge, limit, nowMs) === null) yield* blocks.ask(block, charge, limit)
    }
    // Nothing is added to a list for a request that another limit refuses.
    if (asked === null || dues.some(({ block, limit }) => block.judge(charge, limit, nowMs) === false)) return
    yield* distinct.ask(asked, today)
  })

  /** Answers from memory; asks the database first when memory does not suffice. */
  const loaded = Effect.fnUntraced(function* <Value>(
    billAt: (nowMs: number) => Bill,
    judge: (bill: Bill, nowMs: number) => Value | null,
  ) {
    for (;;) {
      const nowMs = yield* Clock.currentTimeMillis
      const bill = billAt(nowMs)
      const answer = judge(bill, nowMs)
      if (answer !== null) return answer
      yield* ask(bill, nowMs)
    }
  })

  const quotaBillOf = (caller: Caller, pool: CallerPool) => (nowMs: number) =>
    billOf(caller, { pool, charge: 0 }, nowMs)

  /** What is left, where memory knows it. */
  const findQuota = (bill: Bill, nowMs: number): Quota | null =>
    bill.dues.every(({ block }) => block.isKnown) ? quotaOf(bill, nowMs) : null

  const saving = Semaphore.makeUnsafe(1)

  /** Saves counts that decide nothing, those that are being saved already first; they wait on where they cannot be saved. */
  const saveWaiting = <Row>(
    waiting: WaitingCounts<Row>,
    write: (rows: readonly Row[]) => Effect.Effect<void, Unavailable>,
  ) =>
    Effect.suspend(() => {
      const { rows, putBack } = waiting.take()
      if (rows.length === 0) return Effect.void
      return storage.transact(write(rows), { isDurable: false }).pipe(Effect.onError(() => Effect.sync(putBack)))
    }).pipe(saving.withPermits(1))

  const save = (which?: (block: Block) => boolean) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      yield* blocks.giveBack(nowMs, which)
      yield* distinct.giveBack(findToday(nowMs))
      yield* saveWaiting(keys, storage.keys.addUse)
      yield* saveWaiting(requests, storage.requestDays.add)
    })
  const flush = save(() => true)

  const tick = Effect.gen(function* () {
    yield* save()
    const nowMs = yield* Clock.currentTimeMillis
    for (const [subject, bucket] of buckets) if (bucket.fullAt(nowMs) <= nowMs) buckets.delete(subject)
    for (const [client, { usedAt }] of addresses) {
      if (Math.abs(nowMs - usedAt) <= KEYLESS_IDLE_MS) break
      addresses.delete(client)
    }
  })

  // Everything goes back when the scope ends, after the last request and before the database closes.
  yield* Effect.addFinalizer(() => new OutageLog("the last usage could not be saved").watch(flush))
  const outages = new OutageLog("usage could not be saved; it is kept and saved with the next")
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(FLUSH_MS), outages.watch(tick))))

  return {
    /** Reserves a charge at an instant, without SQL; null where memory does not suffice: ask `reserveLoaded`. */
    reserve: (caller: Caller, request: Charge, nowMs: number) => settle(billOf(caller, request, nowMs), nowMs),
    /** Reserves a charge now; asks the database first where that is needed. */
    reserveLoaded: (caller: Caller, request: Charge) => loaded(nowMs => billOf(caller, request, nowMs), settle),
    /** Returns what a caller has left at an instant, without SQL; null if memory is not enough: use `loadQuota`. */
    readQuota: (caller: Caller, nowMs: number, pool: CallerPool = "visa") =>
      findQuota(quotaBillOf(caller, pool)(nowMs), nowMs),
    /** Returns what a caller has left now. */
    loadQuota: (caller: Caller, pool: CallerPool = "visa") => loaded(quotaBillOf(caller, pool), findQuota),
    /** Reserves for a client address without a key, without SQL; null where memory does not suffice: ask `reserveKeylessLoaded`. */
    reserveKeyless: (client: string, request: KeylessCharge, nowMs: number) =>
      request.pool === "checks" ? reserveCheck(client, nowMs) : settle(keylessBillOf(client, request, nowMs), nowMs),
    /** Reserves for a client address now. */
    reserveKeylessLoaded: (client: string, request: KeylessCharge) =>
      request.pool === "checks"
        ? Effect.map(Clock.currentTimeMillis, nowMs => reserveCheck(client, nowMs))
        : loaded(nowMs => keylessBillOf(client, request, nowMs), settle),
    /** Counts an answered request of an account. */
    noteRequest: (accountId: number, kind: RequestKind, nowMs: number) =>
      requests.note(accountId, kind, utcDayAt(nowMs)),
    /** Notes that a key was used for something that may cost nothing. */
    noteKey: (keyId: number, nowMs: number) => keys.note(keyId, 0, nowMs),
    /** Gives back what this process holds of an account, so that the database has what was used. */
    giveBackOf: (accountId: number) => save(({ count }) => count.subject === String(accountId)),
    /** Gives back everything that this process holds, and saves the statistics. What fails is done with the next. */
    flush,
    readState: () => {
      const { limits, held } = blocks.measure()
      return {
        /** Limits in memory, and requests that may be served without the database. */
        loadedLimits: limits,
        heldRequests: held,
        loadedAddresses: addresses.size,
        flushFailures: outages.failures,
        refusals: [...refusals.values()].map(count => ({ ...count })),
      }
    },
  }
})

/** What operators see of it. */
export type MeterState = ReturnType<Meter["Service"]["readState"]>

export class Meter extends Context.Service<Meter>()("landfall/metering/Meter", { make: makeMeter }) {
  static readonly layerWith = (options: MeterOptions) => Layer.effect(Meter, makeMeter(options))

  /** {@link layerWith} with the usual options. */
  static readonly layer = Meter.layerWith({})
}

// Is a caller asking too fast?
// Two limits that need no database: a bucket of tokens for a second, and a sliding window. Nothing is stored: each process has its own, and
// they begin full with it.

const PARTS = 1_000

/** The tokens of one caller. Times are epoch milliseconds. Each millisecond refills a part of a token for each token a second, so parts are whole numbers. */
class TokenBucket {
  readonly perSecond: number
  #missing = 0
  #countedAt = 0

  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /** Takes a token and says whether there was one. */
  take(nowMs: number): boolean {
    const missing = this.#missingAt(nowMs)
    const isThere = missing + PARTS <= this.perSecond * PARTS
    this.#countedAt = nowMs
    this.#missing = isThere ? missing + PARTS : missing
    return isThere
  }

  /** How many whole tokens there are. */
  count(nowMs: number): number {
    return this.perSecond - Math.ceil(this.#missingAt(nowMs) / PARTS)
  }

  /** When there is a token, if there is none now; an epoch millisecond. */
  nextTokenAt(nowMs: number): number {
    return nowMs + this.#timeToRefillMs(this.#missingAt(nowMs) + PARTS - this.perSecond * PARTS)
  }

  /** When the bucket is full; an epoch millisecond. */
  fullAt(nowMs: number): number {
    return nowMs + this.#timeToRefillMs(this.#missingAt(nowMs))
  }

  // A clock that was set back refills nothing.
  #missingAt(nowMs: number): number {
    return Math.max(0, this.#missing - Math.max(0, nowMs - this.#countedAt) * this.perSecond)
  }

  #timeToRefillMs(parts: number): number {
    return Math.max(0, Math.ceil(parts / Math.max(1, this.perSecond)))
  }
}

/** Times of requests by key. Times are epoch milliseconds. */
export class RequestWindow {
  readonly #limit: number
  readonly #windowMs: number
  readonly #maximumKeys: number
  readonly #admitted = new Map<string, number[]>()

  constructor(options: { readonly limit: number; readonly windowMs: number; readonly maximumKeys: number }) {
    this.#limit = options.limit
    this.#windowMs = options.windowMs
    this.#maximumKeys = options.maximumKeys
  }

  /** Admits a request and returns 0, or returns the whole seconds until the next one is admitted. */
  admit(key: string, nowMs: number): number {
    const times = this.#listTimes(key, nowMs)
    if (times.length >= this.#limit) {
      return secondsUntil((times[0] ?? nowMs) + this.#windowMs, nowMs)
    }
    times.push(nowMs)
    // A map keeps the order of insertion: the key admitted last is at the end.
    this.#admitted.delete(key)
    this.#admitted.set(key, times)
    for (const [quietest, its] of this.#admitted) {
      const isOver = (its.at(-1) ?? Number.NEGATIVE_INFINITY) <= nowMs - this.#windowMs
      if (!isOver && this.#admitted.size <= this.#maximumKeys) break
      this.#admitted.delete(quietest)
    }
    return 0
  }

  /** How many requests a key still has, and when it gets one more (an epoch millisecond; null when none is spent). */
  count(key: string, nowMs: number): { readonly remaining: number; readonly renewsAt: number | null } {
    const times = this.#listTimes(key, nowMs)
    const [first] = times
    return {
      remaining: Math.max(0, this.#limit - times.length),
      renewsAt: first === undefined ? null : first + this.#windowMs,
    }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#admitted.size
  }

  #listTimes(key: string, nowMs: number): number[] {
    const times = this.#admitted.get(key) ?? []
    while (times.length > 0 && times[0]! <= nowMs - this.#windowMs) times.shift()
    return times
  }
}
