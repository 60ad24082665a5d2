/**
 * Where can some people go together, and how is that question written in the page's address?
 *
 * In rows such as `people=FRA,IND~visa.USA~2027-06-01`: of each person the passports joined by `+`, then documents and the day on which the
 * passports expire. Parts that are not understood are left out.
 */
import { isCode, parseCivilDate } from "landfall"
import { type Holding, readHoldings, writeHoldings } from "../holdings.ts"
import { REGION_CODES, type RegionCode } from "./region-codes.ts"

/** A person who travels too. */
export interface Person {
  readonly passports: readonly string[]
  readonly held: readonly Holding[]
  /** The last day on which the passports are valid; empty where it is not given. */
  readonly expiry: string
}

/** How much everybody is ready to do: nothing, no more than an application online or at the border, or also a visa from a consulate. */
export const EFFORTS = ["nothing", "no_consulate", "any"] as const

export interface Search {
  readonly people: readonly Person[]
  /** The first day of the stay. */
  readonly from: string
  readonly days: number
  readonly effort: (typeof EFFORTS)[number]
  /** A sub-region of the dataset; null for anywhere. */
  readonly region: RegionCode | null
}

/** The most people, passports of each, and days. */
export const MOST = { people: 6, passports: 4, days: 365 } as const

export const NOBODY: Person = { passports: [], held: [], expiry: "" }
/** Before anything is chosen; an empty day is the first of the next month. */
export const NO_SEARCH: Search = { people: [NOBODY], from: "", days: 14, effort: "no_consulate", region: null }

/** Reads the code of a sub-region; null for any other text. */
export const readRegion = (text: string | null): RegionCode | null =>
  Object.values(REGION_CODES).find(code => code === text) ?? null

export function readSearchAddress(given: URLSearchParams): Search {
  const people = (given.get("people") ?? "").replaceAll(" ", "+").split(",").slice(0, MOST.people).map(readPerson)
  const from = given.get("from") ?? ""
  const days = Number(given.get("days") ?? "")
  return {
    people: people.length === 0 ? NO_SEARCH.people : people,
    from: parseCivilDate(from) === null ? "" : from,
    days: Number.isInteger(days) && days >= 1 && days <= MOST.days ? days : NO_SEARCH.days,
    effort: EFFORTS.find(effort => effort === given.get("effort")) ?? NO_SEARCH.effort,
    region: readRegion(given.get("region")),
  }
}

function readPerson(text: string): Person {
  const [passports = "", ...parts] = text.split("~")
  const held = readHoldings(parts.join("~"), "~")
  return {
    passports: [...new Set(passports.split("+"))].filter(isCode).slice(0, MOST.passports),
    held,
    expiry: parts.find(part => parseCivilDate(part) !== null) ?? "",
  }
}

export function writeSearchAddress(search: Search): readonly (readonly [name: string, value: string | null])[] {
  const person = ({ passports, held, expiry }: Person) =>
    [passports.join("+"), writeHoldings(held, "~"), expiry].filter((part, at) => at === 0 || part !== "").join("~")
  return [
    [
      "people",
      search.people
        .map(person)
        .join(",")
        .replace(/(?<!,),+$/, ""),
    ],
    ["from", search.from],
    ["days", String(search.days)],
    ["effort", search.effort],
    ["region", search.region],
  ]
}
