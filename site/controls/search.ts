/**
 * Which countries does a typed text mean?
 *
 * The finder of the package decides: by names of countries, peoples, cities, regions and airports in fifteen languages, and by codes. It is
 * loaded for the first search. A flag means its country. If the finder cannot be loaded, names that contain the text are found.
 */
import { foldName } from "landfall"
import type { CountryFinder } from "landfall/full"
import { useEffect, useState } from "preact/hooks"
import { pairsDataset } from "../answers.ts"
import type { Words } from "../language/words.ts"
import { readFlag } from "../places.ts"

/** One country that was found. */
interface Candidate {
  readonly code: string
  readonly name: string
  /** The city, region or airport that it was found by. */
  readonly via?: string
}

/** Finds countries among codes, the likeliest first; all of them, in the order of names, for an empty text. */
export type Search = (text: string, codes: readonly string[]) => readonly Candidate[]

const finders = new Map<string, CountryFinder | "failed">()
const loading = new Map<string, Promise<void>>()

async function load(language: Words["language"]): Promise<void> {
  try {
    const { openFinder } = await import("./finder.ts")
    finders.set(language, await openFinder(language))
  } catch {
    finders.set(language, "failed")
  }
}

function loadOnce(language: Words["language"]): Promise<void> {
  const arriving = loading.get(language) ?? load(language)
  loading.set(language, arriving)
  return arriving
}

/** Returns the search in the reader's language when its words are loaded, or could not be. */
export async function loadSearch(words: Words): Promise<Search> {
  await loadOnce(words.language)
  return (text, codes) => search(words, finders.get(words.language) ?? "failed", text, codes)
}

/** Returns what reads a country in the reader's language: its code, name or people; null for any text that is not exactly one. */
export async function loadCountryReader(words: Words): Promise<(text: string) => string | null> {
  await loadOnce(words.language)
  const finder = finders.get(words.language) ?? "failed"
  const known = new Set([...pairsDataset().passports, ...pairsDataset().destinations])
  return text => {
    const code = readFlag(text) ?? text.trim().toUpperCase()
    if (known.has(code)) return code
    const match = finder === "failed" ? null : finder.find(text)
    return match?.kind === "found" || match?.kind === "two_letters" ? match.code : null
  }
}

/** Returns the search in the reader's language: null until its words are loaded, and for texts only. */
export function useSearch(words: Words, isWanted: boolean): Search | null {
  const [, setArrived] = useState("")
  const { language } = words
  useEffect(() => {
    if (!isWanted || finders.has(language)) return
    let isMounted = true
    void loadOnce(language).then(() => isMounted && setArrived(language))
    return () => {
      isMounted = false
    }
  }, [isWanted, language])
  const finder = finders.get(language)
  return finder === undefined ? null : (text, codes) => search(words, finder, text, codes)
}

/** All countries by their names, in the language's order. */
export const listAll = (words: Words, codes: readonly string[]): readonly Candidate[] =>
  codes.map(code => ({ code, name: words.country(code) })).sort((one, other) => words.compare(one.name, other.name))

function search(words: Words, finder: CountryFinder | "failed", text: string, codes: readonly string[]) {
  const flag = readFlag(text)
  const sought = foldName(text)
  if (flag === undefined && sought === "") return listAll(words, codes)
  if (flag === undefined && finder !== "failed") {
    const isOffered = new Set(codes)
    return finder
      .search(text)
      .filter(({ code }) => isOffered.has(code))
      .map(found => ({ ...found, name: words.country(found.code) }))
  }
  return listAll(words, codes).filter(({ code, name }) =>
    flag === undefined ? code.toLowerCase() === sought || foldName(name).includes(sought) : code === flag,
  )
}
