/**
 * How does the page write the engine's findings in the reader's language?
 *
 * The engine's own sentences are English. Codes of the engine have a sentence of the record in every language; codes without one are shown in the engine's words, marked as English.
 */

import type { Blocker, Condition, Decision, Gap, HeldDocument, Remedy, Step } from "landfall"
import { type Notice, sayNotice } from "landfall/full"
import type { PageKey } from "../build/page-messages.ts"
import type { Values, Words } from "../language/words.ts"

/** A sentence, and whether it is the engine's English instead of the reader's language. */
export interface Sentence {
  readonly text: string
  readonly isEnglish: boolean
}

/** Says what blocks a trip, or has to be obtained or checked. */
export function sayNoticed(words: Words, notice: Blocker | Condition): Sentence {
  return sayOr(words, notice, notice.message)
}

/** Says why something is not known. */
export function sayReason(words: Words, gap: Gap): Sentence {
  return sayOr(words, gap, gap.reason)
}

function sayOr(words: Words, notice: Notice, english: string): Sentence {
  const text = sayNotice(words.locale, notice)
  return text === null ? { text: english, isEnglish: true } : { text, isEnglish: false }
}

const FIELDS: Readonly<Record<string, PageKey>> = {
  requirement: "label.requirement",
  maxStay: "label.stay",
  countedStay: "label.stay",
  zoneStay: "trip.zone_days",
  passportValidity: "label.passport_validity",
  passport: "word.passport",
  passportExpiry: "trip.expiry",
  passportIssued: "trip.issued",
  passportKind: "passport.kind",
  "passports.passport": "word.passport",
  "passports.passportExpiry": "trip.expiry",
  "passports.passportIssued": "trip.issued",
  "passports.passportKind": "passport.kind",
  "transit.rule": "label.transit",
  "transit.permitted": "label.transit",
  residence: "trip.residence",
  purpose: "trip.purpose",
}

export function nameField(words: Words, { field }: Gap): string {
  const key = FIELDS[field.replace(/^(passports|transit)\[\d+\]\./, "$1.")]
  return key === undefined ? field : words.say(key)
}

/** Says what would help. */
export function sayRemedy(words: Words, remedy: Remedy): Sentence {
  return { text: words.say(`remedy.${remedy.action}`, valuesOfRemedy(words, remedy)), isEnglish: false }
}

function valuesOfRemedy(words: Words, remedy: Remedy): Values {
  switch (remedy.action) {
    case "leave_by":
    case "enter_from":
      return { value: { on: remedy.value } }
    case "shorten":
    case "extend":
      return { value: { days: remedy.value } }
    case "use_passport":
    case "avoid_transit":
      return { value: { country: remedy.value } }
    case "renew_before":
      return { value: { on: remedy.value }, passport: { country: remedy.passport } }
    case "obtain":
      return { value: nameDocument(words, remedy.value) }
  }
}

/** Names a kind of document that a traveller holds. */
export const nameHeldKind = (words: Words, kind: HeldDocument["kind"]): string =>
  words.say(kind === "eta" ? "requirement.eta" : `held.${kind}`)

function nameDocument(words: Words, { kind, issuer, type }: Pick<HeldDocument, "kind" | "issuer" | "type">) {
  const about = type === undefined ? words.country(issuer) : words.locale.list([words.country(issuer), type])
  return `${nameHeldKind(words, kind)} (${about})`
}

/** Names the documents that ease the requirement of a stop. */
export function listBecause(words: Words, decision: Decision | null, { requirement }: Step): readonly string[] {
  if (decision === null || requirement.status === "unknown") return []
  return (requirement.because ?? []).map(({ document }) => {
    const used = document === null ? undefined : decision.held[document]?.document
    return nameDocument(words, used ?? { kind: "residence_permit", issuer: decision.residence ?? "" })
  })
}
