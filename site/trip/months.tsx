/** The names of the months on a line of days, each where its month begins; screen readers have the dates of what is on the line. */
import { usePage } from "../page-context.ts"
import { type DayRange, listMonths, percentOf, placeDay } from "./scale.ts"

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
