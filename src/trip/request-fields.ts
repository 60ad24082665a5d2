/**
 * Which fields does a question about a journey have?
 *
 * This is the one table of a request. The engine, the wire, the schemas, the tools for language models, the lines of a
 * batch and the page's files are made from it. Stops are in order; one may begin on the day on which the previous one
 * ends, and not earlier. Earlier stays end before the journey begins, or on its first day; they may be in any order and
 * overlap. A well-formed code that is not in the dataset is not a mistake.
 */

import { parseCivilDate } from "../civil-date.ts"
import { BORDERS, codeKey, MALFORMED_KEY, PASSPORT_KINDS } from "../codes.ts"
import { describe, type InputIssue, sayRefused } from "../errors.ts"
import {
  type Given,
  giveBack,
  list,
  object,
  type Read,
  type Refusal,
  readerOf,
  refusalOf,
  row,
  tellFields,
  tellKind,
  type Unsure,
  type WithoutNull,
  type Words,
  type WordsOf,
} from "../fields/read-fields.ts"
import { MAX_PASSPORTS } from "../requirement/question.ts"

// ---- Passports

const CODE = { kind: "code" } as const
const DAY = { kind: "day" } as const
const FLAG = { kind: "flag" } as const

/** A passport and its dates. */
export const PASSPORT = {
  passport: row("passport", CODE, "required"),
  passportExpiry: row("passport_expiry", DAY, "nullable"),
  passportIssued: row("passport_issued", DAY, "nullable"),
  passportKind: row(
    "passport_kind",
    { kind: "word", words: PASSPORT_KINDS, refusal: `none of ${PASSPORT_KINDS.join(", ")}` },
    "nullable",
  ),
  passportBiometric: row("passport_biometric", FLAG, "nullable"),
  passportIdentityNumber: row("passport_identity_number", FLAG, "nullable"),
}

/** The descriptions in the reference. */
const PASSPORT_WORDS: WordsOf<typeof PASSPORT> = {
  passport: ["The issuer of the passport, an ISO 3166-1 alpha-3 code.", "FRA"],
  passportExpiry: ["The last day on which the passport is valid.", "2029-03-01"],
  passportIssued: ["The day of issue.", "2017-03-02"],
  passportKind: ["The kind of passport or travel document; ordinary by default.", "diplomatic"],
  passportBiometric: ["Whether it has a chip with the holder's data. Unknown if it is left out.", true],
  passportIdentityNumber: ["Whether it has the holder's national identity number, which Taiwan requires.", true],
}

/** The fields with their descriptions, for an answer that repeats a passport. */
export const TOLD_PASSPORT = /* @__PURE__ */ tellFields("HeldPassport", PASSPORT, [PASSPORT_WORDS])

/** Lists the mistakes in the dates of a passport. */
function refuseExpiry(read: Unsure<Read<typeof PASSPORT>>, refused: Refusal[] = []): readonly Refusal[] {
  const { passportExpiryDay, passportIssuedDay, passportIssued } = read
  if (passportExpiryDay !== null && passportIssuedDay !== null && passportIssuedDay > passportExpiryDay) {
    refused.push(["passportIssued", `${describe(passportIssued)} is after the day of expiry.`])
  }
  return refused
}

// ---- Held documents

// Which documents of other states does a traveller hold?
//
// A visa or a residence permit, as its holder describes it: the table of its fields, and its reader.
// `trip/documents.ts` judges whether one meets the terms of a rule.

/** The most documents of one traveller. */
export const MAX_HELD_DOCUMENTS = 20
/** The most entries, and the most days of a stay, of a visa. */
const MAX_COUNT = 3650

const ISSUER = { kind: "code", refusal: "not an ISO 3166-1 alpha-3 code in capital letters, such as USA" } as const

/** The fields of a visa or residence permit of another state. A missing field is unknown. */
const DOCUMENT = {
  kind: row("kind", { kind: "word", words: ["visa", "residence_permit", "eta"] }, "required"),
  issuer: row("issuer", ISSUER, "required"),
  type: row("type", { kind: "text", most: 40 }, "nullable"),
  issuedOn: row("issued_on", DAY, "nullable"),
  validFrom: row("valid_from", DAY, "nullable"),
  validUntil: row("valid_until", DAY, "nullable"),
  entries: row("entries", { kind: "count", least: 1, most: MAX_COUNT, word: "multiple" }, "nullable"),
  durationOfStayDays: row("duration_of_stay_days", { kind: "count", least: 1, most: MAX_COUNT }, "nullable"),
  used: row("used", FLAG, "nullable"),
  permanent: row("permanent", FLAG, "nullable"),
  electronic: row("electronic", FLAG, "nullable"),
}

/** The descriptions in the reference. */
const DOCUMENT_WORDS: WordsOf<typeof DOCUMENT, "HeldDocument."> = {
  "HeldDocument.kind": ["The kind of document; eta: a travel authorisation, such as ESTA or the UK ETA.", "visa"],
  "HeldDocument.issuer": ["The issuer, an ISO 3166-1 alpha-3 code.", "USA"],
  "HeldDocument.type": ["Its class in the issuer's own words, such as C or B1/B2.", "C"],
  "HeldDocument.issuedOn": ["The day of issue.", "2025-05-02"],
  "HeldDocument.validFrom": ["The first day on which it is valid; by default it already is.", "2026-01-01"],
  "HeldDocument.validUntil": ["The last day on which it is valid.", "2029-12-31"],
  "HeldDocument.entries": ["The number of remaining entries.", "multiple"],
  "HeldDocument.durationOfStayDays": ["The most days of a stay under it.", 90],
  "HeldDocument.used": ["Whether it was used before to enter the issuer's country.", true],
  "HeldDocument.permanent": ["Whether it grants permanent residence."],
  "HeldDocument.electronic": ["Whether it exists electronically only.", false],
}

/** The fields with their descriptions. */
export const TOLD_DOCUMENT = /* @__PURE__ */ tellFields("HeldDocument", DOCUMENT, [DOCUMENT_WORDS])

/** A visa or residence permit of another state, as a request gives it. */
export type GivenDocument = Given<typeof DOCUMENT, "engine">
/** A visa or residence permit of another state, as given. */
export interface HeldDocument extends WithoutNull<GivenDocument> {}
/** A document that was read. */
export type ReadDocument = Read<typeof DOCUMENT>

/** The table of a document. */
const HELD_DOCUMENT = object("HeldDocument", DOCUMENT, {
  rule: ({ kind, permanent, validFrom, validFromDay, validUntil, validUntilDay }) => {
    const refused: Refusal[] = []
    if (validFromDay !== null && validUntilDay !== null && validUntilDay < validFromDay) {
      refused.push(["validUntil", `${describe(validUntil)} is before the first day of its validity, ${validFrom}.`])
    }
    if (kind === "visa" && permanent === true) {
      refused.push(["permanent", "A visa is never permanent."])
    }
    return refused
  },
})

/** The documents of one traveller. */
const HELD_DOCUMENTS = list(HELD_DOCUMENT, 0, MAX_HELD_DOCUMENTS)

/** Reads one document. */
export const readDocument = /* @__PURE__ */ readerOf(HELD_DOCUMENT, "engine")

const describeOptions = () =>
  object("HeldOptions", {
    held: row("held", HELD_DOCUMENTS, "required"),
    on: row("on", DAY, "nullable"),
    exitOn: row("exit_on", DAY, "nullable"),
  })

/** Reads the options of a question about held documents, and reports mistakes with their paths, such as `held[0].kind`. */
export const readHeldOptions = /* @__PURE__ */ readerOf(/* @__PURE__ */ describeOptions(), "engine")

/** Returns a document that was read in its given form. */
export function describeDocument(read: ReadDocument): HeldDocument {
  return giveBack(HELD_DOCUMENT, read) as HeldDocument
}

// ---- Requests

/** The most stops, and the most transit countries. */
const MAX_STOPS = 12
/** The most stays before an itinerary. */
const MAX_EARLIER_STAYS = 100
/** The most travellers of one decision. */
const MAX_TRAVELLERS = 10

const NOT_GIVEN = "none of the passports given"

const BY = row("by", { kind: "word", words: BORDERS, refusal: `none of ${BORDERS.join(", ")}` }, "nullable")
const SPAN = {
  destination: row("destination", CODE, "required"),
  from: row("from", DAY, "required"),
  to: row("to", DAY, "required"),
}
const STOP = {
  ...SPAN,
  to: row("to", DAY, "nullable"),
  passport: row("passport", { kind: "code", refusal: NOT_GIVEN }, "nullable"),
  by: BY,
}
const STAY = {
  ...SPAN,
  permit: row(
    "permit",
    {
      kind: "word",
      words: ["residence", "national_visa"],
      refusal: 'neither "residence" nor "national_visa"; leave it out for a visitor',
    },
    "optional",
  ),
}

const TRANSIT = {
  country: row("country", CODE, "required"),
  airside: row("airside", FLAG, "nullable"),
  by: BY,
}
/** A country of transit; it may be given by its code only. */
const TRANSIT_COUNTRY = object("TransitCountry", TRANSIT, {
  bare: "country",
  usual: readUsualTransit,
})
/** A country of transit that was read. */
export type ReadTransit = Read<typeof TRANSIT>

/** Refuses a stay that ends before its first day; `name` and `at` are its list and its place there. */
export function refuseEnd(
  { from, fromDay, to, toDay }: Pick<Unsure<ReadStop>, "from" | "fromDay" | "to" | "toDay">,
  what: string,
  name: string,
  at: number,
  refused: Refusal[],
): void {
  if (fromDay === null || toDay === null || toDay >= fromDay) return
  refused.push([`${name}[${at}].to`, `${describe(to)} is before the first day of the ${what}, ${from}.`])
}

/** One stay before a journey, or of a history. The rules of these lists are asked with the whole: one by one takes a tenth of a decision. */
export const EARLIER_STAY = object("EarlierStay", STAY, { usual: readUsualStay })
/** One presence in a destination. */
export type Stay = Given<typeof STAY, "engine">
/** A stay that was read. */
export type ReadStay = Read<typeof STAY>

const TRAVELLER = {
  ...PASSPORT,
  passport: { ...PASSPORT.passport, need: "nullable" as const },
  passports: row(
    "passports",
    list(object("HeldPassport", PASSPORT, { bare: "passport", rule: read => refuseExpiry(read) }), 1, MAX_PASSPORTS),
    "nullable",
  ),
  residence: row("residence", CODE, "nullable"),
  held: row("held", HELD_DOCUMENTS, "nullable"),
  earlierStays: row("earlier_stays", list(EARLIER_STAY, 0, MAX_EARLIER_STAYS), "nullable"),
}
const ROUTE = {
  stops: row("stops", list(object("Stop", STOP, { usual: readUsualStop }), 1, MAX_STOPS), "required"),
  transit: row("transit", list(TRANSIT_COUNTRY, 0, MAX_STOPS), "nullable"),
  purpose: row("purpose", { kind: "text", most: 100, mayBeBlank: true }, "nullable"),
}
const ONE = { ...TRAVELLER, ...ROUTE }

type ReadTraveller = Read<typeof TRAVELLER>
type ReadStops = readonly Unsure<Read<typeof STOP>>[] | null
interface ReadRoute {
  readonly stops: ReadStops
  readonly transit: readonly Unsure<ReadTransit>[] | null
}

function refusePassports(traveller: Unsure<ReadTraveller>, refused: Refusal[] = []): readonly Refusal[] {
  const { passport, passportExpiry, passportIssued, passportKind, passports } = traveller
  const { passportBiometric, passportIdentityNumber } = traveller
  refuseExpiry(traveller, refused)
  if (passports === null) {
    if (passport === null) refused.push(["passport", sayRefused(undefined, refusalOf("code"))])
    return refused
  }
  const dates = passportExpiry ?? passportIssued
  if ((passport ?? dates ?? passportKind ?? passportBiometric ?? passportIdentityNumber) !== null) {
    refused.push(["passports", "Give either one passport with its dates, or the list of passports, each with its own."])
  }
  for (let at = 1; at < passports.length; at++) {
    const { passport: code, passportKind: kind } = passports[at]!
    // A diplomatic passport and an ordinary one of the same state are two documents.
    const isSame = (other: ReadPassport) =>
      other.passport === code && (other.passportKind ?? "ordinary") === (kind ?? "ordinary")
    if (code !== null && passports.findIndex(isSame) < at) {
      refused.push([`passports[${at}].passport`, `${describe(code)} is given twice.`])
    }
  }
  return refused
}

function refuseLateStays(
  { earlierStays }: Unsure<ReadTraveller>,
  stops: ReadStops,
  path: string,
  refused: Refusal[],
): void {
  if (earlierStays === null) return
  const begin = stops?.[0]
  const name = `${path}earlierStays`
  for (let at = 0; at < earlierStays.length; at++) {
    const stay: Unsure<ReadStay> = earlierStays[at]!
    const { fromDay, toDay } = stay
    refuseEnd(stay, "stay", name, at, refused)
    if (begin?.fromDay == null || toDay === null || toDay <= begin.fromDay || (fromDay !== null && toDay < fromDay))
      continue
    const message = `The stay ends after the first day of the itinerary, ${begin.from}.`
    refused.push([`${name}[${at}].to`, message])
  }
}

function refuseRoute({ stops, transit }: ReadRoute, refused: Refusal[]): void {
  for (let at = 0; at < (transit?.length ?? 0); at++) {
    const { airside, by } = transit![at]!
    if (airside !== true || (by !== "land" && by !== "sea")) continue
    refused.push([`transit[${at}].airside`, `true is for a change at an airport, not for one by ${by}.`])
  }
  let end = Number.NEGATIVE_INFINITY
  for (let at = 0; at < (stops?.length ?? 0); at++) {
    const stop = stops![at]!
    const { from, fromDay, to, toDay } = stop
    refuseEnd(stop, "stop", "stops", at, refused)
    if (fromDay !== null && fromDay < end) {
      const what = "before the end of an earlier stop: stops stand in order, and may touch but not overlap"
      refused.push([`stops[${at}].from`, `${describe(from)} is ${what}.`])
    }
    if (to === null && at < stops!.length - 1) {
      refused.push([`stops[${at}].to`, "Only the last stop may leave out its last day."])
    }
    if (toDay !== null && toDay > end) end = toDay
  }
}

function refuseWanted({ passport, passports }: Unsure<ReadTraveller>, stops: ReadStops, refused: Refusal[]): void {
  for (let at = 0; at < (stops?.length ?? 0); at++) {
    const wanted = stops![at]!.passport
    if (wanted === null || wanted === passport || passports?.some(each => each.passport === wanted)) continue
    refused.push([`stops[${at}].passport`, `${describe(wanted)} is ${NOT_GIVEN}.`])
  }
}

// Mistakes of the journey are reported before those of its traveller.
const FIRST = ["purpose", "stops", "transit", "residence"] as const

function refuseOne(read: Unsure<Read<typeof ONE>>): readonly Refusal[] {
  const refused: Refusal[] = []
  refuseRoute(read, refused)
  refuseWanted(read, read.stops, refused)
  refusePassports(read, refused)
  refuseLateStays(read, read.stops, "", refused)
  return refused
}

/** A question about one traveller. */
export const ITINERARY = object("Itinerary", ONE, { first: FIRST, rule: refuseOne })

// Functions make the kinds that one traveller does not need, so that a bundler can leave them out: it keeps an object that copies another one.
const describeGroup = () => ({
  travellers: row(
    "travellers",
    list(object("Traveller", TRAVELLER, { rule: read => refusePassports(read) }), 1, MAX_TRAVELLERS),
    "required",
  ),
  ...ROUTE,
})
const GROUP = /* @__PURE__ */ describeGroup()

/** A question about several travellers on one journey. Its stops name no passports. */
const GROUP_ITINERARY = /* @__PURE__ */ object("GroupItinerary", GROUP, {
  first: ["purpose", "stops", "transit"],
  rule: read => {
    const { travellers, stops } = read
    const refused: Refusal[] = []
    refuseRoute(read, refused)
    stops?.forEach(({ passport }, at) => {
      if (passport === null) return
      refused.push([`stops[${at}].passport`, "A stop's passport is named for one traveller only."])
    })
    travellers?.forEach((each, at) => {
      refuseLateStays(each, stops, `travellers[${at}].`, refused)
    })
    return refused
  },
})

const describeRequest = () =>
  object(
    "DecisionRequest",
    { ...ONE, travellers: { ...GROUP.travellers, need: "nullable" } },
    { first: FIRST, rule: refuseOne },
  )

// A request on the wire, without the descriptions for a reference.
const BARE_REQUEST = /* @__PURE__ */ describeRequest()

const WORDS: Words = {
  passports: [
    "Instead of passport: 1 to 10 passports of the traveller, with dates or as codes; two of one issuer differ in kind.",
  ],
  residence: ["Where the traveller lives: counts as a residence permit if a rule names one and held has none.", "FRA"],
  held: ["At most 20 visas and residence permits in hand; `entries` are the remaining ones."],
  earlierStays: [
    "At most 100 stays that end before the first stop, or on its first day; their days count if stays add up.",
  ],
  permit: ["Given if a permit of the destination covered the stay, so that its days do not count.", "residence"],
  stops: ["1 to 12 stays in order; both ends count; one may begin on the day on which the one before it ends."],
  destination: ["The territory entered; territories have codes of their own (PYF, GRL, HKG).", "THA"],
  from: ["First day there; counts.", "2028-12-01"],
  to: ["Last day there; counts.", "2028-12-20"],
  "Stop.to": ["Last day there; counts. The last stop may leave it out: the stay has no known end.", "2028-12-20"],
  "Stop.passport": ["The passport to use here, one of those given; by default the best one.", "FRA"],
  "Stop.by": ["How the traveller arrives; some rules hold at some borders only.", "air"],
  transit: ["At most 12 countries of transit, as codes or with details of the transit.", ["ARE"]],
  country: ["Where the traveller changes.", "ARE"],
  airside: ["True inside the international area of an airport; if it is left out, both must be possible.", true],
  "TransitCountry.by": ["How the traveller arrives there; only who arrives by air can stay airside.", "air"],
  purpose: ["Judged if a rule names purposes. With another one, such as work, no visit is clear.", "tourism"],
  travellers: ["Instead of the fields of one traveller: 1 to 10 travellers on one journey."],
}

/** A request on the wire: one traveller, or `travellers`. */
export const DECISION_REQUEST = /* @__PURE__ */ tellKind(BARE_REQUEST, [PASSPORT_WORDS, DOCUMENT_WORDS, WORDS])

/** A question about one traveller. */
export type ItineraryRequest = Given<typeof ONE, "engine">
/** A question about several travellers on one journey. */
export type GroupItineraryRequest = Given<typeof GROUP, "engine">
/** One traveller: either one passport with its dates, or `passports`. */
export type Traveller = Given<typeof TRAVELLER, "engine">
/** One stay of an itinerary, as given. */
export type Stop = Given<typeof STOP, "engine">
/** A country of transit, as given with its details. */
export type GivenTransit = Given<typeof TRANSIT, "engine">
/** A passport, as given. */
export type GivenPassport = Given<typeof PASSPORT, "engine">

/** A stop that was read. */
export type ReadStop = Read<typeof STOP>
/** A passport that was read. */
export type ReadPassport = Read<typeof PASSPORT>
/** An itinerary of one traveller that was read. Nothing changes it. */
export type ReadItinerary = Read<typeof ONE>

const readOne = /* @__PURE__ */ readerOf(ITINERARY, "engine")
const readGroup = /* @__PURE__ */ readerOf(GROUP_ITINERARY, "engine")
const readOneOnWire = /* @__PURE__ */ readerOf(BARE_REQUEST, "wire")
const readGroupOnWire = /* @__PURE__ */ readerOf(GROUP_ITINERARY, "wire")

/** Reads an itinerary and adds its mistakes to `issues`. */
export function readItinerary(request: unknown, issues: InputIssue[]): ReadItinerary {
  return readOne(request, issues)
}

/** Reads an itinerary of several travellers, as one for each. */
export function readGroupItinerary(request: unknown, issues: InputIssue[]): readonly ReadItinerary[] {
  return separate(readGroup(request, issues))
}

/** A request that was read: one itinerary for each traveller. */
export interface ReadRequest {
  readonly isGroup: boolean
  readonly itineraries: readonly ReadItinerary[]
}

/** Reads a request with wire names and adds its mistakes to `issues`. */
export function readRequest(request: unknown, issues: InputIssue[]): ReadRequest {
  const isGroup = hasTravellers(request)
  const itineraries = isGroup ? separate(readGroupOnWire(request, issues)) : [readOneOnWire(request, issues)]
  return { isGroup, itineraries }
}

function hasTravellers(request: unknown): boolean {
  try {
    return typeof request === "object" && request !== null && "travellers" in request && request.travellers != null
  } catch {
    // The reader reports a value that cannot be read.
    return false
  }
}

function separate({ travellers, stops, transit, purpose }: Read<typeof GROUP>): readonly ReadItinerary[] {
  return (travellers ?? []).map(traveller => ({ ...traveller, stops, transit, purpose }))
}

/** Lists the passports of a traveller. */
export function listPassports(read: ReadTraveller): readonly ReadPassport[] {
  return read.passports ?? [read as ReadPassport]
}

// ---- A stay in the usual form: a plain object with known, correct fields
//
// The tables accept the same, by rows instead of by names; every other form is left to them. These readers are worth their lines: reading twelve
// stops takes 1.2 times as long as with a reader for nothing else, but 1.9 times with the tables alone, which is a sixth of a plain decision.

/** Reads a usual stop; returns null for any other. */
function readUsualStop(value: unknown) {
  if (typeof value !== "object" || value === null || value.constructor !== Object) return null
  // Compared one by one, which is much faster than a look-up in a table.
  for (const name in value) {
    if (name !== "destination" && name !== "from" && name !== "to" && name !== "passport") return null
  }
  const { destination, from, to, passport } = value as Readonly<Record<string, unknown>>
  const destinationKey = codeKey(destination)
  const fromDay = parseCivilDate(from)
  const toDay = parseCivilDate(to)
  if (destinationKey === MALFORMED_KEY || fromDay === null || toDay === null || passport != null) return null
  return { destination, destinationKey, from, fromDay, to, toDay, passport: null, passportKey: null, by: null }
}

/** Reads a transit country that is given by its code only; returns null for any other. */
function readUsualTransit(value: unknown) {
  if (typeof value !== "string") return null
  const countryKey = codeKey(value)
  return countryKey === MALFORMED_KEY ? null : { country: value, countryKey, airside: null, by: null }
}

/** Reads a usual stay before the journey; returns null for any other. */
function readUsualStay(value: unknown) {
  if (typeof value !== "object" || value === null || value.constructor !== Object) return null
  for (const name in value) if (name !== "destination" && name !== "from" && name !== "to") return null
  const { destination, from, to } = value as Readonly<Record<string, unknown>>
  const destinationKey = codeKey(destination)
  const fromDay = parseCivilDate(from)
  const toDay = parseCivilDate(to)
  if (destinationKey === MALFORMED_KEY || fromDay === null || toDay === null) return null
  return { destination, destinationKey, from, fromDay, to, toDay, permit: null }
}
