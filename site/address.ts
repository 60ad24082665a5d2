/**
 * What does the part of the address after `#` say, and how is a view written there?
 *
 * Everything that a reader has chosen is in the address, so that it can be shared, kept and gone back to; and it is after `#`,
 * which no browser sends to a server. Parts that are not understood are left out, never an error.
 */
import { isCode, parseCivilDate } from "landfall"
import { isLanguage, type Language } from "landfall/full"
import { type Holding, readHoldings, writeHoldings } from "./holdings.ts"
import { PATHS } from "./paths.ts"
import { AXES, type Axis, METHODS, type Method, MOST_COMPARED } from "./ranking/methods.ts"
import { type Kind, readKind } from "./trip/kinds.ts"
import type { Trip } from "./trip/trip.ts"
import { readTripAddress, writeTripAddress } from "./trip/trip-address.ts"
import { readSearchAddress, type Search, writeSearchAddress } from "./where/search.ts"

/** How several passports are taken together on the map. */
export const TOGETHER = ["best", "group", "difference"] as const
/** One of {@link TOGETHER}: those of one traveller, those of a group, or the difference of two. */
export type Together = (typeof TOGETHER)[number]

/** The map, by passports or, if there is a destination, by the passports that may enter it. */
export interface MapAddress {
  readonly view: "map"
  readonly passports: readonly string[]
  /** Null until the reader has said to whom the passports belong. */
  readonly together: Together | null
  /** The kind of a single passport. */
  readonly kind: Kind
  /** Documents that the one traveller holds. */
  readonly held: readonly Holding[]
  readonly destination: string | null
  /** The country whose card is open. */
  readonly at: string | null
  readonly on: string | null
}

/** Everything about one pair. */
export interface PairAddress {
  readonly view: "pair"
  readonly passport: string
  readonly destination: string
  readonly kind: Kind
  readonly on: string | null
}

/** A list of passports, or of destinations, and up to four passports side by side. */
export interface RankingAddress {
  readonly view: "ranking"
  readonly passports: readonly string[]
  readonly on: string | null
  readonly method: Method
  readonly axis: Axis
}

/** Any view of the page. */
export type Address =
  | MapAddress
  | PairAddress
  | { readonly view: "trip"; readonly trip: Trip }
  | { readonly view: "where"; readonly search: Search }
  | RankingAddress
  | { readonly view: "coverage" }
  | { readonly view: "counter" }

/** An address, and the language that it asks for. */
export interface ReadAddress {
  readonly address: Address
  readonly language: Language | null
}

/** The ranking before anything is chosen. */
export const RANKING: RankingAddress = { view: "ranking", passports: [], on: null, method: "score", axis: "passports" }

/** The map before anything is chosen. */
export const START: MapAddress = {
  view: "map",
  passports: [],
  kind: "",
  together: null,
  held: [],
  destination: null,
  at: null,
  on: null,
}

const MAX_PASSPORTS = 10

/** Reads the part after `#`. */
export function readAddress(hash: string): ReadAddress {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2)
  const given = new URLSearchParams(query)
  const lang = given.get("lang")
  return { address: readView(path, given), language: isLanguage(lang) ? lang : null }
}

function readView(path: string, given: URLSearchParams): Address {
  const on = readDate(given.get("on"))
  const passports = readCodes(given.get("passports"))
  const kind = readKind(given.get("kind"))
  if (path === PATHS.trip) return { view: "trip", trip: readTripAddress(given) }
  if (path === PATHS.where) return { view: "where", search: readSearchAddress(given) }
  if (path === PATHS.ranking) {
    const method = METHODS.find(each => each === given.get("method")) ?? RANKING.method
    const axis = AXES.find(each => each === given.get("by")) ?? RANKING.axis
    return { view: "ranking", passports: passports.slice(0, MOST_COMPARED), on, method, axis }
  }
  if (path === PATHS.counter) return { view: "counter" }
  if (path === PATHS.coverage) return { view: "coverage" }
  const [passport, destination] = path.split("/")
  if (isCode(passport) && isCode(destination)) return { view: "pair", passport, destination, kind, on }
  const together = TOGETHER.find(choice => choice === given.get("together")) ?? null
  const [at = null] = readCodes(given.get("at"))
  const [entered = null] = readCodes(given.get("destination"))
  const held = readHoldings(given.get("held"))
  return { view: "map", passports, kind, together, held, destination: entered, at, on }
}

function readCodes(text: string | null): readonly string[] {
  return [...new Set((text ?? "").split(","))].filter(isCode).slice(0, MAX_PASSPORTS)
}

function readDate(text: string | null): string | null {
  return text !== null && parseCivilDate(text) !== null ? text : null
}

/** Writes a view as the part after `#`, with the language it is shown in. */
export function writeAddress(address: Address, language: Language | null): string {
  const [path, query] = writeView(address)
  const all = [...query, ["lang", language]].filter(([, value]) => value !== null && value !== "")
  return `#/${path}${all.length === 0 ? "" : `?${all.map(([name, value]) => `${name}=${value}`).join("&")}`}`
}

/** The address of a pair that its host writes, with a title of its own; null where it writes none, and for another day than today. */
export function writtenAddress({ passport, destination, kind, on }: PairAddress): string | null {
  const isWritten = document.querySelector('meta[name="landfall-addresses"]') !== null
  return isWritten && on === null && kind === "" ? `${passport}/${destination}` : null
}

type Query = readonly (readonly [name: string, value: string | null])[]

function writeView(address: Address): readonly [path: string, query: Query] {
  switch (address.view) {
    case "map": {
      const { passports, kind, together, held, destination, at, on } = address
      const isTogether = destination === null && passports.length > 1
      return [
        "",
        [
          ["passports", passports.join(",")],
          ["kind", passports.length === 1 ? kind : null],
          ["together", isTogether ? together : null],
          ["held", destination === null ? writeHoldings(held) : null],
          ["destination", destination],
          ["at", at],
          ["on", on],
        ],
      ]
    }
    case "pair":
      return [
        `${address.passport}/${address.destination}`,
        [
          ["kind", address.kind],
          ["on", address.on],
        ],
      ]
    case "trip":
      return [PATHS.trip, writeTripAddress(address.trip)]
    case "where":
      return [PATHS.where, writeSearchAddress(address.search)]
    case "ranking":
      return [
        PATHS.ranking,
        [
          ["passports", address.passports.join(",")],
          ["by", address.axis === RANKING.axis ? null : address.axis],
          ["method", address.method === RANKING.method ? null : address.method],
          ["on", address.on],
        ],
      ]
    case "counter":
      return [PATHS.counter, []]
    case "coverage":
      return [PATHS.coverage, []]
  }
}
