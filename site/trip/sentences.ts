/**
 * How does the page say what the engine found, in the reader's language?
 *
 * The engine's own sentences are English. What has a code or is a constant of the engine has a message of the page; anything newer is shown
 * as the engine says it, marked as English.
 */
import type { Blocker, Condition, Decision, Gap, Step } from "landfall"
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
  const key = `blocker.${blocker.code}`
  const values = step === undefined ? null : valuesOf(words, blocker, step, held?.passportExpiry ?? null)
  return values === null || !words.has(key)
    ? { text: blocker.message, isEnglish: true }
    : inLanguage(words, key, values)
}

/** The values of a blocker's sentence; null where the engine knows more than its findings say, and has to say it itself. */
function valuesOf(words: Words, { code }: Blocker, step: Step, expiry: string | null): Values | null {
  const country = { country: step.destination }
  const passport = { country: step.passport }
  switch (code) {
    case "no_admission":
      return { country, passport }
    case "stay_exceeded": {
      if (step.maxStay.status === "unknown" || step.maxStay.value === "unlimited") return null
      const { daysAccumulated: days } = step
      if (days.status === "unknown") return null
      return { country, date: { on: step.to }, used: { days: days.value }, allowed: { days: step.maxStay.value } }
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
  const key = `requirement.${condition.code}`
  if (step === undefined || !words.has(key)) return { text: condition.message, isEnglish: true }
  return { text: words.locale.label(words.country(step.destination), words.say(key)), isEnglish: false }
}

/** The engine's reasons for a gap, by the page's messages. */
export const REASONS: Readonly<Record<string, string>> = {
  "The stay depends on the visa or permit that is issued.": "reason.stay_set_by_permit",
  "No number of days is recorded for this stay.": "reason.stay_not_recorded",
  "Freedom of movement names no number of days.": "reason.stay_moves_freely",
  "There is no stay without admission.": "reason.stay_refused",
  "The entry rests on a treaty that one of the countries has left.": "reason.treaty_left",
  "The zone's rule is judged for a fixed number of visa-free days only.": "reason.zone_no_fixed_stay",
  "Other days in the zone, not of a fixed visa-free stay, may count too.": "reason.zone_other_stays",
  "This country's own stay is longer than the zone's, and all days were spent here.": "reason.zone_own_stay",
  "No passport validity rule is recorded for this destination.": "reason.no_validity_rule",
  "The rule is for visitors; none is recorded for who is at home or moves freely.": "reason.validity_for_visitors",
  "The passport's expiry date is not given.": "reason.expiry_not_given",
  "The passport's issue date is not given.": "reason.issue_date_not_given",
  "No transit rule is recorded for this country.": "reason.no_transit_rule",
  "The rule is recorded for the country and never decides for one passport.": "reason.transit_not_decided",
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

/** What would take a blocker away, as newer engines say it: an action, the stop, and a day, a number of days or a code. */
export interface Remedy {
  readonly action: string
  readonly step: number | null
  readonly value: unknown
}

/** Lists the remedies of a blocker; none where the engine names none. */
export function remediesOf(blocker: Blocker): readonly Remedy[] {
  const { remedies } = blocker as Blocker & { readonly remedies?: readonly Remedy[] }
  return remedies ?? []
}

/** Says what would help. */
export function sayRemedy(words: Words, { action, value }: Remedy): Sentence {
  const key = `remedy.${action}`
  const written = writeValue(words, value)
  return words.has(key)
    ? inLanguage(words, key, { value: written })
    : { text: `${action}: ${written}`, isEnglish: true }
}

function writeValue(words: Words, value: unknown): string {
  if (typeof value === "number") return words.days(value)
  if (typeof value !== "string") return JSON.stringify(value)
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return words.date(value)
  return words.has(`requirement.${value}`) ? words.say(`requirement.${value}`) : words.country(value)
}
