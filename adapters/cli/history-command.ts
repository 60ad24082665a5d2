/** `landfall history FRA CHN`: how the answer of a pair has changed and is announced to change, each change with its source. */
import { Effect } from "effect"
import { installedFlag, loadChangeHistory, rowOf, today } from "./change-history.ts"
import { makeCommand } from "./command.ts"
import { datasetFlag, openDatasetFile, printJson, printTable, printText } from "./command-outcome.ts"
import { CommandFailed } from "./failure.ts"
import { countryArgument, readPair } from "./find-command.ts"
import { langFlag, loadWords } from "./language.ts"

export const history = makeCommand("history", {
  about: "How the answer of a pair has changed and is announced to change, with sources",
  usage: "landfall history PASSPORT DESTINATION [--installed] [--lang LANG] [--dataset FILE] [--json]",
  examples: {
    "landfall history FRA CHN": "A French passport in China",
    "landfall history FRA CHN --json": "For programs",
  },
  takes: {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "CHN"),
    installed: installedFlag,
    lang: langFlag,
    dataset: datasetFlag,
  },
  *run({ installed, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const { passport, destination } = yield* readPair(dataset, given)
    const words = yield* loadWords(lang)
    const recorded = yield* loadChangeHistory(dataset, { untilOn: yield* today, isInstalled: installed })
    const { listPairChanges } = yield* Effect.promise(() => import("../answers/pair-changes.ts"))
    const { past, announced } = listPairChanges(recorded, { passport, destination })
    const isKnown = dataset.passports.includes(passport) && dataset.destinations.includes(destination)
    if (!isKnown && past.length + announced.length === 0) {
      const message = `${passport} to ${destination}: Nothing is recorded for this passport and destination.`
      return yield* new CommandFailed({ message, code: "no_record", given: { passport, destination } })
    }
    if (json) {
      const dataset_version = dataset.version
      return yield* printJson({ passport, destination, dataset_version, changes: past, announced })
    }
    const pair = `${words.country(passport)} (${passport}) → ${words.country(destination)} (${destination})`
    const head = ["on", "before", "after", "source"]
    if (past.length === 0) yield* printText(`${pair}: no change is recorded. That does not prove that nothing changed.`)
    else {
      yield* printText(`${pair}, by the day on which each change began, or the two between which it was first seen:\n`)
      yield* printTable(
        head,
        past.map(change => rowOf(change, words)),
      )
    }
    if (announced.length === 0) return
    yield* printText("\nAnnounced:\n")
    yield* printTable(
      head,
      announced.map(change => rowOf(change, words)),
    )
  },
})
