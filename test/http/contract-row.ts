import type { Persona } from "./personas.ts"
import type { Ask } from "./service.ts"

/** One case. */
export interface ContractRow {
  readonly claim: string
  /** The path as the reference has it. */
  readonly endpoint: string
  readonly path: string
  /** Whose key is sent; nobody's where there is none. */
  readonly as?: Persona | "stranger"
  /** Sends the key as a bearer token. */
  readonly bears?: true
  /** Asks from localhost, without a key. */
  readonly keyless?: true
  /** Shows the session of this account, from a page of the service's own. */
  readonly session?: Persona | "ended"
  readonly ask?: Ask
  readonly status: number
  /** What headers say; null for one that is not there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  /** How many requests of the quota the answer costs. */
  readonly charge?: number
  /** A question that costs nothing and shows what is left. */
  readonly free?: { readonly path: string; readonly ask?: Ask }
  /** A part of the body and its value. */
  readonly reads?: Readonly<Record<string, unknown>>
}

/** A question: what follows the path, or a body. */
export interface Question {
  readonly query?: string
  readonly ask?: Ask
}

/** What the paths of the visa service begin with. */
export const V1 = "/api/v1/visa"

/** A question in JSON, or in bytes. */
export const post = (body: unknown): Question => ({
  ask: {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" || isBytes(body) ? body : JSON.stringify(body),
  },
})
const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array
