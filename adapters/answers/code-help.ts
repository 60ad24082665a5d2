/**
 * Which code is probably meant where a text is none?
 *
 * The one place of this wording: commands, batches, conversions and decisions over HTTP add it to what they say about a refused code. It names a code only where the text
 * means one country for sure: by two letters, by a code in small letters, by the codes of machine-readable zones, or by an English name.
 */
import { BRITISH_CLASSES, type ItineraryRequest } from "../../src/engine.ts"
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

// Which passport does a code in a machine-readable zone mean?
// Nationalities and issuers are the alpha-3 codes of ISO 3166-1 except those of ICAO Doc 9303, Part 3, Section 5: D is Germany, RKS Kosovo; five classes of British nationals
// have passports of their own; persons without a nationality hold a document of a kind; organisations issue laissez-passers, for which no rules are recorded.

/** The kinds of passports of a request. */
export type PassportKind = NonNullable<ItineraryRequest["passportKind"]>

/** What a code means: a passport, a kind of document of another state, or a document without rules. */
export type DocumentCode =
  | { readonly passport: string }
  | { readonly kind: PassportKind; readonly holder: string }
  | { readonly document: string }

const STATES: ReadonlyMap<string, string> = new Map([
  ["D", "DEU"],
  ["RKS", "XKX"],
])

/** Persons without a nationality, by the letter behind XX. */
const HOLDERS: ReadonlyMap<string, readonly [kind: PassportKind, holder: string]> = new Map([
  ["A", ["stateless", "a stateless person"]],
  ["B", ["refugee_convention", "a refugee under the Convention of 1951"]],
  ["C", ["alien", "a refugee who is none under the Convention of 1951"]],
  ["X", ["alien", "a person of unspecified nationality"]],
])

const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ["UNO", "a laissez-passer of the United Nations"],
  ["UNA", "a laissez-passer of a specialised agency of the United Nations"],
  ["UNK", "a travel document of the United Nations mission in Kosovo, which issues none any more"],
  ["EUE", "a laissez-passer of the European Union"],
  ["XBA", "a document of the African Development Bank"],
  ["XCC", "a document of the Caribbean Community"],
  ["XCE", "a document of the Council of Europe"],
  ["XCO", "a document of the Common Market for Eastern and Southern Africa"],
  ["XDC", "a document of the Southern African Development Community"],
  ["XEC", "a document of the Economic Community of West African States"],
  ["XES", "a document of the Organisation of Eastern Caribbean States"],
  ["XIM", "a document of the African Export-Import Bank"],
  ["XMP", "a document of the Parliamentary Assembly of the Mediterranean"],
  ["XOM", "a passport of the Sovereign Military Order of Malta"],
  ["XPO", "a document of Interpol"],
  ["UTO", "the code of specimens, not of a state"],
])

/** Reads a code that is not one of ISO 3166-1; null for every other text. */
export function readDocumentCode(code: string): DocumentCode | null {
  const state = STATES.get(code) ?? BRITISH_CLASSES.find(each => each === code)
  if (state !== undefined) return { passport: state }
  const holder = /^XX.$/.test(code) ? HOLDERS.get(code.slice(2)) : undefined
  if (holder !== undefined) return { kind: holder[0], holder: holder[1] }
  const document = DOCUMENTS.get(code)
  return document === undefined ? null : { document }
}

/** Says why a code alone names no passport. */
export function explainDocumentCode(code: string, meant: Exclude<DocumentCode, { readonly passport: string }>): string {
  return "kind" in meant
    ? `${code} is ${meant.holder}: give the state that issued the document as passport, and passport_kind ${meant.kind}.`
    : `${code} is ${meant.document}: no rules are recorded for it. Give the holder's national passport.`
}
