/**
 * What does a passport of another kind than the ordinary one need?
 *
 * The tables of pairs are of ordinary passports. So the engine judges a visit of one day; without a rule for the kind there is no answer. This file is loaded when such a kind is chosen.
 */
import { type Decision, decide, type Found } from "landfall"
import type { Kind } from "./trip/kinds.ts"
import { wholeViewOn } from "./whole-dataset.ts"

/** The decision on a visit of the day, without documents and dates; null if the question is not valid. */
export function decideVisit(passport: string, kind: Kind, destination: string, on: string | null): Decision | null {
  const dataset = wholeViewOn(on)
  const stops = [{ destination, from: dataset.asOf, to: dataset.asOf }]
  const passports = [{ passport, ...(kind === "" ? {} : { passportKind: kind }) }]
  const result = decide(dataset, { passports, stops })
  return result.ok && result.value.kind === "decided" ? result.value : null
}

/** The requirement for the passport; null if none is recorded. */
export function answerVisit(passport: string, kind: Kind, destination: string, on: string | null): Found | null {
  const requirement = decideVisit(passport, kind, destination, on)?.steps[0]?.requirement
  return requirement?.status === "known" ? requirement.answer : null
}
