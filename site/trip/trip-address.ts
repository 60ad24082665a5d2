/** How is a trip written in the page's address? In rows such as `FRA~2027-01-10~2027-02-28`; parts that are not understood are left out or, of an earlier stay, left empty. */
import { isCode, parseCivilDate } from "landfall"
import { readKind } from "./kinds.ts"
import { areaOf, MOST, nameArea, PERMITS, type Trip, type TripPassport, WAYS } from "./trip.ts"
import { describeHeldDocuments, describeTravellers, readHeldDocuments, readTravellers } from "./trip-json.ts"

export function readTripAddress(given: URLSearchParams): Trip {
  const split = (name: string) => (given.get(name) ?? "").split(",").map(row => row.split("~"))
  const rows = (name: string, most: number) =>
    split(name)
      .filter(([code]) => isCode(code))
      .slice(0, most)
  const passports = rows("passports", MOST.passports).map(
    ([passport = "", expiry, issued, kind]): TripPassport => ({
      passport,
      passportExpiry: readDate(expiry),
      passportIssued: readDate(issued),
      passportKind: readKind(kind ?? null),
    }),
  )
  const residence = given.get("residence")
  const others = readOthers(given.get("with"))
  return {
    passports: passports.filter(({ passport }, at) => passports.findIndex(other => other.passport === passport) === at),
    stops: rows("stops", MOST.stops).map(([destination = "", from, to, passport, by]) => ({
      destination,
      from: readDate(from),
      to: readDate(to),
      by: WAYS.find(way => way === by) ?? "",
      passport: others.length === 0 && passports.some(held => held.passport === passport) ? (passport as string) : "",
    })),
    transit: rows("transit", MOST.transit)
      .map(([country = "", area]) => ({ country, airside: areaOf(area) }))
      .filter(({ country }, at, all) => all.findIndex(other => other.country === country) === at),
    held: readHeld(given.get("held")),
    // A stay whose place or days are not understood stays in the table, where it is marked.
    earlierStays: split("earlier")
      .filter(row => row.some(part => part !== ""))
      .slice(0, MOST.earlierStays)
      .map(([destination, from, to, permit]) => ({
        destination: isCode(destination) ? destination : "",
        from: readDate(from),
        to: readDate(to),
        permit: PERMITS.find(known => known === permit) ?? "",
      })),
    residence: isCode(residence) ? residence : "",
    others,
    purpose: (given.get("purpose") ?? "").slice(0, MOST.purposeLetters).trim(),
  }
}

function readDate(text: string | undefined): string {
  return text !== undefined && parseCivilDate(text) !== null ? text : ""
}

function readHeld(text: string | null): Trip["held"] {
  try {
    return text === null ? [] : readHeldDocuments(JSON.parse(text))
  } catch {
    return []
  }
}

function readOthers(text: string | null): Trip["others"] {
  try {
    return text === null ? [] : readTravellers(JSON.parse(text)).slice(0, MOST.travellers - 1)
  } catch {
    return []
  }
}

export function writeTripAddress(trip: Trip): readonly (readonly [name: string, value: string | null])[] {
  const row = (...values: readonly string[]) => values.join("~").replace(/(?<!~)~+$/, "")
  const held = trip.held.length === 0 ? null : encodeURIComponent(JSON.stringify(describeHeldDocuments(trip.held)))
  return [
    [
      "passports",
      trip.passports
        .map(held => row(held.passport, held.passportExpiry, held.passportIssued, held.passportKind))
        .join(","),
    ],
    ["stops", trip.stops.map(stop => row(stop.destination, stop.from, stop.to, stop.passport, stop.by)).join(",")],
    ["transit", trip.transit.map(({ country, airside }) => row(country, nameArea(airside))).join(",")],
    ["held", held],
    ["earlier", trip.earlierStays.map(stay => row(stay.destination, stay.from, stay.to, stay.permit)).join(",")],
    ["residence", trip.residence],
    ["with", trip.others.length === 0 ? null : encodeURIComponent(JSON.stringify(describeTravellers(trip.others)))],
    ["purpose", encodeURIComponent(trip.purpose)],
  ]
}
