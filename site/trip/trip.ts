/**
 * What does a trip hold while it is planned?
 *
 * What the engine decides on, but unfinished parts are allowed: a stop without dates is a stop. A value that is not given is an
 * empty text, or absent from a held document.
 */
import type { HeldDocument } from "landfall"

/** A passport of the traveller. */
export interface TripPassport {
  readonly passport: string
  readonly expiry: string
  readonly issued: string
}

/** One stay, with the passport to use there where the traveller wants a certain one. */
export interface TripStop {
  readonly destination: string
  readonly from: string
  readonly to: string
  readonly passport: string
}

/** The permit with which a traveller stayed in a country: none as a visitor (empty), its residence permit, or its long-stay visa. */
export const PERMITS = ["", "residence", "national_visa"] as const
/** One of {@link PERMITS}. */
export type Permit = (typeof PERMITS)[number]

/** A stay before the trip. */
export interface EarlierStay {
  readonly destination: string
  readonly from: string
  readonly to: string
  readonly permit: Permit
}

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
  stops: 12,
  transit: 12,
  passports: 10,
  held: 20,
  earlierStays: 100,
  count: 3_650,
  typeLetters: 40,
  purposeLetters: 200,
} as const
