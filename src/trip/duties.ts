/**
 * What does a law ask of a traveller on arrival, beside the requirement?
 *
 * Arrival forms and insurance that are mandatory. Those who move freely fill in only the forms that everybody fills in. A form that is handed out on
 * arrival is told and decides nothing. Who goes on without a border check fills in no form again.
 *
 * An authorisation that is announced is told before the first day on which it can be required, and has to be checked from that day on. The
 * regulation on ETIAS does not apply to holders of a visa or permit of its states (Regulation (EU) 2018/1240, Art. 2(2)(d) to (f)).
 *
 * Whether a state that recognises no other nationality of its citizens admits them on another passport has to be checked; a law that says it does not is a
 * rule of the border (entry.ts).
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import { needsVisa } from "../dataset/requirement.ts"
import type { Duty, Scoped } from "../rules/provisions.ts"
import type { Arrival } from "./days.ts"
import { covers, type Held, isInHand } from "./documents.ts"
import { ask, askEverybody, type Issue } from "./issues.ts"
import type { Journey, Stay } from "./journey.ts"
import { findNational } from "./law.ts"

/** Adds the duties of an entry. */
export function judgeDuties({ journey, passport, law, way, stop }: Arrival, issues: Issue[]): void {
  const { requirement, movesFreely, isHome } = way
  if (requirement.status === "unknown" || requirement.value === "no_admission") return
  const { destination, firstDay } = stop
  for (const { value, fromDay } of law.duties) {
    const { kind, everybody, requirements } = value
    if (kind === "nationality") {
      if (!isHome && findNational(journey.passports, [destination]) !== undefined) {
        issues.push(ask("own_passport", { destination, passport: passport.held.passport }))
      }
      continue
    }
    if (requirements?.includes(requirement.value) === false || (movesFreely && !everybody)) continue
    if (kind === "insurance") {
      // Insurance that is asked for with a visa was shown for the visa in hand.
      const isShown = requirements !== null && needsVisa(requirement.value) && isInHand(way)
      if (!isShown) issues.push(sayDuty(value, destination, firstDay))
    } else if (stop.comesUnchecked) continue
    else if (kind === "announced") {
      const isExempt = journey.documents.some(each => isForAnnounced(journey, stop, each))
      if (passport.kind !== "ordinary" || isExempt) continue
      const from = formatCivilDate(fromDay)
      issues.push(ask("authorisation_announced", { destination, from }, firstDay < fromDay ? "info" : "check"))
    } else issues.push(sayDuty(value, destination, firstDay))
  }
}

/** The most days of arrival for which the sentence of a form is kept. */
const MOST_DAYS = 400
// By duty, by destination, then by the day of arrival, on which the sentence of some forms depends.
const said = new WeakMap<Duty, Map<string, Map<EpochDay | null, Issue>>>()

function sayDuty(duty: Duty, destination: string, arrivalDay: EpochDay): Issue {
  const { kind, days } = duty
  const byPlace = getOrInsert(said, duty, () => new Map<string, Map<EpochDay | null, Issue>>())
  const byDay = getOrInsert(byPlace, destination, () => new Map<EpochDay | null, Issue>())
  if (byDay.size > MOST_DAYS) byDay.clear()
  return getOrInsert(byDay, days === null ? null : arrivalDay, () => {
    if (kind === "insurance") return askEverybody(kind, { destination })
    if (kind === "paper") return askEverybody("arrival_form_paper", { destination })
    return askEverybody("arrival_form", {
      destination,
      opens: days === null ? null : formatCivilDate(arrivalDay - days),
    })
  })
}

/** Says whether a duty is an authorisation that is announced. */
export const isAnnounced = ({ value }: Scoped<Duty>): boolean => value.kind === "announced"

/** Says whether a document is the announced authorisation, or a visa or permit of one of the states that will ask for it. */
export function isForAnnounced({ provisions }: Journey, { firstDay }: Stay, document: Held): boolean {
  return covers(document, firstDay) && provisions.recorded.at("duties", document.read.issuer, "").some(isAnnounced)
}
