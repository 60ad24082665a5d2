/**
 * What is kept of a traveller's passports and documents while one journey is judged?
 *
 * Made from what was read, which nobody writes to; what is not readonly is found while the journey is judged.
 */
import type { EpochDay } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { type Dataset, UNKNOWN_SLOT } from "../dataset/open.ts"
import { BRITISH_CLASSES, isOfNationals, type PassportKind } from "../dataset/passport-kinds.ts"
import { type ReadDocument, readHeldDocuments } from "../requirement/held-documents.ts"
import { type ComparableDocument, compareAs } from "../requirement/judge-document.ts"
import type { DocumentReach, FindReach } from "./document-reach.ts"
import { type PassportFeatures, readFeatures } from "./passport-features.ts"
import { type GivenPassport, listPassports, type ReadItinerary, type ReadPassport } from "./request-fields.ts"

/** A passport, its dates (`YYYY-MM-DD`) and its kind, null where they are not given. */
export interface HeldPassport extends Pick<ReadPassport, keyof GivenPassport> {}

/** What a passport's dates say, which an entry's least cost depends on. */
export type DatesGiven = 0 | 1 | 2
export const ALL_DATES: DatesGiven = 0
export const NO_ISSUE_DATE: DatesGiven = 1
export const NO_EXPIRY_DATE: DatesGiven = 2

/** A passport of the traveller. */
export interface PassportState {
  readonly held: HeldPassport
  readonly kind: PassportKind
  /** Whether the answers of pairs are about it: neither of another kind nor of a class of British nationals. */
  readonly isOrdinary: boolean
  /** Whether anything can be said of it. */
  readonly isRecorded: boolean
  /** Index in the dataset, or one of its slots for codes that have none; always one of these where it is not ordinary. */
  readonly slot: number
  /** Index of the state that issued it, likewise, whatever its kind. */
  readonly issuerSlot: number
  /** The code by which rules for ordinary passports name it: {@link NAMED_NOWHERE} where they do not, so that rules for everybody are left. */
  readonly ruledAs: string
  /** Whose national its holder is by it; null for documents that are issued to others. */
  readonly nationality: string | null
  /** What rules for some passports ask for and this one has, and has not, as far as that was said. */
  readonly features: PassportFeatures
  readonly expiryDay: EpochDay | null
  readonly issuedDay: EpochDay | null
  readonly dates: DatesGiven
  /** What comes before its fields in the name of a gap. */
  readonly path: string
  /** Its place among the traveller's passports. */
  readonly place: number
  /** Whether any stop uses it, and the last one that does outside its holder's own country, or -1. */
  isUsed: boolean
  lastStep: number
}

/** A held document, or the residence as one. */
export interface DocumentState extends ComparableDocument {
  /** True for a visa that is not known to be a long-stay visa: who enters on it is a visitor. */
  readonly isForVisitors: boolean
  /** True for a visa that is known to be a short-stay visa. */
  readonly isShortStay: boolean
  /** True for what only an airport's international area can be passed with, where the Schengen states issue it. */
  readonly isAirportTransit: boolean
  /** Its place among the held documents; null for the residence. */
  readonly place: number | null
  /** Place of its issuer among the destinations, or a slot for codes that have none. */
  readonly slot: number
  /** The destinations that know it. */
  readonly reach: DocumentReach
  /** Whether any rule of the journey names it. */
  isNamed: boolean
}

/** Starts with the passports of a traveller. */
export function startPassports({ passportSlots }: Dataset, read: ReadItinerary): readonly PassportState[] {
  const passports = listPassports(read)
  const states: PassportState[] = []
  for (let place = 0; place < passports.length; place++) {
    const path = read.passports === null ? "" : `passports[${place}].`
    states.push(startPassport(passports[place]!, passportSlots, path, place))
  }
  return states
}

/** Says whether anything is recorded of a passport, by its place in a dataset and its code. */
export function isRecordedPassport(slot: number, passport: string): boolean {
  return slot < UNKNOWN_SLOT || BRITISH_CLASSES.includes(passport)
}

/** Used in place of a code where no rule may name the traveller. */
const NAMED_NOWHERE = "---"

function startPassport(
  read: ReadPassport,
  slots: Dataset["passportSlots"],
  path: string,
  place: number,
): PassportState {
  const { passport, passportExpiry, passportIssued, passportKind, passportExpiryDay, passportIssuedDay } = read
  const { passportBiometric, passportIdentityNumber } = read
  const kind = passportKind ?? "ordinary"
  const issuerSlot = slots[read.passportKey] as number
  const isKnown = issuerSlot < UNKNOWN_SLOT
  const isRecorded = isRecordedPassport(issuerSlot, passport)
  const isOrdinary = !isRecorded || (isKnown && kind === "ordinary")
  return {
    held: { passport, passportExpiry, passportIssued, passportKind, passportBiometric, passportIdentityNumber },
    kind,
    isOrdinary,
    isRecorded,
    slot: isOrdinary ? issuerSlot : UNKNOWN_SLOT,
    issuerSlot,
    ruledAs: isOrdinary ? passport : NAMED_NOWHERE,
    nationality: isOfNationals(kind) ? passport : null,
    features: readFeatures(read),
    expiryDay: passportExpiryDay,
    issuedDay: passportIssuedDay,
    dates: passportExpiryDay === null ? NO_EXPIRY_DATE : passportIssuedDay === null ? NO_ISSUE_DATE : ALL_DATES,
    path,
    place,
    isUsed: false,
    lastStep: -1,
  }
}

const NO_DOCUMENTS: readonly DocumentState[] = Object.freeze([])

/** Says whether a document is valid on a day, as far as its days were given. */
export function coversArrival({ read: { validFromDay, validUntilDay } }: DocumentState, day: EpochDay): boolean {
  return (validFromDay === null || validFromDay <= day) && (validUntilDay === null || day <= validUntilDay)
}

/** Starts with the documents of a traveller; the residence is one, unless a permit of that country is among them. */
export function startDocuments(
  dataset: Dataset,
  { held, residence }: ReadItinerary,
  findReach: FindReach,
): readonly DocumentState[] {
  if (held === null && residence === null) return NO_DOCUMENTS
  const documents: DocumentState[] = []
  for (let place = 0; place < (held?.length ?? 0); place++) {
    documents.push(startDocument(dataset, held![place]!, findReach, place))
  }
  // A traveller who names the permit of a country has said more than that he lives there: on which day it ends, for one.
  if (residence !== null && !holdsPermitOf(documents, residence)) {
    const [permit] = readHeldDocuments([{ kind: "residence_permit", issuer: residence }], [])
    documents.push(startDocument(dataset, permit!, findReach, null))
  }
  return documents
}

function holdsPermitOf(documents: readonly DocumentState[], residence: string): boolean {
  for (let at = 0; at < documents.length; at++) {
    const { kind, issuer } = documents[at]!.read
    if (kind === "residence_permit" && issuer === residence) return true
  }
  return false
}

function startDocument(
  { destinationSlots }: Dataset,
  document: ReadDocument,
  findReach: FindReach,
  place: number | null,
): DocumentState {
  const { read, comparedType, entryCount } = compareAs(document)
  const isVisa = read.kind === "visa"
  const isForVisitors = isVisa && (comparedType === null || !isLongStay(comparedType))
  const slot = destinationSlots[codeKey(read.issuer)] as number
  return {
    read,
    comparedType,
    entryCount,
    isForVisitors,
    isShortStay: isForVisitors && (read.durationOfStayDays !== null || isShortStay(comparedType)),
    isAirportTransit: isVisa && (comparedType === "A" || comparedType === "TYPEA"),
    place,
    slot,
    reach: findReach(read, slot),
    isNamed: false,
  }
}

// The marks of visas, as the Schengen states write them: A for airport transit and C for short stays (Regulation (EC) No 810/2009, Art. 2), D
// for long stays (Convention implementing the Schengen Agreement, Art. 18), VLS-TS for those of France. A short-stay visa says for how many
// days it is.
function isShortStay(type: string | null): boolean {
  return type === "C" || type === "TYPEC" || (type?.includes("SHORTSTAY") ?? false)
}

function isLongStay(type: string): boolean {
  return (
    type === "D" || type === "TYPED" || type.includes("LONGSTAY") || type.includes("NATIONAL") || type.startsWith("VLS")
  )
}
