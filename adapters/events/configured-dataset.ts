/** From which dataset does a deployment answer before anything was installed? From the file that its configuration names, or the embedded one. */
import { Effect, Schema } from "effect"
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { openWholeDataset, readDatasetBytes } from "../answers/dataset-file.ts"

/** The dataset file that the configuration names cannot be answered from. */
export class DatasetRefused extends Schema.TaggedError<DatasetRefused>()("DatasetRefused", {
  message: Schema.String,
}) {}

/** Opens the dataset file of the configuration, or the embedded dataset. */
export const openConfiguredDataset = (path: string | null): Effect.Effect<Dataset, DatasetRefused> =>
  Effect.gen(function* () {
    if (path === null) return embeddedDataset()
    const refuse = (reason: string) => new DatasetRefused({ message: `LANDFALL_DATASET: ${path}: ${reason}` })
    const bytes = readDatasetBytes(path)
    if (!bytes.ok) return yield* refuse(bytes.message)
    const opened = openWholeDataset(bytes.value)
    return opened.ok ? opened.value : yield* refuse(opened.message)
  })
