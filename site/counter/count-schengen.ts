/**
 * How many days of the Schengen area are left today, until when may a traveller stay, and when may he enter next?
 *
 * The engine's own calculators count everything over the given stays. A stay without a last day continues today.
 */
import { countStayDays, findEarliestEntry, findLongestStay, measureBreach, type Stay, type Zone } from "landfall"
import { dateOf, dayOf } from "../answers.ts"
import { wholeDataset } from "../whole-dataset.ts"

/** A stay as it is typed; the last day is empty while it goes on. */
export interface TypedStay {
  readonly from: string
  readonly to: string
}

/** The results of the counter on a day. */
export interface Counted {
  readonly used: number
  readonly periodFromOn: string
  readonly allowanceDays: number
  /** Days that may be spent there from the day on, without a break. */
  readonly leftDays: number
  /** The last day of the stay that goes on, or of one that begins on the day; null where there is none. */
  readonly leaveOn: string | null
  /** The first day from the next one on, on which an entry is possible for one day. */
  readonly enterOn: string | null
  /** The first day on which more days than allowed are used; null where there is none. */
  readonly breachOn: string | null
}

// Any member of the area: its days are counted together.
const MEMBER = "FRA"

/** The Schengen area of the dataset; undefined where it has none. */
export const findSchengen = (): Zone | undefined => wholeDataset().zones.find(({ id }) => id === "schengen")

/** Says whether a stay is counted: its first day is given, the last one is not before it, and a stay without a last day has begun. */
export const isCounted = ({ from, to }: TypedStay, today: string): boolean =>
  from !== "" && (to === "" ? from <= today : to >= from)

/** Counts for a day; stays that are unfinished or begin later than the day count as far as they are known. */
export function countSchengen(zone: Zone, typed: readonly TypedStay[], today: string): Counted | null {
  const whole = typed.filter(stay => isCounted(stay, today))
  const stays: readonly Stay[] = whole.map(({ from, to }) => ({
    destination: MEMBER,
    from,
    to: to === "" ? today : to,
  }))
  const current = whole.findIndex(({ from, to }) => from <= today && (to === "" || to >= today))
  const others = stays.filter((_, at) => at !== current)
  const counted = countStayDays(zone, stays, today)
  const begin = current === -1 ? today : (whole[current]?.from ?? today)
  const longest = findLongestStay(zone, others, begin)
  const tomorrow = dateOf(dayOf(today) + 1)
  const entry = findEarliestEntry(zone, stays, { days: 1, notBeforeOn: tomorrow })
  const breach = measureBreach(zone, stays)
  if (!counted.ok) return null
  const leaveOn = longest.ok ? (longest.value?.lastOn ?? null) : null
  return {
    used: counted.value.daysUsed,
    periodFromOn: counted.value.periodFromOn,
    allowanceDays: zone.rule.allowanceDays,
    leftDays: leaveOn === null ? 0 : Math.max(0, dayOf(leaveOn) - dayOf(today) + 1),
    leaveOn,
    enterOn: entry.ok ? entry.value : null,
    breachOn: breach.ok ? (breach.value?.firstBreachOn ?? null) : null,
  }
}
