/**
 * How does a decision express what it knows and what it does not know?
 *
 * Every field of a decision is a finding. A finding says whether it is about the pair or about the destination, and has
 * a value or the reason why there is none. A gap is never filled with a default.
 */
import { type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "./reasons.ts"

/** The subject of a finding: this passport at this destination, or the destination for every passport. */
export type Granularity = "pair" | "destination"

/** A finding with a value. */
export interface Known<Value> {
  /** Whether it is about the pair, or about the destination for every passport. */
  readonly granularity: Granularity
  /** The value is known. */
  readonly status: "known"
  /** The value. */
  readonly value: Value
}

/** A gap, with its reason. */
export interface Unknown {
  /** Whether it is about the pair, or about the destination for every passport. */
  readonly granularity: Granularity
  /** The value is not known. */
  readonly status: "unknown"
  /** Why, in English. */
  readonly reason: string
  /** The meaning of the sentence, as a code of the reference. */
  readonly code: ReasonCode
  /** The parameters of the sentence. */
  readonly params: ReasonParams
}

/** The content of one field of a decision. */
export type Finding<Value> = Known<Value> | Unknown

/** Makes a gap that can be shared. */
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

/** Makes a finding with a value that can be shared. */
export function known<Value, More extends object>(
  granularity: Granularity,
  value: Value,
  more?: More,
): Known<Value> & More {
  return Object.freeze({ granularity, status: "known", value, ...more }) as Known<Value> & More
}

// By their number, because the days of most stays are few: made when they are first said.
const daysSaid: (Known<number> | null)[] = /* @__PURE__ */ new Array(1024).fill(null)

/** Makes the finding of a number of days about a pair; the same one each time for as many as most stays have. */
export function knownDays(days: number): Known<number> {
  const said = daysSaid[days] ?? known("pair", days)
  if (days < daysSaid.length) daysSaid[days] = said
  return said
}

/** Says whether a reason can hide no blocker: no rule for visitors binds, or the document in hand sets the stay. */
export function isHarmless(code: ReasonCode): boolean {
  return code === "stay_moves_freely" || code === "validity_for_visitors" || code === "stay_set_by_document"
}
