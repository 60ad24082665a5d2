/**
 * What do the checks of facts have in common?
 *
 * Reporting a mistake by its record and field, and the checks that many records need: codes, blocs and zones that exist, dates that a
 * calendar has, sources that are listed, scopes, conditions and held documents.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { FactIssue } from "../errors.ts"
import { findConditionMistake, findDocumentMistake } from "./condition-shapes.ts"
import type { Bloc, ConditionFact, Confidence, Facts, Provenance, Scope, ScopedRule } from "./facts.ts"
import { isRequirement, REQUIREMENTS, type Requirement } from "./requirement.ts"

/** Names a mistake inside one record. */
export type Report = (tag: FactIssue["tag"], field: string, message: string) => void

/** Fields that a condition of any kind may have. */
const BESIDE_CONDITION = ["source", "sourceUrl", "requirements", "from", "until", "passports", "except"]

/** The longest span of days that a rule may name. */
export const MAX_RULE_DAYS = 3650

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

  /** Codes that are known, each once, at least one. */
  checkCodes(report: Report, field: string, codes: readonly string[], known: ReadonlySet<string>): void {
    if (codes.length === 0) report("ImpossibleRule", field, "At least one code is expected.")
    codes.forEach((code, place) => {
      if (!known.has(code))
        report("UnknownCode", `${field}[${place}]`, `"${code}" is not one of the ${known.size} known.`)
      if (codes.indexOf(code) < place) report("DuplicateRule", `${field}[${place}]`, `${code} is given twice.`)
    })
  }

  checkDestination(report: Report, field: string, code: string): void {
    if (this.destinations.has(code)) return
    report("UnknownCode", field, `"${code}" is not one of the ${this.destinations.size} destinations.`)
  }

  /** Passports by code and `@BLOC`, and days of which the first is before the last. */
  checkScope(report: Report, place: string, scope: Scope): void {
    for (const name of ["passports", "except"] as const) {
      const selectors = scope[name]
      if (selectors === undefined) continue
      if (selectors.length === 0) report("ImpossibleRule", `${place}${name}`, "At least one code is expected.")
      selectors.forEach((selector, at) => {
        const field = `${place}${name}[${at}]`
        this.checkSelector(report, field, selector)
        if (selectors.indexOf(selector) < at) report("DuplicateRule", field, `${selector} is given twice.`)
      })
    }
    this.checkSpan(report, place, scope)
  }

  /** A passport by its code, or those of a bloc by `@BLOC`. */
  checkSelector(report: Report, field: string, selector: string): void {
    if (selector.startsWith("@")) {
      if (!this.blocs.has(selector.slice(1))) report("UnknownBloc", field, `${selector} is not a bloc.`)
    } else if (!this.passports.has(selector)) {
      report("UnknownCode", field, `"${selector}" is not one of the ${this.passports.size} passports.`)
    }
  }

  /** Two days of which the first is before the last, as far as they are given. */
  checkSpan(report: Report, place: string, { from, until }: Partial<Pick<Scope, "from" | "until">>): void {
    this.checkDate(report, `${place}from`, from)
    this.checkDate(report, `${place}until`, until)
    const [fromDay, untilDay] = [parseCivilDate(from), parseCivilDate(until)]
    if (fromDay !== null && untilDay !== null && untilDay <= fromDay) {
      report("UntilBeforeFrom", `${place}until`, `${until} is not after "from" ${from}.`)
    }
  }

  checkDate(report: Report, field: string, text: string | null | undefined): void {
    if (text != null && parseCivilDate(text) === null) {
      report("NotACalendarDate", field, `"${text}" is not a calendar date YYYY-MM-DD from 1900 to 2199.`)
    }
  }

  checkSource(report: Report, field: string, source: string | null | undefined): void {
    if (source != null && !this.#sources.has(source)) {
      report("UnknownSource", field, `"${source}" is not an id of sources.json.`)
    }
  }

  checkUrl(report: Report, field: string, url: string | null | undefined): void {
    if (url != null && !/^https?:\/\/[^\s<>"\\^`{|}]+$/.test(url)) {
      report("ImpossibleRule", field, `"${url}" is not an address that begins with http:// or https://.`)
    }
  }

  checkProvenance(report: Report, place: string, { source, sourceUrl, verifiedOn }: Provenance): void {
    this.checkSource(report, `${place}source`, source)
    this.checkUrl(report, `${place}source_url`, sourceUrl)
    this.checkDate(report, `${place}verified_on`, verifiedOn)
  }

  checkConfidence(report: Report, place: string, confidence: Confidence): void {
    if (confidence !== "high" && confidence !== "medium") {
      report("ImpossibleRule", `${place}confidence`, `"${confidence}" is not one of high, medium.`)
    }
  }

  checkRequirement(report: Report, field: string, requirement: unknown): void {
    if (!isRequirement(requirement)) {
      report("ImpossibleRule", field, `"${requirement}" is not one of ${REQUIREMENTS.join(", ")}.`)
    }
  }

  checkRequirements(report: Report, field: string, requirements: readonly unknown[] | undefined): void {
    if (requirements?.length === 0) report("ImpossibleRule", field, "At least one requirement is expected.")
    requirements?.forEach((requirement, at) => {
      this.checkRequirement(report, `${field}[${at}]`, requirement)
      if (requirements.indexOf(requirement) < at) {
        report("DuplicateRule", `${field}[${at}]`, `${requirement} is given twice.`)
      }
    })
  }

  /** Checks the common parts of the rules of destinations. */
  checkScopedRule(report: Report, place: string, rule: ScopedRule): void {
    this.checkRequirements(report, `${place}requirements`, rule.requirements)
    this.checkScope(report, place, rule)
    this.checkConfidence(report, place, rule.confidence)
    this.checkProvenance(report, place, rule)
    this.checkCodes(report, `${place}destinations`, rule.destinations, this.destinations)
  }

  /** A stay that may be counted in days. */
  checkDays(report: Report, field: string, days: number | null | undefined, least = 1): void {
    if (days != null && !isCount(days, least, MAX_RULE_DAYS)) {
      report("ImpossibleRule", field, `${days} is not a whole number from ${least} to ${MAX_RULE_DAYS}.`)
    }
  }

  /** A stay under a requirement: refusals and embassy visas have none that is counted in days. */
  checkStay(report: Report, field: string, requirement: Requirement, days: number | null): void {
    this.checkDays(report, field, days)
    if (days !== null && (requirement === "visa_required" || requirement === "no_admission")) {
      report("ImpossibleRule", field, `${requirement} allows no stay that could be counted in days.`)
    }
  }

  /** Held documents, at least one, of issuers that exist. */
  checkDocuments(report: Report, field: string, documents: readonly unknown[]): void {
    if (documents.length === 0) report("ImpossibleRule", field, "At least one document is expected.")
    documents.forEach((document, at) => {
      const mistake = findDocumentMistake(document)
      if (mistake === null) {
        this.#checkSelectors(report, `${field}[${at}].issuers`, (document as { issuers: readonly string[] }).issuers)
      } else report("ImpossibleRule", joinField(`${field}[${at}]`, mistake.field), mistake.message)
    })
  }

  /** Conditions of kinds that exist, with the parameters of their kind. */
  checkConditions(report: Report, field: string, conditions: readonly ConditionFact[] | undefined): void {
    conditions?.forEach((condition, at) => {
      const place = `${field}[${at}]`
      const mistake = findConditionMistake(condition, BESIDE_CONDITION)
      if (mistake !== null) {
        report("ImpossibleRule", joinField(place, mistake.field), mistake.message)
        return
      }
      if (condition.kind === "held_document") this.checkDocuments(report, `${place}.held`, condition.held)
      if ("states" in condition) this.#checkSelectors(report, `${place}.states`, condition.states)
      this.checkSource(report, `${place}.source`, condition.source)
      this.checkUrl(report, `${place}.source_url`, condition.sourceUrl)
    })
  }

  // Codes of states, blocs by their id, zones by theirs.
  #checkSelectors(report: Report, field: string, selectors: readonly string[]): void {
    selectors.forEach((selector, at) => {
      const name = selector.slice(1)
      if (selector.startsWith("@")) {
        if (!this.blocs.has(name) && !this.zones.has(name)) {
          report("UnknownBloc", `${field}[${at}]`, `${selector} is neither a bloc nor a zone.`)
        }
      } else if (!this.destinations.has(selector)) {
        report(
          "UnknownCode",
          `${field}[${at}]`,
          `"${selector}" is not one of the ${this.destinations.size} countries and territories.`,
        )
      }
    })
  }
}

/** Names a field as it is written in the file, where the engine has another name for it. */
export function joinField(place: string, field: string): string {
  const key = field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return key === "" ? place : `${place}.${key}`
}
