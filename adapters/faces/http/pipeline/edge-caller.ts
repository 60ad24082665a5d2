/** Whom does a host without the service let in? */

import type { Plan } from "../../../../src/full.ts"
import type { Cost } from "./endpoint.ts"

/** What a host answers to a caller who may not call, or not so often. */
export interface EdgeRefusal {
  readonly status: number
  /** Sent as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A caller whom the host lets in. */
export interface EdgeCaller {
  /** The plan whose fields of a record are shown. */
  readonly plan: Plan
  /** Counts a question before it is answered; a refusal is sent instead of the answer. */
  readonly spend?: (cost: Cost) => EdgeRefusal | null | Promise<EdgeRefusal | null>
}
