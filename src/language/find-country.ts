/**
 * Which country does a text mean?
 *
 * The one with that ISO 3166-1 alpha-3 code, or with that name in one of the fifteen languages, by the runtime's own CLDR data (ECMA-402).
 * Other names in use count too, and words that CLDR does not have: names of peoples, cities, regions and airports
 * (`place-words.generated.ts`). Case, accents and a leading article do not count.
 *
 * `find` guesses nothing: for an ambiguous text it returns all countries; for an unknown one the names with the most similar spelling. Two
 * letters are refused with the alpha-3 code that they mean: if some were accepted, callers would rely on all of them. `search` is for
 * people who choose from a list: it ranks, and tolerates typing errors.
 */

import { distance } from "fastest-levenshtein"
import { BRITISH_CLASSES } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import type { Language } from "../record/languages.ts"
import { foldName } from "./fold-text.ts"

/** A country that a text may mean. */
export interface CountryCandidate {
  readonly code: string
  /** In English. */
  readonly name: string
  /** The city, region or airport that the text names, where it names one instead of the country. */
  readonly via?: string
}

/** The meaning of a text: one certain country, or candidates. */
type CountryMatch =
  | ({ readonly kind: "found" } & CountryCandidate)
  /** Two letters that are the code of a country in another standard. */
  | ({ readonly kind: "two_letters" } & CountryCandidate)
  | { readonly kind: "ambiguous"; readonly candidates: readonly CountryCandidate[] }
  /** The candidates are those that are spelled most like it. */
  | { readonly kind: "unknown"; readonly candidates: readonly CountryCandidate[] }

/** Lists candidates so that they can be copied: `COD (Congo - Kinshasa)`. */
const listCandidates = (candidates: readonly CountryCandidate[]): string =>
  candidates.map(({ code, name }) => `${code} (${name})`).join(", ")

/**
 * Says why a text is not sure to mean one country, and which it may mean.
 *
 * @example
 * ```ts
 * explainMatch({ kind: "unknown", candidates: [] }, "Atlantis") // => "no country is called \"Atlantis\"."
 * ```
 */
export function explainMatch(match: Exclude<CountryMatch, { readonly kind: "found" }>, text: string): string {
  const shown = text.slice(0, 100)
  if (match.kind === "two_letters") return `"${shown}" has two letters. The code of ${match.name} is ${match.code}.`
  const named = listCandidates(match.candidates)
  if (match.kind === "ambiguous") return `"${shown}" may mean ${named}.`
  return `no country is called "${shown}"${named === "" ? "." : `; is ${named} meant?`}`
}

/** Finds countries by texts that people type. */
export interface CountryFinder {
  /** Every known code. */
  readonly codes: readonly string[]
  readonly find: (text: string) => CountryMatch
  /** Every country that has the text, or something close to it, in one of its names, the likeliest first. */
  readonly search: (text: string) => readonly CountryCandidate[]
  readonly nameOf: (code: string) => string
}

/** Names that people use and CLDR lacks or spells differently. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  ARE: ["UAE", "Emirates", "EAU", "VAE", "ОАЭ"],
  BIH: ["Bosnia"],
  BOL: ["Plurinational State of Bolivia"],
  BRN: ["Brunei Darussalam"],
  CHN: ["PRC", "People's Republic of China", "Mainland China"],
  CIV: ["Ivory Coast"],
  COD: ["DRC", "DR Congo", "Democratic Republic of the Congo", "Congo-Kinshasa", "Zaire"],
  COG: ["Republic of the Congo", "Congo-Brazzaville"],
  CPV: ["Cabo Verde"],
  CZE: ["Czech Republic", "Tschechische Republik"],
  DOM: ["DR"],
  FSM: ["Federated States of Micronesia"],
  GBR: [
    ...["Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland"],
    ...["Großbritannien", "Angleterre", "Inglaterra", "Inghilterra", "Англия", "英国", "إنجلترا", "इंग्लैंड", "อังกฤษ"],
  ],
  HKG: ["Hong Kong"],
  IRN: ["Islamic Republic of Iran", "Persia"],
  KOR: ["South Korea", "Republic of Korea", "Korea, South"],
  LAO: ["Lao PDR"],
  MAC: ["Macau"],
  MDA: ["Republic of Moldova"],
  MKD: ["Macedonia"],
  MMR: ["Burma"],
  NLD: ["Holland", "Olanda", "Holanda", "Hollande"],
  NZL: ["Aotearoa"],
  PNG: ["PNG"],
  PRK: ["North Korea", "DPRK"],
  PSE: ["Palestine"],
  RUS: ["Russian Federation"],
  SAU: ["KSA"],
  SWZ: ["Swaziland"],
  SYR: ["Syrian Arab Republic"],
  TLS: ["East Timor"],
  TTO: ["Trinidad"],
  TUR: ["Turkey"],
  TWN: ["Republic of China", "Chinese Taipei"],
  TZA: ["United Republic of Tanzania"],
  USA: [
    ...["United States of America", "America", "US of A", "The States", "U.S.", "U.S.A."],
    ...["Amerika", "Amérique", "América", "Америка", "米国", "أمريكا", "अमेरिका", "อเมริกา", "Mỹ"],
  ],
  VAT: ["Holy See", "Vatican"],
  VEN: ["Bolivarian Republic of Venezuela"],
  VNM: ["Viet Nam"],
  ZAF: ["RSA"],
}

/** Names that mean one country in one language and several in all others. */
const SHARED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["congo", ["COD", "COG"]],
  ["kongo", ["COD", "COG"]],
  ["saint martin", ["MAF", "SXM"]],
  ["st martin", ["MAF", "SXM"]],
  ["virgin islands", ["VGB", "VIR"]],
])

/** The most candidates in a message. */
const MOST_CANDIDATES = 8
/** The longest text that is compared letter by letter; no name is longer. */
const MOST_LETTERS = 60
/** Two letters that are not a country code of ISO 3166-1, and what people mean by them. */
const SPOKEN_PAIRS: ReadonlyMap<string, string> = new Map([
  ["UK", "GBR"],
  ["EL", "GRC"],
])

/** One letter is wrong, or two neighbours are swapped; the first letter is seldom wrong. */
const isNearCode = (code: string, given: string): boolean =>
  code[0] === given[0] && (distance(code, given) === 1 || [...code].sort().join() === [...given].sort().join())

/** The number of letters to insert, delete or replace; two swapped neighbours count as one slip if it is the only one. */
function countSlips(text: string, name: string): number {
  const steps = distance(text, name)
  if (steps !== 2 || text.length !== name.length) return steps
  const at = [...text].findIndex((letter, place) => letter !== name[place])
  return text[at] === name[at + 1] && text[at + 1] === name[at] ? 1 : steps
}

/** The first letters are seldom wrong: one of the first two is right, missing or twice there. */
const beginsAlike = (text: string, name: string): boolean =>
  text[0] === name[0] || text[1] === name[1] || text[0] === name[1] || text[1] === name[0]

/** What three languages write after a country's name, and three others before it, for its people: France, フランス人. */
const PEOPLE = /(?:人|인|사람)$|^(?:người |ชาว|คน)/u

/** Endings of names of peoples, and of their feminine forms, which passports print: française, italiana, española, deutsche. */
const FEMININE: readonly (readonly [masculine: RegExp, feminine: string])[] = [
  [/([ao]is|and|ain)$/u, "$1e"],
  [/([ié]en)$/u, "$1ne"],
  [/[eéê]s$/u, "esa"],
  [/án$/u, "ana"],
  [/ão$/u, "ã"],
  [/(?<!ã)o$/u, "a"],
  [/ol$/u, "ola"],
  [/ol$/u, "ole"],
  [/er$/u, "erin"],
  [/(isch)$/u, "$1e"],
  [/ий$/u, "ая"],
]

/** The relation of a word to its country. */
type Kind = "name" | "people" | "foreign_name" | "place" | "airport"

/** How far down the list a kind of word is among equally good matches. */
const STEP_OF: Readonly<Record<Kind, number>> = { name: 0, people: 0.2, foreign_name: 0.3, place: 0.6, airport: 0.7 }
/** How well a word fits a text. */
const EQUAL = 0
const BEGINS = 1
const WORD_BEGINS = 2
const CONTAINS = 3
/** A name with one slip is before a place that matches exactly: Columbia is a city, but Colombia is meant more often. */
const ONE_SLIP = 0.5
const SLIPS = 3.5

const LEAST_FOR_SLIP = 6

interface Word {
  readonly folded: string
  readonly code: string
  readonly kind: Kind
  readonly written: string
}

const isPlace = ({ kind }: Word): boolean => kind === "place" || kind === "airport"

/** How the finder is made. */
interface FinderOptions {
  /** Without them, only names in English and in the reader's language are known. */
  readonly words?: PlaceWords
  /** The language whose names are before those of the others, besides English. */
  readonly language?: Language
}

/**
 * Makes the finder of some countries; `alpha2Of` returns the two letters of a country for the runtime.
 *
 * @example
 * ```ts
 * const finder = makeCountryFinder(["FRA", "JPN"], code => ({ FRA: "FR", JPN: "JP" })[code])
 * finder.find("japan") // => { kind: "found", code: "JPN", name: "Japan" }
 * ```
 */
export function makeCountryFinder(
  codes: readonly string[],
  alpha2Of: (code: string) => string | undefined,
  { words, language = "en" }: FinderOptions = {},
): CountryFinder {
  const english = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  const nameOf = (code: string): string => {
    const alpha2 = alpha2Of(code)
    return (alpha2 === undefined ? undefined : english.of(alpha2)) ?? code
  }
  const codesOfName = new Map<string, Set<string>>()
  const codesOfPlace = new Map<string, Set<string>>()
  const codesOfAirport = new Map<string, string>()
  const feminineForms: (readonly [folded: string, code: string])[] = []
  const all: Word[] = []
  const add = (written: string | undefined, code: string, kind: Kind) => {
    const folded = foldName(written ?? "")
    if (folded === "") return
    const word: Word = { folded, code, kind, written: written ?? "" }
    const known = getOrInsert(isPlace(word) ? codesOfPlace : codesOfName, folded, () => new Set<string>())
    if (!known.has(code)) all.push(word)
    known.add(code)
  }
  const readers = [...new Set([language, "en"])].flatMap(spoken =>
    (["long", "short"] as const).map(
      style => new Intl.DisplayNames([spoken], { type: "region", style, fallback: "none" }),
    ),
  )
  const codeOfPair = new Map<string, string>()
  const listOf = (known: Readonly<Record<string, string>> | undefined, code: string) => known?.[code]?.split("|") ?? []
  for (const code of codes) {
    const alpha2 = alpha2Of(code)
    for (const name of OTHER_NAMES[code] ?? []) add(name, code, "name")
    if (alpha2 !== undefined) {
      codeOfPair.set(alpha2, code)
      for (const reader of readers) add(reader.of(alpha2), code, "name")
    }
    for (const name of listOf(words?.names, code)) add(name, code, "foreign_name")
    for (const name of listOf(words?.peoples, code)) {
      add(name, code, "people")
      for (const [masculine, feminine] of FEMININE)
        if (masculine.test(name)) feminineForms.push([foldName(name.replace(masculine, feminine)), code])
    }
    for (const name of listOf(words?.places, code)) add(name, code, "place")
    for (const name of listOf(words?.airports, code)) {
      const [, letters, place] = /^([A-Z]{3}) (.+)$/u.exec(name) ?? []
      if (letters === undefined) add(name, code, "airport")
      else {
        codesOfAirport.set(letters, code)
        add(place, code, "place")
        all.push({ folded: letters.toLowerCase(), code, kind: "airport", written: `${letters} ${place}` })
      }
    }
  }
  // A word that is a name already keeps its meaning.
  const named = new Set(codesOfName.keys())
  for (const [folded, code] of feminineForms) {
    if (!named.has(folded)) getOrInsert(codesOfName, folded, () => new Set<string>()).add(code)
  }
  const known = new Set(codes)
  const candidatesOf = (found: Iterable<string>): readonly CountryCandidate[] =>
    [...found]
      .map(code => ({ code, name: nameOf(code) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MOST_CANDIDATES)

  /** The words spelled most like a text or, where it may be unfinished, that begin most like it, with the number of slips. */
  const listAlike = (folded: string, isUnfinished: boolean): readonly (Word & { readonly slips: number })[] => {
    if (folded.length > MOST_LETTERS) return []
    const most = folded.length < 4 ? 1 : Math.max(2, Math.floor(folded.length / 3))
    const mostOfPlace = Math.floor(folded.length / 4)
    const near: (Word & { readonly slips: number })[] = []
    for (const word of all) {
      const name = word.folded
      if (word.kind === "airport" || name.length < folded.length - most || !beginsAlike(folded, name)) continue
      const isLong = name.length > folded.length + 1
      if (name.length > folded.length + most && !isUnfinished) continue
      const whole = countSlips(folded, name)
      const steps =
        isUnfinished && isLong ? Math.min(whole, countSlips(folded, name.slice(0, folded.length)) + 0.5) : whole
      if (word.kind === "place" && steps > mostOfPlace) continue
      // A name of one letter is equally near to every other short name.
      if (steps > most || steps >= Math.max(folded.length, name.length)) continue
      // Of equally near names, the one that begins with the same letter is meant more often.
      near.push({ ...word, slips: steps + (name[0] === folded[0] ? 0 : 0.5) })
    }
    return near
  }

  // The name of a people means its country, unless the whole word names something.
  const foldSought = (text: string): string => {
    const folded = foldName(text)
    if (codesOfName.has(folded)) return folded
    const country = foldName(text.trim().normalize("NFC").replace(PEOPLE, ""))
    return codesOfName.has(country) ? country : folded
  }

  /** The countries with the names spelled most like a text. */
  const nearestOf = (folded: string): readonly CountryCandidate[] => {
    const nearest = new Map<string, number>()
    for (const { code, slips } of listAlike(folded, false).filter(word => !isPlace(word))) {
      nearest.set(code, Math.min(slips, nearest.get(code) ?? slips))
    }
    return [...nearest]
      .sort(([, a], [, b]) => a - b)
      .slice(0, MOST_CANDIDATES)
      .map(([code]) => ({ code, name: nameOf(code) }))
  }

  const find = (text: string): CountryMatch => {
    const trimmed = text.trim()
    const code = trimmed.toUpperCase()
    if (known.has(code)) {
      // "Nga" is Russia in Vietnamese, and NGA Nigeria.
      const others = trimmed === code ? [] : [...(codesOfName.get(foldName(text)) ?? [])].filter(one => one !== code)
      if (others.length > 0) return { kind: "ambiguous", candidates: candidatesOf([code, ...others]) }
      return { kind: "found", code, name: nameOf(code) }
    }
    const meant = SPOKEN_PAIRS.get(code) ?? codeOfPair.get(code)
    if (meant !== undefined) return { kind: "two_letters", code: meant, name: nameOf(meant) }
    const folded = foldSought(text)
    const shared = SHARED_NAMES.get(folded)?.filter(one => known.has(one)) ?? []
    if (shared.length > 1) return { kind: "ambiguous", candidates: candidatesOf(shared) }
    const exact = codesOfName.get(folded)
    const [only] = exact ?? []
    if (exact?.size === 1) return { kind: "found", code: only as string, name: nameOf(only as string) }
    const places = exact === undefined ? codesOfPlace.get(folded) : undefined
    const [place] = places ?? []
    if (places?.size === 1) return { kind: "found", code: place as string, name: nameOf(place as string) }
    if (places !== undefined) return { kind: "ambiguous", candidates: candidatesOf(places) }
    const begun = new Set(exact)
    if (folded.length >= 3) {
      for (const [name, named] of codesOfName) {
        if (name.startsWith(folded) || name.includes(` ${folded}`)) for (const one of named) begun.add(one)
      }
    }
    if (begun.size > 1) return { kind: "ambiguous", candidates: candidatesOf(begun) }
    const [single] = begun
    if (single !== undefined) return { kind: "unknown", candidates: candidatesOf([single]) }
    // Three letters may be a slip in a country's code as well as an airport's: neither is taken for sure.
    const byCode = /^[A-Z]{3}$/.test(trimmed) ? codes.filter(one => isNearCode(one, trimmed)) : []
    const landing = codesOfAirport.get(trimmed)
    // A passport of its own, whose holders have other rights than the countries with similar codes.
    if (BRITISH_CLASSES.includes(trimmed)) return { kind: "unknown", candidates: [] }
    if (landing !== undefined) return { kind: "unknown", candidates: candidatesOf(new Set([landing, ...byCode])) }
    return { kind: "unknown", candidates: byCode.length > 0 ? candidatesOf(byCode) : nearestOf(folded) }
  }

  const search = (text: string): readonly CountryCandidate[] => {
    const folded = foldSought(text)
    const best = new Map<string, { readonly rank: number; readonly via?: string }>()
    const rank = (code: string, place: number, via?: string) => {
      if (place < (best.get(code)?.rank ?? Number.POSITIVE_INFINITY)) {
        best.set(code, via === undefined ? { rank: place } : { rank: place, via })
      }
    }
    let isNamed = false
    const rankWord = (word: Word, fit: number) => {
      isNamed ||= !isPlace(word) && fit < CONTAINS
      rank(word.code, fit + STEP_OF[word.kind], isPlace(word) ? word.written : undefined)
    }
    const code = text.trim().toUpperCase()
    const byCode = known.has(code) ? code : (SPOKEN_PAIRS.get(code) ?? codeOfPair.get(code))
    if (byCode !== undefined) {
      isNamed = true
      rank(byCode, EQUAL)
    }
    for (const shared of SHARED_NAMES.get(folded) ?? []) if (known.has(shared)) rank(shared, EQUAL + STEP_OF.people)
    // One letter says something in the scripts of East Asia; of the others it is the first one of a name.
    const isShort = folded.length < 3 && !/\P{ASCII}/u.test(folded)
    if (folded !== "") {
      for (const word of all) {
        const name = word.folded
        // The letters of an airport are typed whole, and may be the first ones of a country.
        if (word.kind === "airport" && name.length === 3) {
          if (name === folded) rankWord(word, BEGINS)
        } else if (name === folded) rankWord(word, EQUAL)
        else if (isShort && (isPlace(word) || (folded.length < 2 && word.kind !== "name"))) continue
        else if (name.startsWith(folded)) rankWord(word, BEGINS)
        else if (name.includes(` ${folded}`)) rankWord(word, WORD_BEGINS)
        else if (folded.length >= 3 && !isPlace(word) && name.includes(folded)) {
          rankWord(word, CONTAINS)
        }
      }
    }
    if (!isNamed && folded.length >= 3) {
      for (const word of listAlike(folded, true)) {
        const isSlip = !isPlace(word) && word.slips <= 1 && folded.length >= LEAST_FOR_SLIP
        rankWord(word, isSlip ? ONE_SLIP - STEP_OF[word.kind] : SLIPS + word.slips)
      }
    }
    return [...best]
      .map(([one, { rank: place, via }]) => ({ code: one, name: nameOf(one), place, via }))
      .sort((a, b) => a.place - b.place || (a.name < b.name ? -1 : 1))
      .map(({ code: one, name, via }) => (via === undefined ? { code: one, name } : { code: one, name, via }))
  }
  return { codes, find, search, nameOf }
}

// ---- Words of places

// Words by which countries are found: for each country's code its words, joined by bars.

export interface PlaceWords {
  /** Its names in all languages, as the runtime of the build has them: asking a runtime for all of them takes 100 ms. */
  readonly names: Readonly<Record<string, string>>
  /** The names of its people. */
  readonly peoples: Readonly<Record<string, string>>
  /** Its cities and regions. */
  readonly places: Readonly<Record<string, string>>
  /** Its airports: the code of IATA and the city, and the rest of the name as a word of its own. */
  readonly airports: Readonly<Record<string, string>>
}
