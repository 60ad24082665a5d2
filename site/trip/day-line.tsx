/** Where is a day on a line of days, and where do its months begin? */

import { parseCivilDate } from "landfall"
import { dateOf } from "../answers.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"

/** A stretch of days, both ends included. */
export interface DayRange {
  readonly first: number
  readonly last: number
}

/** Places a day on the line, from 0 to 1: where it begins. */
function placeDay({ first, last }: DayRange, day: number): number {
  return (day - first) / (last - first + 1)
}

/** Writes a place on the line, or a part of it, for a style. */
export function percentOf(share: number): string {
  return `${Math.round(share * 1e5) / 1e3}%`
}

/** Places a stretch of days on the line, for a style. */
export const styleOf = (range: DayRange, { first, last }: DayRange) => ({
  insetInlineStart: percentOf(placeDay(range, first)),
  width: percentOf(placeDay(range, last + 1) - placeDay(range, first)),
})

const MOST_NAMES = 14
const STEPS_IN_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600]

/** The months that begin on the line, with their names, as many as there is room for; the first month and each January also name the year. */
function listMonths(words: Words, range: DayRange): readonly { readonly day: number; readonly name: string }[] {
  const month = new Intl.DateTimeFormat(words.language, { month: "short", timeZone: "UTC" })
  const monthAndYear = new Intl.DateTimeFormat(words.language, { month: "short", year: "numeric", timeZone: "UTC" })
  const year = new Intl.DateTimeFormat(words.language, { year: "numeric", timeZone: "UTC" })
  const firstMonth = monthOf(range.first - 1) + 1
  const count = monthOf(range.last) - firstMonth + 1
  const step = STEPS_IN_MONTHS.find(months => count <= months * MOST_NAMES) ?? count
  const months: { day: number; name: string }[] = []
  for (let at = Math.ceil(firstMonth / step) * step; at < firstMonth + count; at += step) {
    const on = `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}-01`
    const day = parseCivilDate(on)
    // Beyond the last day of the engine's calendar.
    if (day === null) break
    const names = step >= 12 ? year : months.length === 0 || at % 12 === 0 ? monthAndYear : month
    months.push({ day, name: names.format(new Date(`${on}T00:00:00Z`)) })
  }
  return months
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const [year = 0, month = 1] = dateOf(day).split("-").map(Number)
  return 12 * year + month - 1
}

/** The names of the months on a line of days, each where its month begins; screen readers have the dates of what is on the line. */
export function Months({ range }: { readonly range: DayRange }) {
  const { words } = usePage()
  return (
    <>
      {listMonths(words, range).map(({ day, name }) => (
        <span key={day} class="month" style={{ insetInlineStart: percentOf(placeDay(range, day)) }} aria-hidden="true">
          {name}
        </span>
      ))}
    </>
  )
}
