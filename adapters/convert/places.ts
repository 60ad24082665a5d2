/**
 * In which country and time zone is an airport, or a position, and which day is it there?
 *
 * Airports are known by their IATA codes. Time zones are those of the country by the runtime's own data; where a country has several, a day is known only if it is the same in all of
 * them, or the caller names the zone. Positions are found by the boundaries of time zones, which follow borders; near a border the answer is marked, and where one zone serves
 * two countries there is none.
 */
import findZone from "@photostructure/tz-lookup"
import type { PlaceWords } from "../../src/full.ts"
import { canonical, dayInAll, zonesOf } from "./time-zones.ts"

/** Countries by airport and by zone, and the zones of each. */
export interface Places {
  /** The country of an airport; undefined for a code that is none. */
  readonly countryOf: (airport: string) => string | undefined
  /** The day at an airport at an instant; null where the country's zones differ. */
  readonly dayAt: (airport: string, instantMs: number) => string | null
  readonly locate: (latitude: number, longitude: number) => Located | null
}

/** The country of a position and its zone, and the country that is near. */
export interface Located {
  readonly country: string
  readonly zone: string
  readonly near: string | null
}

/** Zones of one country that the runtime lists for none. */
const FURTHER_ZONES: Readonly<Record<string, readonly string[]>> = { XKX: ["Europe/Belgrade"] }

/** Some ten kilometres, in degrees: boundaries are no more exact. */
const NEAR = 0.1

/** Makes the places of the words of countries; `named` are zones of airports that the caller knows. */
export function makePlaces(
  words: PlaceWords,
  alpha2Of: (code: string) => string | undefined,
  named: ReadonlyMap<string, string> = new Map(),
): Places {
  const countries = new Map<string, string>()
  for (const [country, list] of Object.entries(words.airports)) {
    for (const word of list.split("|")) {
      const [, code] = /^([A-Z]{3}) /.exec(word) ?? []
      if (code !== undefined) countries.set(code, country)
    }
  }
  const zonesOfCountry = new Map<string, readonly string[]>()
  const countriesOfZone = new Map<string, string[]>()
  for (const country of Object.keys(words.names)) {
    const alpha2 = alpha2Of(country)
    const zones = [...(alpha2 === undefined ? [] : zonesOf(alpha2)), ...(FURTHER_ZONES[country] ?? [])]
    zonesOfCountry.set(country, zones)
    for (const zone of zones.map(canonical)) {
      const known = countriesOfZone.get(zone)
      if (known === undefined) countriesOfZone.set(zone, [country])
      else if (!known.includes(country)) known.push(country)
    }
  }
  const countryAt = (latitude: number, longitude: number): readonly [zone: string, countries: readonly string[]] => {
    const zone = findZone(latitude, longitude)
    return [zone, countriesOfZone.get(canonical(zone)) ?? []]
  }
  return {
    countryOf: airport => countries.get(airport),
    dayAt: (airport, instantMs) => {
      const own = named.get(airport)
      return dayInAll(own === undefined ? (zonesOfCountry.get(countries.get(airport) ?? "") ?? []) : [own], instantMs)
    },
    locate: (latitude, longitude) => {
      const [zone, found] = countryAt(latitude, longitude)
      const [country, other] = found
      if (country === undefined || other !== undefined) return null
      const around = [
        [NEAR, 0],
        [-NEAR, 0],
        [0, NEAR],
        [0, -NEAR],
      ] as const
      const near = around
        .map(
          ([up, right]) =>
            countryAt(Math.max(-90, Math.min(90, latitude + up)), ((longitude + right + 540) % 360) - 180)[1],
        )
        .find(each => each.length > 0 && !each.includes(country))
      return { country, zone, near: near?.[0] ?? null }
    },
  }
}
