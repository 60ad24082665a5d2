/** `landfall spots …`: replaces the spots that ship with the package by the operator's own. */
import { Clock, Console, Effect } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { argument, isSet, load, makeCommand, makeGroup } from "./command.ts"
import { readText } from "./command-outcome.ts"
import { failed } from "./failure.ts"
import { onDeployment } from "./load-deployment.ts"

const loadSpots = load(() => [import("../spots/import-spots.ts"), import("../spots/read-file.ts")])

const readFile = (file: string) =>
  Effect.gen(function* () {
    const { readSpotsFile } = yield* loadSpots
    const importedAt = `${new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19)}Z`
    const read = readSpotsFile(yield* readText(file), importedAt)
    if (read.ok) return { ...read, importedAt }
    const lines = read.issues.map(
      ({ line, field, message }) => `${file}:${line}: ${field === null ? "" : `${field}: `}${message}`,
    )
    const more = read.issueCount - read.issues.length
    const others = more === 0 ? [] : [`and ${more} more mistakes`]
    return yield* failed([...lines, ...others, "Nothing was imported."].join("\n"))
  })

const importCommand = makeCommand("spots import", {
  about: "Add the spots of a file; spots with the same id are replaced",
  examples: { "landfall spots import spots.geojson --dry-run": "Say what would change" },
  takes: {
    file: argument("GeoJSON (a feature collection of points) or CSV with a line of column names"),
    replace: isSet("Remove all other spots, also those that ship with the package"),
    dryRun: isSet("Say what would change, and change nothing"),
  },
  *run({ file, replace, dryRun }) {
    const { importSpots } = yield* loadSpots
    const { spots, passedOver, importedAt } = yield* readFile(file)
    const options = { isReplacing: replace, isDryRun: dryRun, importedAt }
    const imported = yield* onDeployment(() => importSpots(spots, options))
    if (passedOver.length > 0)
      yield* Console.error(`These fields are unknown and were skipped: ${passedOver.join(", ")}`)
    const { added, changed, unchanged, removed, total } = imported
    const verb = dryRun ? "would have" : "has"
    return {
      json: toWire({ isDryRun: dryRun, ...imported, passedOver }),
      text: [
        `The set ${verb} ${total} spots: ${added} are new, ${changed} are changed, ${unchanged} are as they were, ${removed} are gone.`,
      ],
    }
  },
})

const reset = makeCommand("spots reset", {
  about: "Use the spots of the package again",
  examples: { "landfall spots reset": "Remove your own spots" },
  takes: {},
  *run() {
    const { resetSpots } = yield* loadSpots
    const removed = yield* onDeployment(() => resetSpots)
    const done = `${removed} spots are removed; those that ship with the package are used again.`
    return { json: { removed }, text: [removed === 0 ? "There were no spots of your own." : done] }
  },
})

export const spots = makeGroup("spots", "The spots that a deployment uses", [importCommand, reset])
