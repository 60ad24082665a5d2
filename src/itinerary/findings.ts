/**
 * How does a decision say what it knows, and why it does not know the rest?
 *
 * Every field of a decision is a finding: it says whether it is about the pair or about the destination, and either has a value or
 * the reason why there is none. A gap is never filled with a default.
 */
import { type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "./reasons.ts"

/** What a finding is about: this passport at this destination, or the destination whatever the passport. */
export type Granularity = "pair" | "destination"

/** A finding with a value. */
export interface Known<Value> {
  readonly granularity: Granularity
  readonly status: "known"
  readonly value: Value
}

/** A gap, and the reason for it. */
export interface Unknown {
  readonly granularity: Granularity
  readonly status: "unknown"
  /** Why, in English, as a code, and what the sentence is made of. */
  readonly reason: string
  readonly code: ReasonCode
  readonly params: ReasonParams
}

/** What a decision says in one of its fields. */
export type Finding<Value> = Known<Value> | Unknown

/** Makes a gap that may be shared. */
export function unknown<C extends ReasonCode, More extends object>(
  granularity: Granularity,
  code: C,
  params: ParamsOf<C>,
  more?: More,
): Unknown & More {
  const reason = writeReason(code, params)
  const shared = Object.freeze({ ...(params as object) })
  const finding = { granularity, status: "unknown", reason, code, params: shared, ...more }
  return Object.freeze(finding) as unknown as Unknown & More
}

/** Makes a finding with a value that may be shared. */
export function known<Value, More extends object>(
  granularity: Granularity,
  value: Value,
  more?: More,
): Known<Value> & More {
  return Object.freeze({ granularity, status: "known", value, ...more }) as Known<Value> & More
}

/** Says whether a reason hides nothing: no rule for visitors binds, so that nothing unknown could block. */
export function isHarmless(code: ReasonCode): boolean {
  return code === "stay_moves_freely" || code === "validity_for_visitors"
}
