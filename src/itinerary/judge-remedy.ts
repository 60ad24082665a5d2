/**
 * Does a remedy make anything worse?
 *
 * With a remedy applied, there must be no new blocker, no stop may need more or something else to be obtained or checked, and nothing that
 * decides an entry may become unknown. A remedy may not depend on an exit that was not planned: between consecutive stops inside a country
 * or a zone, a gap would be a day outside that only the remedy invents.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { Dataset } from "../dataset/open.ts"
import { easeRank } from "../dataset/requirement.ts"
import { leavesOpen } from "../trip/issues.ts"
import type { Blocker, Decision, Remedy } from "./answer-fields.ts"
import type { ItineraryRequest } from "./request-fields.ts"
import type { Step } from "./step-fields.ts"

/** Says whether two blockers are the same. */
export function isSameBlocker(a: Blocker, b: Blocker): boolean {
  return (
    a.code === b.code &&
    a.step === b.step &&
    a.zone === b.zone &&
    (a.step !== null || a.params.destination === b.params.destination)
  )
}

/** Says whether a decision is nowhere worse than another one on the same stops. */
export function isNoWorse(after: Decision, before: Decision): boolean {
  // A stay can be too long for a visa in two ways, which are of one code: by its last day and by its days.
  const countSame = ({ blockers }: Decision, blocker: Blocker) =>
    blockers.filter(other => isSameBlocker(other, blocker)).length
  if (!after.blockers.every(each => countSame(after, each) <= countSame(before, each))) return false
  if (after.steps.some((step, at) => isHarder(step, before.steps[at]!))) return false
  const asked = new Set(before.conditions.map(({ step, code }) => `${step} ${code}`))
  if (!after.conditions.every(({ step, code }) => asked.has(`${step} ${code}`))) return false
  const open = new Set(listOpen(before))
  return listOpen(after).every(each => open.has(each))
}

function isHarder({ requirement: after }: Step, { requirement: before }: Step): boolean {
  if (before.status === "unknown") return false
  return after.status === "unknown" || easeRank(after.value) > easeRank(before.value)
}

// A transit is identified by its country, because its index may change.
function listOpen({ unknowns, transit }: Decision): readonly string[] {
  return unknowns
    .filter(({ code }) => leavesOpen(code))
    .map(({ field, step, code }) => {
      const named = field.replace(/^transit\[(\d+)\]/, (_, place: string) => transit[Number(place)]?.country ?? place)
      return `${step} ${named} ${code}`
    })
}

/** Counts the days between two stops that a remedy leaves open; null if they would be an invented exit. */
export function countGap(dataset: Dataset, { stops }: ItineraryRequest, remedy: Remedy): number | null {
  const pair = placeOfGap(remedy)
  if (pair === null) return 0
  const [before, after] = [stops[pair - 1], stops[pair]]
  if (before === undefined || after === undefined) return 0
  if (before.to == null) return null
  const left = dayOf(before.to)
  const next = dayOf(after.from)
  const days =
    remedy.action === "enter_from"
      ? dayOf(remedy.value) - next
      : left - (remedy.action === "shorten" ? dayOf(before.from) + remedy.value - 1 : dayOf(remedy.value as string))
  const follows = next <= left + 1
  return follows && days > 0 && isInside(dataset, before.destination, after.destination) ? null : days
}

// Returns the index of the stop that begins after the gap.
function placeOfGap(remedy: Remedy): number | null {
  if (remedy.action === "enter_from") return remedy.step
  return remedy.action === "leave_by" || remedy.action === "shorten" ? remedy.step + 1 : null
}

function isInside({ zones }: Dataset, one: string, other: string): boolean {
  const has = (members: Dataset["zones"][number]["members"], destination: string) =>
    members.some(({ code }) => code === destination)
  return one === other || zones.some(({ members }) => has(members, one) && has(members, other))
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0
