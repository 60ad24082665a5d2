/**
 * What is stored about a traveller's passports and documents while one journey is judged?
 *
 * It is made from the input, which nobody changes. Fields that are not readonly are set while the journey is judged.
 */
import type { EpochDay } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import { BRITISH_CLASSES, isOfNationals, type PassportKind } from "../dataset/passport-kinds.ts"
import { type ReadDocument, readDocument } from "../requirement/held-documents.ts"
import { type ComparableDocument, compareAs } from "../requirement/judge-document.ts"
import type { DocumentReach, FindReach } from "./document-reach.ts"
import { type PassportFeatures, readFeatures } from "./passport-features.ts"
import type { GivenPassport, ReadItinerary, ReadPassport } from "./request-fields.ts"

/** A passport, its dates (`YYYY-MM-DD`) and its kind, null if not given. */
export interface HeldPassport extends Pick<ReadPassport, keyof GivenPassport> {}

/** A passport of the traveller. */
export interface PassportState {
  readonly held: HeldPassport
  readonly kind: PassportKind
  /** Whether the answers of pairs apply to it: it is of no other kind and no class of British nationals. */
  readonly isOrdinary: boolean
  /** Whether it is recorded in the dataset. */
  readonly isRecorded: boolean
  /** Its index in the dataset, or one of the numbers for codes without an index; always one of these if it is not ordinary. */
  readonly row: number
  /** The index of the issuing state, likewise, whatever the kind. */
  readonly issuerRow: number
  /**
   * The code under which rules for ordinary passports name it; {@link NAMED_NOWHERE} if they do not apply, so that only
   * rules for everybody are left.
   */
  readonly ruledAs: string
  /** The nationality that it proves; null for documents that are issued to non-nationals. */
  readonly nationality: string | null
  /** The features on which rules depend that it is known to have, and to lack. */
  readonly features: PassportFeatures
  readonly expiryDay: EpochDay | null
  readonly issuedDay: EpochDay | null
  /** The prefix of its fields in the names of gaps. */
  readonly path: string
  /** Its index among the traveller's passports. */
  readonly place: number
  /** Whether any stop uses it, and the last such stop outside its holder's own country, or -1. */
  isUsed: boolean
  lastStep: number
}

/** A held document, or the residence as one. */
export interface DocumentState extends ComparableDocument {
  /** True for a visa that is not known to be a long-stay visa: its holder is a visitor. */
  readonly isForVisitors: boolean
  /** True for a visa that is known to be a short-stay visa. */
  readonly isShortStay: boolean
  /** True for a visa for airport transit only, of a Schengen state. */
  readonly isAirportTransit: boolean
  /** Its index among the held documents; null for the residence. */
  readonly place: number | null
  /** The index of its issuer among the destinations, or a number for codes without an index. */
  readonly column: number
  /** The destinations whose rules name it. */
  readonly reach: DocumentReach
  /** Whether any rule of the journey names it. */
  isNamed: boolean
}

/** Starts the state of a traveller's passports. */
export function startPassports({ passportIndices }: Dataset, read: ReadItinerary): readonly PassportState[] {
  const { passports } = read
  if (passports === null) return [startPassport(read as ReadPassport, passportIndices, "", 0)]
  return passports.map((passport, place) => startPassport(passport, passportIndices, `passports[${place}].`, place))
}

/** Says whether a passport is recorded, by its index in a dataset and its code. */
export function isRecordedPassport(row: number, passport: string): boolean {
  return row < UNKNOWN_INDEX || BRITISH_CLASSES.includes(passport)
}

/** Replaces a code if no rule may name the traveller. */
const NAMED_NOWHERE = "---"

function startPassport(
  read: ReadPassport,
  indices: Dataset["passportIndices"],
  path: string,
  place: number,
): PassportState {
  const { passport, passportExpiry, passportIssued, passportKind, passportExpiryDay, passportIssuedDay } = read
  const { passportBiometric, passportIdentityNumber } = read
  const kind = passportKind ?? "ordinary"
  const issuerRow = indices[read.passportKey] as number
  const isKnown = issuerRow < UNKNOWN_INDEX
  const isRecorded = isRecordedPassport(issuerRow, passport)
  const isOrdinary = !isRecorded || (isKnown && kind === "ordinary")
  return {
    held: { passport, passportExpiry, passportIssued, passportKind, passportBiometric, passportIdentityNumber },
    kind,
    isOrdinary,
    isRecorded,
    row: isOrdinary ? issuerRow : UNKNOWN_INDEX,
    issuerRow,
    ruledAs: isOrdinary ? passport : NAMED_NOWHERE,
    nationality: isOfNationals(kind) ? passport : null,
    features: readFeatures(read),
    expiryDay: passportExpiryDay,
    issuedDay: passportIssuedDay,
    path,
    place,
    isUsed: false,
    lastStep: -1,
  }
}

/** Says whether a document is valid on a day, by the given dates. */
export function coversArrival({ read: { validFromDay, validUntilDay } }: DocumentState, day: EpochDay): boolean {
  return (validFromDay === null || validFromDay <= day) && (validUntilDay === null || day <= validUntilDay)
}

/** Starts the state of a traveller's documents. The residence is one of them, unless a permit of that country is given. */
export function startDocuments(
  dataset: Dataset,
  { held, residence }: ReadItinerary,
  findReach: FindReach,
): readonly DocumentState[] {
  if (held === null && residence === null) return NOTHING
  const documents: DocumentState[] = []
  for (let place = 0; place < (held?.length ?? 0); place++) {
    documents.push(startDocument(dataset, held![place]!, findReach, place))
  }
  // A permit says more than the residence, such as its last day.
  if (residence !== null && !holdsPermitOf(documents, residence)) {
    const permit = readDocument({ kind: "residence_permit", issuer: residence }, [])
    documents.push(startDocument(dataset, permit, findReach, null))
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

/** Starts the state of a document; `place` is its index among the held ones, or null for the residence. */
export function startDocument(
  { destinationIndices }: Dataset,
  document: ReadDocument,
  findReach: FindReach,
  place: number | null,
): DocumentState {
  const { read, comparedType, entryCount } = compareAs(document)
  const isVisa = read.kind === "visa"
  const isForVisitors = isVisa && (comparedType === null || !isLongStay(comparedType))
  const column = destinationIndices[codeKey(read.issuer)] as number
  return {
    read,
    comparedType,
    entryCount,
    isForVisitors,
    isShortStay: isForVisitors && (read.durationOfStayDays !== null || isShortStay(comparedType)),
    isAirportTransit: isVisa && (comparedType === "A" || comparedType === "TYPEA"),
    place,
    column,
    reach: findReach(read, column),
    isNamed: false,
  }
}

// Classes of visas in the words of the Schengen states: A for airport transit and C for short stays (Regulation (EC) No
// 810/2009, Art. 2), D for long stays (Convention implementing the Schengen Agreement, Art. 18), VLS-TS for those of
// France. A short-stay visa states its number of days.
function isShortStay(type: string | null): boolean {
  return type === "C" || type === "TYPEC" || (type?.includes("SHORTSTAY") ?? false)
}

function isLongStay(type: string): boolean {
  return (
    type === "D" || type === "TYPED" || type.includes("LONGSTAY") || type.includes("NATIONAL") || type.startsWith("VLS")
  )
}
