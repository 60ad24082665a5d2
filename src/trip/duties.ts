/**
 * What does a law ask of a traveller on arrival, beside the requirement?
 *
 * Arrival forms and insurance that are mandatory. Those who move freely fill in only the forms that everybody fills in. A form that is handed out on
 * arrival is told and decides nothing. Who goes on without a border check fills in no form again.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { needsVisa } from "../dataset/requirement.ts"
import type { Arrival } from "./days.ts"
import { isInHand } from "./documents.ts"
import { ask, type Issue } from "./issues.ts"

/** Adds the duties of an entry. */
export function judgeDuties({ law, way, stop }: Arrival, issues: Issue[]): void {
  const { requirement, movesFreely } = way
  if (requirement.status === "unknown" || requirement.value === "no_admission") return
  const { destination, firstDay } = stop
  for (const { value } of law.duties) {
    const { kind, days, everybody, requirements } = value
    if (requirements?.includes(requirement.value) === false || (movesFreely && !everybody)) continue
    if (kind === "insurance") {
      // Insurance that is asked for with a visa was shown for the visa in hand.
      const isShown = requirements !== null && needsVisa(requirement.value) && isInHand(way)
      if (!isShown) issues.push(ask(kind, { destination }))
    } else if (!stop.comesUnchecked) {
      const opens = days === null ? null : formatCivilDate((firstDay - days) as EpochDay)
      issues.push(
        kind === "paper" ? ask("arrival_form_paper", { destination }) : ask("arrival_form", { destination, opens }),
      )
    }
  }
}
