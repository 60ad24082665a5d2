/**
 * Do the rules for destinations make sense: zones, passport validity, transit?
 *
 * Every mistake is reported with its record and field. A destination belongs to one zone at most and has one validity rule, so
 * that a decision never has to choose between two.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { FactIssue } from "../errors.ts"
import type { Facts, Provenance, ZoneFacts } from "./facts.ts"

/** The longest allowance of a zone in days, and twice it the longest window. */
const MAX_ALLOWANCE_DAYS = 3650
/** The longest validity that a rule may ask for, in months, days or years since issue. */
const MAX_VALIDITY = 120

type Report = (tag: FactIssue["tag"], field: string, message: string) => void

const isCount = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most

/** Finds every mistake in the rules for destinations. */
export function checkTravelRules(facts: Facts): readonly FactIssue[] {
  const issues: FactIssue[] = []
  const destinations = new Set(facts.destinations.map(({ code }) => code))
  const passports = new Set(facts.passports)
  const sources = new Set(facts.sources.map(({ id }) => id))
  const reportIn =
    (record: string): Report =>
    (tag, field, message) =>
      issues.push({ tag, record, field, message })

  const checkCodes = (report: Report, field: string, codes: readonly string[], known: ReadonlySet<string>) => {
    if (codes.length === 0) report("ImpossibleRule", field, "At least one code is expected.")
    codes.forEach((code, place) => {
      if (!known.has(code))
        report("UnknownCode", `${field}[${place}]`, `"${code}" is not one of the ${known.size} known.`)
      if (codes.indexOf(code) < place) report("DuplicateRule", `${field}[${place}]`, `${code} is given twice.`)
    })
  }
  const checkCount = (report: Report, field: string, value: number, least: number, most: number) => {
    if (!isCount(value, least, most)) {
      report("ImpossibleRule", field, `${value} is not a whole number from ${least} to ${most}.`)
    }
  }
  const checkProvenance = (report: Report, place: string, { source, verifiedOn }: Provenance) => {
    if (source !== null && !sources.has(source)) {
      report("UnknownSource", `${place}source`, `"${source}" is not an id of sources.json.`)
    }
    checkDate(report, `${place}verified_on`, verifiedOn)
  }

  const zoneOf = new Map<string, string>()
  for (const zone of facts.zones) {
    const report = reportIn(`zones/${zone.id}`)
    checkProvenance(report, "", zone)
    checkCount(report, "rule.allowance_days", zone.allowanceDays, 1, MAX_ALLOWANCE_DAYS)
    checkWindow(report, zone)
    checkMembers(report, zone, destinations, zoneOf)
  }
  checkUnique(
    facts.zones.map(({ id }) => id),
    reportIn("zones"),
  )

  const ruleOf = new Map<string, number>()
  facts.validity.forEach((rule, place) => {
    const report = reportIn("passport-validity")
    checkProvenance(report, `[${place}].`, rule)
    checkCount(report, `[${place}].months`, rule.months, 0, MAX_VALIDITY)
    checkCount(report, `[${place}].days`, rule.days, 0, MAX_VALIDITY)
    if (rule.issuedWithinYears !== null) {
      checkCount(report, `[${place}].issued_within_years`, rule.issuedWithinYears, 1, MAX_VALIDITY)
    }
    if (rule.anchor === "permitted_stay" && rule.months > 0) {
      report("ImpossibleRule", `[${place}].months`, "After the permitted stay, days are counted.")
    }
    if (rule.passports !== undefined) checkCodes(report, `[${place}].passports`, rule.passports, passports)
    checkCodes(report, `[${place}].destinations`, rule.destinations, destinations)
    rule.destinations.forEach((code, at) => {
      const earlier = ruleOf.get(code)
      if (earlier !== undefined && earlier !== place) {
        report("RulesDisagree", `[${place}].destinations[${at}]`, `${code} has a rule already, [${earlier}].`)
      }
      ruleOf.set(code, place)
    })
  })

  facts.transit.forEach((rule, place) => {
    const report = reportIn("transit")
    checkProvenance(report, `[${place}].`, rule)
    if (rule.hours !== null) checkCount(report, `[${place}].hours`, rule.hours, 1, 24 * MAX_VALIDITY)
    if (rule.passports !== null) checkCodes(report, `[${place}].passports`, rule.passports, passports)
    checkCodes(report, `[${place}].destinations`, rule.destinations, destinations)
  })
  return issues
}

function checkDate(report: Report, field: string, text: string | null) {
  if (text !== null && parseCivilDate(text) === null) {
    report("NotACalendarDate", field, `"${text}" is not a calendar date YYYY-MM-DD from 1900 to 2199.`)
  }
}

function checkUnique(ids: readonly string[], report: Report) {
  ids.forEach((id, place) => {
    if (ids.indexOf(id) < place) report("DuplicateRecord", id, `${id} is given twice.`)
  })
}

// A window that is not longer than the allowance could never be broken: a typing error, not a permission to stay for ever.
function checkWindow(report: Report, { kind, allowanceDays, windowDays }: ZoneFacts) {
  const isRight =
    kind === "rolling"
      ? windowDays !== null && isCount(windowDays, allowanceDays + 1, 2 * MAX_ALLOWANCE_DAYS)
      : kind === "single-permission" && windowDays === null
  if (!isRight) {
    const message = "A rolling rule has a window longer than its allowance, a single permission none."
    report("ImpossibleRule", "rule.window_days", message)
  }
}

function checkMembers(
  report: Report,
  { id, members }: ZoneFacts,
  destinations: ReadonlySet<string>,
  zoneOf: Map<string, string>,
) {
  members.forEach((member, place) => {
    const field = `members[${place}]`
    if (!destinations.has(member.code)) {
      report("UnknownCode", `${field}.code`, `"${member.code}" is not one of the ${destinations.size} destinations.`)
    }
    checkDate(report, `${field}.from`, member.from)
    checkDate(report, `${field}.until`, member.until)
    if (member.from !== null && member.until !== null && member.until <= member.from) {
      report("UntilBeforeFrom", `${field}.until`, `${member.until} is not after "from" ${member.from}.`)
    }
    const other = zoneOf.get(member.code) ?? id
    if (other !== id) report("RulesDisagree", `${field}.code`, `${member.code} belongs to ${other} too.`)
    const twin = members.findIndex(
      earlier =>
        earlier.code === member.code &&
        (earlier.until === null || member.from === null || member.from < earlier.until) &&
        (member.until === null || earlier.from === null || earlier.from < member.until),
    )
    if (twin < place) report("DuplicateRule", field, `${member.code} is already at members[${twin}] for the same days.`)
    zoneOf.set(member.code, id)
  })
}
