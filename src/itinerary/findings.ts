/**
 * How does a decision say what it knows, and why it does not know the rest?
 *
 * Every field of a decision is a finding: it says whether it is about the pair or about the destination, and either has a value or
 * the reason why there is none. A gap is never filled with a default. The reasons are stable sentences; they are constants, so that
 * a decision builds none.
 */

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
  readonly reason: string
}

/** What a decision says in one of its fields. */
export type Finding<Value> = Known<Value> | Unknown

export const STAY_SET_BY_PERMIT = "The stay depends on the visa or permit that is issued."
export const STAY_NOT_RECORDED = "No number of days is recorded for this stay."
export const STAY_MOVES_FREELY = "Freedom of movement names no number of days."
export const STAY_SET_BY_DOCUMENT = "The stay depends on the document that is held."
export const STAY_REFUSED = "There is no stay without admission."
export const TREATY_LEFT = "The entry rests on a treaty that one of the countries has left."
export const ZONE_NO_FIXED_STAY = "The zone's rule is judged for a fixed number of visa-free days only."
export const ZONE_OTHER_STAYS = "Other days in the zone, not of a fixed visa-free stay, may count too."
export const ZONE_UNCLEAR_VISA =
  "The class of the visa does not say whether its days count in the zone: those of a long-stay visa do not."
export const ZONE_OWN_STAY = "This country's own stay is longer than the zone's, and all days were spent here."
export const NO_VALIDITY_RULE = "No passport validity rule is recorded for this destination."
export const VALIDITY_FOR_VISITORS = "The rule is for visitors; none is recorded for who is at home or moves freely."
export const EXPIRY_NOT_GIVEN = "The passport's expiry date is not given."
export const ISSUE_DATE_NOT_GIVEN = "The passport's issue date is not given."
export const NO_TRANSIT_RULE = "No transit rule is recorded for this country."
export const TRANSIT_WAIVED =
  "A held document waives the visa that the rule demands; the rule never decides for one passport."
export const TRANSIT_NOT_DECIDED = "The rule is recorded for the country and never decides for one passport."
export const NO_PASSPORT_RECORD = "No passport with this code is recorded."
export const STAY_COUNTED_NOWHERE = "No destination with this code is recorded; the stay is counted nowhere."
export const TODAYS_RULE = "The zone's rule has had its form since 2013-10-18; the stay is counted by it all the same."
export const NOT_MODELLED = "This is echoed and not modelled."

/** Makes a gap that may be shared. */
export function unknown<More extends object>(granularity: Granularity, reason: string, more?: More): Unknown & More {
  return Object.freeze({ granularity, status: "unknown", reason, ...more }) as Unknown & More
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
export function isHarmless(reason: string): boolean {
  return reason === STAY_MOVES_FREELY || reason === VALIDITY_FOR_VISITORS
}
