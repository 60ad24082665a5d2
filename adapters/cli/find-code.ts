/**
 * Which country does a word on the command line mean, in a dataset?
 *
 * A code that the dataset knows is taken as it is. Anything else is looked for among the names of the dataset's countries and of
 * those that are part of the package, so that a country that a file leaves out is answered with no record, not as an unknown
 * name.
 */
import type { CountryCandidate, CountryFinder } from "../../src/full.ts"
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { explainDocumentCode, readDocumentCode } from "../answers/code-help.ts"
import { readEnglishNames } from "../answers/english-names.ts"
import type { FailureCode, FailureDetails } from "./failure.ts"

// By which two letters does a runtime know a country?

/** Finds the two letters of a country: from the facts of a dataset file, or from those of the package. */
export async function openLetters(dataset: Dataset): Promise<(code: string) => string | undefined> {
  const names = readEnglishNames()
  if (dataset === embeddedDataset()) return code => names.get(code)?.alpha2
  const { readDatasetFacts } = await import("../../src/full.ts")
  const own = readDatasetFacts(dataset)
  const facts = own.ok ? (own.value?.facts ?? null) : null
  return code => facts?.alpha2Of(code) ?? names.get(code)?.alpha2
}

const CODE = /^[A-Z]{3}$/

// Loaded when a name has to be found; codes do not need it.
const loadNames = () => import("../../src/full.ts")

const finders = new WeakMap<Dataset, Promise<CountryFinder>>()

/** Opens the finder of a dataset's countries; the same one at every call. */
export function openFinder(dataset: Dataset = embeddedDataset()): Promise<CountryFinder> {
  let finder = finders.get(dataset)
  if (finder === undefined) {
    const codes = new Set([...dataset.destinations, ...dataset.passports, ...embeddedDataset().destinations])
    finder = Promise.all([loadNames(), openLetters(dataset)]).then(
      async ([{ loadPlaceWords, makeCountryFinder }, alpha2Of]) =>
        makeCountryFinder([...codes].sort(), alpha2Of, { words: await loadPlaceWords() }),
    )
    finders.set(dataset, finder)
  }
  return finder
}

/** A code, or why there is none. */
type ReadCountry =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly refusal: { readonly message: string } & FailureDetails }

const EXPECTED = "an ISO 3166-1 alpha-3 code, such as FRA, or a country's name"

/** Opens the reader of codes and names for a field, which refuses a text that may mean several countries, or none, with those that may be meant. */
export async function openCountryReader(dataset: Dataset): Promise<(text: string, field: string) => ReadCountry> {
  const [{ find }, { explainMatch }] = await Promise.all([openFinder(dataset), loadNames()])
  return (text, field) => {
    const refuse = (message: string, code: FailureCode, didYouMean: readonly CountryCandidate[] = []): ReadCountry => ({
      ok: false,
      refusal: { message, code, field, given: text, expected: EXPECTED, didYouMean },
    })
    const document = /passport|residence/.test(field) ? readDocumentCode(text) : null
    if (document !== null) {
      if (!("passport" in document)) return refuse(explainDocumentCode(text, document), "unknown_country")
      if (document.passport !== text) return { ok: true, code: document.passport }
    }
    const match = find(text)
    if (match.kind === "found") return { ok: true, code: match.code }
    const didYouMean = match.kind === "two_letters" ? [{ code: match.code, name: match.name }] : match.candidates
    const explained = explainMatch(match, text)
    const said = CODE.test(text) ? explained.replace(`is called "${text}"`, `has the code ${text}`) : explained
    const expectation = didYouMean.length === 0 ? ` ${EXPECTED[0]?.toUpperCase()}${EXPECTED.slice(1)} is expected.` : ""
    return refuse(
      `${said}${expectation}`,
      match.kind === "ambiguous" ? "ambiguous_country" : "unknown_country",
      didYouMean,
    )
  }
}

/** Reads a code or a name as a code, as {@link openCountryReader} does; the message names the field. */
export async function findCode(dataset: Dataset, text: string, field: string): Promise<ReadCountry> {
  if (CODE.test(text) && (dataset.destinations.includes(text) || dataset.passports.includes(text))) {
    return { ok: true, code: text }
  }
  const read = (await openCountryReader(dataset))(text, field)
  return read.ok ? read : { ok: false, refusal: { ...read.refusal, message: `${field}: ${read.refusal.message}` } }
}

/** Names that are kept once they were found. */
const MOST_NAMES = 10_000

/** Keeps what was found for the first names. */
export function remember<Names extends readonly string[], Found>(find: (...names: Names) => Found) {
  const known = new Map<string, Found>()
  return (...names: Names): Found => {
    const name = names.join("\n")
    const found = known.get(name) ?? find(...names)
    if (known.size < MOST_NAMES) known.set(name, found)
    return found
  }
}
