/** What is a country called in English, and by which two letters does a runtime know it? */
import { type Dataset, embeddedDataset } from "../../../src/index.ts"
import { countryLetters, englishNames } from "../../knowledge/answers/country-words.generated.ts"

/** A country of the package. */
interface Named {
  readonly alpha2: string
  readonly name: string
}

let known: ReadonlyMap<string, Named> | undefined

function readNames(): ReadonlyMap<string, Named> {
  known ??= new Map(
    englishNames.split("|").map((name, at) => {
      const place = at * 5
      return [countryLetters.slice(place, place + 3), { alpha2: countryLetters.slice(place + 3, place + 5), name }]
    }),
  )
  return known
}

/** Finds the two letters of a country: by the facts that a dataset file brings, or by those of the package. */
export async function openLetters(dataset: Dataset): Promise<(code: string) => string | undefined> {
  const names = readNames()
  if (dataset === embeddedDataset()) return code => names.get(code)?.alpha2
  const { readDatasetFacts } = await import("../../../src/full.ts")
  const own = readDatasetFacts(dataset)
  const facts = own.ok ? (own.value?.facts ?? null) : null
  return code => facts?.alpha2Of(code) ?? names.get(code)?.alpha2
}

/** Names a country in English; the code stands for a name that is not known. */
export const nameInEnglish = (code: string): string => readNames().get(code)?.name ?? code
