/** Which held documents waive a transit visa, both on the first day of the journey and on the last? */
import type { EpochDay } from "../civil-date.ts"
import {
  type ComparableDocument,
  type ComparableTerms,
  compareTerms,
  type DocumentJudgement,
  isNamed,
  judgeNamed,
  type StayOfHolder,
} from "../requirement/judge-document.ts"
import type { DecisionState } from "./decision-state.ts"
import { nameDocument } from "./held-entries.ts"
import { allow, type JudgedRule, NO, sayUnknown, type TransitVerdict } from "./transit-rules.ts"
import { coversArrival, type DocumentState } from "./traveller-state.ts"

/** The first and the last day of a journey. */
export type Journey = StayOfHolder & { readonly lastDay: EpochDay }

/** Judges a rule that demands a visa from the passport. */
export function judgeDemand(state: DecisionState, slot: number, journey: Journey, rule: JudgedRule): TransitVerdict {
  const { area, condition } = rule.terms
  const because: number[] = []
  const { firstDay, lastDay } = journey
  let unsure: TransitVerdict | null = null
  for (const document of state.documents) {
    const named = document.reach.transit[rule.place]!
    const isOwn = document.slot === slot && document.read.kind !== "eta"
    if (!isOwn && named.length === 0) continue
    const opens =
      isOwn &&
      (area === "airside" || !document.isAirportTransit) &&
      coversArrival(document, firstDay) &&
      coversArrival(document, lastDay)
    const judged = opens ? MET : judgeBest(named, document, journey)
    if (judged === null) continue
    if (judged.status === "met" && document.place !== null) because.push(document.place)
    else unsure ??= explainCheck(state, rule, document, judged)
  }
  if (because.length > 0) return { ...allow(rule, false), because }
  if (unsure !== null) return unsure
  if (condition !== null) return sayUnknown("transit_conditional", { condition })
  return { ...NO, decidedBy: rule.at }
}

const MET: DocumentJudgement = Object.freeze({ status: "met", toCheck: Object.freeze([]) })

/** Returns the best result of the terms for a document, for a transit on the first day and on the last; null if it meets none. */
export function judgeBest(
  named: readonly ComparableTerms[],
  document: ComparableDocument,
  { firstDay, lastDay }: Journey,
): DocumentJudgement | null {
  let best: DocumentJudgement | null = null
  for (const terms of named) {
    const first = judgeNamed(terms, document, { firstDay, lastDay })
    const last = judgeNamed(terms, document, { firstDay: lastDay, lastDay })
    if (first.status === "unmet" || last.status === "unmet") continue
    const judged = first.status === "met" ? last : first
    if (best === null || judged.toCheck.length < best.toCheck.length) best = judged
  }
  return best
}

function explainCheck(
  state: DecisionState,
  rule: JudgedRule,
  document: DocumentState,
  judged: DocumentJudgement,
): TransitVerdict {
  const { index } = state.rules
  const remark = judged.toCheck.includes("remark")
    ? (rule.terms.waivedFor.find(
        terms =>
          terms.remark !== undefined &&
          isNamed(index!, terms, document.read) &&
          judgeNamed(compareTerms(terms), document, { firstDay: state.stops[0]!.firstDay, lastDay: null }).status !==
            "unmet",
      )?.remark ?? null)
    : null
  return sayUnknown("transit_document_to_check", { ...nameDocument(document), checks: judged.toCheck, remark })
}
