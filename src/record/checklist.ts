/**
 * What does a traveller have to bring, and what to do, in which order?
 *
 * Both lists follow from the requirement and the facts of the destination, and are not yet in any language. They have what applies to every
 * traveller with that requirement, and what a law of the destination requires by name. The mission may ask for more, and the list says so
 * instead of guessing.
 */

import type { Found, Zone } from "../dataset/open.ts"
import type { Duty, Scoped, TransitRule, ValidityTerms } from "../rules/provisions.ts"
import { type BorderRule, isDutyOf } from "../trip/recorded.ts"
import { ANY_AUTHORISATION, type ApplicationTerms } from "./conditions.ts"
import type { DocumentSlug, SubjectFacts } from "./fact-fields.ts"
import {
  asked,
  type DestinationFacts,
  dutyOfForm,
  type Fact,
  factOf,
  findFee,
  findPortal,
  selectFacts,
} from "./full-facts.ts"
import type { MessageKey, Phrase, ProperName } from "./localise.ts"

/** One document: its published slug, and the sentence that names it. */
interface DocumentNeed {
  readonly slug: DocumentSlug
  readonly phrase: Phrase
}

/** The pair for which lists are made. */
export interface Case {
  readonly answer: Found
  readonly passport: string
  readonly destination: string
  /** True for citizens, and for those who move freely by treaty, also where a territory follows the country that they are free to enter. */
  readonly movesFreely: boolean
  readonly facts: DestinationFacts
  /** The zone to which the destination belongs on the dataset's day, or null. */
  readonly zone: Zone | null
  /** How long the passport must be valid; null if no rule is recorded for it. */
  readonly validity: ValidityTerms | null
  /** The rules for travellers in transit, for all passports. */
  readonly transit: readonly TransitRule[]
  /** What is asked of holders of the passport beside the requirement, and the rules of the border, as decisions find them. */
  readonly duties: readonly Scoped<Duty>[]
  readonly borders: readonly BorderRule[]
  /** What the steps depend on, besides the answer; absent if the pair's conditions are not used. */
  readonly application?: ApplicationTerms
}

// The blocs whose citizens may enter with an identity card: Directive 2004/38/EC, Art. 5(1), the EEA Agreement, and the agreement on free
// movement with Switzerland (1999), Annex I, Art. 1(1).
const IDENTITY_CARD_BLOCS: ReadonlySet<string | null> = new Set(["EU", "EEA", "EEA_CHE"])

function need(slug: DocumentSlug, phrase: Phrase = { key: `documents.${slug}` }): DocumentNeed {
  return { slug, phrase }
}

function needPassport(situation: Case): DocumentNeed {
  if (IDENTITY_CARD_BLOCS.has(situation.answer.bloc)) return need("identity_card")
  if (situation.movesFreely) return need("passport")
  const { validity } = situation
  if (validity === null || validity.months + validity.days === 0) return need("passport")
  const { anchor, months, days } = validity
  return days > 0 || anchor === "permitted_stay"
    ? need("passport", { key: `documents.passport_days_after_${anchor}`, values: { days } })
    : need("passport", { key: `documents.passport_after_${anchor}`, values: { months } })
}

/** Finds what a law asks of a visitor beside the requirement, as a decision does; undefined if it does not. */
export function findDuty({ answer, movesFreely, duties }: Case, ...kinds: readonly Duty["kind"][]) {
  return duties.find(({ value }) => kinds.includes(value.kind) && isDutyOf(value, answer.requirement, movesFreely))
}

/** Finds the duty to show a certificate of vaccination, of everybody or of those who come from some countries. */
export const findVaccination = (situation: Case) => findDuty(situation, "vaccination", "check_vaccination")?.value

/**
 * Lists the documents to bring or hand in; empty where no document opens the border.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "DEU")
 * situation && listDocuments(situation)[0]?.slug // => "passport"
 * ```
 */
export function listDocuments(situation: Case): readonly DocumentNeed[] {
  const { answer } = situation
  if (answer.requirement === "no_admission") return []
  const documents = [needPassport(situation)]
  const insurance = needInsurance(situation)
  if (answer.requirement === "eta") {
    documents.push(need("eta_approval", step("documents.eta_approval", { programme: nameProgramme(situation) })))
  }
  if (answer.requirement === "e_visa") documents.push(need("e_visa_copy"))
  if (answer.requirement === "visa_required") documents.push(need("visa"))
  documents.push(...listNamedDocuments(situation).map(slug => needNamed(situation, slug, insurance)))
  // Visitors must bring what a law requires, whether or not they need a visa.
  if (insurance !== null && !documents.includes(insurance)) documents.push(insurance)
  if (findVaccination(situation)?.countries === null) documents.push(need("yellow_fever_certificate"))
  return documents
}

// Lists the documents of the destination's own list; otherwise those that every application for a visa needs, with a note that more may be
// required.
function listNamedDocuments(situation: Case): readonly DocumentSlug[] {
  const listed = factOf(situation, "documents")?.documents
  if (listed !== undefined) return listed
  if (situation.answer.requirement !== "visa_required") return []
  const application = factOf(situation, "application")
  // If a visa centre takes the photo, the traveller brings one only if its size is prescribed.
  const isPhotoTaken = application?.channel === "online_and_centre" && needPhoto(situation).phrase.values === undefined
  return isPhotoTaken ? ["application_form", "mission_list"] : ["application_form", "photo", "mission_list"]
}

function needNamed(situation: Case, slug: DocumentSlug, insurance: DocumentNeed | null): DocumentNeed {
  if (slug === "photo") return needPhoto(situation)
  return slug === "insurance" ? (insurance ?? ANY_INSURANCE) : need(slug)
}

function needPhoto(situation: Case): DocumentNeed {
  const photo = factOf(situation, "photo")
  if (photo?.widthMm === undefined || photo.heightMm === undefined) return need("photo")
  return need("photo", { key: "documents.photo_size", values: { width: photo.widthMm, height: photo.heightMm } })
}

const ANY_INSURANCE = need("insurance", { key: "documents.insurance_any" })

function needInsurance(situation: Case): DocumentNeed | null {
  if (findDuty(situation, "insurance") === undefined) return null
  const minCoverage = factOf(situation, "insurance")?.minCoverage
  if (minCoverage === undefined) return ANY_INSURANCE
  return need("insurance", { key: "documents.insurance", values: { amount: { money: minCoverage } } })
}

function step(key: MessageKey, values?: Phrase["values"]): Phrase {
  return values === undefined ? { key } : { key, values }
}

/** Names the authorisation that a traveller applies for online. */
export function nameProgramme(situation: Case): ProperName {
  return factOf(situation, "programme") ?? ANY_AUTHORISATION
}

/**
 * Lists what to do, in order.
 *
 * @example
 * ```ts
 * const situation = findCase(localised, "IND", "DEU")
 * situation && listSteps(situation)[0]?.key // => "process.mission_find"
 * ```
 */
export function listSteps(situation: Case): readonly Phrase[] {
  const { answer } = situation
  if (answer.requirement === "no_admission") return listApplication(situation)
  const steps = situation.movesFreely ? [] : listApplication(situation)
  steps.push(...listArrivalForms(situation).flatMap(({ value }) => (value.mandatory ? [sayArrivalForm(value)] : [])))
  if (IDENTITY_CARD_BLOCS.has(answer.bloc)) return [...steps, step("process.show_identity")]
  steps.push(step("process.show_passport"))
  if (!situation.movesFreely && answer.days !== null) steps.push(step("process.leave_in_time", { days: answer.days }))
  return steps
}

function listApplication(situation: Case): Phrase[] {
  const { answer, destination } = situation
  switch (answer.requirement) {
    case "visa_free":
      return [step("process.check_passport")]
    case "eta": {
      const programme = nameProgramme(situation)
      const url = findPortal(situation)
      return [
        step("process.check_passport"),
        url === null ? step("process.eta_apply", { programme }) : step("process.eta_apply_at", { programme, url }),
        ...listPayment(situation),
        sayWaiting(situation, "process.eta_wait"),
      ]
    }
    case "e_visa":
      return [
        step("process.check_passport"),
        ...stepAt(findPortal(situation), "process.e_visa_apply_at", [step("process.e_visa_apply")]),
        ...listPayment(situation),
        sayWaiting(situation),
        step("process.e_visa_carry"),
      ]
    case "visa_on_arrival":
      return [
        step("process.check_passport"),
        ...stepAt(findPortal(situation), "process.arrival_apply_at"),
        ...(situation.application?.approval === undefined
          ? [step("process.arrival_desk")]
          : [
              step("process.arrival_approval", { name: situation.application.approval }),
              step("process.arrival_show_approval"),
            ]),
        ...(findFee(situation) === undefined
          ? [step("process.arrival_pay")]
          : [...listPayment(situation), step("process.arrival_sticker")]),
      ]
    case "visa_required": {
      const sponsors = situation.application?.sponsors
      return sponsors === undefined ? listVisaApplication(situation) : listSponsored(situation, sponsors)
    }
    case "no_admission":
      return [step("process.not_admitted", { destination: { country: destination } })]
  }
}

// The traveller cannot apply: another party does, and pays or passes on the cost.
function listSponsored(situation: Case, sponsors: string): Phrase[] {
  return [
    step("process.check_passport"),
    step("process.sponsor_ask", { names: sponsors }),
    step("process.sponsor_documents"),
    ...listPayment(situation),
    sayWaiting(situation),
  ]
}

// How a visa is applied for where a source says so; else at the mission that is responsible, which names its visa centre.
function listVisaApplication(situation: Case): Phrase[] {
  const application = factOf(situation, "application")
  const url = findPortal(situation)
  const payment = listPayment(situation)
  const waiting = sayWaiting(situation)
  const fingerprints = application?.fingerprints === true ? [step("process.mission_fingerprints")] : []
  const online = stepAt(url, "process.online_apply_at", [step("process.online_apply")])
  switch (application?.channel) {
    case "online":
      return [...online, ...payment, step("process.centre_if_asked"), waiting]
    case "online_and_centre":
      return [...online, ...payment, step("process.centre_appointment"), waiting]
    case "online_and_interview": {
      const { form } = application
      const first =
        url === null || form === undefined ? online : [step("process.online_form_at", { form: { name: form }, url })]
      return [...first, ...payment, step("process.mission_interview"), ...fingerprints, waiting]
    }
    default:
      return [
        step("process.mission_find", { destination: { country: situation.destination } }),
        step("process.mission_documents"),
        ...stepAt(url, "process.mission_form_at"),
        step("process.mission_appointment"),
        ...fingerprints,
        ...payment,
        waiting,
      ]
  }
}

/** Lists the forms for the arrival: those that a traveller fills in, those that he may fill in, and those that are no more. */
export function listArrivalForms(situation: Case): readonly Fact<"arrivalForm">[] {
  return selectFacts(situation.facts, "arrivalForm", asked(situation)).filter(({ value }) => {
    const duty = dutyOfForm(value)
    return duty === null || findDuty(situation, duty) !== undefined
  })
}

function sayArrivalForm(value: SubjectFacts["arrivalForm"]): Phrase {
  const { url, earliestDays: days } = value
  const name: ProperName = value
  if (value.form === "paper") return step("process.arrival_form_paper", { name })
  if (url === undefined) return step("process.arrival_form", { name })
  return days === undefined
    ? step("process.arrival_form_at", { name, url })
    : step("process.arrival_form_days_at", { name, days, url })
}

/** A step at an official site; the other where none is known. */
function stepAt(url: string | null, key: MessageKey, otherwise: Phrase[] = []): Phrase[] {
  return url === null ? otherwise : [step(key, { url })]
}

// If no fee is recorded, it is not known whether an authorisation costs anything; for a visa, the list says to ask for the fee.
function listPayment(situation: Case): Phrase[] {
  const money = findFee(situation)
  if (money === undefined) return situation.answer.requirement === "eta" ? [] : [step("process.pay_fee")]
  return money.amount === 0 ? [] : [step("process.pay_fee_amount", { amount: { money } })]
}

function sayWaiting(situation: Case, otherwise: MessageKey = "process.wait"): Phrase {
  const { standardDays: days, workingDays } = factOf(situation, "application") ?? {}
  if (days === undefined) return step(otherwise)
  return step(workingDays ? "process.wait_working_days" : "process.wait_days", { days })
}

/** Finds the rule by which a passport passes through the country without a visa for some hours; null where there is none. */
export function findFreeTransit({ transit, passport }: Case): TransitRule | null {
  const isFree = ({ area, demand, hours, passports }: TransitRule) =>
    area === "landside" && demand === "no_visa" && hours !== null && passports?.includes(passport) === true
  return transit.find(isFree) ?? null
}
