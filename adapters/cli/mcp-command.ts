/** `landfall mcp`: a server for language models on this machine, over standard input and output. */
import { Clock, Effect, Layer } from "effect"
import { makePlainCommand } from "./command.ts"
import { openDatasetFile } from "./command-outcome.ts"
import { datasetFile } from "./dataset-question.ts"

// Loaded when it is needed, because every other command starts faster without it.
const loadServer = Effect.promise(() =>
  Promise.all([
    import("../mcp/stdio.ts"),
    import("../answers/localised-facts-cache.ts"),
    import("../answers/today.ts"),
  ]).then(([stdio, localisedFactsCache, today]) => ({ ...stdio, ...localisedFactsCache, ...today })),
)

export const mcp = makePlainCommand("mcp", {
  about: "Answer a language model's tool calls (Model Context Protocol) on standard input and output",
  examples: { "landfall mcp": "Until the input ends" },
  takes: { dataset: datasetFile },
  *run({ dataset: file }) {
    const dataset = yield* openDatasetFile(file)
    const { layerStdio, LocalisedFactsCache, makeTodayView } = yield* loadServer
    const clock = yield* Clock.Clock
    const localisedFacts = new LocalisedFactsCache()
    const viewOf = makeTodayView(() => dataset)
    const knowledge = {
      readDataset: () => viewOf(clock.currentTimeMillisUnsafe()),
      loadFacts: localisedFacts.load.bind(localisedFacts),
    }
    yield* Layer.launch(layerStdio(knowledge))
  },
})
