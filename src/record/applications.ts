/** At which official site does a traveller apply, for which fee, and which form does he have to fill in? What the record and the tasks of a decision say alike. */
import type { Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import { type DestinationFacts, type Fact, selectFact, selectFacts } from "./full-facts.ts"

/** Who applies for what, and the facts of the destination. */
interface Applicant {
  readonly facts: DestinationFacts
  readonly passport: string
  readonly answer: Pick<Found, "requirement">
}

/** What facts of the destination are selected by. */
export const asked = ({ answer, passport }: Omit<Applicant, "facts">) => ({ requirement: answer.requirement, passport })

/** The duty to fill in a form; null where nobody has to. */
export const dutyOfForm = ({ mandatory, form }: SubjectFacts["arrivalForm"]) =>
  mandatory ? (form === "paper" ? "paper" : "form") : null

/** The fee of one application, or of several entries where only that is known. */
export function findFee(situation: Applicant) {
  const fee = selectFact(situation.facts, "fee", asked(situation))?.value
  return fee?.singleEntry ?? fee?.multipleEntry
}

type PortalKind = SubjectFacts["portal"]["kind"]

const PORTALS: Readonly<Partial<Record<Requirement, PortalKind>>> = {
  eta: "eta",
  e_visa: "evisa",
  visa_on_arrival: "arrival",
  visa_required: "application",
}

/** An official site of a kind, by default the one to apply at, and whether a source confirms it; null where none is known. */
export function findPortalFact(
  situation: Applicant,
  kind: PortalKind | undefined = PORTALS[situation.answer.requirement],
): Fact<"portal"> | null {
  return selectFacts(situation.facts, "portal", asked(situation)).find(({ value }) => value.kind === kind) ?? null
}

/**
 * Finds the official site of a kind, by default the one to apply at, or null where none is confirmed by a source.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "KEN")
 * situation && findPortal(situation, "eta") // => "https://etakenya.go.ke/"
 * ```
 */
export function findPortal(situation: Applicant, kind?: PortalKind): string | null {
  const fact = findPortalFact(situation, kind)
  return fact?.origin.source == null ? null : fact.origin.url
}
