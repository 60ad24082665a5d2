/**
 * How does a program call the lookup of a service?
 *
 * `fetch` and nothing else, for any JavaScript runtime. A request that failed for a temporary reason (a limit of the second, a fault, a broken connection) is sent again under the same
 * `Idempotency-Key`, so that it is answered and paid for once. Every refusal is a `LookupError` with the code that the service gave it.
 */
import type { CountryRecord, HistoryRecord, LookupResult, Purpose, ZoneRecord } from "../answers/lookup-answer.ts"

export type { HistoryRecord, LookupResult, Purpose, ZoneRecord }

/** The address of the service, and the key. */
export interface LookupClientOptions {
  /** Where the service is reached, for example `https://visa.example`. */
  readonly baseUrl: string
  /** A key with the scope `lookup`. */
  readonly apiKey: string
  /** How often a request is sent again; 2 by default. */
  readonly maximumRetries?: number
  /** How long one attempt may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number
  /** The runtime's own by default. */
  readonly fetch?: typeof fetch
}

/** One question. */
export interface LookupRequest {
  /** The issuer's code. */
  readonly passport: string
  /** The code of the territory entered. */
  readonly destination: string
  /** What the visit is for; `tourism` by default. */
  readonly purpose?: Purpose
  /** The intended stay in days; `notes` say if it is too long. */
  readonly stayDays?: number
  /** A BCP 47 tag. */
  readonly locale?: string
}

/** Options that end a call early. */
export interface CallOptions {
  /** Ends the call, also while it waits to ask again. */
  readonly signal?: AbortSignal
}

/**
 * The error of a call: the service's own code, `network` if it did not answer, or `unreadable` if the answer was not the service's.
 *
 * @example
 * ```ts
 * const failed = new LookupError("The service answered 404.", { code: "not_found", status: 404 })
 * failed.code // => "not_found"
 * ```
 */
export class LookupError extends Error {
  override readonly name = "LookupError"
  readonly code: string
  /** Null where there was no answer. */
  readonly status: number | null
  /** The parameter or header of the error, if there is one. */
  readonly param: string | null
  readonly requestId: string | null

  constructor(
    message: string,
    given: {
      readonly code: string
      readonly status: number | null
      readonly param?: string | null
      readonly requestId?: string | null
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: given.cause })
    this.code = given.code
    this.status = given.status
    this.param = given.param ?? null
    this.requestId = given.requestId ?? null
  }
}

/** Asks the lookup. */
export interface LookupClient {
  /** Looks up the requirement of a pair. Rejects with {@link LookupError}. */
  readonly lookup: (request: LookupRequest, options?: CallOptions) => Promise<LookupResult>
  /** Lists the passports that the service knows. Rejects with {@link LookupError}. */
  readonly listPassports: (locale?: string, options?: CallOptions) => Promise<readonly CountryRecord[]>
  /** Lists the destinations that the service knows. Rejects with {@link LookupError}. */
  readonly listDestinations: (locale?: string, options?: CallOptions) => Promise<readonly CountryRecord[]>
  /** Lists the zones whose members share an allowance. Rejects with {@link LookupError}. */
  readonly listZones: (options?: CallOptions) => Promise<readonly ZoneRecord[]>
  /** Lists how a pair has changed. Rejects with {@link LookupError}. */
  readonly listHistory: (
    request: Pick<LookupRequest, "passport" | "destination" | "locale">,
    options?: CallOptions,
  ) => Promise<HistoryRecord>
}

/** The version whose answers have the types that are given here. */
const VERSION = "2026-10-01"
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30_000

const passes = (status: number, code: string): boolean =>
  status === 429 || status >= 500 || code === "idempotency_key_in_use"

/** Waits, or rejects as soon as a signal says so. */
function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })
}

async function readError(response: Response): Promise<LookupError> {
  const { status } = response
  const requestId = response.headers.get("x-request-id")
  try {
    const { error } = (await response.json()) as {
      error: { code: string; message: string; param?: string; request_id: string }
    }
    const { code, message, param = null, request_id } = error
    return new LookupError(message, { code, status, param, requestId: request_id })
  } catch (cause) {
    return new LookupError(`The service answered ${status}.`, { code: "unreadable", status, requestId, cause })
  }
}

/**
 * Makes a client. Throws a `TypeError` for settings without a `baseUrl`.
 *
 * @example
 * ```ts
 * const fetch = async () => Response.json({ requirement: "visa_free" })
 * const client = makeLookupClient({ baseUrl: "https://visa.example", apiKey: "key", fetch })
 * (await client.lookup({ passport: "FRA", destination: "JPN" })).requirement // => "visa_free"
 * ```
 */
export function makeLookupClient(settings: LookupClientOptions): LookupClient {
  try {
    return makeClient(settings)
  } catch (cause) {
    throw new TypeError("makeLookupClient takes settings with a `baseUrl`.", { cause })
  }
}

function makeClient(settings: LookupClientOptions): LookupClient {
  const { apiKey, maximumRetries = 2, timeoutMs = 10_000 } = settings
  const send = settings.fetch ?? globalThis.fetch
  const base = settings.baseUrl.replace(/(?<!\/)\/+$/, "")

  /** One attempt: the body, or the error and the least wait before the next attempt. */
  async function attempt(url: string, headers: Record<string, string>, signal: AbortSignal | undefined) {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(url, {
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      if (response.ok) return { body: await response.json() } as const
      const error = await readError(response)
      const waitMs = Number(response.headers.get("retry-after") ?? 0) * 1_000
      return { error, isPassing: passes(response.status, error.code), waitMs } as const
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      const message = limit.aborted
        ? `No answer came within ${timeoutMs} milliseconds.`
        : "The service cannot be reached."
      return {
        error: new LookupError(message, { code: "network", status: null, cause }),
        isPassing: true,
        waitMs: 0,
      } as const
    }
  }

  async function ask(
    path: string,
    parameters: Readonly<Record<string, string | number | undefined>>,
    { signal }: CallOptions = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
    const headers = { authorization: `Bearer ${apiKey}`, "svc-version": VERSION, ...more }
    for (let tried = 0; ; tried++) {
      const outcome = await attempt(`${base}${path}?${query}`, headers, signal)
      if ("body" in outcome) return outcome.body
      if (!outcome.isPassing || tried >= maximumRetries || outcome.waitMs > LONGEST_WAIT_MS) throw outcome.error
      // Spread out, so that clients that failed together do not retry together.
      const backoff = FIRST_WAIT_MS * 2 ** tried * (0.5 + Math.random())
      await wait(Math.max(backoff, outcome.waitMs), signal)
    }
  }

  return {
    lookup: async ({ passport, destination, purpose, stayDays, locale }, options) => {
      const parameters = { passport, destination, purpose, stay_days: stayDays, locale }
      const name = { "idempotency-key": crypto.randomUUID() }
      return (await ask("/visa", parameters, options, name)) as LookupResult
    },
    listPassports: async (locale, options) =>
      ((await ask("/passports", { locale }, options)) as { passports: readonly CountryRecord[] }).passports,
    listDestinations: async (locale, options) =>
      ((await ask("/destinations", { locale }, options)) as { destinations: readonly CountryRecord[] }).destinations,
    listZones: async options => ((await ask("/zones", {}, options)) as { zones: readonly ZoneRecord[] }).zones,
    listHistory: async ({ passport, destination, locale }, options) =>
      (await ask("/policies/history", { passport, destination, locale }, options)) as HistoryRecord,
  }
}
