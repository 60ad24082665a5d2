/**
 * Which country does somebody mean by a name?
 *
 * The one with that ISO 3166-1 alpha-3 code, or with that name in one of the fifteen languages, by the runtime's own CLDR data
 * (ECMA-402). Other names in use count too, and the names of peoples, which CLDR does not have (`data/demonyms.json`). Case,
 * accents and a leading article do not count. Nothing is guessed: if a text may mean several countries, all of them are named; an
 * unknown text is answered with the names spelled most like it. Two letters are refused with the three that are meant: if some
 * were accepted, callers would rely on all of them.
 */
import { distance } from "fastest-levenshtein"
import { foldName } from "../../../src/engine.ts"
import { LANGUAGES } from "../../../src/full.ts"

/** A country that a text may mean. */
export interface CountryCandidate {
  readonly code: string
  /** In English. */
  readonly name: string
}

/** What a text means: one country, or none for sure. */
export type CountryMatch =
  | ({ readonly kind: "found" } & CountryCandidate)
  /** Two letters that are the code of a country in another standard. */
  | ({ readonly kind: "two_letters" } & CountryCandidate)
  | { readonly kind: "ambiguous"; readonly candidates: readonly CountryCandidate[] }
  /** The candidates are those that are spelled most like it. */
  | { readonly kind: "unknown"; readonly candidates: readonly CountryCandidate[] }

/** Names candidates so that they can be copied: `COD (Congo - Kinshasa)`. */
const listCandidates = (candidates: readonly CountryCandidate[]): string =>
  candidates.map(({ code, name }) => `${code} (${name})`).join(", ")

/** Says why a text is not sure to mean one country, and which it may mean. */
export function explainMatch(match: Exclude<CountryMatch, { readonly kind: "found" }>, text: string): string {
  const shown = text.slice(0, 100)
  if (match.kind === "two_letters") return `"${shown}" has two letters; the code of ${match.name} is ${match.code}.`
  const named = listCandidates(match.candidates)
  if (match.kind === "ambiguous") return `"${shown}" may mean ${named}.`
  return `no country is called "${shown}"${named === "" ? "." : `; is ${named} meant?`}`
}

export interface CountryFinder {
  /** Every known code. */
  readonly codes: readonly string[]
  readonly find: (text: string) => CountryMatch
  /** Every country that has the text, or something close to it, in one of its names, the likeliest first. */
  readonly search: (text: string) => readonly CountryCandidate[]
  readonly nameOf: (code: string) => string
}

/** Names that people use and CLDR lacks, or spells otherwise. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  ARE: ["UAE", "Emirates"],
  BIH: ["Bosnia"],
  BOL: ["Plurinational State of Bolivia"],
  BRN: ["Brunei Darussalam"],
  CIV: ["Ivory Coast"],
  COD: ["DRC", "DR Congo", "Democratic Republic of the Congo", "Congo-Kinshasa", "Zaire"],
  COG: ["Republic of the Congo", "Congo-Brazzaville"],
  CPV: ["Cabo Verde"],
  CZE: ["Czech Republic"],
  FSM: ["Federated States of Micronesia"],
  GBR: ["Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland"],
  HKG: ["Hong Kong"],
  IRN: ["Islamic Republic of Iran", "Persia"],
  KOR: ["South Korea", "Republic of Korea"],
  LAO: ["Lao PDR"],
  MAC: ["Macau"],
  MDA: ["Republic of Moldova"],
  MKD: ["Macedonia"],
  MMR: ["Burma"],
  NLD: ["Holland"],
  PRK: ["North Korea", "DPRK"],
  PSE: ["Palestine"],
  RUS: ["Russian Federation"],
  SWZ: ["Swaziland"],
  SYR: ["Syrian Arab Republic"],
  TLS: ["East Timor"],
  TUR: ["Turkey"],
  TWN: ["Republic of China"],
  TZA: ["United Republic of Tanzania"],
  USA: ["United States of America", "America", "US of A"],
  VAT: ["Holy See", "Vatican"],
  VEN: ["Bolivarian Republic of Venezuela"],
  VNM: ["Viet Nam"],
}

/** Names that mean one country in one language and several in all others. */
const SHARED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["congo", ["COD", "COG"]],
  ["kongo", ["COD", "COG"]],
  ["saint martin", ["MAF", "SXM"]],
  ["st martin", ["MAF", "SXM"]],
  ["virgin islands", ["VGB", "VIR"]],
])

/** The most candidates that are named. */
const MOST_CANDIDATES = 8
/** Two letters that are not a country code of ISO 3166-1, and what people mean by them. */
const SPOKEN_PAIRS: ReadonlyMap<string, string> = new Map([
  ["UK", "GBR"],
  ["EL", "GRC"],
])

/** One letter is another one, or two have changed places; the first letter is seldom wrong. */
const isNearCode = (code: string, given: string): boolean =>
  code[0] === given[0] && (distance(code, given) === 1 || [...code].sort().join() === [...given].sort().join())

/** What three languages write behind a country's name, and three others before it, for its people: France, フランス人. */
const PEOPLE = /(?:人|인|사람)$|^(?:người |ชาว|คน)/u

/**
 * Makes the finder of some countries; `alpha2Of` gives the two letters by which the runtime names one, `demonyms` what its people are called, the words of
 * one country joined by bars.
 */
export function makeCountryFinder(
  codes: readonly string[],
  alpha2Of: (code: string) => string | undefined,
  demonyms: Readonly<Record<string, string>> = {},
): CountryFinder {
  const english = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  const nameOf = (code: string): string => {
    const alpha2 = alpha2Of(code)
    return (alpha2 === undefined ? undefined : english.of(alpha2)) ?? code
  }
  const codesOfName = new Map<string, Set<string>>()
  const add = (name: string | undefined, code: string) => {
    const folded = foldName(name ?? "")
    if (folded === "") return
    const known = codesOfName.get(folded)
    if (known === undefined) codesOfName.set(folded, new Set([code]))
    else known.add(code)
  }
  const readers = LANGUAGES.flatMap(language =>
    (["long", "short"] as const).map(
      style => new Intl.DisplayNames([language], { type: "region", style, fallback: "none" }),
    ),
  )
  const codeOfPair = new Map<string, string>()
  for (const code of codes) {
    const alpha2 = alpha2Of(code)
    for (const name of OTHER_NAMES[code] ?? []) add(name, code)
    for (const name of demonyms[code]?.split("|") ?? []) add(name, code)
    if (alpha2 === undefined) continue
    codeOfPair.set(alpha2, code)
    for (const reader of readers) add(reader.of(alpha2), code)
  }
  const known = new Set(codes)
  const candidatesOf = (found: Iterable<string>): readonly CountryCandidate[] =>
    [...found]
      .map(code => ({ code, name: nameOf(code) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MOST_CANDIDATES)

  const listAlike = (folded: string): readonly CountryCandidate[] => {
    // Two letters that changed places are two steps.
    const most = folded.length < 4 ? 1 : Math.max(2, Math.floor(folded.length / 3))
    const nearest = new Map<string, number>()
    for (const [name, named] of codesOfName) {
      if (Math.abs(folded.length - name.length) > most) continue
      const steps = distance(folded, name)
      // A name of one letter is equally near to every other short name.
      if (steps > most || steps >= Math.max(folded.length, name.length)) continue
      // Of equally near names, the one that begins with the same letter is meant more often.
      const away = steps + (name[0] === folded[0] ? 0 : 0.5)
      for (const code of named) nearest.set(code, Math.min(away, nearest.get(code) ?? away))
    }
    return [...nearest]
      .sort(([, a], [, b]) => a - b)
      .slice(0, MOST_CANDIDATES)
      .map(([code]) => ({ code, name: nameOf(code) }))
  }

  // The name of a people means its country, unless the whole word names something.
  const foldSought = (text: string): string => {
    const folded = foldName(text)
    if (codesOfName.has(folded)) return folded
    const country = foldName(text.trim().normalize("NFC").replace(PEOPLE, ""))
    return codesOfName.has(country) ? country : folded
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
    const begun = new Set(exact)
    if (folded.length >= 3) {
      for (const [name, named] of codesOfName) {
        if (name.startsWith(folded) || name.includes(` ${folded}`)) for (const one of named) begun.add(one)
      }
    }
    if (begun.size > 1) return { kind: "ambiguous", candidates: candidatesOf(begun) }
    const [single] = begun
    if (single !== undefined) return { kind: "unknown", candidates: candidatesOf([single]) }
    const byCode = /^[A-Z]{3}$/.test(trimmed) ? codes.filter(one => isNearCode(one, trimmed)) : []
    return { kind: "unknown", candidates: byCode.length > 0 ? candidatesOf(byCode) : listAlike(folded) }
  }
  const search = (text: string): readonly CountryCandidate[] => {
    const folded = foldSought(text)
    const ranks = new Map<string, number>()
    const rank = (code: string, place: number) => ranks.set(code, Math.min(place, ranks.get(code) ?? place))
    const code = text.trim().toUpperCase()
    const byCode = known.has(code) ? code : (SPOKEN_PAIRS.get(code) ?? codeOfPair.get(code))
    if (byCode !== undefined) rank(byCode, 0)
    if (folded.length >= 2) {
      for (const [name, named] of codesOfName) {
        const place = name === folded ? 0 : name.startsWith(folded) ? 1 : name.includes(` ${folded}`) ? 2 : 3
        if (place === 3 && (folded.length < 3 || !name.includes(folded))) continue
        for (const one of named) rank(one, place)
      }
    }
    if (ranks.size === 0) return listAlike(folded)
    return [...ranks]
      .map(([one, place]) => ({ code: one, name: nameOf(one), place }))
      .sort((a, b) => a.place - b.place || (a.name < b.name ? -1 : 1))
      .map(({ code: one, name }) => ({ code: one, name }))
  }
  return { codes, find, search, nameOf }
}
