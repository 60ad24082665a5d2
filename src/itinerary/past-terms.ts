/**
 * What does an answer of a past day mean for a stop?
 *
 * A history says what a list showed, not what the law was. If two lists around the day differ, both are named and neither is chosen. Rules
 * that nobody recorded for past days (passport validity, transit, waivers) are not replaced by today's.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Dataset } from "../dataset/open.ts"
import type { PastGap, PastRule } from "../dataset/past-rule.ts"
import { readEntry } from "../requirement/entry.ts"
import { type DecisionState, noteGap } from "./decision-state.ts"
import { type EntryTerms, explainAbsence, leaveOpen, termsOfEntry } from "./entry-terms.ts"
import { unknown } from "./findings.ts"
import { NO_PARAMS } from "./reasons.ts"
import type { Step } from "./step-fields.ts"

/** Says whether a history answers for a day, one before the dataset's first. */
export function isPast({ sinceDay, past }: Dataset, { firstDay }: { readonly firstDay: EpochDay }): boolean {
  return firstDay < sinceDay && past !== undefined
}

/** Makes the terms of an entry from an answer of the history. */
export function readPastTerms(rule: PastRule | PastGap): EntryTerms {
  if (rule.kind !== "found") return explainAbsence(rule)
  const { answer, word, days, until, or } = rule
  if (answer === null) {
    const gap =
      or === null
        ? unknown("pair", "past_word", { word })
        : unknown("pair", "rule_seen_between", { earlier: word, later: or.word, after: until, by: or.by })
    return leaveOpen(gap)
  }
  const terms = termsOfEntry(readEntry(answer, -1))
  if (or === null || or.days === days) return terms
  const between = { earlier: days, later: or.days, after: until, by: or.by }
  return { ...terms, maxStay: unknown("pair", "stay_seen_between", between) }
}

/** Reports what is not verified or not recorded about a past day, at a stop that is already judged. */
export function notePast(state: DecisionState, index: number, { requirement, countedStay }: PastFindings): void {
  const { passport, destination, firstDay } = state.stops[index]!
  const rule = state.dataset.past?.(passport!.held.passport, destination, firstDay)
  if (requirement.status === "known" && rule?.kind === "found") {
    const { by, until, source } = rule
    noteGap(state, "requirement", index, "imported_past", { by, until, source })
  }
  if (countedStay !== null && countedStay.rule !== null) {
    noteGap(state, "countedStay", index, "stay_rule_of_today", NO_PARAMS, "destination")
  }
}

type PastFindings = Pick<Step, "requirement" | "countedStay">
