/**
 * What do governments and the World Health Organization say about travel to a destination?
 *
 * Advice is given with its author and day, never merged into one judgement: the level is the U.S. Department of State's, and the British and Irish opinions, which have no levels, are
 * given separately.
 */
import type { Case } from "./checklist.ts"
import { type Fact, selectFact } from "./full-facts.ts"
import type { Locale, Phrase } from "./localise.ts"
import type { Safety, SafetyOpinion } from "./record-fields.ts"

function describeOpinion(locale: Locale, { value, origin }: Fact<"safety">): SafetyOpinion {
  const key =
    value.level === undefined
      ? (`safety.${value.status ?? "no_warning"}` as const)
      : (`safety.level_${value.level}` as const)
  return {
    advisory: locale.say({ key }),
    source: origin.source?.name ?? value.issuer,
    ...(origin.url === null ? {} : { source_url: origin.url }),
    ...(value.issuedOn === undefined ? {} : { updated_at: value.issuedOn }),
  }
}

/** Describes the advice on a destination, the one with a level first; null where there is none. */
export function describeSafety(locale: Locale, { facts }: Case): Safety | null {
  const [first, ...others] = facts.safety.filter(
    fact => fact.value.level !== undefined || fact.value.status !== undefined,
  )
  if (first === undefined) return null
  const { level } = first.value
  return {
    ...(level === undefined ? {} : { level }),
    ...describeOpinion(locale, first),
    ...(others.length === 0 ? {} : { others: others.map(fact => describeOpinion(locale, fact)) }),
  }
}

/** Lists the vaccinations that have to be shown at the border: International Health Regulations (2005), Annex 7. */
export function listVaccinations({ facts, answer, passport }: Case): readonly Phrase[] {
  const fact = selectFact(facts, "yellowFever", { requirement: answer.requirement, passport })?.value
  if (fact?.certificate === undefined || fact.certificate === "none") return []
  const key =
    fact.certificate === "all_travellers" ? "vaccination.yellow_fever_all" : "vaccination.yellow_fever_from_risk"
  return [fact.fromMonths === undefined ? { key: `${key}_no_age` } : { key, values: { months: fact.fromMonths } }]
}

/** Lists the health advice for the destination. */
export function listHealthAdvice({ facts, answer, passport }: Case): readonly Phrase[] {
  const fact = selectFact(facts, "yellowFever", { requirement: answer.requirement, passport })?.value
  if (fact === undefined) return []
  return [
    ...(fact.risk ? [{ key: "health.yellow_fever_risk" } as const] : []),
    ...(fact.certificate === "none" ? [{ key: "vaccination.none" } as const] : []),
  ]
}
