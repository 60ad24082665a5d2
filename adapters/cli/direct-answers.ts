/** Answers that are given before the command line is loaded; `direct.ts` has read the call. */
import { embeddedDataset } from "../../src/index.ts"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { findCode, openFinder, tableOfCountries } from "./find-code.ts"
import { paintCells, type Screen } from "./screen.ts"
import { layOutTable } from "./table-layout.ts"
import { measurePlain } from "./wrap.ts"

/** A call of the command line that is answered before its parser is loaded. */
export interface Call {
  readonly words: readonly string[]
  readonly on: string | undefined
  readonly json: boolean
}

// English words are letters of one column each.
const measure = (text: string): number => measurePlain(text) ?? [...text].length

const writeJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** The answer of `landfall check`; null where the whole command line has to answer. */
export async function check({ words, on, json }: Call, screen: Screen): Promise<string | null> {
  const [from, to] = words
  if (from === undefined || to === undefined || words.length > 2) return null
  const dataset = embeddedDataset()
  const passport = await findCode(dataset, from, "passport")
  const destination = await findCode(dataset, to, "destination")
  if (!passport.ok || !destination.ok) return null
  const asked = {
    passport: passport.code,
    destination: destination.code,
    options: { on },
    language: null,
    nowMs: Date.now(),
  }
  const pair = findPair(dataset, asked)
  if (pair.kind !== "found") return null
  return json ? writeJson(await writeCheck(dataset, pair, asked)) : layOutCheck(dataset, pair, asked, screen, measure)
}

/** The answer of `landfall find`; null where the whole command line has to answer. */
export async function find({ words, on, json }: Call, screen: Screen): Promise<string | null> {
  const [text] = words
  if (text === undefined || words.length > 1 || on !== undefined) return null
  const { search } = await openFinder()
  const countries = search(text)
  if (countries.length === 0) return null
  if (json) return writeJson({ countries })
  const [heads, rows] = tableOfCountries(countries)
  return layOutTable(heads, rows, { measure, columns: screen.columns, paint: paintCells(screen) })
}
