/** What is a country called in English? The names are those of the package, and load no facts. */
import { countryLetters, englishNames } from "./country-words.generated.ts"

/** A country of the package. */
interface Named {
  readonly alpha2: string
  readonly name: string
}

let known: ReadonlyMap<string, Named> | undefined

/** The countries of the package by their codes. */
export function readEnglishNames(): ReadonlyMap<string, Named> {
  known ??= new Map(
    englishNames.split("|").map((name, at) => {
      const place = at * 5
      return [countryLetters.slice(place, place + 3), { alpha2: countryLetters.slice(place + 3, place + 5), name }]
    }),
  )
  return known
}

/** Names a country in English; returns the code if the name is not known. */
export const nameInEnglish = (code: string): string => readEnglishNames().get(code)?.name ?? code
