/**
 * Is there an agreement that may exempt this passport from a visitors' rule?
 *
 * Bilateral agreements exist beside a zone's rule; a source records them with their days or as an exemption. Nationals of a zone's own
 * states may stay longer under the zone's own instrument. If a source exempts, nothing is judged. If it gives days beside the zone's, or no
 * number of days, a stay beyond the visitors' rule is unknown and names the agreement, so that a traveller is not blocked by a rule that
 * may not bind him. An agreement of one state does not free days in other states of the zone: there its days count like any visitor's. Days
 * of nationals may or may not count.
 */
import { pickStayRule } from "../requirement/stay-rules.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { type Unknown, unknown } from "./findings.ts"
import { listAgreements } from "./pair-findings.ts"
import type { ParamsOf, ReasonCode } from "./reasons.ts"
import type { ZoneGap, ZonePlace } from "./rules.ts"

/** An agreement beside a zone's rule. */
export interface Agreement {
  /**
   * `exempt`: a source says that the rule does not bind; `beside`: a source gives a longer stay; `perhaps`: the zone's
   * own instrument may allow one.
   */
  readonly kind: "exempt" | "beside" | "perhaps"
  /** Days beside the zone's allowance; infinite if no number is recorded. */
  readonly days: number
  /** The finding for a stay that exceeds the visitors' rule. */
  readonly maxStay: Unknown
  readonly zoneStay: ZoneGap
}

// Keyed by the record that they are made from: a stay rule or a zone.
const agreements = new WeakMap<object, Agreement>()

/** Finds the agreement that concerns a stop, whose entry is already chosen. Returns null for most travellers. */
export function findAgreement(state: DecisionState, stop: StopState, place: ZonePlace): Agreement | null {
  const { row } = stop.passport!
  const { requirement } = stop.terms!
  if (state.rules.hasStayRules[stop.column] === 1 && requirement.status === "known") {
    const agreed = listAgreements(state, stop, place, requirement.answer)
    const rule = pickStayRule(agreed, stop.firstDay, requirement.value)
    if (rule !== null) {
      const known = agreements.get(rule)
      if (known !== undefined) return known
      const { kind, days } = rule
      const agreement = rule.agreement as string
      if (kind === "may_exceed_zone") {
        const most = days ?? Number.POSITIVE_INFINITY
        return keep(rule, place, "beside", most, "agreement_may_exceed_zone", { agreement })
      }
      return days === null
        ? keep(rule, place, "exempt", 0, "agreement_exempts", { agreement })
        : keep(rule, place, "beside", days, "agreement_beside_zone", { agreement, days })
    }
  }
  if (place.nationals[row] !== 1) return null
  const { zone } = place
  return keep(zone, place, "perhaps", 0, "zone_nationals", { zone: zone.name, instrument: zone.instrument })
}

function keep<C extends ReasonCode>(
  record: object,
  { zone }: ZonePlace,
  kind: Agreement["kind"],
  days: number,
  code: C,
  params: ParamsOf<C>,
): Agreement {
  let agreement = agreements.get(record)
  if (agreement === undefined) {
    Object.freeze(params)
    const zoneStay = unknown("pair", code, params, { zone: zone.id, allowanceDays: zone.rule.allowanceDays })
    agreement = Object.freeze({ kind, days, maxStay: unknown("pair", code, params), zoneStay })
    agreements.set(record, agreement)
  }
  return agreement
}
