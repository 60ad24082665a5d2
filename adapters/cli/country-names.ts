/** By which two letters does a runtime know a country? */
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { readEnglishNames } from "../answers/english-names.ts"

/** Finds the two letters of a country: from the facts of a dataset file, or from those of the package. */
export async function openLetters(dataset: Dataset): Promise<(code: string) => string | undefined> {
  const names = readEnglishNames()
  if (dataset === embeddedDataset()) return code => names.get(code)?.alpha2
  const { readDatasetFacts } = await import("../../src/full.ts")
  const own = readDatasetFacts(dataset)
  const facts = own.ok ? (own.value?.facts ?? null) : null
  return code => facts?.alpha2Of(code) ?? names.get(code)?.alpha2
}
