/**
 * What is an endpoint?
 *
 * One row: where it is, who may call it, what it takes, what it costs, and the function to its answer. Everything else is read from the
 * row: routing, decoding, refusals, metering, `Allow` and preflight answers, the reference, the known paths. A row knows no server and
 * needs no Effect, so that the same row answers behind every host and at the edge; only its description for the reference is made of schemas.
 */

import type { Context } from "effect"
import type { Dataset } from "../../../../src/engine.ts"
import type { Language, LocalisedFacts, Plan } from "../../../../src/full.ts"
import type { Caller } from "../../../customers/accounts/account.ts"
import type { KeyMode, Scope } from "../../../customers/accounts/key-limits.ts"
import type { SignedIn } from "../../../customers/accounts/sessions.ts"
import type { Feature } from "../../../customers/plans/plans.ts"
import type { Answer } from "./answer.ts"
import type { Later } from "./later.ts"
import type { ParameterTable, ValuesOf } from "./parameters.ts"
import type { ServiceRequest } from "./request.ts"
import type { SurfaceName } from "./surface.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/**
 * Who may call. `public`: everybody; a key is ignored. `key`: callers with a key, of a plan with the feature if one is named, and
 * with the scope, or else that of the surface; test keys or live ones alone, where a mode is named.
 * `keyless`: callers with a key, and without one those whom the keyless rules admit. `open`: everybody, on the quota of a key if
 * one is shown, otherwise on the allowance of the client's address. `session`: signed-in users, from the service's own pages or a
 * program; if it is optional, everybody, and a session is recognised; if it has to be fresh, those who have followed a link within the hour.
 */
export type Access =
  | { readonly kind: "public" }
  | { readonly kind: "key"; readonly feature?: Feature; readonly scope?: Scope; readonly mode?: KeyMode }
  | { readonly kind: "keyless" }
  | { readonly kind: "open" }
  | { readonly kind: "session"; readonly isOptional?: true; readonly isFresh?: true }

/** Whether a row looks for keys. */
export const takesKey = ({ kind }: Access): boolean => kind !== "public" && kind !== "session"

const SCOPE_OF_SURFACE: Readonly<Record<SurfaceName, Scope>> = {
  visa: "visa",
  lookup: "lookup",
  spots: "spots",
  operations: "visa",
}

/** The scope that a key needs for a row. */
export const scopeOf = ({ access, surface }: Pick<Endpoint, "access" | "surface">): Scope =>
  (access.kind === "key" ? access.scope : undefined) ?? SCOPE_OF_SURFACE[surface]

/** What a question costs, and which pairs it asks for: the guard against harvesting counts those. */
export interface Cost {
  readonly charge: number
  readonly passport?: string | readonly string[]
  readonly destinations?: string | readonly string[]
}

/** What an answer may depend on besides the question. */
export interface AnswerContext {
  readonly request: ServiceRequest
  readonly requestId: string
  readonly nowMs: number
  /** The dataset as it is on the day of the request. */
  readonly dataset: Dataset
  /** Facts, missions and messages of the language that the row has named; null where it names none. */
  readonly localised: LocalisedFacts | null
  /** Whose key was shown; null without one, undefined where keys are not read. */
  readonly caller: Caller | null | undefined
  /** The plan of the caller; null without a key. */
  readonly plan: Plan | null
  /** Who is signed in; null where nobody is, or where sessions are not read. */
  readonly session: SignedIn | null
  /** Where a better plan can be bought. */
  readonly upgradeUrl: string
}

/** Services by the names under which rows use them; one name means one service in all rows. */
export type Needs = Readonly<Record<string, Context.Key<unknown, unknown>>>
/** No services. */
export type NoNeeds = Readonly<Record<never, never>>

/** The services of some needs, by the same names. */
export type Given<N extends Needs> = { readonly [Name in keyof N]: N[Name]["Service"] }

/** What a row that has needs may depend on. */
export type ContextOf<N extends Needs> = AnswerContext & Given<N>

/** The services that rows need, as Effect counts them: never, where none needs any. */
export type NeedsOf<Of> = Of extends { readonly needs?: infer N } ? IdOf<NonNullable<N>[keyof NonNullable<N>]> : never
type IdOf<Key> = Key extends Context.Key<infer Id, unknown> ? Id : never

/** A question that was read, or the answer that refuses it. */
export type ReadQuestion<Question> =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly answer: Answer }

/** An answer that may say what it costs, where that is less than what was reserved. */
export type MeteredAnswer = Answer & { readonly charge?: number }

/** One row of the table. `Question` is what is asked: the decoded query, unless the row reads more. */
export interface Endpoint<Query = unknown, Question = unknown> {
  /** Its name in the reference and in typed clients. */
  readonly name: string
  readonly method: Method
  /** The path, with `:name` for a segment that is a parameter. */
  readonly path: `/${string}`
  /** Which paths are its own, where other paths of the same form do not exist: those are answered like unknown paths. */
  readonly pathFits?: RegExp
  readonly surface: SurfaceName
  readonly access: Access
  /** The parameters of its query, and those that its path names. */
  readonly parameters: ParameterTable
  /** The services that it uses to read the question and to answer it; a row without any answers at the edge too. */
  readonly needs?: Needs
  /** Whether it reads a body; it is handed to `read` as text. */
  readonly takesBody?: true
  /** The largest body for a row that reads it as a stream; see `ServiceRequest.openBody`. */
  readonly uploadBytes?: number
  /** Whether an answer may have megabytes: a host makes few of them at once. */
  readonly isLarge?: true
  /** Whether a client may send it again under an `Idempotency-Key` and get the first answer. */
  readonly isRepeatable?: true
  /** The language whose messages have to be loaded before it can answer. */
  language?(query: Query): Language
  /** Reads what is asked, where that is more than the query. */
  read?(given: { readonly query: Query; readonly body: string }, context: AnswerContext): ReadQuestion<Question>
  /** What the question costs; nothing where it is left out. */
  cost?(question: Question): Cost
  /** The name under which a 200 may be kept for the dataset of the day: everything that the answer depends on. */
  keepAs?(question: Question, context: AnswerContext): string | undefined
  /** The pair that the live stream reports. */
  tells?(question: Question): { readonly passport: string; readonly destination: string }
  answer(question: Question, context: AnswerContext): MeteredAnswer | Later
}

/** A row with the needs that are known of it. */
export type RowWith<N extends Needs> = Omit<Endpoint, "needs"> & { readonly needs?: N }

/** A row that needs no service. */
export type EdgeRow = RowWith<Readonly<Record<string, never>>>

/** Where a row is, as words of the type system. */
export interface Place<Name extends string, Path extends `/${string}`, Table extends ParameterTable> {
  readonly name: Name
  readonly path: Path
  readonly parameters: Table
}

/** How a row with needs reads and answers a question. */
interface Answering<Query, Question, N extends Needs> {
  readonly needs?: N
  read?(given: { readonly query: Query; readonly body: string }, context: ContextOf<N>): ReadQuestion<Question>
  answer(question: Question, context: ContextOf<N>): MeteredAnswer | Later
}

/** A row whose name, path and parameters are known to the type system. */
export type Row<
  Name extends string,
  Path extends `/${string}`,
  Table extends ParameterTable,
  Question,
  N extends Needs = NoNeeds,
> = Omit<
  Endpoint<ValuesOf<Table>, Question>,
  keyof Place<Name, Path, Table> | keyof Answering<unknown, unknown, NoNeeds>
> &
  Place<Name, Path, Table> &
  Answering<ValuesOf<Table>, Question, N>

/** Defines a row; the types of its question follow from its parameters, and its name and path stay words for typed clients. */
export function endpoint<
  const Name extends string,
  const Path extends `/${string}`,
  const Table extends ParameterTable,
  Question = ValuesOf<Table>,
  const N extends Needs = NoNeeds,
>(row: Row<Name, Path, Table, Question, N>): Row<Name, Path, Table, Question, N> {
  return row
}
