/**
 * Until when is each permission of a journey applied for, if all are there before the traveller leaves?
 *
 * The engine counts back from the stop that asks for it. But whoever has left cannot apply any more, and one passport is at one office at a
 * time. So the days are counted back from the first day of the journey: every passport is back on the working day before it is needed, and
 * visas in one passport follow each other, the longest first. Working days are Monday to Friday. Taken for granted are an appointment on
 * that day and no holidays; what has no recorded time keeps no day.
 */
import type { Decision, ToDo } from "landfall"
import { completeToDo, type FullFacts } from "landfall/full"
import { dateOf, dayOf } from "../answers.ts"

/** A thing to do, and the day on which the passport that was handed in for it is back; null where none is handed in, or no time is recorded. */
export interface PlannedToDo extends ToDo {
  readonly backBy: string | null
}

/** A decision whose things to do are planned, the earliest first. */
export interface PlannedDecision extends Decision {
  readonly toDo: readonly PlannedToDo[]
}

// 1970-01-01 was a Thursday.
const isWorkingDay = (day: number): boolean => (day + 3) % 7 < 5

function workingDayBefore(day: number): number {
  let before = day - 1
  while (!isWorkingDay(before)) before--
  return before
}

/** Counts back as far as from one day to an earlier one: by days, or by working days where that is further. */
function countBackAlike(end: number, { from, to }: { readonly from: number; readonly to: number }): number {
  let working = 0
  for (let day = from; day < to; day++) if (isWorkingDay(day)) working++
  let day = end
  for (let left = working; left > 0; ) {
    day--
    if (isWorkingDay(day)) left--
  }
  return Math.min(day, end - (to - from))
}

const PERMISSIONS: readonly string[] = ["visa_required", "e_visa", "eta"]

/** Completes what has to be done with its recorded facts, and plans it. Cannot fail. */
export function planToDo(facts: FullFacts, decision: Decision): PlannedDecision {
  const completed = completeToDo(facts, decision)
  const leaving = dayOf(completed.steps[0]?.from ?? "")
  const spanOf = ({ step, applyBy }: ToDo) => ({
    from: dayOf(applyBy ?? ""),
    to: dayOf(completed.steps[step]?.from ?? ""),
  })
  const isTimed = (each: ToDo) => each.applyBy !== null && PERMISSIONS.includes(each.code)
  const lengthOf = (each: ToDo) => spanOf(each).to - spanOf(each).from
  const planned = new Map<ToDo, PlannedToDo>()
  const neededOn = new Map<string, number>()
  for (const each of completed.toDo.filter(isTimed).sort((one, other) => lengthOf(one) - lengthOf(other))) {
    const isHandedIn = each.code === "visa_required"
    const back = workingDayBefore((isHandedIn ? neededOn.get(each.passport) : undefined) ?? leaving)
    const begin = countBackAlike(back, spanOf(each))
    const handIn = isWorkingDay(begin) || !isHandedIn ? begin : workingDayBefore(begin)
    if (isHandedIn) neededOn.set(each.passport, handIn)
    planned.set(each, { ...each, applyBy: dateOf(handIn), backBy: isHandedIn ? dateOf(back) : null })
  }
  const toDo = completed.toDo.map(each => planned.get(each) ?? { ...each, backBy: null })
  const dateOrLast = ({ applyBy }: ToDo) => applyBy ?? "9999"
  return { ...completed, toDo: toDo.sort((one, other) => dateOrLast(one).localeCompare(dateOrLast(other))) }
}
