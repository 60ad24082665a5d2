/** Where does a day stand on a line of days, and where do its months begin? */
import { dateOf, dayOf } from "../answers.ts"
import type { Words } from "../language/words.ts"

/** A stretch of days, both ends included. */
export interface DayRange {
  readonly first: number
  readonly last: number
}

/** Places a day on the line, from 0 to 1: where it begins. */
export function placeDay({ first, last }: DayRange, day: number): number {
  return (day - first) / (last - first + 1)
}

/** Writes a place on the line, or a part of it, for a style. */
export function percentOf(share: number): string {
  return `${Math.round(share * 1e5) / 1e3}%`
}

/** The months that begin on the line, with their names; years are named with January and with the first. */
export function listMonths(words: Words, range: DayRange): readonly { readonly day: number; readonly name: string }[] {
  const month = new Intl.DateTimeFormat(words.language, { month: "short", timeZone: "UTC" })
  const monthAndYear = new Intl.DateTimeFormat(words.language, { month: "short", year: "numeric", timeZone: "UTC" })
  const months: { day: number; name: string }[] = []
  for (let day = range.first; day <= range.last; day++) {
    const on = dateOf(day)
    if (!on.endsWith("-01")) continue
    const isYear = months.length === 0 || on.slice(5, 7) === "01"
    months.push({ day: dayOf(on), name: (isYear ? monthAndYear : month).format(new Date(`${on}T00:00:00Z`)) })
  }
  return months
}
