/**
 * What is an endpoint?
 *
 * It is one row: its path, who may call it, its input, its cost, and the function that answers. Everything else follows from the row:
 * routing, decoding, refusals, metering, `Allow` and preflight answers, the reference, the known paths. A row does not depend on a server
 * or on Effect, so the same row works behind every host and at the edge. Only its description for the reference uses schemas.
 */
import type { Context, Effect, Schema } from "effect"
import type { Dataset } from "../../../src/engine.ts"
import type { Language, LocalisedFacts, Plan } from "../../../src/full.ts"
import type { Caller } from "../../accounts/account.ts"
import type { AccountNotFound, FirstKey, NoSuchKey, StillSubscribed, TooManyKeys } from "../../accounts/accounts.ts"
import type { TriedTooOften } from "../../accounts/attempts.ts"
import type { KeyMode, Scope } from "../../accounts/key-limits.ts"
import type { SignedIn } from "../../accounts/sessions.ts"
import type { NoMail } from "../../accounts/signup.ts"
import type { CheckoutRefused, NoCustomer, NotSold } from "../../billing/billing.ts"
import type { EventNotSigned, ProviderAway } from "../../billing/stripe-port.ts"
import type { Feature } from "../../plans/plans.ts"
import type { TooManyDevices } from "../../push/devices.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { type RequestIssue, readWhole, sayExpected } from "../../validation/fields.ts"
import type { NoSuchWebhook, TooManyWebhooks } from "../../webhooks/webhooks.ts"
import type { Answer, Deprecation, RawQuery, ServiceRequest, Soon } from "./http-message.ts"

/** The parts of the service, each with its own way to read a key, to name its limits and to report errors. */
export type SurfaceName = "visa" | "lookup" | "spots" | "operations"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/**
 * Who may call.
 * - `public`: everybody; a key is ignored.
 * - `key`: callers with a key, of a plan with the named feature, and with the named scope or that of the surface; only test keys or only
 *   live ones if a mode is named.
 * - `keyless`: callers with a key, and without one those whom the keyless rules admit.
 * - `open`: everybody, on the quota of a key if there is one, otherwise on the allowance of the client's address.
 * - `session`: signed-in users, from the service's own pages or a program. If it is optional, everybody, and a session is recognised. If it
 *   has to be fresh, users who have followed a link within the hour.
 */
export type Access =
  | { readonly kind: "public" }
  | { readonly kind: "key"; readonly feature?: Feature; readonly scope?: Scope; readonly mode?: KeyMode }
  | { readonly kind: "keyless" }
  | { readonly kind: "open" }
  | { readonly kind: "session"; readonly isOptional?: true; readonly isFresh?: true }

/** Whether a row looks for keys. */
export const takesKey = ({ kind }: Access): boolean => kind !== "public" && kind !== "session"

/** Whether a row changes what is stored for an account and is not charged: such changes are counted by the hour. */
export const changesAccount = ({ method, cost, access }: Pick<Endpoint, "method" | "cost" | "access">): boolean =>
  method !== "GET" && cost === undefined && (access.kind === "key" || access.kind === "session")

/** Whether a client may repeat a row under an `Idempotency-Key`: each POST that charges a key or changes something for its account. */
export const isRepeatable = ({ method, access, isRepeatable: isDeclared }: Endpoint): boolean =>
  (method === "POST" && takesKey(access)) || isDeclared === true

/** Whether the answers of a row have an `ETag`: those that are charged, that are kept for others, or that say so. */
export const hasValidator = ({ method, cost, keepAs, isValidated }: Endpoint): boolean =>
  method === "GET" && (cost !== undefined || keepAs !== undefined || isValidated === true)

const SCOPE_OF_SURFACE: Readonly<Record<SurfaceName, Scope>> = {
  visa: "visa",
  lookup: "lookup",
  spots: "spots",
  operations: "visa",
}

/** The scope that a key needs for a row. */
export const scopeOf = ({ access, surface }: Pick<Endpoint, "access" | "surface">): Scope =>
  (access.kind === "key" ? access.scope : undefined) ?? SCOPE_OF_SURFACE[surface]

/** The cost of a question, and its pairs, which the guard against harvesting counts. */
export interface Cost {
  readonly charge: number
  readonly passport?: string | readonly string[]
  readonly destinations?: string | readonly string[]
}

/** The input of an answer besides the question. */
export interface AnswerContext {
  readonly request: ServiceRequest
  readonly requestId: string
  readonly nowMs: number
  /** The dataset as it is on the day of the request. */
  readonly dataset: Dataset
  /** Facts, missions and messages of the language that the row has named; null where it names none. */
  readonly localised: LocalisedFacts | null
  /** The caller of the key; null without one, undefined if keys are not read. */
  readonly caller: Caller | null | undefined
  /** The plan of the caller; null without a key. */
  readonly plan: Plan | null
  /** The signed-in user; null if nobody is, or if sessions are not read. */
  readonly session: SignedIn | null
  /** The page that sells better plans. */
  readonly upgradeUrl: string
  /** Goes on at once, or after others if this request has run for some milliseconds: work that may take longer calls it between its pieces. */
  readonly giveWay: () => Soon<void>
  /** Runs an effect, which is interrupted when the client leaves. If it fails, the pipeline answers. */
  readonly run: <Value>(work: Effect.Effect<Value, unknown>) => Promise<Value>
}

/** Services by the names that rows use; one name means one service in all rows. */
export type Needs = Readonly<Record<string, Context.Key<unknown, unknown>>>
export type NoNeeds = Readonly<Record<never, never>>

/** The services of some needs, by the same names. */
export type Given<N extends Needs> = { readonly [Name in keyof N]: N[Name]["Service"] }

/** The input of a row with needs. */
export type ContextOf<N extends Needs> = AnswerContext & Given<N>

/** The services that rows need, as Effect counts them: never, where none needs any. */
export type NeedsOf<Of> = Of extends { readonly needs?: infer N } ? IdOf<NonNullable<N>[keyof NonNullable<N>]> : never
type IdOf<Key> = Key extends Context.Key<infer Id, unknown> ? Id : never

/** A question that was read, or the answer that refuses it. */
export type ReadQuestion<Question> =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly answer: Soon<Answer> }

/** What is not done for an account, and has one answer everywhere. */
export type Refused =
  | (AccountNotFound | FirstKey | NoSuchKey | StillSubscribed | TooManyKeys)
  | (CheckoutRefused | EventNotSigned | NoCustomer | NoMail | NotSold | ProviderAway)
  | (NoSuchWebhook | TooManyDevices | TooManyWebhooks)

/** What a row answers: what is known at once, or work that the pipeline runs. It answers for what the work fails with. */
export type RowAnswer = Soon<MeteredAnswer> | Effect.Effect<MeteredAnswer, TriedTooOften | Refused | Unavailable>

/** An answer that may state its cost, if that is less than the reserved one. */
export type MeteredAnswer = Answer & { readonly charge?: number }

/** How the reference describes a row. What its parameters, its fields and the checks of every request say is not repeated. */
export interface Words {
  readonly summary: string
  readonly description?: string
  /** Parameters that are listed but not read. */
  readonly ignores?: ParameterTable
  /** Headers that change the answer. */
  readonly headers?: Readonly<Record<string, ParameterDocument>>
  /** Headers of its answers, beyond those of every answer, by status. */
  readonly sends?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** The body that it reads, with an example, if its fields are not a table. */
  readonly payload?: Schema.Top
  readonly example?: unknown
  /** The bodies of its answers. */
  readonly success?: Schema.Top | readonly Schema.Top[]
  /** What it refuses itself: statuses that do not follow from the rest of the row, and bodies that are not those of every such status. */
  readonly errors?: readonly (ErrorStatus | Schema.Top)[]
}

/** The statuses of refusals whose bodies have one form on a surface. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 416 | 429 | 500 | 503

/** One row of the table. `Question` is the decoded query, unless the row reads more. */
export interface Endpoint<Query = unknown, Question = unknown> extends Partial<Words> {
  /** Its name in the reference, and so in generated clients. */
  readonly name: string
  readonly method: Method
  /** The path, with `:name` for a segment that is a parameter. */
  readonly path: `/${string}`
  /** The paths of this row, if other paths of the same form do not exist; those are answered like unknown paths. */
  readonly pathFits?: RegExp
  readonly surface: SurfaceName
  readonly access: Access
  /** The parameters of its query, and those that its path names. */
  readonly parameters: ParameterTable
  /** The services that it uses to read the question and to answer it; a row without any answers at the edge too. */
  readonly needs?: Needs
  /** Whether it reads a body, which `read` gets as text. */
  readonly takesBody?: true
  /** The fields of its body, if they are texts by name. */
  readonly fields?: ParameterTable
  /** The largest body for a row that reads it as a stream; see `ServiceRequest.openBody`. */
  readonly uploadBytes?: number
  /** Whether an answer may have megabytes: a host makes few of them at the same time. */
  readonly isLarge?: true
  /** Whether a client may repeat it under an `Idempotency-Key` and get the first answer, although it is no POST. */
  readonly isRepeatable?: true
  /** Whether its answers have a validator, although they cost nothing and are not kept. */
  readonly isValidated?: true
  readonly deprecation?: Deprecation
  /** The language whose messages must be loaded before it can answer. */
  language?(query: Query): Language
  /** Reads the question, if it is more than the query. */
  read?(given: { readonly query: Query; readonly body: string }, context: AnswerContext): ReadQuestion<Question>
  /** The cost of the question; absent for none. */
  cost?(question: Question): Cost
  /** The name under which a 200 may be kept for the dataset of the day: everything that the answer depends on. */
  keepAs?(question: Question, context: AnswerContext): string | undefined
  /** The pair that the live stream reports. */
  tells?(question: Question): { readonly passport: string; readonly destination: string }
  answer(question: Question, context: AnswerContext): RowAnswer
}

/** A row with the needs that are known of it. */
export type RowWith<N extends Needs> = Omit<Endpoint, "needs"> & { readonly needs?: N }

/** A row that needs no service. */
export type EdgeRow = RowWith<Readonly<Record<string, never>>>

/** How a row with needs reads and answers a question. */
export interface Answering<Query, Question, N extends Needs> {
  readonly needs?: N
  read?(given: { readonly query: Query; readonly body: string }, context: ContextOf<NoInfer<N>>): ReadQuestion<Question>
  answer(question: Question, context: ContextOf<N>): RowAnswer
}

/** A row whose parameters and needs are known to the type system. */
export type Row<Table extends ParameterTable, Question, N extends Needs = NoNeeds> = Omit<
  Endpoint<ValuesOf<Table>, Question>,
  "parameters" | keyof Answering<unknown, unknown, NoNeeds>
> &
  Answering<ValuesOf<Table>, Question, N> & { readonly parameters: Table }

/**
 * Defines a row by its request line, such as `GET /api/v1/visa/score`, and by everything else; the types of its question follow from its
 * parameters, of which it has none if none are given.
 */
export function endpoint<
  const Table extends ParameterTable = NoNeeds,
  Question = ValuesOf<Table>,
  const N extends Needs = NoNeeds,
>(
  requestLine: `${Method} /${string}`,
  row: Omit<Row<Table, Question, N>, "method" | "path" | "parameters"> & { readonly parameters?: Table },
): Row<Table, Question, N> {
  const [method, path] = requestLine.split(" ") as [Method, `/${string}`]
  return { parameters: {}, ...row, method, path } as Row<Table, Question, N>
}

// Which endpoint does a request belong to?
// Rows are found by path and method with one look into a map, and by their segments if a path has parameters. 404, 405, `Allow`, preflight
// answers and the labels of the metrics come from here, so they agree.

export interface KnownPath {
  /** The path as defined, with `:name` for a parameter. */
  readonly path: string
  readonly surface: SurfaceName
  /** Every method that it answers, `HEAD` and `OPTIONS` too. */
  readonly allow: string
  /** The row of a method; `HEAD` is answered by the row of `GET`. */
  readonly byMethod: ReadonlyMap<string, Endpoint>
  /** Its segments where some of them are parameters; null where none is. */
  readonly segments: readonly string[] | null
  /** The form of the whole path, if it does not accept every value. */
  readonly fits: RegExp | undefined
  readonly deprecation: Deprecation | undefined
}

const splitPath = (path: string): string[] => path.split("/")

const fits = (segments: readonly string[], pattern: readonly string[]): boolean =>
  segments.length === pattern.length &&
  pattern.every((segment, at) => (segment.startsWith(":") ? segments[at] !== "" : segment === segments[at]))

/**
 * Reads the parameters that are in a path. Nothing is decoded.
 *
 * @example
 * ```ts
 * readPathValues(["", "spots", ":id"], "/spots/aachen-cathedral") // => {"id": "aachen-cathedral"}
 * ```
 */
export function readPathValues(segments: readonly string[], path: string): Readonly<Record<string, string>> {
  const given = splitPath(path)
  const values: Record<string, string> = {}
  segments.forEach((segment, at) => {
    if (segment.startsWith(":")) values[segment.slice(1)] = given[at] as string
  })
  return values
}

function gatherPath(path: string, rows: readonly Endpoint[]): KnownPath {
  const byMethod = new Map(rows.map(row => [row.method as string, row]))
  const get = byMethod.get("GET")
  const methods = [...byMethod.keys(), ...(get === undefined ? [] : ["HEAD"]), "OPTIONS"]
  if (get !== undefined) byMethod.set("HEAD", get)
  const [first] = rows as readonly [Endpoint]
  const segments = path.includes("/:") ? splitPath(path) : null
  const { surface, pathFits: fits } = first
  const deprecation = rows.find(row => row.deprecation !== undefined)?.deprecation
  return { path, surface, allow: methods.join(", "), byMethod, segments, fits, deprecation }
}

/** Finds endpoints by path; built once. */
export class EndpointTable {
  readonly #exact = new Map<string, KnownPath>()
  readonly #patterns: readonly KnownPath[]
  readonly rows: readonly Endpoint[]

  constructor(rows: readonly Endpoint[]) {
    this.rows = rows
    const distinct = new Set(rows.map(({ path }) => path))
    const paths = [...distinct].map(path =>
      gatherPath(
        path,
        rows.filter(row => row.path === path),
      ),
    )
    for (const known of paths) if (known.segments === null) this.#exact.set(known.path, known)
    this.#patterns = paths.filter(known => known.segments !== null)
  }

  /** Finds the row of a request's path. Nothing is decoded: a path has one spelling. */
  find(path: string): KnownPath | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined || this.#patterns.length === 0) return exact
    const segments = splitPath(path)
    return this.#patterns.find(known => fits(segments, known.segments ?? []) && known.fits?.test(path) !== false)
  }
}

// Which parameters does an endpoint take, and is each of them valid?
// A parameter is a value: its expected form in words, its reader, and its description in the reference. Requests are decoded by it and the
// OpenAPI document is made from it, so the two agree. Nothing here needs Effect, because the same rows run at the edge.

/** The description of a parameter in the reference, in terms of JSON Schema. */
export interface ParameterDocument {
  readonly description: string
  readonly example?: string | number
  readonly type?: "string" | "integer" | "number"
  readonly pattern?: RegExp
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly default?: string | number
}

/** One parameter; `Value` is the type of its decoded value. */
export interface Parameter<Value> {
  /** A noun phrase, for messages: "an ISO 3166-1 alpha-3 code in capital letters, such as FRA". */
  readonly expected: string
  readonly isRequired: boolean
  readonly document: ParameterDocument
  /** Whether every text is valid. */
  readonly takesAnything?: true
  /** Whether it is the code of a country, or several: a refusal then says which one is probably meant. */
  readonly isCode?: true
  /** Reads a text; undefined where it is not valid. */
  readonly read: (text: string) => Value | undefined
}

/** The parameters of an endpoint by name, in the order in which mistakes are named. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>

export type ValuesOf<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value> ? Value : never
}

/** Decoded parameters, or every mistake. */
export type ReadParameters =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issues: readonly RequestIssue[] }

/** A text that its own function reads. */
export const parsed = <Value>(
  expected: string,
  read: Parameter<Value>["read"],
  document: ParameterDocument,
): Parameter<Value> => ({ expected, isRequired: true, document: { type: "string", ...document }, read })

/** A text that is valid, or is not. */
export const textThat = (expected: string, isValid: (text: string) => boolean, document: ParameterDocument) =>
  parsed(expected, text => (isValid(text) ? text : undefined), document)

export const pattern = (expected: string, expression: RegExp, document: ParameterDocument) =>
  textThat(expected, text => expression.test(text), { pattern: expression, ...document })

export function choice<const Word extends string>(
  words: readonly Word[],
  document: ParameterDocument,
): Parameter<Word> {
  const expected = `one of ${words.join(", ")}`
  return parsed(expected, text => words.find(word => word === text), { enum: words, ...document })
}

/** A list by commas, of a pattern, read into its items. */
export function list<Item extends string = string>(
  expected: string,
  expression: RegExp,
  document: ParameterDocument & { readonly isDistinct?: true },
): Parameter<readonly Item[]> {
  const { isDistinct, ...words } = document
  const read = (text: string) => {
    if (!expression.test(text)) return undefined
    const items = text.split(",") as Item[]
    return isDistinct && new Set(items).size < items.length ? undefined : items
  }
  return parsed(expected, read, { pattern: expression, ...words })
}

/** A whole number between two bounds, both included. */
export function whole(least: number, most: number, document: ParameterDocument): Parameter<number> {
  const read = (text: string) => {
    const value = readWhole(text)
    return value !== undefined && value >= least && value <= most ? value : undefined
  }
  const bounds = { type: "integer", minimum: least, maximum: most } as const
  return parsed(`a whole number from ${least} to ${most}`, read, { ...bounds, ...document })
}

/** The id of a record. */
export const idOf = (document: ParameterDocument): Parameter<number> =>
  whole(1, Number.MAX_SAFE_INTEGER, { example: 118_000_000_000_000, ...document })

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

/** Reads a number as people write it, with a point and without an exponent; undefined for any other text. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined
}

/** The same parameter, which may be left out. */
export function optional<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return { ...parameter, isRequired: false }
}

/** The longest message: the given value is the caller's own and can be long. */
const LONGEST_MESSAGE = 240

const shorten = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message

/**
 * Decodes a query; unknown names are ignored, because a proxy or a browser may have added them.
 *
 * @example
 * ```ts
 * readParameters({ lang: choice(["en", "fr"], { description: "" }) }, { lang: "fr" }) // => {"ok": true, "values": {"lang": "fr"}}
 * readParameters({ lang: choice(["en", "fr"], { description: "" }) }, {}) // => {"ok": false, "issues": [{"path": "lang", "message": "Missing, expected one of en, fr"}]}
 * ```
 */
export function readParameters(table: ParameterTable, raw: RawQuery): ReadParameters {
  const values: Record<string, unknown> = {}
  const issues: RequestIssue[] = []
  for (const name in table) {
    const { expected, isRequired, read } = table[name] as Parameter<unknown>
    const given = raw[name]
    if (given === undefined) {
      if (isRequired) issues.push({ path: name, message: sayExpected(expected, undefined) })
      continue
    }
    const value = typeof given === "string" ? read(given) : undefined
    if (value === undefined) {
      const wanted = typeof given === "string" ? expected : `${expected}, once`
      issues.push({ path: name, message: shorten(`Expected ${wanted}, got ${JSON.stringify(given)}`) })
    } else values[name] = value
  }
  return issues.length === 0 ? { ok: true, values } : { ok: false, issues }
}

/** The most codes of one list that are explained. */
const MOST_EXPLAINED = 10

/** Adds to each refused code which one is probably meant. The words are loaded when they are needed: the edge loads as little as possible before. */
export function explainCodes(
  table: ParameterTable,
  raw: RawQuery,
  issues: readonly RequestIssue[],
): Soon<readonly RequestIssue[]> {
  const isMeant = ({ path }: RequestIssue) => table[path]?.isCode === true && typeof raw[path] === "string"
  if (!issues.some(isMeant)) return issues
  return import("../../answers/code-help.ts").then(({ helpWithCode }) =>
    issues.map(issue => {
      if (!isMeant(issue)) return issue
      const given = String(raw[issue.path]).split(",").slice(0, MOST_EXPLAINED)
      const help = [...new Set(given.map(helpWithCode))].filter(text => text !== "")
      return help.length === 0 ? issue : { ...issue, message: `${issue.message}. ${help.join(" ")}` }
    }),
  )
}
