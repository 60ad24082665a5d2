/**
 * Which countries does a reader mean by what was typed?
 *
 * By the name in the reader's language or in English, the three or the two letters, or a flag. Accents, case and punctuation do
 * not count. Names that begin with the text come first, then those with a word that does, then those that contain it.
 */
import { foldName } from "landfall"
import { listByName, type Words } from "../language/words.ts"
import { alpha2Of, readFlag } from "../places.ts"

/** One country that can be found. */
export interface Candidate {
  readonly code: string
  readonly name: string
  /** All texts that it is found by, folded. */
  readonly keys: readonly string[]
}

/** Makes the candidates of a language, in the order of names. */
export function listCandidates(words: Words, codes: readonly string[]): readonly Candidate[] {
  const english = new Intl.DisplayNames(["en"], { type: "region" })
  return listByName(words, codes).map(code => {
    const name = words.country(code)
    const alpha2 = alpha2Of(code) ?? ""
    const keys = [name, code, alpha2, alpha2 === "" ? "" : (english.of(alpha2) ?? "")].map(foldName)
    return { code, name, keys: [...new Set(keys)] }
  })
}

/** Finds the candidates that a text may mean, the likeliest first; all of them for an empty text. */
export function findCandidates(candidates: readonly Candidate[], text: string): readonly Candidate[] {
  const flag = readFlag(text)
  if (flag !== undefined) return candidates.filter(({ code }) => code === flag)
  const sought = foldName(text)
  if (sought === "") return candidates
  const rankOf = ({ keys, code }: Candidate) => {
    if (code.toLowerCase() === sought) return 0
    if (keys.some(key => key.startsWith(sought))) return 1
    if (keys.some(key => key.includes(` ${sought}`))) return 2
    return keys.some(key => key.includes(sought)) ? 3 : 4
  }
  return candidates
    .map(candidate => ({ candidate, rank: rankOf(candidate) }))
    .filter(({ rank }) => rank < 4)
    .sort((one, other) => one.rank - other.rank)
    .map(({ candidate }) => candidate)
}
