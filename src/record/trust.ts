/**
 * How far can an answer be trusted on a given day?
 *
 * One number for what the provenance of a pair says: whether its source is named, whether a person has confirmed the pair
 * there, and how long ago. It measures care, not truth.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { Found } from "../dataset/open.ts"

/** Days for which a confirmation counts as fresh; on the last of them it still does. */
export const FRESH_DAYS = 180
/** Days after which a confirmation counts no more than a named source: two years. */
export const STALE_DAYS = 730

const CONFIRMED = 0.9
const NAMED = 0.5
const DERIVED = 0.3

/**
 * Scores the provenance of an answer on a day: 0.3 for a rule derived for a territory from another's, and for one without a
 * source; 0.9 with a source in which a person confirmed the pair within the last 180 days, falling linearly to 0.5 at 730 days;
 * 0.5 for a named source in which nobody confirmed it, and for a citizen's right to enter his own country (International
 * Covenant on Civil and Political Rights, Art. 12(4)).
 *
 * Rounded to three decimals. A confirmation after the asked day counts as fresh. Cannot fail.
 *
 * @example
 * ```ts
 * scoreTrust(lookup("FRA", "JPN"), parseCivilDate("2026-11-21")) // => 0.5
 * ```
 */
export function scoreTrust(answer: Pick<Found, "source" | "verifiedOn" | "follows" | "home">, onDay: EpochDay): number {
  if (answer.home) return NAMED
  if (answer.follows !== null || answer.source === null) return DERIVED
  const verifiedDay = parseCivilDate(answer.verifiedOn)
  if (verifiedDay === null) return NAMED
  const age = onDay - verifiedDay
  const share = Math.min(1, Math.max(0, (age - FRESH_DAYS) / (STALE_DAYS - FRESH_DAYS)))
  return Math.round((CONFIRMED - share * (CONFIRMED - NAMED)) * 1000) / 1000
}
