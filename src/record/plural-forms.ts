/**
 * Which plural form of a sentence does a number need?
 *
 * The runtime's own `Intl.PluralRules` decides. Some runtimes do not have it (Hermes, on phones); there the rules of CLDR for cardinal
 * whole numbers, restated for the fifteen languages, give the same answers, and a number that is not whole takes the form `other`. A test
 * checks that both are equal.
 */
import type { Language } from "./languages.ts"

/** The plural categories of CLDR. */
export type PluralForm = "zero" | "one" | "two" | "few" | "many" | "other"

type PluralRule = (count: number) => PluralForm

const never: PluralRule = () => "other"
const onlyOne: PluralRule = count => (count === 1 ? "one" : "other")
const isMillions = (count: number): boolean => count !== 0 && count % 1_000_000 === 0
const oneOrMillions: PluralRule = count => (count === 1 ? "one" : isMillions(count) ? "many" : "other")
const upToOneOrMillions: PluralRule = count => (count <= 1 ? "one" : isMillions(count) ? "many" : "other")

function russian(count: number): PluralForm {
  const units = count % 10
  const isTeen = count % 100 >= 11 && count % 100 <= 14
  if (units === 1 && !isTeen) return "one"
  return units >= 2 && units <= 4 && !isTeen ? "few" : "many"
}

function arabic(count: number): PluralForm {
  if (count <= 2) return (["zero", "one", "two"] as const)[count] ?? "other"
  const lastTwo = count % 100
  if (lastTwo >= 3 && lastTwo <= 10) return "few"
  return lastTwo >= 11 ? "many" : "other"
}

// Languages that are not in the table only distinguish one from all others.
const RULES: { readonly [Code in Language]?: PluralRule } = {
  fr: upToOneOrMillions,
  es: oneOrMillions,
  pt: upToOneOrMillions,
  it: oneOrMillions,
  ja: never,
  ko: never,
  zh: never,
  ru: russian,
  ar: arabic,
  hi: count => (count <= 1 ? "one" : "other"),
  th: never,
  vi: never,
  // 4, 6 and 9 are recognised by their last digit.
  tl: count => ([4, 6, 9].includes(count % 10) ? "other" : "one"),
}

/** The rule without the runtime: the category of a whole number by CLDR. */
export function choosePluralForm(language: Language, count: number): PluralForm {
  return Number.isInteger(count) ? (RULES[language] ?? onlyOne)(Math.abs(count)) : "other"
}

/** Makes the rule of a language, the runtime's own where it has one. Cannot fail. */
export function openPluralForms(language: Language): PluralRule {
  if (typeof Intl === "undefined" || Intl.PluralRules === undefined) return count => choosePluralForm(language, count)
  const rules = new Intl.PluralRules(language)
  return count => rules.select(count)
}
