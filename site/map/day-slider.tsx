/**
 * For which day does the map answer?
 *
 * From the first day of the record to a year from today. Ticks are the days on which any answer changes: rules that came into force, and
 * those that are announced. Two buttons go from one to the next.
 */
import { useId, useMemo } from "preact/hooks"
import { dateOf, dayOf, findDaySpan, readToday } from "../answers.ts"
import { usePage } from "../page-context.ts"

interface DaySliderProps {
  /** Null for today. */
  readonly on: string | null
  readonly onChange: (on: string | null) => void
}

export function DaySlider({ on, onChange }: DaySliderProps) {
  const { words } = usePage()
  const id = useId()
  const span = useMemo(findDaySpan, [])
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
      <div class="days-foot">
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
