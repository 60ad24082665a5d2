/**
 * How does the service answer without a server: at the edge, in a worker, in a browser's service worker?
 *
 * It has the rows that need no state, as a WHATWG fetch handler without Node, Effect or a database: scores, comparisons, groups,
 * itineraries, statistics, and the records of one language if the host provides them. The host decides who may call, and how often. Bodies
 * are those of the whole service, byte for byte. Accounts, counts and deliveries are not part of it.
 */

import type { Dataset } from "../../../src/engine.ts"
import type { Language, LocalisedFacts, Plan } from "../../../src/full.ts"
import { makeTodayView } from "../../answers/today.ts"
import { upgradeUrl } from "../../settings/site-links.ts"
import { type Cost, type EdgeRow, EndpointTable } from "../pipeline/endpoint.ts"
import { after, answerJson, NOT_STORED } from "../pipeline/http-message.ts"
import {
  type Exchange,
  type Gate,
  type LocalisedFactsSource,
  makePipeline,
  type Reserved,
} from "../pipeline/pipeline.ts"
import { check, compare, decision, group, score, stats, visa } from "../routes/visa/visa-endpoints.ts"
import { makeFetchHandler } from "./fetch-host.ts"

/** A host's answer to a caller who may not call, or has called too often. */
export interface EdgeRefusal {
  readonly status: number
  /** Sent as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A caller whom the host admits. */
export interface EdgeCaller {
  /** The plan that determines the fields of a record. */
  readonly plan: Plan
  /** Counts a question before it is answered; a refusal is sent instead of the answer. */
  readonly spend?: (cost: Cost) => EdgeRefusal | null | Promise<EdgeRefusal | null>
}

/** The decisions of a host. */
export interface EdgeOptions {
  /** The address under which clients reach the handler, without a slash at its end. */
  readonly publicUrl: string
  /** Decides whether a caller may call. It is called before anything else is read, with the name of the endpoint. */
  readonly allow: (
    request: EdgeRequest,
    endpoint: string,
  ) => EdgeCaller | EdgeRefusal | Promise<EdgeCaller | EdgeRefusal>
  /** The embedded one when absent; it is a chunk of its own, loaded at the first request. */
  readonly dataset?: Dataset
  /** Records of one language; without them `/visa` and `/visa/check` do not exist. */
  readonly records?: EdgeRecords
  /** Milliseconds since 1970; the runtime's clock when absent. */
  readonly now?: () => number
  /** Called with internal faults, which clients are not shown. */
  readonly reportFault?: (cause: unknown, requestId: string) => void
}

/** A request as the host sees it. */
export interface EdgeRequest {
  readonly method: string
  readonly path: string
  readonly header: (name: string) => string | undefined
  readonly address: string | undefined
}

/** The records of one language, as {@link edgeRecords} makes them. */
export interface EdgeRecords {
  readonly language: Language
}

/** The rows that need nothing but a dataset. A row that needs a service is refused here by its type. */
const EDGE_ROWS: readonly EdgeRow[] = [stats, score, compare, group, decision]

/** The rows of records, and the loader of their messages. */
interface RecordRows {
  readonly rows: readonly EdgeRow[]
  readonly localisedFacts: LocalisedFactsSource
}

// Kept in a map, so that rows and their types are not visible to hosts.
const rowsOf = new WeakMap<EdgeRecords, RecordRows>()

/**
 * Provides the records of one language.
 *
 * @example
 * ```ts
 * edgeRecords("en", dataset => loadLocalisedFacts(dataset, "en")).language // => "en"
 * ```
 */
export function edgeRecords(language: Language, load: (dataset: Dataset) => Promise<LocalisedFacts>): EdgeRecords {
  const localisedFacts = new WeakMap<Dataset, LocalisedFacts>()
  const records: EdgeRecords = Object.freeze({ language })
  rowsOf.set(records, {
    rows: [check, visa],
    localisedFacts: {
      peek: dataset => localisedFacts.get(dataset),
      load: async dataset => {
        const localised = await load(dataset)
        localisedFacts.set(dataset, localised)
        return localised
      },
    },
  })
  return records
}

function findRows(records: EdgeRecords | undefined): RecordRows | undefined {
  if (records === undefined) return undefined
  const found = rowsOf.get(records)
  if (found === undefined) throw new TypeError("records: what edgeRecords gives is expected.")
  return found
}

const isRefusal = (given: EdgeCaller | EdgeRefusal): given is EdgeRefusal => "status" in given

function answerRefusal({ status, body, headers = {} }: EdgeRefusal) {
  const list = Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value])
  return answerJson(status, body, [...NOT_STORED, ...list])
}

/** The fetch handler. */
export type EdgeHandler = (request: Request, clientAddress?: string) => Promise<Response>

/**
 * Makes the handler: `export default { fetch: createEdgeHandler({ publicUrl, allow }) }`.
 *
 * Throws a `TypeError` where `records` was not made by {@link edgeRecords}.
 *
 * @example
 * ```ts
 * const handle = createEdgeHandler({ publicUrl: "https://visa.example", allow: () => ({ plan: "pro" }) })
 * const answer = await handle(new Request("https://visa.example/api/v1/visa/score?passport=JPN"))
 * answer.status // => 200
 * ```
 */
export function createEdgeHandler(options: EdgeOptions): EdgeHandler {
  const recordRows = findRows(options.records)
  let starting: Promise<EdgeHandler> | undefined
  const start = async () => {
    const dataset = options.dataset ?? (await import("../../../src/embedded.ts")).embeddedDataset()
    return makeHandler(dataset, options, recordRows)
  }
  return async (request, clientAddress) => {
    // A chunk that could not be fetched is requested again later.
    starting ??= start().catch((cause: unknown) => {
      starting = undefined
      throw cause
    })
    return (await starting)(request, clientAddress)
  }
}

const NOTHING_RESERVED: Reserved = { conclude: answer => answer, release: () => {} }

function makeHandler(dataset: Dataset, options: EdgeOptions, recordRows: RecordRows | undefined): EdgeHandler {
  const { allow, records, now = Date.now } = options
  const publicUrl = options.publicUrl.replace(/(?<!\/)\/+$/, "")
  const today = makeTodayView(() => dataset)
  const spenders = new WeakMap<Exchange, EdgeCaller["spend"]>()

  const gate: Gate = {
    checkKey: exchange => {
      const { request, row } = exchange
      const seen: EdgeRequest = {
        method: request.method,
        path: request.path,
        header: name => request.header(name.toLowerCase()),
        address: request.socketAddress,
      }
      return after(allow(seen, row.name), allowed => {
        if (isRefusal(allowed)) return answerRefusal(allowed)
        exchange.plan = allowed.plan
        spenders.set(exchange, allowed.spend)
        return undefined
      })
    },
    /** A language without records here is an invalid parameter. */
    checkLanguage: exchange => {
      const { language } = exchange
      if (language === undefined || language === records?.language) return undefined
      const message = `Expected ${records?.language}, the only language that is answered in here, got "${language}"`
      return exchange.refuse({ kind: "bad_request", issues: [{ path: "lang", message }] })
    },
    reserve: exchange => {
      const { cost } = exchange
      const spent = cost === undefined ? null : (spenders.get(exchange)?.(cost) ?? null)
      return after(spent, refusal => (refusal === null ? NOTHING_RESERVED : answerRefusal(refusal)))
    },
  }

  const pipeline = makePipeline({
    table: new EndpointTable([...EDGE_ROWS, ...(recordRows?.rows ?? [])]),
    services: {},
    readNowMs: now,
    today,
    readUpgradeUrl: () => upgradeUrl({ publicUrl }),
    gate,
    ...(recordRows === undefined ? {} : { localisedFacts: recordRows.localisedFacts }),
    reportFault: (cause, requestId) => {
      options.reportFault?.(cause, requestId)
      return { kind: "fault" }
    },
  })
  return makeFetchHandler(pipeline)
}
