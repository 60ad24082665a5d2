/**
 * For which day does the map answer?
 *
 * From the first day of the record to a year from today, and from the first table on if the reader wants past days. Ticks are the days on
 * which any answer changes: rules that came into force, those that are announced, and the days of dated tables. Two buttons go from one to
 * the next.
 */

import { useId, useMemo, useState } from "preact/hooks"
import { type DaySpan, dateOf, dayOf, findDaySpan, isPastDay, pairsDataset } from "../answers.ts"
import { Arriving } from "../controls/arriving.tsx"
import { usePage } from "../page-context.ts"
import { usePast } from "../past/use-past.tsx"
import { readToday } from "../today.ts"

interface DaySliderProps {
  /** Null for today. */
  readonly on: string | null
  readonly onChange: (on: string | null) => void
}

export function DaySlider({ on, onChange }: DaySliderProps) {
  const { words } = usePage()
  const id = useId()
  const [isAsked, setAsked] = useState(false)
  const past = usePast(isAsked || isPastDay(on))
  const tables = useMemo(() => (past === null || past === "failed" ? [] : past.listTableDays()), [past])
  const span = useMemo(() => reachBack(findDaySpan(), tables), [tables])
  const today = readToday()
  const day = dayOf(on ?? today)
  const move = (to: number | undefined) => {
    if (to !== undefined) onChange(dateOf(to) === today ? null : dateOf(to))
  }
  const before = span.changes.findLast(([change]) => change < day)?.[0]
  const after = span.changes.find(([change]) => change > day)?.[0]
  const changing = span.changes.find(([change]) => change === day)?.[1] ?? 0
  const placeOfDay = (at: number) => `${(100 * (at - span.first)) / (span.last - span.first)}%`
  return (
    <section class="days" aria-label={words.say("day.title")}>
      <div class="days-head">
        <label for={id}>{words.say("day.label")}</label>
        <output for={id}>{on === null ? words.say("day.today", { date: { on: today } }) : words.date(on)}</output>
      </div>
      <div class="days-track">
        <input
          id={id}
          type="range"
          min={span.first}
          max={span.last}
          value={day}
          aria-valuetext={words.date(dateOf(day))}
          onInput={event => move(Number(event.currentTarget.value))}
        />
        <div class="ticks" aria-hidden="true">
          <span class="tick today" style={{ insetInlineStart: placeOfDay(dayOf(today)) }} />
          {span.changes.map(([change]) => (
            <span key={change} class="tick" style={{ insetInlineStart: placeOfDay(change) }} />
          ))}
        </div>
      </div>
      {!isPastDay(on) && <p class="note">{words.say("day.known", { date: { on: pairsDataset().asOf } })}</p>}
      {isPastDay(on) && (
        <p class="note">{words.say("past.note", { date: { on: tables.findLast(table => table <= on) ?? on } })}</p>
      )}
      {isAsked && (past === null || past === "failed") && <Arriving hasFailed={past === "failed"} />}
      <div class="days-foot">
        {tables.length === 0 && !isAsked && (
          <button type="button" class="quiet" onClick={() => setAsked(true)}>
            {words.say("past.open")}
          </button>
        )}
        <button type="button" class="quiet" disabled={before === undefined} onClick={() => move(before)}>
          {words.say("day.before")}
        </button>
        <span class="note">{changing > 0 ? words.say("day.changing", { pairs: changing }) : ""}</span>
        {on !== null && (
          <button type="button" class="quiet" onClick={() => onChange(null)}>
            {words.say("day.reset")}
          </button>
        )}
        <button type="button" class="quiet" disabled={after === undefined} onClick={() => move(after)}>
          {words.say("day.after")}
        </button>
      </div>
    </section>
  )
}

/** The span from the first table on; the days of tables are ticks of it. */
function reachBack({ first, last, changes }: DaySpan, tables: readonly string[]): DaySpan {
  const days = tables.map(dayOf).filter(day => day < first)
  return { first: days[0] ?? first, last, changes: [...days.map(day => [day, 0] as const), ...changes] }
}
