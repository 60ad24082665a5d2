/**
 * Who travels, with which passports, and where have they been before?
 *
 * Reads one traveller of a question, names every mistake with its path, and takes everything as plain values. Earlier stays end before
 * the itinerary begins, or on its first day; they may stand in any order and overlap, because a record of stays is seldom tidy.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { type Dataset, MALFORMED_SLOT } from "../dataset/open.ts"
import type { InputIssue } from "../errors.ts"
import { type HeldDocument, readHeldDocuments } from "../requirement/held-documents.ts"
import { type ComparableDocument, compareAs } from "../requirement/judge-document.ts"
import { fieldsOf, MAX_PASSPORTS, nestIssues, readObject, refuseOtherFields } from "../requirement/question.ts"
import type { DocumentReach } from "./document-reach.ts"
import { NO_DATE, readKey, readLength, refuse } from "./input-values.ts"
import { type DatesGiven, datesGivenOf } from "./pair-findings.ts"
import { type ReadStop, type StayRead, toStop } from "./route-input.ts"
import type { Stay } from "./stay-days.ts"
import { readStay } from "./stay-input.ts"

/** The most stays before an itinerary. */
export const MAX_EARLIER_STAYS = 100

/** A passport and its dates (`YYYY-MM-DD`), null where they are not given. */
export interface HeldPassport {
  readonly passport: string
  /** Last day of validity. */
  readonly passportExpiry: string | null
  /** Day of issue. */
  readonly passportIssued: string | null
}

/** A passport as it may be given: dates are optional. */
export interface GivenPassport {
  readonly passport: string
  readonly passportExpiry?: string | null | undefined
  readonly passportIssued?: string | null | undefined
}

/** One traveller: either one passport with its dates, or `passports`. */
export interface Traveller extends Partial<GivenPassport> {
  /** 1 to 10 distinct passports of the same traveller, with their dates or as bare codes. */
  readonly passports?: readonly (GivenPassport | string)[] | undefined
  /**
   * Where the traveller lives: taken for a residence permit where a waiver names one and `held` has none of that country; else echoed and not
   * modelled.
   */
  readonly residence?: string | null | undefined
  /** At most 20 visas and residence permits; entries are those that are left. */
  readonly held?: readonly HeldDocument[] | null | undefined
  /** At most 100 stays before the itinerary, those under a permit of the country marked; their days count where stays add up. */
  readonly earlierStays?: readonly Stay[] | null | undefined
}

/** A passport that was read. */
export interface ReadPassport {
  readonly held: HeldPassport
  /** Index in the dataset, or one of its slots for codes that have none. */
  readonly slot: number
  readonly expiryDay: EpochDay | null
  readonly issuedDay: EpochDay | null
  readonly dates: DatesGiven
  /** What stands before its fields in the name of a gap. */
  readonly path: string
  /** Its place among the traveller's passports. */
  readonly place: number
  /** Whether any stop uses it, and the last one that does outside its holder's own country, or -1. */
  isUsed: boolean
  lastStep: number
}

/** A held document that was read, or the residence as one. */
export interface ReadDocument extends ComparableDocument {
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
  /** Whether any rule of the journey names it. */
  isNamed: boolean
  /** The destinations that know it; null until a journey is judged. */
  reach: DocumentReach | null
}

/** A traveller who was read; placeholders where something was refused. */
export interface ReadTraveller {
  readonly passports: readonly ReadPassport[]
  readonly residence: string | null
  readonly documents: readonly ReadDocument[]
  /** In the order of their first days. */
  readonly earlierStays: readonly ReadStop[]
}

/** The fields of a traveller. */
export const TRAVELLER_FIELDS = [
  "passport",
  "passportExpiry",
  "passportIssued",
  "passports",
  "residence",
  "held",
  "earlierStays",
] as const
const PASSPORT_FIELDS = /* @__PURE__ */ fieldsOf("passport", "passportExpiry", "passportIssued")
const NO_DOCUMENTS: readonly ReadDocument[] = Object.freeze([])
const NO_STAYS: readonly ReadStop[] = Object.freeze([])

/** Reads one traveller; `path` is what stands before the names of its fields. */
export function readTraveller(
  dataset: Dataset,
  given: Readonly<Record<string, unknown>>,
  stops: readonly ReadStop[],
  path: string,
  issues: InputIssue[],
): ReadTraveller {
  const { residence, held, earlierStays } = given
  if (residence != null) readKey(residence, `${path}residence`, issues)
  const passports = readPassports(dataset, given, path, issues)
  for (let place = 0; place < stops.length; place++) {
    const { wantedPassport } = stops[place]!
    if (wantedPassport === null || passports.some(({ held }) => held.passport === wantedPassport)) continue
    refuse(issues, `stops[${place}].passport`, wantedPassport, "none of the passports given")
  }
  return {
    passports,
    residence: (residence ?? null) as string | null,
    documents: held == null && residence == null ? NO_DOCUMENTS : readDocuments(dataset, held, residence, path, issues),
    earlierStays: earlierStays == null ? NO_STAYS : readEarlierStays(dataset, earlierStays, stops, path, issues),
  }
}

function readDocuments(
  dataset: Dataset,
  held: unknown,
  residence: unknown,
  path: string,
  issues: InputIssue[],
): ReadDocument[] {
  const documents: ReadDocument[] = []
  if (held != null) {
    const read = readHeldDocuments(held, `${path}held`, issues)
    for (let place = 0; place < read.length; place++) documents.push(toDocument(dataset, read[place]!, place))
  }
  if (residence != null && !holdsPermitOf(documents, residence)) {
    const permit = compareAs({ kind: "residence_permit", issuer: residence as string })
    documents.push(toDocument(dataset, permit, null))
  }
  return documents
}

// Whoever names the permit of a country has said more than that he lives there: on which day it ends, for one.
function holdsPermitOf(documents: readonly ReadDocument[], residence: unknown): boolean {
  for (let at = 0; at < documents.length; at++) {
    const { kind, issuer } = documents[at]!.document
    if (kind === "residence_permit" && issuer === residence) return true
  }
  return false
}

function toDocument(dataset: Dataset, compared: ComparableDocument, place: number | null): ReadDocument {
  const { document, comparedType } = compared
  const isVisa = document.kind === "visa"
  const isForVisitors = isVisa && (comparedType === null || !isLongStay(comparedType))
  return {
    document,
    fromDay: compared.fromDay,
    untilDay: compared.untilDay,
    comparedType,
    entryCount: compared.entryCount,
    used: compared.used,
    permanent: compared.permanent,
    electronic: compared.electronic,
    isForVisitors,
    isShortStay: isForVisitors && (document.durationOfStayDays !== undefined || isShortStay(comparedType)),
    isAirportTransit: isVisa && (comparedType === "A" || comparedType === "TYPEA"),
    place,
    slot: dataset.destinationSlots[codeKey(document.issuer)] as number,
    isNamed: false,
    reach: null,
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

function readOptionalDay(value: unknown, path: string, field: string, issues: InputIssue[]): EpochDay | null {
  if (value == null) return null
  const day = parseCivilDate(value)
  if (day === null) refuse(issues, `${path}${field}`, value, NO_DATE)
  return day
}

function readPassports(
  dataset: Dataset,
  { passports, passport, passportExpiry, passportIssued }: Readonly<Record<string, unknown>>,
  path: string,
  issues: InputIssue[],
): ReadPassport[] {
  if (passports == null) {
    const given = { passport, passportExpiry, passportIssued }
    return [readPassport(dataset, given, { place: 0, isListed: false }, path, issues)]
  }
  if (passport != null || passportExpiry != null || passportIssued != null) {
    const message = "Give either one passport with its dates, or the list of passports, each with its own."
    issues.push({ path: `${path}passports`, message })
  }
  const length = readLength(passports, 1, MAX_PASSPORTS, `${path}passports`, issues)
  const read: ReadPassport[] = []
  for (let place = 0; place < length; place++) {
    const known = issues.length
    const one = readListedPassport(dataset, (passports as readonly unknown[])[place], place, read, issues)
    if (one !== null) read.push(one)
    nestIssues(issues, known, `${path}passports`, place)
  }
  return read
}

function readListedPassport(
  dataset: Dataset,
  value: unknown,
  place: number,
  others: readonly ReadPassport[],
  issues: InputIssue[],
): ReadPassport | null {
  const known = issues.length
  const given = typeof value === "string" ? { passport: value } : readObject(value, "", issues)
  if (issues.length > known) return null
  refuseOtherFields(given, PASSPORT_FIELDS, "", issues)
  const one = readPassport(dataset, given, { place, isListed: true }, "", issues)
  if (one.slot !== MALFORMED_SLOT && others.some(({ held }) => held.passport === one.held.passport)) {
    refuse(issues, "passport", one.held.passport, "given twice")
  }
  return one
}

function readPassport(
  dataset: Dataset,
  { passport, passportExpiry, passportIssued }: Readonly<Record<string, unknown>>,
  { place, isListed }: { readonly place: number; readonly isListed: boolean },
  path: string,
  issues: InputIssue[],
): ReadPassport {
  const key = codeKey(passport)
  if (key === MALFORMED_KEY) readKey(passport, `${path}passport`, issues)
  const expiryDay = readOptionalDay(passportExpiry, path, "passportExpiry", issues)
  const issuedDay = readOptionalDay(passportIssued, path, "passportIssued", issues)
  if (expiryDay !== null && issuedDay !== null && issuedDay > expiryDay) {
    refuse(issues, `${path}passportIssued`, passportIssued, "after the day of expiry")
  }
  return {
    held: { passport, passportExpiry: passportExpiry ?? null, passportIssued: passportIssued ?? null } as HeldPassport,
    slot: dataset.passportSlots[key] as number,
    expiryDay,
    issuedDay,
    dates: datesGivenOf(expiryDay, issuedDay),
    path: isListed ? `passports[${place}].` : "",
    place,
    isUsed: false,
    lastStep: -1,
  }
}

function readEarlierStays(
  dataset: Dataset,
  value: unknown,
  stops: readonly ReadStop[],
  path: string,
  issues: InputIssue[],
): ReadStop[] {
  const length = readLength(value, 0, MAX_EARLIER_STAYS, `${path}earlierStays`, issues)
  const stays: ReadStop[] = []
  const begin = stops[0]
  for (let place = 0; place < length; place++) {
    const known = issues.length
    const { destination, from, to, first, last, hasPermit } = readStay((value as readonly unknown[])[place], issues)
    if (issues.length === known && begin !== undefined && last > begin.firstDay && isFirstDay(begin)) {
      issues.push({ path: "to", message: `The stay ends after the first day of the itinerary, ${begin.from}.` })
    }
    if (issues.length > known) {
      nestIssues(issues, known, `${path}earlierStays`, place)
      continue
    }
    const key = codeKey(destination)
    const slot = dataset.destinationSlots[key] as number
    const read: StayRead = {
      destination,
      key,
      slot,
      from,
      to,
      firstDay: first,
      lastDay: last,
      wantedPassport: null,
      place,
      counting: hasPermit ? "permit" : "certain",
    }
    insertInOrder(stays, toStop(read))
  }
  return stays
}

// Where the first stop or its day was refused, no earlier stay is too late for it.
function isFirstDay({ place, from }: ReadStop): boolean {
  return place === 0 && parseCivilDate(from) !== null
}

// By insertion: there are few stays, and most of them stand in order already.
function insertInOrder(stays: ReadStop[], stay: ReadStop): void {
  let at = stays.push(stay) - 1
  for (; at > 0 && isLater(stays[at - 1]!, stay); at--) stays[at] = stays[at - 1]!
  stays[at] = stay
}

function isLater(a: ReadStop, b: ReadStop): boolean {
  return a.firstDay > b.firstDay || (a.firstDay === b.firstDay && a.lastDay > b.lastDay)
}
