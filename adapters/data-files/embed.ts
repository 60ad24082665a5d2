/**
 * Compiles `data/` into the modules that the engine embeds: the pairs and their past; the facts, the missions, the history and two modules for each
 * language, which `landfall/full` loads, with one that loads these; the notices of the data's owners; and the words for finding countries. It
 * also collects the texts of mails and of the account page. It must run before anything that imports `src/index.ts`. The same files give the same
 * bytes, and an unchanged module is not written again.
 */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { compileFacts, LANGUAGES, layOutHistory, listMessages, splitEmbedded } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { writeWhereNew } from "../files/replace-file.ts"
import { readNotices } from "./data-notices.ts"
import { compileCityNames, compileFullFacts, compileHistory, compileMissions } from "./full-compile.ts"
import { readFullRecords } from "./full-read.ts"
import { listPast } from "./past-claims.ts"
import { nameFiles, toFacts } from "./read-facts.ts"
import { readPlaceWords } from "./write-place-words.ts"

const folder = "data"

function fail({ message }: { readonly message: string }): never {
  process.stderr.write(`The embedded data were not built.\n${message}\n`)
  process.exit(1)
}

const orFail = <Value>(read: Result.Result<Value, { readonly message: string }>): Value =>
  Result.isSuccess(read) ? read.success : fail(read.failure)

const records = orFail(readFullRecords(folder))
const compiled = compileFacts(toFacts(records))
if (!compiled.ok) fail(nameFiles(folder, compiled.error, records))
const opened = openParts(compiled.value)
if (!opened.ok) fail(opened.error)
const history = layOutHistory(listPast(records))
if (!history.ok) fail(nameFiles(folder, history.error))
const placeWords = orFail(readPlaceWords(folder, records.countries))

/** Writes a module, by its path without `.generated.ts`. */
const write = (target: string, from: string, ...lines: readonly string[]): void =>
  writeWhereNew(
    `${target}.generated.ts`,
    [`// Built from ${from} by adapters/data-files/embed.ts; not edited, not committed.`, ...lines, ""].join("\n"),
  )

/** Writes a module with a value of a type of another module (`Catalogue of ./localise.ts`), and perhaps further lines. */
function writeValue(target: string, typeOf: string, name: string, literal: string, ...more: readonly string[]): void {
  const [type = "", from] = typeOf.split(" of ")
  const imported = `import type { ${type.replace(/\[.*/, "")} } from "${from}"`
  write(target, "data/", imported, `export const ${name}: ${type} = ${literal}`, ...more)
}

const writeText = (target: string, from: string, name: string, text: string): void =>
  write(target, from, `export const ${name}: string = ${text}`)

/** Writes a value as a literal in ASCII: a runtime reads long texts of one byte a character about twice as fast. */
const toAscii = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** Writes thousands of small values: a runtime reads them from a text as JSON in two thirds of the time of a literal. */
const toNested = (value: unknown): string =>
  `JSON.parse('${toAscii(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}')`

// The pairs and their past.
const { pairs, places, rules, retrievedDays, remarks } = splitEmbedded(compiled.value)
const lists = "./embedded-lists.ts"
const days = `export const embeddedRetrievedDays: readonly (number | null)[] = ${JSON.stringify(retrievedDays)}`
for (const [file, type, name, value, ...more] of [
  ["embedded", 'EmbeddedPairs["header"]', "embeddedHeader", pairs.header],
  ["embedded-table", "EmbeddedColumns", "embeddedColumns", pairs.columns],
  ["embedded-places", "EmbeddedPlaces", "embeddedPlaces", places],
  ["embedded-rules", "EmbeddedLists", "embeddedRulesPart", rules, days],
  ["embedded-remarks", "EmbeddedRemarks", "embeddedRemarks", remarks],
] as const) {
  writeValue(`src/dataset/${file}`, `${type} of ${lists}`, name, JSON.stringify(value), ...more)
}
const past = JSON.stringify(Buffer.from(history.value).toString("latin1"))
writeText("src/history/embedded-history", "data/claims/", "embeddedHistoryText", past)

// What `landfall/full` loads.
writeValue("src/record/facts", "FullParts of ./full-facts.ts", "factParts", toNested(compileFullFacts(records)))
writeValue("src/record/missions", "MissionParts of ./full-facts.ts", "missionParts", toAscii(compileMissions(records)))
writeValue("src/record/history", "HistoryParts of ./full-facts.ts", "historyParts", toAscii(compileHistory(records)))
const keys = Object.keys(listMessages())
for (const language of LANGUAGES) {
  const texts: Readonly<Record<string, unknown>> = records.catalogues[language]
  const catalogue = toAscii(Object.fromEntries(keys.map(key => [key, texts[key]])))
  writeValue(`src/record/catalogue-${language}`, "Catalogue of ./localise.ts", "catalogue", catalogue)
  writeText(`src/record/cities-${language}`, "data/", "cities", toAscii(compileCityNames(records, language)))
}
// Says how each language is loaded, so that a bundler makes a chunk of each.
const load = (language: string) =>
  `() => Promise.all([import("./catalogue-${language}.generated.ts"), import("./cities-${language}.generated.ts")])`
write(
  "src/record/locale-modules",
  "the list of languages.ts",
  'import type { Language } from "./languages.ts"',
  'import type { Catalogue } from "./localise.ts"',
  "type LocaleModules = readonly [{ readonly catalogue: Catalogue }, { readonly cities: string }]",
  "export const LOCALE_MODULES: { readonly [Code in Language]: () => Promise<LocaleModules> } = {",
  ...LANGUAGES.map(language => `  ${language}: ${load(language)},`),
  "}",
)

// Who owns the data, and the words for countries.
const notices = readNotices(readFileSync(`${folder}/LICENSES.md`, "utf8"))
writeValue("adapters/data-files/notices", "Notices of ./data-notices.ts", "notices", JSON.stringify(notices))
write(
  "src/attributions",
  "data/LICENSES.md",
  `export const attributionLines: readonly string[] = ${JSON.stringify(notices.attributions)}`,
)
const words = JSON.stringify(placeWords)
writeValue("src/language/place-words", "PlaceWords of ./find-country.ts", "placeWords", words)
const english = new Intl.DisplayNames(["en"], { type: "region" })
const { countries } = records
write(
  "adapters/answers/country-words",
  "data/",
  "/** The three and the two letters of every country, run together. */",
  `export const countryLetters: string = "${countries.map(({ code, alpha2 }) => code + alpha2).join("")}"`,
  "/** Their English names in the same order, joined by bars, as the runtime of the build has them: asking a runtime for its first one takes 15 ms. */",
  `export const englishNames: string = ${JSON.stringify(countries.map(({ alpha2 }) => english.of(alpha2) ?? alpha2).join("|"))}`,
)

// Each of these modules imports the texts of its folder in every language.
for (const folder of ["adapters/mail", "adapters/http/routes/accounts/page"]) {
  write(
    `${folder}/catalogues`,
    "the list of languages.ts",
    ...LANGUAGES.map(language => `import ${language} from "./locales/${language}.json" with { type: "json" }`),
    `export const catalogues = { ${LANGUAGES.join(", ")} }`,
  )
}
