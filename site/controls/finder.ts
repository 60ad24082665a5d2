/** The finder of countries in the page: the command line's, with all its words. It is loaded for the first search. */
import { type CountryFinder, type Language, loadPlaceWords, makeCountryFinder } from "landfall/full"
import { alpha2Of, CODES } from "../places.ts"

export async function openFinder(language: Language): Promise<CountryFinder> {
  const words = await loadPlaceWords()
  return makeCountryFinder(CODES, alpha2Of, { words, language })
}
