/** Which callers does a host without the service admit? */

import type { Plan } from "../../../src/full.ts"
import type { Cost } from "./endpoint.ts"

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
