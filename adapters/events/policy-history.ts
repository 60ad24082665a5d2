/**
 * How has the policy of a pair changed, as far as it was seen?
 *
 * Dated tables show the requirement. Installed datasets and dated rules add every change of theirs, of fees, days and validity
 * too, each under the id of the event that was sent; corrections of data are listed, though no event was sent for them. The
 * oldest come first, in pages.
 */
import { findCase, type LocalisedFacts, listUnrecorded, mergeSteps, showChange } from "../../src/full.ts"
import { REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import { found, noRecord } from "../answers/visa-answers.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import { readStep } from "./installed-changes.ts"

/** Which part of the history is shown. */
export interface HistoryPage {
  /** How many changes are skipped. */
  readonly from: number
  readonly limit: number
}

const nameOf = (requirement: keyof typeof REQUIREMENT_NAMES | null) =>
  requirement === null ? null : REQUIREMENT_NAMES[requirement]

/** A change that was installed, as it is shown; none if its event cannot be read. */
function writeInstalled(event: EventRow, localised: LocalisedFacts) {
  const read = readStep(event)
  if (read === null) return []
  const { data, ...step } = read
  const { on, from, to, daysBefore, daysAfter } = step
  const haveDaysChanged = from !== null && from === to && daysBefore !== null && daysAfter !== null
  const note = haveDaysChanged && daysBefore !== daysAfter ? sayDays(localised, daysBefore, daysAfter) : undefined
  const shown = {
    date: on,
    from: nameOf(from),
    to: nameOf(to),
    ...(note === undefined ? {} : { note }),
    event_id: event.id,
    recorded_at: new Date(Math.max(event.created_at, event.due_at)).toISOString(),
    correction: event.is_correction === 1,
    severity: event.severity,
    fields: data.fields,
    previous: data.previous,
    current: data.current,
    sources: data.sources,
  }
  return [{ ...step, shown }]
}

const sayDays = ({ locale }: LocalisedFacts, before: number, after: number): string =>
  locale.say({ key: "history.days_changed", values: { before: { days: before }, after: { days: after } } })

/** A change that a table shows. */
function writeRecorded({ locale, history }: LocalisedFacts, passport: string, destination: string) {
  const changes = history?.listChanges(passport, destination) ?? []
  // Changes by installations come from their events.
  return changes
    .filter(({ sources, isPublished }) => sources === undefined || isPublished)
    .map(change => {
      const { date, seen_after, note, sources } = showChange(locale, change)
      const shown = {
        date,
        ...(seen_after === undefined ? {} : { seen_after }),
        from: REQUIREMENT_NAMES[change.from],
        to: REQUIREMENT_NAMES[change.to],
        ...(note === undefined ? {} : { note }),
        ...(sources === undefined ? {} : { sources }),
      }
      return { ...change, shown }
    })
}

/** How a pair has changed; `events` are those of the pair that are in the past, the oldest first. */
export function describeHistory(
  localised: LocalisedFacts,
  { passport, destination }: { readonly passport: string; readonly destination: string },
  events: readonly EventRow[],
  { from, limit }: HistoryPage,
) {
  const changed = events.filter(({ type }) => type === "visa.policy_changed")
  if (findCase(localised, passport, destination) === null && changed.length === 0) {
    return noRecord("Nothing is recorded for this passport and destination.")
  }
  const recorded = writeRecorded(localised, passport, destination)
  const installed = listUnrecorded(
    recorded,
    changed.flatMap(event => writeInstalled(event, localised)),
  )
  const changes = mergeSteps(recorded, installed).map(({ shown }) => shown)
  const end = from + limit
  const isOfTables = recorded.some(({ isPublished }) => !isPublished)
  const source = !isOfTables ? undefined : localised.facts.sourceOf(localised.history?.source ?? "")
  return found({
    passport,
    destination,
    count: changes.length,
    changes: changes.slice(from, end),
    next_cursor: end < changes.length ? String(end) : null,
    source:
      source === undefined ? null : { name: source.name, url: source.url, as_of: localised.history?.asOf ?? null },
  })
}
