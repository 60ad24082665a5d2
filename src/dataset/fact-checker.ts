/**
 * What do the checks of facts have in common?
 *
 * Reporting a mistake by its record and field, and the checks that many records need: codes, blocs and zones that exist, dates that a
 * calendar has, sources that are listed, scopes, conditions and held documents.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { FactIssue } from "../errors.ts"
import { requirement } from "../rules/conditions.ts"
import { MAX_RULE_DAYS } from "../rules/provision-kinds.ts"
import {
  code,
  count,
  date,
  type Kind,
  type Known,
  type Report,
  selector,
  selectors,
  source,
  url,
} from "../rules/table.ts"
import type { Bloc, Facts, Provenance, Scope } from "./facts.ts"
import type { Requirement } from "./requirement.ts"

/** Says whether a value is a whole number between two others, both included. */
export function isCount(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

/** The facts by name, and the mistakes found so far. */
export class FactChecker {
  readonly issues: FactIssue[] = []
  readonly destinations: ReadonlySet<string>
  readonly passports: ReadonlySet<string>
  readonly blocs: ReadonlyMap<string, Bloc>
  readonly zones: ReadonlySet<string>
  readonly #sources: ReadonlySet<string>

  constructor(facts: Facts) {
    this.destinations = new Set(facts.destinations.map(({ code }) => code))
    this.passports = new Set(facts.passports)
    this.blocs = new Map(facts.blocs.map(bloc => [bloc.id, bloc]))
    this.zones = new Set(facts.zones.map(({ id }) => id))
    this.#sources = new Set(facts.sources.map(({ id }) => id))
  }

  reportIn(record: string): Report {
    return (tag, field, message) => {
      this.issues.push({ tag, record, field, message })
    }
  }

  /** What records may refer to. */
  get known(): Known {
    const { destinations, passports, blocs, zones } = this
    return { destinations, passports, blocs, zones, sources: this.#sources }
  }

  /** A value of a kind, where there is one. */
  check(report: Report, field: string, value: unknown, is: Kind<unknown>): void {
    if (value != null) is.check(value, field, report, this.known)
  }

  checkDestination(report: Report, field: string, given: string): void {
    code("destinations").check(given, field, report, this.known)
  }

  /** Passports by code and `@BLOC`, and days of which the first is before the last. */
  checkScope(report: Report, place: string, scope: Scope): void {
    for (const name of ["passports", "except"] as const) {
      this.check(report, `${place}${name}`, scope[name], selectors("passports"))
    }
    this.checkSpan(report, place, scope)
  }

  /** A passport by its code, or those of a bloc by `@BLOC`. */
  checkSelector(report: Report, field: string, given: string): void {
    selector("passports").check(given, field, report, this.known)
  }

  /** Two days of which the first is before the last, as far as they are given. */
  checkSpan(report: Report, place: string, span: Partial<Pick<Scope, "from" | "until">>): void {
    this.checkDate(report, `${place}from`, span.from)
    this.checkDate(report, `${place}until`, span.until)
    this.checkOrder(report, place, span)
  }

  /** That of two days the first is before the last, as far as both are days. */
  checkOrder(report: Report, place: string, { from, until }: Partial<Pick<Scope, "from" | "until">>): void {
    const [fromDay, untilDay] = [parseCivilDate(from), parseCivilDate(until)]
    if (fromDay !== null && untilDay !== null && untilDay <= fromDay) {
      report("UntilBeforeFrom", `${place}until`, `${until} is not after "from" ${from}.`)
    }
  }

  checkDate(report: Report, field: string, given: string | null | undefined): void {
    this.check(report, field, given, date)
  }

  checkSource(report: Report, field: string, given: string | null | undefined): void {
    this.check(report, field, given, source)
  }

  checkUrl(report: Report, field: string, given: string | null | undefined): void {
    this.check(report, field, given, url)
  }

  checkProvenance(report: Report, place: string, given: Provenance): void {
    this.checkSource(report, `${place}source`, given.source)
    this.checkUrl(report, `${place}source_url`, given.sourceUrl)
    this.checkDate(report, `${place}verified_on`, given.verifiedOn)
  }

  checkRequirement(report: Report, field: string, given: unknown): void {
    requirement.check(given, field, report, this.known)
  }

  /** A stay that may be counted in days. */
  checkDays(report: Report, field: string, days: number | null | undefined, least = 1): void {
    this.check(report, field, days, count(least, MAX_RULE_DAYS))
  }

  /** A stay under a requirement: refusals and embassy visas have none that is counted in days. */
  checkStay(report: Report, field: string, asked: Requirement, days: number | null): void {
    this.checkDays(report, field, days)
    if (days !== null && (asked === "visa_required" || asked === "no_admission")) {
      report("ImpossibleRule", field, `${asked} allows no stay that could be counted in days.`)
    }
  }

  /** Conditions of a kind, with the parameters that they have there. */
  checkConditions(report: Report, field: string, conditions: readonly unknown[] | undefined, is: Kind<unknown>): void {
    conditions?.forEach((condition, at) => {
      this.check(report, `${field}[${at}]`, condition, is)
    })
  }
}
