/** How does the page name the fields of a decision, its remedies and the documents that a traveller holds? */

import type { Decision, Gap, HeldDocument, Remedy, Step } from "landfall"
import { sayNotice } from "landfall/full"
import type { PageKey } from "../build/page-messages.ts"
import type { Values, Words } from "../language/words.ts"

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
  held: "trip.held",
  earlierStays: "trip.earlier_stays",
  stops: "trip.stops",
  transit: "label.transit",
}

/** Names the field of a gap: in words, never by its path. */
export function nameField(words: Words, { field }: Gap): string {
  const path = field.replace(/\[\d+\]/g, "")
  const key = FIELDS[path] ?? FIELDS[path.split(".")[0] ?? ""]
  return words.say(key ?? "label.requirement")
}

/** Says why something is not known, with the requirements that sources name in the reader's words. */
export function sayGap(words: Words, gap: Gap): string {
  const { code, params } = gap as { readonly code: Gap["code"]; readonly params: Readonly<Record<string, unknown>> }
  if (typeof params.says !== "string") return sayNotice(words.locale, gap)
  const says = params.says.replace(/[a-z]+(?:_[a-z]+)*/g, word => {
    const key = `requirement.${word}`
    return words.has(key) ? words.say(key) : word
  })
  return sayNotice(words.locale, { code, params: { ...params, says } })
}

/** Says what would help. */
export function sayRemedy(words: Words, remedy: Remedy): string {
  return words.say(`remedy.${remedy.action}`, valuesOfRemedy(words, remedy))
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
