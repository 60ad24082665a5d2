/**
 * What does a trip hold while it is planned?
 *
 * What the engine decides on, but unfinished parts are allowed: a stop without dates is a stop. A value that is not given is an
 * empty text, or absent from a held document.
 */
import { DECISION_REQUEST, type HeldDocument } from "landfall"

/** A passport before anything is known of it. */
export const NO_PASSPORT = { passport: "", passportExpiry: "", passportIssued: "" }
/** A passport of the traveller. */
export type TripPassport = Readonly<typeof NO_PASSPORT>

/** A stop before it is planned. */
export const NO_STOP = { destination: "", from: "", to: "", passport: "" }
/** One stay, with the passport to use there where the traveller wants a certain one. */
export type TripStop = Readonly<typeof NO_STOP>

const { stops, transit, passports, held, earlierStays, purpose } = DECISION_REQUEST.fields
const { permit } = earlierStays.is.of.fields
const { entries, type } = held.is.of.fields

/** The permit with which a traveller stayed in a country: none as a visitor (empty), its residence permit, or its long-stay visa. */
export const PERMITS = ["", ...permit.is.words] as const
/** One of {@link PERMITS}. */
export type Permit = (typeof PERMITS)[number]

/** A stay before the trip. */
export interface EarlierStay extends Omit<TripStop, "passport"> {
  readonly permit: Permit
}

/** A stay before anything is known of it. */
export const NO_STAY: EarlierStay = { destination: "", from: "", to: "", permit: "" }

/** A trip that is planned. */
export interface Trip {
  readonly passports: readonly TripPassport[]
  readonly stops: readonly TripStop[]
  readonly transit: readonly string[]
  readonly held: readonly HeldDocument[]
  readonly earlierStays: readonly EarlierStay[]
  readonly residence: string
  /** Carried along: the engine echoes it, and the page has no field for it. */
  readonly purpose: string
}

/** A trip before anything is planned. */
export const NO_TRIP: Trip = {
  passports: [],
  stops: [],
  transit: [],
  held: [],
  earlierStays: [],
  residence: "",
  purpose: "",
}

/** The most of each that the engine judges; of a document's entries and days, and of the letters of its class and of a purpose. */
export const MOST = {
  stops: stops.is.most,
  transit: transit.is.most,
  passports: passports.is.most,
  held: held.is.most,
  earlierStays: earlierStays.is.most,
  count: entries.is.most,
  typeLetters: type.is.most,
  purposeLetters: purpose.is.most,
} as const
