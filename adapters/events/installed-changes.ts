/**
 * What have installed datasets changed, pair by pair?
 *
 * The parts that records show are kept in memory, because records are answered without waiting: changes of law with another requirement or
 * another number of days, including those that wait for their day. Corrections of data are not part of the history of the law. The changes of
 * an installation never change, and are written with it as one page, in which each change is written once; so a start reads a page for each
 * installation, and later only new ones. Changes by dated rules are read from their events.
 */
import { Effect, Schema } from "effect"
import { isRequirement, REQUIREMENTS, type Requirement } from "../../src/engine.ts"
import type { HistoryChange, HistoryStep, ListInstalled } from "../../src/full.ts"
import { REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import type { ChangeRow, EventRow } from "../storage/datasets-repository.ts"
import { Storage } from "../storage/storage.ts"
import { above } from "../storage/table-statements.ts"

/** How many events, and how many pages, one statement reads. */
const EVENTS_AT_ONCE = 1_000
const PAGES_AT_ONCE = 20
/** Two codes of three letters. */
const PAIR_LETTERS = 6

const BY_NAME: ReadonlyMap<string, Requirement> = new Map(
  Object.entries(REQUIREMENT_NAMES).flatMap(([requirement, name]) =>
    isRequirement(requirement) ? [[name, requirement] as const] : [],
  ),
)

const Source = Schema.Struct({ name: Schema.String, url: Schema.NullOr(Schema.String) })
const Days = Schema.NullOr(Schema.Finite)
const EventTerms = Schema.Struct({ requirement: Schema.String, stay_days: Days })
export type EventTerms = typeof EventTerms.Type

/** The `data` of a change's event, as it was written. */
const ChangeData = Schema.Struct({
  previous: Schema.NullOr(EventTerms),
  current: Schema.NullOr(EventTerms),
  sources: Schema.Array(Source),
  fields: Schema.Array(Schema.String),
})
export type ChangeData = typeof ChangeData.Type

/** Reads JSON of a form; null for any other text, which damage or another version of the program can have left. */
function readAs<Value>(form: Schema.ConstraintDecoder<Value>, text: string): Value | null {
  try {
    const value: unknown = JSON.parse(text)
    return Schema.is(form)(value) ? value : null
  } catch {
    return null
  }
}

/** The change of an event; null if its body cannot be read. */
export function readStep(
  event: Pick<ChangeRow, "effective_from" | "body">,
): (HistoryStep & { readonly data: ChangeData }) | null {
  const data = readAs(ChangeData, event.body)
  if (data === null) return null
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

/** Makes the change of an event for a record; null if neither the requirement nor the number of days differs. */
function writeChange(step: NonNullable<ReturnType<typeof readStep>>): HistoryChange | null {
  const { on, from, to, daysBefore, daysAfter, data } = step
  if (from === null || to === null) return null
  const areDays = from === to
  if (areDays && (daysBefore === null || daysAfter === null || daysBefore === daysAfter)) return null
  const sources = Object.freeze(data.sources.map(({ name, url }) => Object.freeze({ name, url })))
  const days = areDays ? { daysBefore, daysAfter } : { daysBefore: null, daysAfter: null }
  return Object.freeze({ on, from, to, ...days, afterBan: false, sources })
}

const NONE: readonly HistoryChange[] = Object.freeze([])

/** A change of some pairs, and the installation that made it: of two changes on one day, the one that was installed first comes first. */
interface Step {
  readonly order: number
  readonly change: HistoryChange
}

const Word = Schema.Literals(REQUIREMENTS)
/** A change as a page has it: the parts that records show. */
const StoredChange = Schema.Struct({
  ...{ on: Schema.String, from: Word, to: Word, daysBefore: Days, daysAfter: Days },
  afterBan: Schema.Boolean,
  sources: Schema.optionalKey(Schema.Array(Source)),
})

/** The stored page of an installation: each change once, with its pairs, each six letters. */
const Page = Schema.Array(Schema.Tuple([StoredChange, Schema.String.check(Schema.isPattern(/^(?:[A-Z]{6})+$/))]))
type Page = typeof Page.Type

/** Adds the changes of some events to those that are known; returns the number of events that cannot be read. */
function collect(rows: readonly ChangeRow[], pairs: Map<string, string>): number {
  let unreadable = 0
  for (const row of rows) {
    const step = readStep(row)
    if (step === null) unreadable++
    const change = step && writeChange(step)
    if (change === null) continue
    const text = JSON.stringify(change)
    pairs.set(text, (pairs.get(text) ?? "") + row.passport + row.destination)
  }
  return unreadable
}

const toPage = (pairs: ReadonlyMap<string, string>): Page =>
  [...pairs].map(([change, those]): Page[number] => [JSON.parse(change), those])

/** Writes the page of an installation from the events of what it changes at once. */
export function writePage(events: readonly EventRow[]): string {
  const pairs = new Map<string, string>()
  collect(
    events.filter(({ type, is_correction }) => type === "visa.policy_changed" && is_correction === 0),
    pairs,
  )
  return JSON.stringify(toPage(pairs))
}

function addPage(byPair: Map<string, Step[]>, page: Page, order: number): void {
  for (const [change, pairs] of page) {
    for (const source of change.sources ?? []) Object.freeze(source)
    if (change.sources !== undefined) Object.freeze(change.sources)
    const step = { order, change: Object.freeze(change) }
    for (let at = 0; at < pairs.length; at += PAIR_LETTERS) {
      const pair = pairs.slice(at, at + PAIR_LETTERS)
      const known = byPair.get(pair)
      if (known === undefined) byPair.set(pair, [step])
      else known.push(step)
    }
  }
}

const compareSteps = (a: Step, b: Step): number =>
  a.change.on < b.change.on ? -1 : a.change.on > b.change.on ? 1 : a.order - b.order

/**
 * Follows what was installed, in memory; nothing is loaded yet. `load` reads the changes that are newer, and returns a function that makes
 * them visible.
 */
export const followInstalled = Effect.gen(function* () {
  const { events, installedChanges } = yield* Storage
  const installed = new Map<string, Step[]>()
  let lastId = 0
  /** Changes by dated rules, which a later dataset may take back. */
  let dated = new Map<string, Step[]>()
  /** What was asked for, in order. */
  const shown = new Map<string, readonly HistoryChange[]>()

  const readDated = Effect.gen(function* () {
    const pairs = new Map<string, string>()
    let last = ""
    let unreadable = 0
    for (;;) {
      const rows = yield* events.listDatedAfter(last, EVENTS_AT_ONCE)
      unreadable += collect(rows, pairs)
      last = rows.at(-1)?.id ?? last
      if (rows.length < EVENTS_AT_ONCE) break
    }
    if (unreadable > 0) yield* Effect.logWarning(`the history leaves out events that cannot be read: ${unreadable}`)
    return toPage(pairs)
  })

  const load = Effect.gen(function* () {
    const pages: (readonly [id: number, page: Page])[] = []
    let last = lastId
    for (;;) {
      const order = { order: ["installation_id"], limit: PAGES_AT_ONCE } as const
      const rows = yield* installedChanges.list({ installation_id: above(last) }, order)
      for (const { installation_id: id, content } of rows) {
        const page = readAs(Page, content)
        if (page === null) yield* Effect.logWarning(`the history leaves out installation ${id}, which cannot be read`)
        pages.push([id, page ?? []])
        last = id
      }
      if (rows.length < PAGES_AT_ONCE) break
    }
    const next = new Map<string, Step[]>()
    // A day comes after whatever was installed before it.
    addPage(next, yield* readDated, Number.MAX_SAFE_INTEGER)
    return () => {
      for (const [id, page] of pages) if (id > lastId) addPage(installed, page, id)
      lastId = Math.max(lastId, last)
      dated = next
      shown.clear()
    }
  })

  const list: ListInstalled = (passport, destination) => {
    const pair = passport + destination
    const known = shown.get(pair)
    if (known !== undefined) return known
    const steps = [...(installed.get(pair) ?? []), ...(dated.get(pair) ?? [])]
    if (steps.length === 0) return NONE
    const changes = Object.freeze(steps.sort(compareSteps).map(({ change }) => change))
    shown.set(pair, changes)
    return changes
  }
  return { load, list }
})
