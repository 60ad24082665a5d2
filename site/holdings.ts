/**
 * Which documents of other countries does a person hold, before he gives their dates?
 *
 * A kind and an issuer, such as `visa.USA`. Such a document counts as valid on every day and for several entries, and the page says so. A
 * Schengen visa may come from any of its countries; one of them represents all.
 */
import { type HeldDocument, isCode } from "landfall"
import type { Words } from "./language/words.ts"

/** The kinds: a visa, a permit to live there, and one without an end. */
export const HOLDING_KINDS = ["visa", "permit", "permanent"] as const

/** A document that is held. */
export interface Holding {
  readonly kind: (typeof HOLDING_KINDS)[number]
  /** A country, or {@link SCHENGEN}. */
  readonly issuer: string
}

/** Represents any country of the Schengen area as the issuer of a document. */
export const SCHENGEN = "SCH"
/** A country whose documents and days are those of the area. */
export const ANY_OF_SCHENGEN = "FRA"

/** The most that one person holds. */
export const MOST_HOLDINGS = 12

/** Those that people hold most often, and that most rules of other countries name. */
export const USUAL_HOLDINGS: readonly Holding[] = [
  { kind: "visa", issuer: "USA" },
  { kind: "permanent", issuer: "USA" },
  { kind: "visa", issuer: SCHENGEN },
  { kind: "permit", issuer: SCHENGEN },
  { kind: "visa", issuer: "GBR" },
  { kind: "permit", issuer: "GBR" },
  { kind: "visa", issuer: "CAN" },
  { kind: "visa", issuer: "JPN" },
]

/** Says whether two are the same document. */
export const isSameHolding = (one: Holding, other: Holding): boolean =>
  one.kind === other.kind && one.issuer === other.issuer

/** Writes documents for an address. */
export const writeHoldings = (held: readonly Holding[], joint = ","): string =>
  held.map(({ kind, issuer }) => `${kind}.${issuer}`).join(joint)

/** Reads documents from an address; anything else is left out. */
export function readHoldings(text: string | null, joint = ","): readonly Holding[] {
  const read: Holding[] = []
  for (const part of (text ?? "").split(joint)) {
    const [given, issuer] = part.split(".")
    const kind = HOLDING_KINDS.find(known => known === given)
    if (kind === undefined || !isCode(issuer)) continue
    if (!read.some(other => isSameHolding(other, { kind, issuer }))) read.push({ kind, issuer })
  }
  return read.slice(0, MOST_HOLDINGS)
}

/** The document before its dates are given. */
export function withoutDates({ kind, issuer }: Holding): HeldDocument {
  const from = issuer === SCHENGEN ? ANY_OF_SCHENGEN : issuer
  if (kind === "visa") return { kind, issuer: from }
  return { kind: "residence_permit", issuer: from, ...(kind === "permanent" ? { permanent: true } : {}) }
}

/** The document as the engine judges it: valid from the first day it knows to the last, for several entries. */
export function documentOf(holding: Holding): HeldDocument {
  const entries = holding.kind === "visa" ? ({ entries: "multiple" } as const) : {}
  return { ...withoutDates(holding), ...entries, validFrom: "2000-01-01", validUntil: "2199-12-31" }
}

/** The document without its dates; null for a kind that is not asked for without them. */
export function holdingOf({ kind, issuer, permanent }: HeldDocument): Holding | null {
  if (kind === "visa") return { kind, issuer }
  return kind === "residence_permit" ? { kind: permanent === true ? "permanent" : "permit", issuer } : null
}

/** Names a document: "Visa: United States". */
export function nameHolding(words: Words, { kind, issuer }: Holding): string {
  const from = issuer === SCHENGEN ? words.say("zone.schengen") : words.country(issuer)
  return words.locale.label(words.say(`holding.${kind}`), from)
}
