/**
 * Schengen's 90 days in any 180, as a picture: which days were spent there, how many count on each day, and when they are free again.
 *
 * The line is the number of days used in the window that ends on each day; the window of the chosen day is shaded, and the days
 * in it that count are dark. A zone with one permission instead of a window gets a sentence.
 */

import {
  countStayDays,
  type Decision,
  findEarliestEntry,
  findLongestStay,
  measureBreach,
  type Result,
  type Stay,
  type Zone,
} from "landfall"
import { useId, useMemo, useState } from "preact/hooks"
import { dateOf, dayOf, readToday } from "../answers.ts"
import { Facts, Section, Stretched } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { wholeDataset } from "../whole-dataset.ts"
import { type DayRange, Months, percentOf } from "./day-line.tsx"
import { nameZone } from "./stop-list.tsx"
import type { Trip } from "./trip.ts"

/*
 * How many days of a zone are used on each day, and when are they free again?
 *
 * Everything is counted by the engine's own calculators; this file only asks them for every day of a picture. The stays are those of a trip
 * which the decision counted under the zone's rule, and those before it.
 */

const orNull = <Of,>(result: Result<Of>): Of | null => (result.ok ? result.value : null)

/** A zone that a trip goes through, with the stays that count there. */
interface ZoneStays {
  readonly zone: Zone
  readonly stays: readonly Stay[]
  /** True where stays in the zone may count too, and are not in the picture. */
  readonly hasOthers: boolean
}

/** One day of a picture. */
interface ZoneDay {
  readonly day: number
  readonly used: number
  readonly isPresent: boolean
}

const isMember = ({ members }: Zone, destination: string) => members.some(({ code }) => code === destination)

/** Finds the zones that a decision counted days in, with the earlier stays there. */
export function listZoneStays(decision: Decision, earlierStays: readonly Stay[]): readonly ZoneStays[] {
  return wholeDataset().zones.flatMap(zone => {
    const steps = decision.steps.filter(({ zoneStay }) => zoneStay?.zone === zone.id)
    // A stay without a fixed number of days may or may not count.
    const counted = steps.filter(
      ({ zoneStay }) => zoneStay?.status === "known" || (zoneStay !== null && zoneStay.code !== "zone_no_fixed_stay"),
    )
    if (counted.length === 0) return []
    const firstDay = Math.min(...counted.map(({ from }) => dayOf(from)))
    const sinceDay = zone.rule.kind === "rolling" ? firstDay - zone.rule.windowDays : firstDay
    const before = earlierStays.filter(
      ({ destination, from, to }) => from !== "" && to !== "" && dayOf(to) >= sinceDay && isMember(zone, destination),
    )
    const stays = [...before, ...counted.map(({ destination, from, to }) => ({ destination, from, to: to ?? from }))]
    return [{ zone, stays, hasOthers: counted.length < steps.length }]
  })
}

const DAYS_BEFORE = 7
// A stay of many years is drawn as far as its first ones.
const MOST_DAYS = 1_500

/** Counts the days of a zone with a rolling window, from a week before the first stay until all of it has left the window. */
export function countZoneDays(zone: Zone, stays: readonly Stay[], windowDays: number): readonly ZoneDay[] {
  const first = Math.min(...stays.map(stay => dayOf(stay.from))) - DAYS_BEFORE
  const last = Math.min(Math.max(...stays.map(stay => dayOf(stay.to))) + windowDays + DAYS_BEFORE, first + MOST_DAYS)
  const isPresent = (day: number) =>
    stays.some(stay => stay.permit === undefined && dayOf(stay.from) <= day && day <= dayOf(stay.to))
  const days: ZoneDay[] = []
  for (let day = first; day <= last; day++) {
    const used = orNull(countStayDays(zone, stays, dateOf(day)))?.daysUsed ?? 0
    days.push({ day, used, isPresent: isPresent(day) })
  }
  return days
}

/**
 * Reports on one day of a picture: the days used, the longest stay that may begin on it, the first later day on which fewer days are used, and the earliest entry
 * for a stay of the whole allowance.
 */
function reportDay({ zone, stays }: ZoneStays, days: readonly ZoneDay[], on: string) {
  const counted = orNull(countStayDays(zone, stays, on))
  return (
    counted && {
      ...counted,
      longest: orNull(findLongestStay(zone, stays, on)),
      frees: days.find((one, at) => one.day > dayOf(on) && one.used < (days[at - 1]?.used ?? 0)),
      wholeAgainOn: orNull(findEarliestEntry(zone, stays, { days: zone.rule.allowanceDays, notBeforeOn: on })),
    }
  )
}

/** Says whether an earlier stay counts: it has a place and a first day, the last is not before it, and one without a last day has begun and goes on. */
export const isCounted = ({ destination, from, to }: Stay, today = readToday()): boolean =>
  destination !== "" && from !== "" && (to === "" ? from <= today : to >= from)

/** Counts the days of a zone that are used and left today, over earlier stays and the stops that have begun; null where there are none. */
export function countToday(zone: Zone, { earlierStays, stops }: Trip, today = readToday()) {
  if (zone.rule.kind !== "rolling") return null
  const begun = stops
    .filter(({ from }) => from <= today)
    .map(({ destination, from, to }): Stay => ({ destination, from, to }))
  const whole = [...earlierStays, ...begun].filter(stay => isMember(zone, stay.destination) && isCounted(stay, today))
  if (whole.length === 0) return null
  const stays = whole.map(stay => ({ ...stay, to: stay.to || today }))
  const current = stays.findIndex(({ from, to, permit }) => permit === undefined && from <= today && to >= today)
  const counted = orNull(countStayDays(zone, stays, today))
  if (counted === null) return null
  const others = stays.filter((_, at) => at !== current)
  const leaveOn = orNull(findLongestStay(zone, others, whole[current]?.from ?? today))?.lastOn ?? null
  return {
    zone,
    used: counted.daysUsed,
    periodFromOn: counted.periodFromOn,
    /** From today on, without a break. */
    leftDays: leaveOn === null ? 0 : Math.max(0, dayOf(leaveOn) - dayOf(today) + 1),
    /** The last day of the stay that goes on, or of one that begins today. */
    leaveOn,
    /** From tomorrow on, for one day. */
    enterOn: orNull(findEarliestEntry(zone, stays, { days: 1, notBeforeOn: dateOf(dayOf(today) + 1) })),
    /** The first day on which more days than allowed are used. */
    breachOn: orNull(measureBreach(zone, stays))?.firstBreachOn ?? null,
  }
}

export function ZonePicture({ zoneStays }: { readonly zoneStays: ZoneStays }) {
  const { words } = usePage()
  const { zone, stays, hasOthers } = zoneStays
  const { rule } = zone
  const breach = useMemo(() => orNull(measureBreach(zone, stays)), [zoneStays])
  const name = nameZone(words, zone.id)
  return (
    <Section class="zone" title={name}>
      <p>
        {rule.kind === "rolling"
          ? words.say("zone.rolling", { allowed: { days: rule.allowanceDays }, window: { days: rule.windowDays } })
          : words.say("zone.single", { allowed: { days: rule.allowanceDays } })}
      </p>
      {breach !== null && (
        <p class={breach.firstBreachOn === null ? "good-line" : "bad-line"}>
          {breach.firstBreachOn === null
            ? words.say("zone.kept", { most: { days: breach.mostDaysUsed } })
            : words.say("zone.broken", {
                date: { on: breach.firstBreachOn },
                over: { days: breach.daysOverAllowance },
                breach: { days: breach.daysInBreach },
              })}
        </p>
      )}
      {hasOthers && <p class="note">{words.say("zone.others")}</p>}
      {rule.kind === "rolling" && <Window zoneStays={zoneStays} windowDays={rule.windowDays} key={stays.length} />}
    </Section>
  )
}

/** The days used and left today in each zone where the traveller was, whether or not a journey is planned. */
export function ZoneCounts({ trip }: { readonly trip: Trip }) {
  const { earlierStays, stops } = trip
  const counts = useMemo(
    () => wholeDataset().zones.flatMap(zone => countToday(zone, trip) ?? []),
    [earlierStays, stops],
  )
  return counts.map(count => <Count key={count.zone.id} count={count} />)
}

function Count({ count }: { readonly count: NonNullable<ReturnType<typeof countToday>> }) {
  const { words } = usePage()
  const { zone, used, periodFromOn, leftDays, leaveOn, enterOn, breachOn } = count
  const [allowed, from] = [{ days: zone.rule.allowanceDays }, { on: periodFromOn }]
  const rows = [
    [words.date(readToday()), words.say("zone.used", { used: { days: used }, allowed, from })],
    [words.say("counter.left"), words.days(leftDays)],
    [words.say("counter.leave"), leaveOn === null || leftDays === 0 ? "–" : words.date(leaveOn)],
    [words.say("counter.enter"), enterOn === null ? "–" : words.date(enterOn)],
  ]
  return (
    <section class="card" aria-label={words.say("counter.left")}>
      <h2>{nameZone(words, zone.id)}</h2>
      {breachOn !== null && <p class="bad-line">{words.say("counter.too_long", { date: { on: breachOn } })}</p>}
      <Facts rows={rows} isLive />
    </section>
  )
}

interface WindowProps {
  readonly zoneStays: ZoneStays
  readonly windowDays: number
}

const HEIGHT = 120

function Window({ zoneStays, windowDays }: WindowProps) {
  const { words } = usePage()
  const id = useId()
  const { zone, stays } = zoneStays
  const { allowanceDays } = zone.rule
  const days = useMemo(() => countZoneDays(zone, stays, windowDays), [zone, stays, windowDays])
  const range: DayRange = { first: days[0]?.day ?? 0, last: days.at(-1)?.day ?? 1 }
  const lastStay = Math.max(...stays.map(stay => dayOf(stay.to)))
  const [picked, setPicked] = useState<number | null>(null)
  const day = Math.min(Math.max(picked ?? lastStay, range.first), range.last)
  const report = useMemo(() => reportDay(zoneStays, days, dateOf(day)), [zoneStays, days, day])
  const most = Math.max(allowanceDays, ...days.map(({ used }) => used))
  const ceiling = Math.ceil((most * 1.12) / 10) * 10
  const from = day - windowDays + 1
  return (
    <>
      <figure class="window">
        <Drawing {...{ days, range, allowanceDays, ceiling, from, day }} />
        <span class="limit" style={{ bottom: percentOf(allowanceDays / ceiling) }} aria-hidden="true">
          {words.number(allowanceDays)}
        </span>
        <div class="months" aria-hidden="true">
          <Months range={range} />
        </div>
        <label class="unseen" for={id}>
          {words.say("zone.day")}
        </label>
        <input
          id={id}
          type="range"
          min={range.first}
          max={range.last}
          value={day}
          aria-valuetext={words.date(dateOf(day))}
          onInput={event => setPicked(Number(event.currentTarget.value))}
        />
      </figure>
      {report !== null && <Report report={report} on={dateOf(day)} allowanceDays={allowanceDays} />}
    </>
  )
}

interface DrawingProps {
  readonly days: readonly ZoneDay[]
  readonly range: DayRange
  readonly allowanceDays: number
  readonly ceiling: number
  readonly from: number
  readonly day: number
}

/** The picture itself: one horizontal unit a day, stretched to the available width. */
function Drawing({ days, range, allowanceDays, ceiling, from, day }: DrawingProps) {
  const width = range.last - range.first + 1
  const heightOf = (used: number) => HEIGHT * (1 - used / ceiling)
  const outline = (cap: (used: number) => number) =>
    `M0 ${HEIGHT}${days.map(({ used }, at) => `L${at} ${heightOf(cap(used))}L${at + 1} ${heightOf(cap(used))}`).join("")}L${width} ${HEIGHT}Z`
  return (
    <Stretched width={width} height={HEIGHT + 22}>
      <rect class="span" x={from - range.first} y="0" width={day - from + 1} height={HEIGHT + 22} />
      <path class="over" d={outline(used => used)} />
      <path class="used" d={outline(used => Math.min(used, allowanceDays))} />
      <line class="allowance" x1="0" x2={width} y1={heightOf(allowanceDays)} y2={heightOf(allowanceDays)} />
      {listRuns(days, from, day).map(({ first, last, isCounted }) => (
        <rect
          key={first}
          class={isCounted ? "stay counted" : "stay"}
          x={first - range.first}
          y={HEIGHT + 6}
          width={last - first + 1}
          height="12"
        />
      ))}
      <line class="now" x1={day - range.first + 0.5} x2={day - range.first + 0.5} y1="0" y2={HEIGHT + 22} />
    </Stretched>
  )
}

interface Run extends DayRange {
  readonly isCounted: boolean
}

/** The days in the zone as runs, cut where the window begins and ends. */
function listRuns(days: readonly ZoneDay[], from: number, to: number): readonly Run[] {
  const runs: Run[] = []
  for (const { day, isPresent } of days) {
    if (!isPresent) continue
    const isCounted = day >= from && day <= to
    const before = runs.at(-1)
    if (before?.last === day - 1 && before.isCounted === isCounted) runs[runs.length - 1] = { ...before, last: day }
    else runs.push({ first: day, last: day, isCounted })
  }
  return runs
}

interface ReportProps {
  readonly report: NonNullable<ReturnType<typeof reportDay>>
  readonly on: string
  readonly allowanceDays: number
}

function Report({ report, on, allowanceDays }: ReportProps) {
  const { words } = usePage()
  const { daysUsed, periodFromOn, longest, frees, wholeAgainOn } = report
  const used = { used: { days: daysUsed }, allowed: { days: allowanceDays }, from: { on: periodFromOn } }
  const stay =
    longest?.lastOn == null
      ? words.say("zone.longest_none")
      : words.say("zone.longest_until", { days: { days: longest.days }, date: { on: longest.lastOn } })
  const freed = frees && words.say("zone.frees_on", { date: { on: dateOf(frees.day) }, used: { days: frees.used } })
  const rows = [
    [words.date(on), words.say("zone.used", used)],
    [words.say("zone.longest"), longest && stay],
    [words.say("zone.frees"), freed],
    [words.say("zone.whole"), wholeAgainOn && words.date(wholeAgainOn)],
  ]
  return <Facts rows={rows.filter(([, said]) => said)} isLive />
}
