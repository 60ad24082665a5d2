/**
 * What does the part of the address after `#` say, and how is a view written there?
 *
 * Everything that a reader has chosen is in the address, so that it can be shared, kept and gone back to; and it is after `#`,
 * which no browser sends to a server. Parts that are not understood are left out, never an error.
 */

import { isCode, parseCivilDate } from "landfall"
import { isLanguage, type Language } from "landfall/full"
import { NO_QUESTION, type Question, readQuestion, travellersOf, writeQuestion } from "./ask/question.ts"
import { AXES, type Axis, METHODS, type Method, MOST_COMPARED } from "./ranking/methods.ts"
import type { Trip } from "./trip/trip.ts"
import { readTripAddress, writeTripAddress } from "./trip/trip-json.ts"

/** Where is each view in an address, after `#/`? A question has no path, or the two codes of its pair. */
export const PATHS = {
  trip: "trip",
  ranking: "ranking",
  coverage: "data",
} as const

/** A question: without a passport, about any place, or about one. */
export interface AskAddress {
  readonly view: "ask" | "anywhere" | "pair"
  readonly question: Question
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
  | AskAddress
  | { readonly view: "trip"; readonly trip: Trip }
  | RankingAddress
  | { readonly view: "coverage" }

/** An address, and the language that it asks for. */
export interface ReadAddress {
  readonly address: Address
  readonly language: Language | null
}

/** The ranking before anything is chosen. */
export const RANKING: RankingAddress = {
  view: "ranking",
  passports: [],
  on: null,
  method: "no_visa",
  axis: "passports",
}

/** The address of a question: the form while nobody has a passport, and otherwise its answer. */
export function addressOf(question: Question): AskAddress {
  if (travellersOf(question).length === 0) return { view: "ask", question }
  return { view: question.to === null ? "anywhere" : "pair", question }
}

/** The page before anything is asked. */
export const START: AskAddress = { view: "ask", question: NO_QUESTION }

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
  if (path === PATHS.trip) return { view: "trip", trip: readTripAddress(given) }
  if (path === PATHS.ranking) {
    const method = METHODS.find(each => each === given.get("method")) ?? RANKING.method
    const axis = AXES.find(each => each === given.get("by")) ?? RANKING.axis
    return { view: "ranking", passports: passports.slice(0, MOST_COMPARED), on, method, axis }
  }
  if (path === PATHS.coverage) return { view: "coverage" }
  const [passport, to] = path.split("/")
  return addressOf(readQuestion(given, isCode(passport) && isCode(to) ? { passport, to } : undefined))
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

/** The address that its host writes for a question about a pair, with a title of its own; null where it writes none, and for any other question. */
export function writtenAddress(question: Question): string | null {
  const isWritten = document.querySelector('meta[name="landfall-addresses"]') !== null
  const [path, query] = writeQuestion(question)
  return isWritten && path !== "" && query.every(([, value]) => value === "") ? path : null
}

type Query = readonly (readonly [name: string, value: string | null])[]

function writeView(address: Address): readonly [path: string, query: Query] {
  switch (address.view) {
    case "ask":
    case "anywhere":
    case "pair":
      return writeQuestion(address.question)
    case "trip":
      return [PATHS.trip, writeTripAddress(address.trip)]
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
    case "coverage":
      return [PATHS.coverage, []]
  }
}
