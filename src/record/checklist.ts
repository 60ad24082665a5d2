/**
 * What does a traveller have to bring, and what to do, in which order?
 *
 * Both lists follow from the requirement and the facts of the destination, in no language yet. They say what holds for
 * every traveller with that requirement, and what a law of the destination asks for by name; everything else is what the
 * mission asks for, and the list says so instead of guessing.
 */
import type { Found } from "../dataset/open.ts"
import type { DestinationRules } from "./destination-rules.ts"
import { type DestinationFacts, type DocumentSlug, type SubjectFacts, selectFact } from "./full-facts.ts"
import type { Phrase } from "./localise.ts"
import type { MessageKey } from "./messages.ts"

/** One document: its published slug, and the sentence that names it. */
export interface DocumentNeed {
  readonly slug: DocumentSlug
  readonly phrase: Phrase
}

/** The pair that lists are made for. */
export interface Case {
  readonly answer: Found
  readonly passport: string
  readonly destination: string
  /** True for citizens, and for those who move freely by treaty, also where a territory follows the country that they are free to enter. */
  readonly movesFreely: boolean
  readonly facts: DestinationFacts
  readonly rules: DestinationRules
}

// Whose citizens may enter with an identity card: Directive 2004/38/EC, Art. 5(1), the EEA Agreement, and the agreement on free
// movement with Switzerland (1999), Annex I, Art. 1(1).
const IDENTITY_CARD_BLOCS: ReadonlySet<string | null> = new Set(["EU", "EEA", "EEA_CHE"])

function need(slug: DocumentSlug, phrase: Phrase = { key: `documents.${slug}` }): DocumentNeed {
  return { slug, phrase }
}

function needPassport(situation: Case): DocumentNeed {
  if (IDENTITY_CARD_BLOCS.has(situation.answer.bloc)) return need("identity_card")
  if (situation.movesFreely) return need("passport")
  const validity = situation.rules.validity
  if (validity === null || validity.months + validity.days === 0) return need("passport")
  const { anchor, months, days } = validity
  return days > 0
    ? need("passport", { key: `documents.passport_days_after_${anchor}`, values: { days } })
    : need("passport", { key: `documents.passport_after_${anchor}`, values: { months } })
}

function asked({ answer, passport }: Case) {
  return { requirement: answer.requirement, passport }
}

/** Lists the documents to bring or hand in; empty where no document opens the border. */
export function listDocuments(situation: Case): readonly DocumentNeed[] {
  const { answer, facts } = situation
  if (answer.requirement === "no_admission") return []
  const documents = [needPassport(situation)]
  const insurance = needInsurance(situation)
  if (answer.requirement === "eta") documents.push(need("eta_approval"))
  if (answer.requirement === "e_visa") documents.push(need("e_visa_copy"))
  if (answer.requirement === "visa_required") {
    documents.push(need("visa"), need("application_form"), needPhoto(situation))
    const named = selectFact(facts, "application", asked(situation))?.value.documents ?? []
    documents.push(...named.map(slug => (slug === "insurance" ? (insurance ?? need("mission_list")) : need(slug))))
    if (named.length === 0) documents.push(need("mission_list"))
  }
  // What a law asks of visitors is to be brought, whether or not it takes a visa.
  if (insurance !== null && !situation.movesFreely && !documents.includes(insurance)) documents.push(insurance)
  if (selectFact(facts, "yellowFever", asked(situation))?.value.certificate === "all_travellers") {
    documents.push(need("yellow_fever_certificate"))
  }
  return documents
}

function needPhoto(situation: Case): DocumentNeed {
  const photo = selectFact(situation.facts, "photo", asked(situation))?.value
  if (photo?.widthMm === undefined || photo.heightMm === undefined) return need("photo")
  return need("photo", { key: "documents.photo_size", values: { width: photo.widthMm, height: photo.heightMm } })
}

function needInsurance(situation: Case): DocumentNeed | null {
  const cover = selectFact(situation.facts, "insurance", asked(situation))?.value.minCoverage
  return cover === undefined
    ? null
    : need("insurance", { key: "documents.insurance", values: { amount: { money: cover } } })
}

function step(key: MessageKey, values?: Phrase["values"]): Phrase {
  return values === undefined ? { key } : { key, values }
}

/** Lists what to do, in order. */
export function listSteps(situation: Case): readonly Phrase[] {
  const { answer } = situation
  if (IDENTITY_CARD_BLOCS.has(answer.bloc)) return [step("process.show_identity")]
  if (situation.movesFreely) return [step("process.show_passport")]
  const steps = listApplication(situation)
  if (answer.requirement === "no_admission") return steps
  steps.push(step("process.show_passport"))
  if (answer.days !== null) steps.push(step("process.leave_in_time", { days: answer.days }))
  return steps
}

function listApplication(situation: Case): Phrase[] {
  const { answer, destination, facts } = situation
  const country = { destination: { country: destination } }
  switch (answer.requirement) {
    case "visa_free":
      return [step("process.check_passport")]
    case "eta":
      return [
        step("process.check_passport"),
        stepAt(findPortal(situation, "eta"), "process.eta_apply_at") ?? step("process.eta_apply"),
        ...listPayment(situation),
        step("process.eta_wait"),
      ]
    case "e_visa":
      return [
        step("process.check_passport"),
        stepAt(findPortal(situation, "evisa"), "process.e_visa_apply_at") ?? step("process.e_visa_apply"),
        ...listPayment(situation),
        ...listWaiting(situation),
        step("process.e_visa_carry"),
      ]
    case "visa_on_arrival":
      return [
        step("process.check_passport"),
        ...keep(stepAt(findPortal(situation, "arrival"), "process.arrival_apply_at")),
        step("process.arrival_desk"),
        step("process.arrival_pay"),
      ]
    case "visa_required": {
      const hasFingerprints = selectFact(facts, "application", asked(situation))?.value.fingerprints === true
      return [
        step("process.mission_find", country),
        step("process.mission_documents"),
        ...keep(stepAt(findPortal(situation, "application"), "process.mission_form_at")),
        step("process.mission_appointment"),
        ...(hasFingerprints ? [step("process.mission_fingerprints")] : []),
        ...listPayment(situation),
        ...listWaiting(situation),
      ]
    }
    case "no_admission":
      return [step("process.not_admitted", country)]
  }
}

function stepAt(url: string | null, key: MessageKey): Phrase | null {
  return url === null ? null : step(key, { url })
}

function keep(phrase: Phrase | null): Phrase[] {
  return phrase === null ? [] : [phrase]
}

function listPayment(situation: Case): Phrase[] {
  const fee = selectFact(situation.facts, "fee", asked(situation))?.value
  const money = fee?.singleEntry ?? fee?.multipleEntry
  if (money === undefined) return situation.answer.requirement === "eta" ? [] : [step("process.pay_fee")]
  return money.amount === 0 ? [] : [step("process.pay_fee_amount", { amount: { money } })]
}

function listWaiting(situation: Case): Phrase[] {
  const days = selectFact(situation.facts, "application", asked(situation))?.value.standardDays
  return [days === undefined ? step("process.wait") : step("process.wait_days", { days })]
}

/** Finds the official site of a kind, or null where none is confirmed. */
export function findPortal({ facts }: Case, kind: SubjectFacts["portal"]["kind"]): string | null {
  return facts.portal.find(fact => fact.value.kind === kind)?.origin.url ?? null
}
