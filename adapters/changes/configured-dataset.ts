/** From which dataset does a deployment answer before anything was installed? From the file that its configuration names, or the embedded one. */
import { readFileSync } from "node:fs"
import { Effect, Schema } from "effect"
import { type Dataset, embeddedDataset, openDataset } from "../../src/index.ts"

/** The dataset file that the configuration names cannot be answered from. */
export class DatasetRefused extends Schema.TaggedError<DatasetRefused>()("DatasetRefused", {
  message: Schema.String,
}) {}

/** Opens the dataset file of the configuration, or the embedded dataset. */
export const openConfiguredDataset = (path: string | null): Effect.Effect<Dataset, DatasetRefused> =>
  Effect.gen(function* () {
    if (path === null) return embeddedDataset()
    const refuse = (reason: string) => new DatasetRefused({ message: `LANDFALL_DATASET: ${path}: ${reason}` })
    const bytes = yield* Effect.try({
      try: () => readFileSync(path),
      catch: cause => refuse((cause as Error).message),
    })
    const opened = openDataset(bytes)
    return opened.ok ? opened.value : yield* refuse(opened.error.message)
  })
