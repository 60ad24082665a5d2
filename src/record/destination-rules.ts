/**
 * Which of a dataset's rules for every visitor hold at one destination: its zone, passport validity, airport transit?
 *
 * The rules are the dataset's, the same by which itineraries are judged; here they are only found by destination, once for a
 * dataset and its day.
 */
import type { Dataset } from "../dataset/open.ts"
import type { Zone } from "../dataset/travel-rules.ts"
import type { TransitRule, ValidityRule } from "../rules/provisions.ts"

/** The rules of one destination. */
export interface DestinationRules {
  /** The zone to which it belongs on the dataset's day, or null. */
  readonly zone: Zone | null
  /** For different passports. */
  readonly validities: readonly ValidityRule[]
  /** The rules by which changing planes takes a visa. */
  readonly airportVisas: readonly TransitRule[]
  /** The rule by which nobody needs a visa inside the transit area of an airport, except those who are listed; or null. */
  readonly openTransit: TransitRule | null
  /** The rules by which some passports pass through the country without a visa for some hours. */
  readonly freeTransits: readonly TransitRule[]
}

const NO_RULES: DestinationRules = Object.freeze({
  zone: null,
  validities: Object.freeze([]),
  airportVisas: Object.freeze([]),
  openTransit: null,
  freeTransits: Object.freeze([]),
})

/** Finds the place of the first rule by which a passport passes through without a visa; -1 where there is none. */
export function findFreeTransit({ freeTransits }: DestinationRules, passport: string): number {
  return freeTransits.findIndex(({ passports }) => passports?.includes(passport))
}

/** Finds the place of the rule of validity for a passport; -1 if none is recorded. */
export function findValidity({ validities }: DestinationRules, passport: string): number {
  const own = validities.findIndex(({ passports }) => passports?.includes(passport))
  if (own >= 0) return own
  return validities.findIndex(({ passports, except }) => passports === null && !except?.includes(passport))
}

/** Finds the rules of every destination; those without any share one empty record. */
export function indexDestinationRules(dataset: Dataset): (destination: string) => DestinationRules {
  interface OpenRules {
    zone: Zone | null
    validities: ValidityRule[]
    airportVisas: TransitRule[]
    openTransit: TransitRule | null
    freeTransits: TransitRule[]
  }
  const rules = new Map<string, OpenRules>()
  const open = (code: string) => {
    const known = rules.get(code)
    if (known !== undefined) return known
    const made = { zone: null, validities: [], airportVisas: [], openTransit: null, freeTransits: [] }
    rules.set(code, made)
    return made
  }
  for (const zone of dataset.zones) {
    for (const { code, fromDay, untilDay } of zone.members) {
      const isMember = (fromDay ?? -Infinity) <= dataset.asOfDay && dataset.asOfDay < (untilDay ?? Infinity)
      if (isMember) open(code).zone = zone
    }
  }
  for (const validity of dataset.validityRules) {
    for (const code of validity.destinations) open(code).validities.push(validity)
  }
  for (const transit of dataset.transitRules) {
    const isFree = transit.area === "landside" && transit.demand === "no_visa" && transit.hours !== null
    if (isFree) for (const code of transit.destinations) open(code).freeTransits.push(transit)
    const isOpen = transit.area === "airside" && transit.demand === "no_visa" && transit.passports === null
    if (isOpen) for (const code of transit.destinations) open(code).openTransit = transit
    if (transit.area !== "airside" || transit.demand !== "visa") continue
    for (const code of transit.destinations) open(code).airportVisas.push(transit)
  }
  return destination => rules.get(destination) ?? NO_RULES
}
