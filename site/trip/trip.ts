/**
 * What does a trip hold while it is planned?
 *
 * What the engine decides on, by its own types, but unfinished parts are allowed: days that are not given yet are empty texts, and so is a
 * residence or a purpose that is not given.
 */
import {
  BRITISH_CLASSES,
  DECISION_REQUEST,
  type GivenPassport,
  type GivenTransit,
  type HeldDocument,
  type Stay,
  type Stop,
} from "landfall"

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

/** How a traveller may arrive. */
export const WAYS = stops.is.of.fields.by.is.words
/** The kinds of documents that a traveller may hold. */
export const HELD_KINDS = held.is.of.fields.kind.is.words

/** One stay. */
export type TripStop = Stop & { readonly to: string }

export interface Traveller {
  readonly passports: readonly GivenPassport[]
  readonly held: readonly HeldDocument[]
  readonly earlierStays: readonly Stay[]
  readonly residence: string
}

/** A traveller before anything is known of him. */
export const NO_TRAVELLER: Traveller = { passports: [], held: [], earlierStays: [], residence: "" }

/** A trip that is planned, with its first traveller. */
export interface Trip extends Traveller {
  readonly stops: readonly TripStop[]
  readonly transit: readonly GivenTransit[]
  /** Further travellers. If there are any, stops name no passports. */
  readonly others: readonly Traveller[]
  /** What the journey is for; empty for the purpose that the page shows first. */
  readonly purpose: string
}

/** A trip before anything is planned. */
export const NO_TRIP: Trip = { ...NO_TRAVELLER, stops: [], transit: [], others: [], purpose: "" }

const ownOf = ({ passports, held, earlierStays, residence }: Traveller): Traveller => ({
  passports,
  held,
  earlierStays,
  residence,
})

/** Those who make a trip, the first one first. */
export const listTravellers = (trip: Trip): readonly Traveller[] => [ownOf(trip), ...trip.others]

/** The trip as one of its travellers makes it. */
export const tripOf = (trip: Trip, at: number): Trip => ({ ...trip, ...trip.others[at - 1], others: [] })

function withTravellers(trip: Trip, [first = NO_TRAVELLER, ...others]: readonly Traveller[]): Trip {
  const stops = others.length === 0 ? trip.stops : trip.stops.map(({ passport: _, ...stop }) => stop)
  return { ...trip, ...first, others, stops }
}

/** The trip with a change of its route, or of one of its travellers. */
export function changeTrip(trip: Trip, at: number, change: Partial<Trip>): Trip {
  const changed = { ...tripOf(trip, at), ...change }
  return withTravellers(
    changed,
    listTravellers(trip).map((other, place) => (place === at ? ownOf(changed) : other)),
  )
}

/** The trip with a further traveller. */
export const addTraveller = (trip: Trip): Trip => withTravellers(trip, [...listTravellers(trip), NO_TRAVELLER])

/** The trip without one of several travellers. */
export const removeTraveller = (trip: Trip, at: number): Trip =>
  withTravellers(
    trip,
    listTravellers(trip).filter((_, place) => place !== at),
  )

/** The most of each that the engine judges; of a document's entries and days, and of the letters of its class and of a purpose. */
export const MOST = {
  travellers: travellers.is.most,
  stops: stops.is.most,
  transit: transit.is.most,
  passports: passports.is.most,
  held: held.is.most,
  earlierStays: earlierStays.is.most,
  count: held.is.of.fields.entries.is.most,
  typeLetters: held.is.of.fields.type.is.most,
  purposeLetters: purpose.is.most,
} as const
