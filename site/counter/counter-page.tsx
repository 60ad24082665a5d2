/**
 * A permanent counter of the days in the Schengen area, from stays to the remaining days. The stays are stored on the device, and are in no
 * address.
 */
import { useMemo, useState } from "preact/hooks"
import { DateField } from "../controls/date-field.tsx"
import { Figures } from "../controls/figures.tsx"
import { Icon } from "../controls/icon.tsx"
import { Title } from "../controls/title.tsx"
import { keepChoice, keptChoice } from "../kept-choices.ts"
import { usePage } from "../page-context.ts"
import { readToday } from "../today.ts"
import { type Counted, countSchengen, findSchengen, isCounted, type TypedStay } from "./count-schengen.ts"

const MOST_STAYS = 100
const DATE = /^(?:\d{4}-\d{2}-\d{2})?$/

/** Reads the stored stays; returns none if the value is not a list of stays. */
function readKept(): readonly TypedStay[] {
  try {
    const kept: unknown = JSON.parse(keptChoice("stays") ?? "[]")
    if (!Array.isArray(kept)) return []
    return kept
      .slice(0, MOST_STAYS)
      .map(stay => ({ from: String(stay?.from ?? ""), to: String(stay?.to ?? "") }))
      .filter(({ from, to }) => DATE.test(from) && DATE.test(to))
  } catch {
    return []
  }
}

export function CounterPage() {
  const { words } = usePage()
  const [stays, setStays] = useState(readKept)
  const today = readToday()
  const zone = findSchengen()
  const counted = useMemo(() => (zone === undefined ? null : countSchengen(zone, stays, today)), [zone, stays, today])
  const change = (next: readonly TypedStay[]) => {
    setStays(next)
    keepChoice("stays", JSON.stringify(next))
  }
  const replace = (at: number, part: Partial<TypedStay>) =>
    change(stays.map((stay, place) => (place === at ? { ...stay, ...part } : stay)))
  return (
    <div class="counter trip">
      <header>
        <Title text={words.say("counter.title")} />
        <p class="lead">{words.say("counter.lead")}</p>
      </header>
      {counted !== null && <Report counted={counted} today={today} />}
      <ol class="trip-form">
        {stays.map((stay, at) => (
          <li key={at} class="card document">
            <p class="who">{words.number(at + 1)}</p>
            <DateField label={words.say("trip.from")} value={stay.from} onChange={from => replace(at, { from })} />
            <DateField
              label={words.say("trip.to")}
              value={stay.to}
              min={stay.from}
              onChange={to => replace(at, { to })}
            />
            <button
              type="button"
              class="close remove"
              aria-label={words.say("counter.remove", { number: at + 1 })}
              onClick={() => change(stays.filter((_, place) => place !== at))}
            >
              <Icon name="close" />
            </button>
            {!isCounted(stay, today) && (
              <p class="bad-line" role="status">
                {words.say("counter.not_counted")}
              </p>
            )}
          </li>
        ))}
      </ol>
      {stays.length < MOST_STAYS && (
        <p>
          <button type="button" class="button main" onClick={() => change([...stays, { from: today, to: "" }])}>
            {words.say("counter.add")}
          </button>
        </p>
      )}
    </div>
  )
}

function Report({ counted, today }: { readonly counted: Counted; readonly today: string }) {
  const { words } = usePage()
  const { used, allowanceDays, periodFromOn, leftDays, leaveOn, enterOn, breachOn } = counted
  const rows = [
    [
      words.date(today),
      words.say("zone.used", { used: { days: used }, allowed: { days: allowanceDays }, from: { on: periodFromOn } }),
    ],
    [words.say("counter.left"), words.days(leftDays)],
    [words.say("counter.leave"), leaveOn === null || leftDays === 0 ? "–" : words.date(leaveOn)],
    [words.say("counter.enter"), enterOn === null ? "–" : words.date(enterOn)],
  ]
  return (
    <section class="card" aria-label={words.say("counter.left")}>
      {breachOn !== null && <p class="bad-line">{words.say("counter.too_long", { date: { on: breachOn } })}</p>}
      <Figures rows={rows} />
    </section>
  )
}
