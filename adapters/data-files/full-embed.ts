/**
 * Compiles the extended facts and the catalogues into the modules that `landfall/full` loads: the facts, the missions, the history, two
 * modules for each language, and one that loads these. It also collects the texts of mails and of the account page. The same files give the
 * same bytes, and an unchanged module is not written again.
 */
import { join } from "node:path"
import { Result } from "effect"
import { LANGUAGES, listMessages } from "../../src/compiler.ts"
import { writeWhereNew } from "../files/replace-file.ts"
import { compileCityNames, compileFullFacts, compileHistory, compileMissions } from "./full-compile.ts"
import { type FullRecords, readFullRecords } from "./full-read.ts"

const FOLDER = "src/record"

const writeLines = (folder: string, file: string, lines: readonly string[]): void =>
  writeWhereNew(join(folder, `${file}.generated.ts`), [...lines, ""].join("\n"))

/** Writes a value as a literal in ASCII: a runtime reads long texts of one byte a character about twice as fast. */
const toAscii = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** Writes thousands of small values: a runtime reads them from a text as JSON in two thirds of the time of a literal. */
const toNested = (value: unknown): string =>
  `JSON.parse('${toAscii(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}')`

/** Writes a module with one value; a plain text has no type of its own (`Catalogue of ./localise.ts`). */
function writeModule(file: string, name: string, literal: string, typeOf = ""): void {
  const [type = "", from] = typeOf.split(" of ")
  writeLines(FOLDER, file, [
    "// Built from data/ by adapters/data-files/full-embed.ts; not edited, not committed.",
    ...(type === "" ? [] : [`import type { ${type} } from "${from}"`]),
    `export const ${name}: ${type || "string"} = ${literal}`,
  ])
}

const OF_LANGUAGES =
  "// Built from the list of languages.ts by adapters/data-files/full-embed.ts; not edited, not committed."

function writeModules(records: FullRecords): void {
  writeModule("facts", "factParts", toNested(compileFullFacts(records)), "FullParts of ./full-facts.ts")
  writeModule("missions", "missionParts", toAscii(compileMissions(records)), "MissionParts of ./missions.ts")
  writeModule("history", "historyParts", toAscii(compileHistory(records)), "HistoryParts of ./history.ts")
  for (const language of LANGUAGES) {
    const texts = records.catalogues[language]
    const value = Object.fromEntries(Object.keys(listMessages()).map(key => [key, texts[key as keyof typeof texts]]))
    writeModule(`catalogue-${language}`, "catalogue", toAscii(value), "Catalogue of ./localise.ts")
    writeModule(`cities-${language}`, "cities", toAscii(compileCityNames(records, language)))
  }
  // Says how each language is loaded, so that a bundler makes a chunk of each.
  const load = (language: string) =>
    `() => Promise.all([import("./catalogue-${language}.generated.ts"), import("./cities-${language}.generated.ts")])`
  writeLines(FOLDER, "locale-modules", [
    OF_LANGUAGES,
    'import type { Language } from "./languages.ts"',
    'import type { Catalogue } from "./localise.ts"',
    "type LocaleModules = readonly [{ readonly catalogue: Catalogue }, { readonly cities: string }]",
    "export const LOCALE_MODULES: { readonly [Code in Language]: () => Promise<LocaleModules> } = {",
    ...LANGUAGES.map(language => `  ${language}: ${load(language)},`),
    "}",
  ])
}

const records = readFullRecords("data")
if (Result.isSuccess(records)) writeModules(records.success)
else {
  process.stderr.write(`The full dataset was not built.\n${records.failure.message}\n`)
  process.exitCode = 1
}
// Each of these modules imports the texts of its folder in every language.
for (const folder of ["adapters/mail", "adapters/http/routes/accounts/page"])
  writeLines(folder, "catalogues", [
    OF_LANGUAGES,
    ...LANGUAGES.map(language => `import ${language} from "./locales/${language}.json" with { type: "json" }`),
    `export const catalogues = { ${LANGUAGES.join(", ")} }`,
  ])
