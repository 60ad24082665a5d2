/** `landfall history FRA CHN`: how the answer of a pair has changed and is announced to change, each change with its source. */
import { Effect } from "effect"
import { installed, loadChangeHistory, rowOf, today } from "./change-history.ts"
import { country, makeQuestion } from "./dataset-question.ts"
import { CommandFailed } from "./failure.ts"
import { table } from "./print.ts"

export const history = makeQuestion("history", {
  about: "How the answer of a pair has changed and is announced to change, with sources",
  examples: {
    "landfall history FRA CHN": "A French passport in China",
    "landfall history FRA CHN --json": "For programs",
  },
  takes: { passport: country("FRA"), destination: country("CHN"), installed },
  *run({ passport, destination, installed: isInstalled, dataset, words }) {
    const recorded = yield* loadChangeHistory(dataset, { untilOn: yield* today, isInstalled })
    const { listPairChanges } = yield* Effect.promise(() => import("../answers/pair-changes.ts"))
    const { past, announced } = listPairChanges(recorded, { passport, destination })
    const isKnown = dataset.passports.includes(passport) && dataset.destinations.includes(destination)
    if (!isKnown && past.length + announced.length === 0) {
      const message = `${passport} to ${destination}: Nothing is recorded for this passport and destination.`
      return yield* new CommandFailed({ message, code: "no_record", given: { passport, destination } })
    }
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    const list = (title: string, changes: typeof past) =>
      changes.length === 0
        ? []
        : [
            title,
            table(
              ["on", "before", "after", "source"],
              changes.map(change => rowOf(change, words)),
            ),
          ]
    const unchanged = `${pair}: no change is recorded. That does not prove that nothing changed.`
    const title = `${pair}, by the day on which each change began, or the two between which it was first seen:\n`
    return {
      json: { passport, destination, dataset_version: dataset.version, changes: past, announced },
      text: [...(past.length === 0 ? [unchanged] : list(title, past)), ...list("\nAnnounced:\n", announced)],
    }
  },
})
