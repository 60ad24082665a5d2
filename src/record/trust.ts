/**
 * How far can an answer be trusted on a given day?
 *
 * One number for the provenance of a pair: whether its source is named, whether a person has confirmed the pair there, and how long ago. It
 * measures care, not truth.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { Found } from "../dataset/open.ts"
import type { PairDescription } from "../requirement/describe-pair.ts"

/** Days for which a confirmation counts as fresh; on the last of them it still does. */
export const FRESH_DAYS = 180
/** Days after which a confirmation counts no more than a named source: two years. */
export const STALE_DAYS = 730

const READ = 0.9
const CITED = 0.7
const CORROBORATION = 0.2
const MOST = 0.95
const NAMED = 0.5
const DERIVED = 0.3

/** The parts of an answer's long form that affect its trust. */
type TrustEvidence = Pick<PairDescription, "corroboration" | "changedSince" | "afterExpiry">

/**
 * Scores the provenance of an answer on a day. It is 0.3 for a rule derived for a territory from another's, and for one without a
 * source. It is 0.9 for an official page that we read within the last 180 days, and 0.7 for one that a compiler read and cites, both
 * falling linearly to 0.5 at 730 days. It is 0.5 for a named source in which nobody confirmed it, and for a citizen's right to enter his
 * own country (International Covenant on Civil and Political Rights, Art. 12(4)).
 *
 * With the evidence of the long form, a second source that says the same adds 0.2, falling in the same way to nothing, up to
 * 0.95. A second source that says something else, an official log that names a newer change, and an announced end that has passed
 * leave 0.3 at most.
 *
 * Rounded to three decimals. A confirmation after the asked day counts as fresh. Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && scoreTrust(answer, parseCivilDate("2026-11-21") ?? 0) // => 0.5
 * ```
 */
export function scoreTrust(
  answer: Pick<Found, "source" | "verifiedOn" | "citedOn" | "follows" | "home">,
  onDay: EpochDay,
  evidence?: TrustEvidence,
): number {
  if (answer.home) return NAMED
  const score = scoreSource(answer, onDay)
  const { corroboration = null, changedSince = null, afterExpiry = null } = evidence ?? {}
  if (changedSince !== null || afterExpiry !== null || corroboration?.agrees === false) return Math.min(score, DERIVED)
  const checkedDay = parseCivilDate(corroboration?.checkedOn)
  const bonus = checkedDay === null ? 0 : CORROBORATION * (1 - shareLost(onDay - checkedDay))
  return Math.round(Math.min(MOST, score + bonus) * 1000) / 1000
}

function scoreSource(
  { follows, source, verifiedOn, citedOn }: Pick<Found, "source" | "verifiedOn" | "citedOn" | "follows">,
  onDay: EpochDay,
): number {
  if (follows !== null || source === null) return DERIVED
  const most = citedOn === null ? READ : CITED
  const readDay = parseCivilDate(verifiedOn ?? citedOn)
  return readDay === null ? NAMED : most - shareLost(onDay - readDay) * (most - NAMED)
}

// The share of a confirmation that is lost after some days: nothing while it is fresh, all of it when it is stale.
function shareLost(ageDays: number): number {
  return Math.min(1, Math.max(0, (ageDays - FRESH_DAYS) / (STALE_DAYS - FRESH_DAYS)))
}
