/** Which held documents waive a transit visa, both on the first day of the journey and on the last? */
import type { EpochDay } from "../civil-date.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import { readDocument } from "../requirement/held-documents.ts"
import {
  type ComparableDocument,
  compareAs,
  isNamed,
  judgeTerms,
  type StayOfHolder,
  type TermsToCheck,
} from "../requirement/judge-document.ts"
import type { DecisionState } from "./decision-state.ts"
import { isInHand } from "./entry-terms.ts"
import { nameDocument } from "./held-entries.ts"
import { isSuspended } from "./outcome.ts"
import {
  type Area,
  allow,
  type JudgedRule,
  LANDSIDE,
  NO,
  names,
  sayUnknown,
  type TransitVerdict,
} from "./transit-rules.ts"
import { coversArrival, type DocumentState, type PassportState } from "./traveller-state.ts"
import { judgeBest } from "./ways.ts"

/** The first and the last day of a journey. */
export type Journey = StayOfHolder & { readonly lastDay: EpochDay }

/** Judges a rule that demands a visa from the passport. */
export function judgeDemand(state: DecisionState, column: number, journey: Journey, rule: JudgedRule): TransitVerdict {
  const { area, condition } = rule.terms
  const because: number[] = []
  const { firstDay, lastDay } = journey
  let unsure: TransitVerdict | null = null
  for (const document of state.documents) {
    const named = document.reach.transit[rule.place]!
    const isOwn = document.column === column && document.read.kind !== "eta"
    if (!isOwn && named.length === 0) continue
    const opens =
      isOwn &&
      (area === "airside" || !document.isAirportTransit) &&
      coversArrival(document, firstDay) &&
      coversArrival(document, lastDay)
    const judged = opens ? NOTHING : judgeOnBothDays(named, document, journey)
    if (judged === null) continue
    if (judged.length === 0 && document.place !== null) because.push(document.place)
    else unsure ??= explainCheck(state, rule, document, judged)
  }
  if (because.length > 0) return { ...allow(rule, false), because: because.sort((a, b) => a - b) }
  if (unsure !== null) return unsure
  if (condition !== null) return sayUnknown("transit_conditional", { condition })
  return { ...NO, decidedBy: rule.at }
}

// Judges the terms that name a document for a transit on the first day and on the last.
function judgeOnBothDays(
  named: readonly DocumentTerms[],
  document: ComparableDocument,
  journey: Journey,
): TermsToCheck | null {
  const { lastDay } = journey
  return judgeBest(named, document, journey, { firstDay: lastDay, lastDay })
}

function explainCheck(
  state: DecisionState,
  rule: JudgedRule,
  document: DocumentState,
  toCheck: TermsToCheck,
): TransitVerdict {
  const { index } = state.rules
  const remark = toCheck.includes("remark")
    ? (rule.terms.waivedFor.find(
        terms =>
          terms.remark !== undefined &&
          isNamed(index!, terms, document.read) &&
          judgeTerms(terms, document, { firstDay: state.stops[0]!.firstDay, lastDay: null }) !== null,
      )?.remark ?? null)
    : null
  return sayUnknown("transit_document_to_check", { ...nameDocument(document), checks: toCheck, remark })
}

/** What of a transit decides whether the visa for a stop permits it too. */
interface Change {
  readonly column: number
  readonly area: Area
  readonly journey: Journey
}

/** Finds the visa for a stop that may also permit the transit, once it is obtained; null if there is none. */
export function findVisaToObtain(state: DecisionState, change: Change): TransitVerdict | null {
  const { rules, stops, blockers } = state
  const zone = rules.zonePlaces[change.column]?.zone
  for (const { column, terms, zonePlace, destination, passport, place } of stops) {
    const { requirement } = terms!
    if (requirement.status === "unknown" || column >= UNKNOWN_INDEX) continue
    if (requirement.value !== "visa_required" && requirement.value !== "e_visa") continue
    if (isInHand(terms!) || isSuspended(blockers, place)) continue
    const isOfZone = zone?.rule.kind === "rolling" && zonePlace?.zone === zone
    if (column === change.column || isOfZone || mayWaive(state, change, passport!, { column, issuer: destination })) {
      return sayUnknown("transit_visa_to_obtain", { destination })
    }
  }
  return null
}

function mayWaive(
  { rules }: DecisionState,
  { column, area, journey }: Change,
  passport: PassportState,
  visa: { readonly column: number; readonly issuer: string },
): boolean {
  if (area === LANDSIDE) return false
  const read = readDocument({ kind: "visa", issuer: visa.issuer }, [])
  const { transit } = rules.findReach(read, visa.column)
  const demands = rules.transit[column]!.rules.filter(
    rule => rule.terms.area === "airside" && rule.terms.demand === "visa" && names(rule, passport),
  )
  return (
    demands.length > 0 &&
    demands.every(({ place }) => judgeOnBothDays(transit[place]!, compareAs(read), journey) !== null)
  )
}
