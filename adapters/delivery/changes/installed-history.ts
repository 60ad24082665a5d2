/**
 * What have installed datasets changed, pair by pair?
 *
 * The events of the database, read back. All that a record shows of them is kept in memory, because records are answered without
 * waiting: changes of law whose requirement or days differ, including those that wait for their day. Corrections of data do not
 * belong to the history of the law.
 */
import { Effect } from "effect"
import { isRequirement, type Requirement } from "../../../src/engine.ts"
import type { HistoryChange, HistorySource, HistoryStep, ListInstalled } from "../../../src/full.ts"
import { REQUIREMENT_NAMES } from "../../knowledge/answers/lookup.ts"
import type { ChangeRow } from "../../platform/storage/events-repository.ts"
import { Storage } from "../../platform/storage/storage.ts"
import type { Unavailable } from "../../platform/storage/storage-errors.ts"

/** How many events one statement reads. */
const EVENTS_AT_ONCE = 1_000

const BY_NAME: ReadonlyMap<string, Requirement> = new Map(
  Object.entries(REQUIREMENT_NAMES).flatMap(([requirement, name]) =>
    isRequirement(requirement) ? [[name, requirement] as const] : [],
  ),
)

/** The terms of a policy in an event. */
export interface EventTerms {
  readonly requirement: string
  readonly stay_days: number | null
}

/** The `data` of a change's event, as it was written. */
export interface ChangeData {
  readonly previous: EventTerms | null
  readonly current: EventTerms | null
  readonly sources: readonly HistorySource[]
  readonly fields: readonly string[]
}

/** Reads the step that an event tells of. */
export function readStep(
  event: Pick<ChangeRow, "effective_from" | "body">,
): HistoryStep & { readonly data: ChangeData } {
  const data = JSON.parse(event.body) as ChangeData
  const nameOf = (terms: EventTerms | null) => (terms === null ? null : (BY_NAME.get(terms.requirement) ?? null))
  return {
    on: event.effective_from,
    from: nameOf(data.previous),
    to: nameOf(data.current),
    daysBefore: data.previous?.stay_days ?? null,
    daysAfter: data.current?.stay_days ?? null,
    data,
  }
}

/** What a record shows of an event; null if neither the requirement nor the number of days differs. */
function readChange(event: ChangeRow): HistoryChange | null {
  const { on, from, to, daysBefore, daysAfter, data } = readStep(event)
  if (from === null || to === null) return null
  const areDays = from === to
  if (areDays && (daysBefore === null || daysAfter === null || daysBefore === daysAfter)) return null
  const sources = Object.freeze(data.sources.map(({ name, url }) => Object.freeze({ name, url })))
  const days = areDays ? { daysBefore, daysAfter } : { daysBefore: null, daysAfter: null }
  return Object.freeze({ on, from, to, ...days, afterBan: false, sources })
}

const NONE: readonly HistoryChange[] = Object.freeze([])

/** Reads every change that was installed. */
export const loadInstalled: Effect.Effect<ListInstalled, Unavailable, Storage> = Effect.gen(function* () {
  const { events } = yield* Storage
  const found: { readonly pair: string; readonly order: number; readonly change: HistoryChange }[] = []
  let last = ""
  for (;;) {
    const rows = yield* events.listChangesAfter(last, EVENTS_AT_ONCE)
    for (const row of rows) {
      const change = readChange(row)
      if (change !== null) found.push({ pair: row.passport + row.destination, order: row.installation_id, change })
    }
    if (rows.length < EVENTS_AT_ONCE) break
    last = (rows.at(-1) as ChangeRow).id
  }
  // Of two changes on one day, the one that was installed first comes first.
  found.sort((a, b) => (a.change.on < b.change.on ? -1 : a.change.on > b.change.on ? 1 : a.order - b.order))
  const byPair = new Map<string, HistoryChange[]>()
  for (const { pair, change } of found) {
    const known = byPair.get(pair)
    if (known === undefined) byPair.set(pair, [change])
    else known.push(change)
  }
  return (passport, destination) => byPair.get(passport + destination) ?? NONE
})
