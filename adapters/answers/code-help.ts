/**
 * Which code is probably meant where a text is none?
 *
 * The one place of this wording: commands, batches, conversions and decisions over HTTP add it to what they say about a refused code. It names a code only where the text
 * means one country for sure: by two letters, by a code in small letters, by the codes of machine-readable zones, or by an English name.
 */
import { explainDocumentCode, readDocumentCode } from "./document-codes.ts"
import { readEnglishNames } from "./english-names.ts"

/** Two letters that are in use and not the country's in ISO 3166-1. */
const OTHER_PAIRS: Readonly<Record<string, string>> = { UK: "GBR", EL: "GRC" }

let byWord: ReadonlyMap<string, string> | undefined

function findByWord(text: string): string | undefined {
  byWord ??= new Map([
    ...Array.from(readEnglishNames(), ([code, { alpha2 }]) => [alpha2, code] as const),
    ...Object.entries(OTHER_PAIRS),
    ...Array.from(readEnglishNames(), ([code, { name }]) => [name.toUpperCase(), code] as const),
  ])
  const word = text.trim().toUpperCase()
  return readEnglishNames().has(word) ? word : byWord.get(word)
}

/** Says which code a refused text means; an empty text where that is not sure. */
export function helpWithCode(text: string): string {
  const document = readDocumentCode(text)
  if (document !== null && !("passport" in document)) return explainDocumentCode(text, document)
  const code = document?.passport ?? findByWord(text)
  if (code === undefined || code === text) return ""
  return `The code of ${readEnglishNames().get(code)?.name ?? code} is ${code}.`
}

const REFUSED = /^"(.{1,40})" is not an ISO 3166-1 alpha-3 code/

/** A mistake of a field, with the code that is probably meant. */
export function helpWithIssue<Issue extends { readonly message: string }>(issue: Issue): Issue {
  const [, text] = REFUSED.exec(issue.message) ?? []
  const help = text === undefined ? "" : helpWithCode(text)
  return help === "" ? issue : { ...issue, message: `${issue.message} ${help}` }
}
