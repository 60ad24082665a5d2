/**
 * How does the page say what the engine found, in the reader's language?
 *
 * The engine's own sentences are English. Codes and constants of the engine have a message of the page; anything newer is shown
 * in the engine's words, marked as English.
 */
import type { Blocker, Condition, Decision, Gap, HeldDocument, Remedy, Step } from "landfall"
import type { Values, Words } from "../language/words.ts"

/** A sentence, and whether it is the engine's English instead of the reader's language. */
export interface Sentence {
  readonly text: string
  readonly isEnglish: boolean
}

function inLanguage(words: Words, key: string, values?: Values): Sentence {
  return { text: words.say(key, values), isEnglish: false }
}

/** Says why a trip is blocked. */
export function sayBlocker(words: Words, blocker: Blocker, decision: Decision): Sentence {
  const step = decision.steps[blocker.step]
  const held = decision.passports.find(({ passport }) => passport === step?.passport)
  const key = blocker.basis === "held_document" ? "blocker.held_document" : `blocker.${blocker.code}`
  const values = step === undefined ? null : valuesOf(words, blocker, step, held?.passportExpiry ?? null)
  return values === null || !words.has(key)
    ? { text: blocker.message, isEnglish: true }
    : inLanguage(words, key, values)
}

/** The values of a blocker's sentence; null where only the engine's own sentence has all the details. */
function valuesOf(words: Words, { code, basis }: Blocker, step: Step, expiry: string | null): Values | null {
  const country = { country: step.destination }
  const passport = { country: step.passport }
  switch (code) {
    case "no_admission":
      return { country, passport }
    case "stay_exceeded": {
      if (basis === "held_document") return { country, date: { on: step.to } }
      const { countedStay, maxStay, daysAccumulated: days } = step
      if (countedStay !== null) {
        const { value, allowanceDays } = countedStay
        return { country, date: { on: step.to }, used: { days: value }, allowed: { days: allowanceDays } }
      }
      if (maxStay.status === "unknown" || maxStay.value === "unlimited" || days.status === "unknown") return null
      return { country, date: { on: step.to }, used: { days: days.value }, allowed: { days: maxStay.value } }
    }
    case "zone_stay_exceeded": {
      const { zoneStay } = step
      if (zoneStay === null || zoneStay.status === "unknown") return null
      return { date: { on: step.to }, used: { days: zoneStay.value }, allowed: { days: zoneStay.allowanceDays } }
    }
    case "passport_expired":
      return expiry === null ? null : { passport, expiry: { on: expiry }, date: { on: step.from } }
    case "passport_expires_before_exit":
      return expiry === null ? null : { passport, expiry: { on: expiry }, date: { on: step.to } }
    case "passport_validity_short": {
      const rule = sayValidity(words, step)
      return expiry === null || rule === null ? null : { country, passport, expiry: { on: expiry }, rule }
    }
    default:
      return null
  }
}

/** Says how long a destination asks a passport to be valid; null where no rule was asked. */
function sayValidity(words: Words, { passportValidity }: Step): string | null {
  const { rule } = passportValidity
  if (rule === null) return null
  const { months, days, anchor, issuedWithinYears: years } = rule
  const validity =
    days > 0
      ? words.say(`documents.passport_days_after_${anchor}`, { days })
      : words.say(`documents.passport_after_${anchor}`, { months })
  return years === null ? validity : words.locale.list([validity, words.say("tips.passport_issued_within", { years })])
}

/** Says what has to be obtained. */
export function sayCondition(words: Words, condition: Condition, decision: Decision): Sentence {
  const step = decision.steps[condition.step]
  const key = condition.code.startsWith("check_") ? `condition.${condition.code}` : `requirement.${condition.code}`
  if (step === undefined || !words.has(key)) return { text: condition.message, isEnglish: true }
  return { text: words.locale.label(words.country(step.destination), words.say(key)), isEnglish: false }
}

/** The engine's reasons for a gap, by the page's messages. */
export const REASONS: Readonly<Record<string, string>> = {
  "The stay depends on the visa or permit that is issued.": "reason.stay_set_by_permit",
  "The stay depends on the document that is held.": "reason.stay_set_by_document",
  "The zone's rule has had its form since 2013-10-18; the stay is counted by it all the same.": "reason.todays_rule",
  "No number of days is recorded for this stay.": "reason.stay_not_recorded",
  "Freedom of movement names no number of days.": "reason.stay_moves_freely",
  "There is no stay without admission.": "reason.stay_refused",
  "The entry rests on a treaty that one of the countries has left.": "reason.treaty_left",
  "The zone's rule is judged for a fixed number of visa-free days only.": "reason.zone_no_fixed_stay",
  "Other days in the zone, not of a fixed visa-free stay, may count too.": "reason.zone_other_stays",
  "No destination with this code is recorded; the stay is counted nowhere.": "reason.stay_counted_nowhere",
  "This country's own stay is longer than the zone's, and all days were spent here.": "reason.zone_own_stay",
  "The class of the visa does not say whether its days count in the zone: those of a long-stay visa do not.":
    "reason.zone_unclear_visa",
  "No passport validity rule is recorded for this destination.": "reason.no_validity_rule",
  "The rule is for visitors; none is recorded for who is at home or moves freely.": "reason.validity_for_visitors",
  "The passport's expiry date is not given.": "reason.expiry_not_given",
  "The passport's issue date is not given.": "reason.issue_date_not_given",
  "No transit rule is recorded for this country.": "reason.no_transit_rule",
  "The rule is recorded for the country and never decides for one passport.": "reason.transit_not_decided",
  "A held document waives the visa that the rule demands; the rule never decides for one passport.":
    "reason.transit_waived",
  "No passport with this code is recorded.": "reason.no_passport_record",
  "This is echoed and not modelled.": "reason.not_modelled",
  "No rule is recorded for this pair. That means unknown, not that no visa is needed.": "category.unknown_why",
  "No destination with this code is recorded.": "reason.no_destination_record",
  "The dataset records nothing for days before its first.": "reason.before_dataset",
}

/** Says why something is not known. */
export function sayReason(words: Words, gap: Gap): Sentence {
  const key = REASONS[gap.reason]
  return key === undefined || !words.has(key) ? { text: gap.reason, isEnglish: true } : inLanguage(words, key)
}

const FIELDS: Readonly<Record<string, string>> = {
  requirement: "label.requirement",
  maxStay: "label.stay",
  zoneStay: "trip.zone_days",
  passportValidity: "label.passport_validity",
  passport: "word.passport",
  passportExpiry: "trip.expiry",
  passportIssued: "trip.issued",
  "passports.passport": "word.passport",
  "passports.passportExpiry": "trip.expiry",
  "passports.passportIssued": "trip.issued",
  "transit.rule": "label.transit",
  "transit.permitted": "label.transit",
  residence: "trip.residence",
  purpose: "trip.purpose",
}

/** Names the field that a gap is in. */
export function nameField(words: Words, { field }: Gap): string {
  const key = FIELDS[field.replace(/^(passports|transit)\[\d+\]\./, "$1.")]
  return key === undefined ? field : words.say(key)
}

/** Says what would help. */
export function sayRemedy(words: Words, remedy: Remedy): Sentence {
  const key = `remedy.${remedy.action}`
  return inLanguage(words, key, valuesOfRemedy(words, remedy))
}

function valuesOfRemedy(words: Words, remedy: Remedy): Values {
  switch (remedy.action) {
    case "leave_by":
    case "enter_from":
      return { value: { on: remedy.value } }
    case "shorten":
      return { value: { days: remedy.value } }
    case "use_passport":
      return { value: { country: remedy.value } }
    case "renew_before":
      return { value: { on: remedy.value }, passport: { country: remedy.passport } }
    case "obtain":
      return { value: nameDocument(words, remedy.value) }
  }
}

/** Names a document: what it is, and who issued it. */
function nameDocument(words: Words, { kind, issuer, type }: Pick<HeldDocument, "kind" | "issuer" | "type">) {
  const about = type === undefined ? words.country(issuer) : words.locale.list([words.country(issuer), type])
  return `${words.say(`held.${kind}`)} (${about})`
}

/** Names the documents that ease the requirement of a stop. */
export function listBecause(words: Words, decision: Decision | null, { requirement }: Step): readonly string[] {
  if (decision === null || requirement.status === "unknown") return []
  return (requirement.because ?? []).map(({ document }) => {
    const used = document === null ? undefined : decision.held[document]?.document
    return nameDocument(words, used ?? { kind: "residence_permit", issuer: decision.residence ?? "" })
  })
}
