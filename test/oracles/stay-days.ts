/**
 * Stay rules by counting days in sets, one by one, as a border officer with a calendar and a pencil would.
 *
 * Slow and obvious on purpose. It imports nothing of what it judges, not even the calendar.
 */

export interface OracleZone {
  readonly rule:
    | { readonly kind: "rolling"; readonly allowanceDays: number; readonly windowDays: number }
    | { readonly kind: "single-permission"; readonly allowanceDays: number }
  readonly members: readonly {
    readonly code: string
    readonly fromDay: number | null
    readonly untilDay: number | null
  }[]
}

export interface OracleStay {
  readonly destination: string
  readonly from: string
  readonly to: string
  readonly permit?: "residence" | "national_visa" | undefined
}

/** The days in a zone: those that count, and all of them. */
export interface DaySets {
  readonly counted: ReadonlySet<number>
  readonly inside: ReadonlySet<number>
}

export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000
}

export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

const LAST_DAY = dayOf("2199-12-31")

function daySets(zone: OracleZone, stays: readonly OracleStay[]): DaySets {
  const counted = new Set<number>()
  const inside = new Set<number>()
  for (const stay of stays) {
    const end = dayOf(stay.to)
    for (let day = dayOf(stay.from); day <= end; day++) {
      const isMember = zone.members.some(
        member =>
          member.code === stay.destination &&
          (member.fromDay === null || member.fromDay <= day) &&
          (member.untilDay === null || day < member.untilDay),
      )
      if (!isMember) continue
      inside.add(day)
      if (stay.permit === undefined) counted.add(day)
    }
  }
  return { counted, inside }
}

function periodStart(zone: OracleZone, days: DaySets, day: number): number {
  if (zone.rule.kind === "rolling") return day - (zone.rule.windowDays - 1)
  let start = day
  while (days.inside.has(start - 1)) start--
  return start
}

export function usedOn(zone: OracleZone, days: DaySets, day: number): number {
  let used = 0
  for (let each = periodStart(zone, days, day); each <= day; each++) if (days.counted.has(each)) used++
  return used
}

function breachDays(zone: OracleZone, days: DaySets): number[] {
  return [...days.counted].filter(day => usedOn(zone, days, day) > zone.rule.allowanceDays).sort((a, b) => a - b)
}

export function breachOf(zone: OracleZone, stays: readonly OracleStay[]) {
  const days = daySets(zone, stays)
  const breach = breachDays(zone, days)
  let most = 0
  let worst: number | null = null
  for (const day of [...days.counted].sort((a, b) => a - b)) {
    const used = usedOn(zone, days, day)
    if (used > most) {
      most = used
      worst = day
    }
  }
  return {
    firstBreachOn: breach[0] === undefined ? null : dateOf(breach[0]),
    daysInBreach: breach.length,
    daysOverAllowance: Math.max(0, most - zone.rule.allowanceDays),
    mostDaysUsed: most,
    worstPeriod: worst === null ? null : { fromOn: dateOf(periodStart(zone, days, worst)), toOn: dateOf(worst) },
  }
}

function withDays(days: DaySets, first: number, last: number): DaySets {
  const counted = new Set(days.counted)
  const inside = new Set(days.inside)
  for (let day = first; day <= last; day++) {
    counted.add(day)
    inside.add(day)
  }
  return { counted, inside }
}

/** Stays on day by day from an entry until the rule is broken; the day before the entry when it is broken at once. */
function simulateStay(zone: OracleZone, days: DaySets, entry: number): number {
  let last = entry - 1
  while (last < LAST_DAY) {
    const longer = withDays(days, entry, last + 1)
    if (usedOn(zone, longer, last + 1) > zone.rule.allowanceDays) break
    last++
  }
  return last
}

export function stayDaysOn(zone: OracleZone, stays: readonly OracleStay[], on: string) {
  const days = daySets(zone, stays)
  const day = dayOf(on)
  const used = usedOn(zone, days, day)
  const last = simulateStay(zone, days, day)
  return {
    periodFromOn: dateOf(periodStart(zone, days, day)),
    daysUsed: used,
    daysUnused: Math.max(0, zone.rule.allowanceDays - used),
    daysRemaining: Math.max(0, days.counted.has(day) ? last - day : last - day + 1),
  }
}

export function lastLegalDay(zone: OracleZone, stays: readonly OracleStay[], on: string): string | null {
  const days = daySets(zone, stays)
  let entry = dayOf(on)
  if (days.counted.has(entry)) while (days.counted.has(entry - 1)) entry--
  const last = simulateStay(zone, days, entry)
  return last < entry ? null : dateOf(last)
}

/** Says whether days may be added: none of them is in breach, and no day falls into breach because of them. */
function mayAdd(zone: OracleZone, days: DaySets, first: number, last: number): boolean {
  const before = breachDays(zone, days)
  const after = breachDays(zone, withDays(days, first, last))
  return after.every(day => (day < first || day > last) && before.includes(day))
}

export function longestStay(zone: OracleZone, stays: readonly OracleStay[], entryOn: string) {
  const days = daySets(zone, stays)
  const entry = dayOf(entryOn)
  for (let length = zone.rule.allowanceDays; length >= 1; length--) {
    const last = entry + length - 1
    if (last <= LAST_DAY && mayAdd(zone, days, entry, last)) return { days: length, lastOn: dateOf(last) }
  }
  return { days: 0, lastOn: null }
}

export function earliestEntry(
  zone: OracleZone,
  stays: readonly OracleStay[],
  plan: { readonly days: number; readonly notBeforeOn: string },
): string | null {
  if (plan.days > zone.rule.allowanceDays) return null
  const days = daySets(zone, stays)
  for (let entry = dayOf(plan.notBeforeOn); entry + plan.days - 1 <= LAST_DAY; entry++) {
    if (mayAdd(zone, days, entry, entry + plan.days - 1)) return dateOf(entry)
  }
  return null
}
