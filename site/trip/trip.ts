/**
 * What does a trip hold while it is planned?
 *
 * What the engine decides on, but unfinished parts are allowed: a stop without dates is a stop. A value that is not given is an
 * empty text, or absent from a held document.
 */
import { BRITISH_CLASSES, DECISION_REQUEST, type HeldDocument } from "landfall"

/* Which kinds of passports are there, and whose passport is one of a class of British nationals? */

/** The kinds of passports and travel documents. */
export const KINDS = DECISION_REQUEST.fields.passports.is.of.fields.passportKind.is.words
/** One of {@link KINDS}; empty where nothing is said, which means an ordinary one. */
export type Kind = (typeof KINDS)[number] | ""

/** Reads a kind from an address; empty for an ordinary one and for any other text. */
export const readKind = (text: string | null): Kind => KINDS.find(kind => kind !== "ordinary" && kind === text) ?? ""

/** Whose passports the classes of British nationals have. */
export const BRITISH = "GBR"

/** The country whose passport it is, also where a class of nationals has a code of its own. */
export const holderOf = (passport: string): string => (BRITISH_CLASSES.includes(passport) ? BRITISH : passport)

/** Says whether the answers for ordinary passports do not apply to it. */
export const isOfOtherKind = (passport: string, kind: Kind): boolean => kind !== "" || holderOf(passport) !== passport

const { stops, transit, passports, held, earlierStays, purpose, travellers } = DECISION_REQUEST.fields

/** A passport before anything is known of it. */
export const NO_PASSPORT = { passport: "", passportExpiry: "", passportIssued: "", passportKind: "" as Kind }
export type TripPassport = Readonly<typeof NO_PASSPORT>

/** How a traveller arrives; empty where it is not said. */
export const WAYS = ["", "air", "land", "sea"] as const

/** A stop before it is planned. */
export const NO_STOP = { destination: "", from: "", to: "", passport: "", by: "" as (typeof WAYS)[number] }
/** One stay, with the passport to use there where the traveller wants a certain one, and how he arrives where that is known. */
export type TripStop = Readonly<typeof NO_STOP>

/** A change before anything is known of it: whether it stays inside the international area of an airport is null. */
export const NO_TRANSIT = { country: "", airside: null as boolean | null }
/** One country where the traveller only changes. */
export type TripTransit = Readonly<typeof NO_TRANSIT>

/** Where a traveller changes: inside the international area of an airport, or outside of it; empty where that is not known. */
export const AREAS = ["", "airside", "landside"] as const
export const nameArea = (airside: boolean | null): (typeof AREAS)[number] =>
  airside === null ? "" : airside ? "airside" : "landside"
export const areaOf = (name: string | undefined): boolean | null =>
  name === "airside" || name === "landside" ? name === "airside" : null

const { permit } = earlierStays.is.of.fields
const { entries, kind, type } = held.is.of.fields

/** The kinds of documents that a traveller may hold. */
export const HELD_KINDS = kind.is.words

/** The permit with which a traveller stayed in a country: none as a visitor (empty), its residence permit, or its long-stay visa. */
export const PERMITS = ["", ...permit.is.words] as const
/** One of {@link PERMITS}. */
export type Permit = (typeof PERMITS)[number]

/** A stay before the trip. */
export interface EarlierStay extends Omit<TripStop, "passport" | "by"> {
  readonly permit: Permit
}

/** A stay before anything is known of it. */
export const NO_STAY: EarlierStay = { destination: "", from: "", to: "", permit: "" }

export interface Traveller {
  readonly passports: readonly TripPassport[]
  readonly held: readonly HeldDocument[]
  readonly earlierStays: readonly EarlierStay[]
  readonly residence: string
}

/** A traveller before anything is known of him. */
export const NO_TRAVELLER: Traveller = { passports: [], held: [], earlierStays: [], residence: "" }

/** A trip that is planned, with its first traveller. */
export interface Trip extends Traveller {
  readonly stops: readonly TripStop[]
  readonly transit: readonly TripTransit[]
  /** Further travellers. If there are any, stops name no passports. */
  readonly others: readonly Traveller[]
  /** What the journey is for; empty for the purpose that the page shows first. */
  readonly purpose: string
}

/** A trip before anything is planned. */
export const NO_TRIP: Trip = { ...NO_TRAVELLER, stops: [], transit: [], others: [], purpose: "" }

const NAMES = Object.keys(NO_TRAVELLER) as readonly (keyof Traveller)[]

/** Those who make a trip, the first one first. */
export const listTravellers = (trip: Trip): readonly Traveller[] => [trip, ...trip.others]

/** The trip as one of its travellers makes it. */
export const tripOf = (trip: Trip, at: number): Trip => ({ ...trip, ...trip.others[at - 1], others: [] })

export function changeTrip(trip: Trip, at: number, change: Partial<Trip>): Trip {
  const isOwn = (name: string) => NAMES.includes(name as keyof Traveller)
  const own = Object.fromEntries(Object.entries(change).filter(([name]) => isOwn(name)))
  const rest = Object.fromEntries(Object.entries(change).filter(([name]) => !isOwn(name)))
  const changed: Trip =
    at === 0
      ? { ...trip, ...own, ...rest }
      : {
          ...trip,
          others: trip.others.map((other, place) => (place === at - 1 ? { ...other, ...own } : other)),
          ...rest,
        }
  return changed.others.length === 0
    ? changed
    : { ...changed, stops: changed.stops.map(stop => (stop.passport === "" ? stop : { ...stop, passport: "" })) }
}

/** The trip without one of several travellers. */
export function removeTraveller(trip: Trip, at: number): Trip {
  const [first = NO_TRAVELLER, ...others] = listTravellers(trip).filter((_, place) => place !== at)
  const { passports, held, earlierStays, residence } = first
  return { ...trip, passports, held, earlierStays, residence, others }
}

/** The most of each that the engine judges; of a document's entries and days, and of the letters of its class and of a purpose. */
export const MOST = {
  travellers: travellers.is.most,
  stops: stops.is.most,
  transit: transit.is.most,
  passports: passports.is.most,
  held: held.is.most,
  earlierStays: earlierStays.is.most,
  count: entries.is.most,
  typeLetters: type.is.most,
  purposeLetters: purpose.is.most,
} as const
