/**
 * Which scheduled changes concern a journey?
 *
 * A dated rule changes the requirement of a passport from a day on, and a destination may join or leave a zone. The
 * list has changes after the dataset's own day and not after the end of a stop: before the stop, because today's answer
 * will then no longer be right, or during it. The requirement of a stop is that of its first day in any case.
 */
import { formatCivilDate } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, type Found, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { ChangeAhead } from "./answer-fields.ts"
import type { DecisionState } from "./decision-state.ts"

/** Lists the changes ahead of a journey whose entries are already chosen. */
export function listChangesAhead({ dataset, rules, stops }: DecisionState): readonly ChangeAhead[] {
  let changes: ChangeAhead[] | null = null
  for (let step = 0; step < stops.length; step++) {
    const { destination, column, lastDay, passport } = stops[step]!
    if (column >= UNKNOWN_INDEX || lastDay <= dataset.asOfDay) continue
    if (rules.hasChanges[column] === 1 && passport!.row < UNKNOWN_INDEX) {
      const steps = dataset.timelines.get(passport!.row * dataset.destinations.length + column) ?? []
      for (let at = 2; at < steps.length && steps[at]! <= lastDay; at += 2) {
        if (steps[at]! <= dataset.asOfDay) continue
        changes ??= []
        changes.push({
          step,
          on: formatCivilDate(steps[at]!),
          destination,
          passport: passport!.held.passport,
          before: foundAt(dataset, steps[at - 1]!),
          after: foundAt(dataset, steps[at + 1]!),
          zone: null,
        })
      }
    }
    const place = rules.zonePlaces[column]
    if (!place?.isChanging) continue
    for (const { fromDay, untilDay } of place.memberships) {
      for (const day of [fromDay, untilDay]) {
        if (day === null || day <= dataset.asOfDay || day > lastDay) continue
        changes ??= []
        const zone = place.zone.id
        changes.push({ step, on: formatCivilDate(day), destination, passport: null, before: null, after: null, zone })
      }
    }
  }
  return changes ?? NOTHING
}

function foundAt(dataset: Dataset, place: number): Found | null {
  const answer = dataset.answers[place] as Found | NoRecord
  return answer.kind === "found" ? answer : null
}
