/**
 * How much does a dataset have, which data end soon, which may be stale, and what does a second source say?
 *
 * Counts every pair as a reader would see it on a day: conditions and waivers, ends, changes in a log, days that come from the imported
 * table alone, and second sources. Differences from these are listed, each with its reason. Nothing is changed.
 */
import { type Facts, PROVISION_KINDS, PROVISIONS } from "../../src/compiler.ts"
import {
  type Dataset,
  describePair,
  formatCivilDate,
  lookupAt,
  parseCivilDate,
  type Requirement,
} from "../../src/engine.ts"
import type { Place } from "./data-files.ts"

/** Counts the pairs of a dataset by what is known about them. */
export function countCoverage(dataset: Dataset) {
  let [found, imported, verified, sourced, uncertain] = [0, 0, 0, 0, 0]
  let oldest: number | null = null
  const heard = new Set<number>()
  for (let p = 0; p < dataset.passports.length; p++) {
    for (let d = 0; d < dataset.destinations.length; d++) {
      const answer = lookupAt(dataset, p, d)
      if (answer.kind !== "found") continue
      heard.add(d)
      found++
      if (answer.uncertain) uncertain++
      if (answer.source !== null) sourced++
      if (answer.source?.imported === true) imported++
      const verifiedDay = parseCivilDate(answer.verifiedOn)
      if (verifiedDay === null) continue
      verified++
      oldest = Math.max(oldest ?? 0, dataset.asOfDay - verifiedDay)
    }
  }
  const silentDestinations = dataset.destinations.filter((_, d) => !heard.has(d))
  return {
    found,
    /** Pairs whose rule comes from a table that was imported whole. */
    imported,
    /** Pairs whose rule a person has confirmed in its source. */
    verified,
    /** Pairs whose rule names any source. */
    sourced,
    uncertain,
    /** Destinations for which no passport has a record. */
    silentDestinations,
    /** Days from the oldest confirmation to the dataset's day, or null when nothing is confirmed. */
    oldestConfirmationDays: oldest,
  }
}

/** Days ahead for which what ends is listed. */
export const AHEAD_DAYS = 90

/** A rule that is announced to end. */
export interface Ending extends Place {
  /** Its last day (`YYYY-MM-DD`). */
  readonly on: string
  /** Its destinations, and the number of its passports. */
  readonly destinations: readonly string[]
  readonly passports: number | null
}

/** A requirement and its days of stay. */
export interface Asked {
  readonly requirement: Requirement
  readonly days: number | null
}

/** A pair of which a second source says something else. */
export interface Difference {
  readonly passport: string
  readonly destination: string
  readonly ours: Asked
  readonly theirs: Asked
  readonly source: string
  readonly checkedOn: string
  /** Why our answer stands, or null if nothing is recorded. */
  readonly reason: string | null
}

/** Why a pair is disputed of which a table says something else; `landfall explain` says more. */
const OPEN = "Nothing decides between the page and the tables."

const samePlace = (place: Place): Place => place

/** Measures what a day shows, the dataset's own when none is given. */
export function measureFreshness(dataset: Dataset, facts: Facts, on: string = dataset.asOf, place = samePlace) {
  const counts = {
    pairsWithConditions: 0,
    pairsWithWaivers: 0,
    pairsWithStayRule: 0,
    pairsAfterExpiry: 0,
    pairsEnding: 0,
    pairsChangedSince: 0,
    /** Pairs whose days come from the imported table alone. */
    pairsWithTableStay: 0,
    pairsCorroborated: 0,
  }
  const changed = new Set<string>()
  const differences: Difference[] = []
  for (const passport of dataset.passports) {
    for (const destination of dataset.destinations) {
      const pair = describePair(dataset, passport, destination, { on })
      if (pair.kind !== "found") continue
      if (pair.conditions.length > 0) counts.pairsWithConditions++
      if (pair.waivers.length > 0) counts.pairsWithWaivers++
      if (pair.stayRule !== null) counts.pairsWithStayRule++
      if (pair.afterExpiry !== null) counts.pairsAfterExpiry++
      if (pair.endsOn !== null) counts.pairsEnding++
      if (pair.stayBasis !== null) counts.pairsWithTableStay++
      if (pair.changedSince !== null) {
        counts.pairsChangedSince++
        changed.add(destination)
      }
      const { corroboration, answer } = pair
      if (corroboration?.agrees) counts.pairsCorroborated++
      else if (corroboration !== null) {
        const { requirement, days, source, checkedOn, reason, isOpen } = corroboration
        differences.push({
          passport,
          destination,
          ours: { requirement: answer.requirement, days: answer.days },
          theirs: { requirement, days },
          source: source.id,
          checkedOn,
          reason: reason ?? (isOpen ? OPEN : null),
        })
      }
    }
  }
  const isOfDays = ({ ours, theirs }: Difference) => ours.requirement === theirs.requirement
  return {
    on,
    ...counts,
    destinationsChangedSince: [...changed].sort(),
    /** Pairs of which a second source asks something else, and those where only the days differ. */
    pairsDisputed: differences.filter(difference => !isOfDays(difference)).length,
    pairsDisputedInDays: differences.filter(isOfDays).length,
    /** Disputed pairs without a reason. */
    pairsUnexplained: differences.filter(({ reason }) => reason === null).length,
    differences,
    endings: listEndings(facts, on, place),
  }
}

interface Dated {
  readonly until?: string | null | undefined
  readonly destinations?: readonly string[]
  readonly passports?: readonly string[] | null | undefined
}

/** Lists what is announced to end on a day or within the days ahead of it, the next first. */
export function listEndings(facts: Facts, on: string, place = samePlace): readonly Ending[] {
  const day = parseCivilDate(on)
  const endings: Ending[] = []
  const add = (record: string, list: string, dated: readonly Dated[], policyOf: readonly string[]) => {
    for (const [at, { until, destinations = policyOf, passports }] of dated.entries()) {
      const untilDay = parseCivilDate(until)
      if (day === null || untilDay === null || untilDay <= day || untilDay > day + AHEAD_DAYS) continue
      const field = `${list}[${at}]`
      endings.push({
        on: formatCivilDate(untilDay - 1),
        ...place({ record, field }),
        destinations,
        passports: passports?.length ?? null,
      })
    }
  }
  for (const { destination, defaults, rules, reviewed, conditions = [] } of facts.policies) {
    for (const [list, dated] of Object.entries({ default: defaults, rules, reviewed, conditions }))
      add(`policies/${destination}`, list, dated, [destination])
  }
  for (const of of PROVISION_KINDS) add(PROVISIONS[of].file.replace(".json", ""), "", facts[of] ?? [], [])
  return endings.sort((a, b) => (`${a.on} ${a.record}` < `${b.on} ${b.record}` ? -1 : 1))
}

/** Groups differences that differ only in the passport, in the order of destinations. */
export function groupDifferences(differences: readonly Difference[]) {
  const groups = Map.groupBy(differences, ({ passport: _, ...rest }) => JSON.stringify(rest))
  return [...groups.values()]
    .map(group => {
      const { passport: _, ...rest } = group[0] as Difference
      return { ...rest, passports: group.map(({ passport }) => passport) }
    })
    .sort((a, b) =>
      a.destination < b.destination ? -1 : a.destination > b.destination ? 1 : b.passports.length - a.passports.length,
    )
}
