/**
 * How many days of visits to a country are held against the longest stay: counted one by one, by the words of its stay rule.
 *
 * Slow and obvious on purpose. It imports nothing of what it judges, not even the calendar.
 */
import { dayOf } from "./stay-days.ts"

export interface OracleStayRule {
  readonly destinations: readonly string[]
  /** Whom it binds; everybody when absent. */
  readonly passports?: readonly string[]
  readonly kind: "per_entry" | "rolling" | "calendar_year" | "per_year_of_entry"
  readonly days: number | null
  readonly months?: number | null
  readonly windowDays?: number | null
  readonly visitDays?: number | null
  readonly daysOutside?: number | null
  /** Visits there do not end an admission. */
  readonly neighbours?: readonly string[] | null
  /** Days of who comes back from there after its end; a new admission without it. */
  readonly readmissionDays?: number | null
  /** The day of the entry is not one of the days. */
  readonly firstDayCounted?: boolean
  /** What has to be asked for it to hold; whatever is asked when absent. */
  readonly requirements?: readonly ("visa_free" | "eta" | "visa_required" | "e_visa" | "visa_on_arrival")[]
}

interface Stay {
  readonly destination: string
  readonly from: string
  readonly to: string
}

interface Counted {
  readonly days: number
  readonly allowed: number
  readonly counting: string
  /** Whether a rule is recorded, and whether it is the rule that names the days. */
  readonly hasRule: boolean
  readonly isRuled: boolean
}

/** The same day some months on, or the last of that month. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * 86_400_000)
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate()
  return first / 86_400_000 + Math.min(date.getUTCDate(), lastOfMonth) - 1
}

const daysOf = (stays: readonly Stay[]) => {
  const days = new Set<number>()
  for (const stay of stays) for (let day = dayOf(stay.from); day <= dayOf(stay.to); day++) days.add(day)
  return [...days].sort((a, b) => a - b)
}

/**
 * Counts for the stop `current`. `all` are the stays up to it, in order, wherever they were; `counting` those of them that are a
 * visitor's, and `isHere` says which are in its country. `maxDays` are those of the entry, `isWaived` where a waiver named them.
 */
export function countOwnDays(
  rules: readonly OracleStayRule[],
  passport: string,
  current: Stay,
  all: readonly Stay[],
  counting: readonly Stay[],
  isHere: (stay: Stay) => boolean,
  maxDays: number | null,
  more: Holder = NOBODY,
): Counted | null {
  const found = count(rules, passport, current, all, counting, isHere, maxDays, more)
  return found === null ? null : { hasRule: false, isRuled: false, ...found }
}

/** Whether a waiver is used, where the traveller lives or is a national, and which stays were made on a document of the country. */
interface Holder {
  readonly isWaived: boolean
  readonly livesIn: readonly string[]
  readonly onDocument: readonly Stay[]
}
const NOBODY: Holder = { isWaived: false, livesIn: [], onDocument: [] }

/** The rule for a passport at a place: one that names it, before one for everybody. */
export function pickRule(
  rules: readonly OracleStayRule[],
  passport: string,
  { destination }: Stay,
): OracleStayRule | undefined {
  const here = rules.filter(rule => rule.destinations.includes(destination))
  return here.find(each => each.passports?.includes(passport)) ?? here.find(each => each.passports === undefined)
}

type Days = Pick<Counted, "days" | "allowed" | "counting"> & Partial<Counted>

function count(
  rules: readonly OracleStayRule[],
  passport: string,
  current: Stay,
  all: readonly Stay[],
  counting: readonly Stay[],
  isHere: (stay: Stay) => boolean,
  maxDays: number | null,
  { isWaived, livesIn, onDocument }: Holder,
): Days | null {
  if (!counting.includes(current)) return null
  // Stays that follow one another in the country without a day outside, and without a stay elsewhere between them, are one visit.
  const visits: Stay[][] = []
  let open: Stay[] | null = null
  for (const stay of all) {
    if (!isHere(stay) || !counting.includes(stay)) open = null
    else if (open !== null && dayOf(stay.from) <= Math.max(...open.map(each => dayOf(each.to))) + 1) open.push(stay)
    else {
      open = [stay]
      visits.push(open)
    }
  }
  const visit = visits.at(-1) as Stay[]
  const visited = daysOf(visit)
  const everyDay = daysOf(visits.flat())
  const last = Math.max(...visited)
  const between = (from: number, to: number) => everyDay.filter(day => from <= day && day <= to).length
  const rule = pickRule(rules, passport, current)
  if (rule === undefined) {
    if (maxDays === null) return null
    if (visited.length > maxDays || visits.length === 1)
      return { days: visited.length, allowed: maxDays, counting: "visit" }
    return { days: between(last - 364, last), allowed: maxDays, counting: "accumulated" }
  }
  const spans: Days[] = []
  // The days of a waiver are those of each visit under it, whatever other visitors have.
  const ofWaiver = isWaived ? maxDays : null
  const allowed = (rule.kind === "per_entry" ? ofWaiver : null) ?? rule.days ?? maxDays
  if (rule.kind === "per_entry") {
    let first = visits.length - 1
    const outside = (place: number) => {
      const before = Math.max(...(visits[place - 1] as Stay[]).map(each => dayOf(each.to)))
      return Math.min(...(visits[place] as Stay[]).map(each => dayOf(each.from))) - before - 1
    }
    while (first > 0 && outside(first) < (rule.daysOutside ?? 0)) first--
    const entry = Math.min(...(visits[first] as Stay[]).map(each => dayOf(each.from)))
    // Fewer days of one's own than so many months can have are another stay's, such as that of a document.
    const isShorter = rule.months != null && maxDays !== null && maxDays < 28 * rule.months
    const until = rule.months == null || isShorter ? null : addMonths(entry, rule.months)
    const neighbours = rule.neighbours ?? []
    const uncounted = rule.firstDayCounted === false ? 1 : 0
    if (neighbours.length > 0 && allowed !== null && !neighbours.some(each => livesIn.includes(each))) {
      // Walks through the visits: who was in neighbours alone since the one before, day by day, comes back on the same admission.
      let admittedOn = 0
      let given = allowed
      let isReadmitted = false
      visits.forEach((each, place) => {
        const [begins] = daysOf(each) as [number]
        const previous = visits[place - 1]?.at(-1)
        const before = all.slice(previous === undefined ? 0 : all.indexOf(previous) + 1, all.indexOf(each[0] as Stay))
        let isReturn = previous !== undefined && before.length > 0 && !onDocument.includes(previous)
        if (before.some(({ destination }) => !neighbours.includes(destination))) isReturn = false
        if (isReturn) {
          const known = new Set(daysOf([previous as Stay, ...before]))
          for (let day = dayOf((previous as Stay).to); day < begins; day++) if (!known.has(day)) isReturn = false
        }
        const lastPermitted = admittedOn + given - 1 + uncounted
        isReadmitted = false
        if (isReturn && begins <= lastPermitted) isReadmitted = true
        else if (isReturn && rule.readmissionDays != null) {
          isReadmitted = true
          admittedOn = begins
          given = rule.readmissionDays
        } else {
          admittedOn = begins
          given = allowed
        }
      })
      if (isReadmitted) {
        const counting = "admission"
        return {
          days: last - admittedOn + 1 - uncounted,
          allowed: given,
          counting,
          hasRule: true,
          isRuled: rule.days !== null,
        }
      }
    }
    const days = between(entry, last) - uncounted
    if (until !== null) spans.push({ days, allowed: until - entry + 1, counting: rule.kind })
    else if (allowed !== null) spans.push({ days, allowed, counting: rule.kind })
  } else if (allowed !== null && rule.kind === "rolling") {
    spans.push({ days: between(last - (rule.windowDays as number) + 1, last), allowed, counting: rule.kind })
  } else if (allowed !== null && rule.kind === "calendar_year") {
    for (const year of new Set(visited.map(day => new Date(day * 86_400_000).getUTCFullYear()))) {
      const days = between(dayOf(`${year}-01-01`), Math.min(last, dayOf(`${year}-12-31`)))
      spans.push({ days, allowed, counting: rule.kind })
    }
  } else if (allowed !== null) {
    // Years that begin with an entry, the next with the first day of presence after it.
    for (let from = everyDay[0] as number | undefined; from !== undefined; ) {
      const next: number = addMonths(from, 12)
      if (visited.some(day => day < next))
        spans.push({ days: between(from, Math.min(last, next - 1)), allowed, counting: rule.kind })
      from = everyDay.find(day => day >= next)
    }
  }
  const worst = spans.reduce<Days | null>((a, b) => (a === null || b.days > a.days ? b : a), null)
  const limit =
    (rule.kind === "per_entry" ? null : ofWaiver) ??
    rule.visitDays ??
    (rule.kind !== "per_entry" && rule.days !== null && maxDays !== null && maxDays < rule.days ? maxDays : null)
  const named = { hasRule: true, isRuled: rule.days !== null || rule.months != null }
  if (limit !== null && visited.length > limit && (worst === null || !named.isRuled || worst.days <= worst.allowed)) {
    return { days: visited.length, allowed: limit, counting: "visit", hasRule: true, isRuled: rule.visitDays != null }
  }
  return worst === null ? null : { ...worst, ...named }
}
