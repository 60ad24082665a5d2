/** Which changes do `landfall history` and `landfall watch` know, and how do they write one? */
import { DateTime, Effect } from "effect"
import type { ListInstalled } from "../../src/full.ts"
import { type Dataset, parseCivilDate } from "../../src/index.ts"
import type { ChangeHistory, ChangeRecord, Terms } from "../answers/pair-changes.ts"
import { isSet } from "./command.ts"
import { CalledWrongly, CommandFailed } from "./failure.ts"
import { loadFull, type Words } from "./language.ts"
import { onDeployment } from "./load-deployment.ts"

/** `--installed`: the history of a deployment too. */
export const installed = isSet(
  "Include what installed datasets have changed, by the deployment that LANDFALL_DATABASE_URL names",
)

/** Today in UTC, by the clock. */
export const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Reads a day of a flag, or ends with 2. */
export const readDay = (flag: string, given: string): Effect.Effect<string, CalledWrongly> => {
  if (parseCivilDate(given) !== null) return Effect.succeed(given)
  const expected = "a calendar date YYYY-MM-DD from 1900 to 2199"
  const message = `${flag}: ${expected} is expected, not ${JSON.stringify(given)}.`
  return Effect.fail(new CalledWrongly({ message, field: flag, given, expected }))
}

const NOTHING: ListInstalled = () => []

/** Loads everything that is known of changes, up to a day that still counts as past. */
export const loadChangeHistory = (
  dataset: Dataset,
  { untilOn, isInstalled }: { readonly untilOn: string; readonly isInstalled: boolean },
): Effect.Effect<ChangeHistory, CommandFailed> =>
  Effect.gen(function* () {
    const { loadLocalisedFacts, readDatasetFacts } = yield* loadFull
    const facts = readDatasetFacts(dataset)
    if (!facts.ok) return yield* new CommandFailed({ message: facts.error.message })
    const { groupScheduled } = yield* Effect.promise(() => import("../answers/pair-changes.ts"))
    const localised = yield* Effect.promise(() => loadLocalisedFacts(dataset, "en", { missions: false }))
    const listInstalled = isInstalled ? yield* readInstalled : NOTHING
    return { localised, untilOn, listInstalled, scheduled: groupScheduled(dataset) }
  })

const readInstalled = Effect.gen(function* () {
  const { followInstalled } = yield* Effect.promise(() => import("../events/installed-changes.ts"))
  const load = Effect.gen(function* () {
    const { load, list } = yield* followInstalled
    const show = yield* load
    show()
    return list
  })
  return yield* onDeployment(() => load)
})

export const rowOf = (
  { on, first_seen: seen, previous, current, note, after_ban, sources }: ChangeRecord,
  words: Words,
): readonly string[] => [
  seen === undefined ? (on ?? "") : `after ${seen.after}, by ${seen.by}`,
  note ?? writeTerms(previous, words),
  note === undefined ? writeTerms(current, words) : "",
  [...(after_ban === true ? ["after a ban of the pandemic"] : []), ...sources.map(({ name }) => name)].join("; "),
]

const writeTerms = (terms: Terms | null, words: Words): string =>
  words.answer(terms === null ? null : { requirement: terms.requirement, days: terms.visa_free_days })
