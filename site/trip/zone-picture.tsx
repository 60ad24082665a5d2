/**
 * Schengen's 90 days in any 180, as a picture: which days were spent there, how many count on each day, and when they are free again.
 *
 * The line is the number of days used in the window that ends on each day; the window of the chosen day is shaded, and the days
 * in it that count are dark. A zone with one permission instead of a window gets a sentence.
 */
import { useId, useMemo, useState } from "preact/hooks"
import { dateOf, dayOf } from "../answers.ts"
import { Figures } from "../controls/figures.tsx"
import { usePage } from "../page-context.ts"
import { readToday } from "../today.ts"
import { wholeDataset } from "../whole-dataset.ts"
import { Months } from "./months.tsx"
import { type DayRange, percentOf } from "./scale.ts"
import { nameZone } from "./stop-list.tsx"
import type { Trip } from "./trip.ts"
import {
  countToday,
  countZoneDays,
  type DayReport,
  measure,
  reportDay,
  type ZoneCount,
  type ZoneDay,
  type ZoneStays,
} from "./zone-days.ts"

export function ZonePicture({ zoneStays }: { readonly zoneStays: ZoneStays }) {
  const { words } = usePage()
  const { zone, stays, hasOthers } = zoneStays
  const { rule } = zone
  const breach = useMemo(() => measure(zoneStays), [zoneStays])
  const name = nameZone(words, zone.id)
  return (
    <section class="zone" aria-label={name}>
      <h2>{name}</h2>
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
    </section>
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

function Count({ count }: { readonly count: ZoneCount }) {
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
      <Figures rows={rows} />
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
  const { words } = usePage()
  const width = range.last - range.first + 1
  const heightOf = (used: number) => HEIGHT * (1 - used / ceiling)
  const outline = (cap: (used: number) => number) =>
    `M0 ${HEIGHT}${days.map(({ used }, at) => `L${at} ${heightOf(cap(used))}L${at + 1} ${heightOf(cap(used))}`).join("")}L${width} ${HEIGHT}Z`
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT + 22}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      class={words.direction === "rtl" ? "mirrored" : undefined}
    >
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
    </svg>
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
  readonly report: DayReport
  readonly on: string
  readonly allowanceDays: number
}

function Report({ report, on, allowanceDays }: ReportProps) {
  const { words } = usePage()
  const { used, periodFromOn, longest, frees, wholeAgainOn } = report
  const rows = [
    [
      words.date(on),
      words.say("zone.used", { used: { days: used }, allowed: { days: allowanceDays }, from: { on: periodFromOn } }),
    ],
    ...(longest === null
      ? []
      : [
          [
            words.say("zone.longest"),
            longest.lastOn === null
              ? words.say("zone.longest_none")
              : words.say("zone.longest_until", { days: { days: longest.days }, date: { on: longest.lastOn } }),
          ],
        ]),
    ...(frees === null
      ? []
      : [
          [words.say("zone.frees"), words.say("zone.frees_on", { date: { on: frees.on }, used: { days: frees.used } })],
        ]),
    ...(wholeAgainOn === null ? [] : [[words.say("zone.whole"), words.date(wholeAgainOn)]]),
  ]
  return <Figures rows={rows} />
}
