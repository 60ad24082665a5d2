/** Where is each destination on the map, and which flag does it have? */
import { MAP_HEIGHT, MAP_WIDTH, places } from "site:places"

export { MAP_HEIGHT, MAP_WIDTH }

/** One destination's place on the map. */
export interface Place {
  readonly code: string
  readonly alpha2: string
  /** In units of the map, {@link MAP_WIDTH} wide. */
  readonly x: number
  readonly y: number
  /** How large its outline is there, in square units; 0 where it has none. */
  readonly area: number
}

/** Every destination, in the order of codes. */
export const PLACES: readonly Place[] = places.map(([code, alpha2, x, y, area]) => ({ code, alpha2, x, y, area }))

/** Their codes. */
export const CODES: readonly string[] = PLACES.map(({ code }) => code)

const BY_CODE: ReadonlyMap<string, Place> = new Map(PLACES.map(place => [place.code, place]))
const BY_ALPHA2: ReadonlyMap<string, Place> = new Map(PLACES.map(place => [place.alpha2, place]))

/** Finds a destination by its alpha-3 code. */
export function placeOf(code: string): Place | undefined {
  return BY_CODE.get(code)
}

/** Returns the two letters of a country for the browser. */
export function alpha2Of(code: string): string | undefined {
  return BY_CODE.get(code)?.alpha2
}

// Where the letters A to Z of flags begin (Unicode, regional indicator symbols).
const FLAG_A = 0x1f1e6
const LETTER_A = 65

/** Writes the flag of a country, as two regional indicators; systems without flags show the two letters. */
export function flagOf(code: string): string {
  const alpha2 = alpha2Of(code) ?? ""
  return String.fromCodePoint(...[...alpha2].map(letter => FLAG_A + letter.charCodeAt(0) - LETTER_A))
}

/** Reads a flag; the alpha-3 code, or undefined for any other text. */
export function readFlag(text: string): string | undefined {
  const letters = [...text.trim()].map(symbol => (symbol.codePointAt(0) ?? 0) - FLAG_A)
  if (letters.length !== 2 || letters.some(letter => letter < 0 || letter > 25)) return undefined
  return BY_ALPHA2.get(String.fromCharCode(...letters.map(letter => LETTER_A + letter)))?.code
}
