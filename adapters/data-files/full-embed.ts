/**
 * Compiles the extended facts and the catalogues into the modules that `landfall/full` loads: the facts, the missions, the history, two
 * modules for each language, and one that loads these. It also collects the texts of mails and of the account page. The same files give the
 * same bytes, and an unchanged module is not written again.
 */
import { join } from "node:path"
import { Result } from "effect"
import { LANGUAGES, listMessages } from "../../src/compiler.ts"
import type { DataError } from "../files/data-error.ts"
import { writeWhereNew } from "../files/replace-file.ts"
import { compileCityNames, compileFullFacts, compileHistory, compileMissions } from "./full-compile.ts"
import { type FullRecords, readFullRecords } from "./full-read.ts"

/** One generated module: its file name and text. */
export interface GeneratedModule {
  readonly file: string
  readonly text: string
}

interface ModuleContent {
  readonly file: string
  /** The type of the value and its module; a plain text has none. */
  readonly type?: string
  readonly from?: string
  readonly name: string
  readonly value: unknown
  /** True for thousands of small values: a runtime reads them from a text as JSON in two thirds of the time of a literal. */
  readonly isNested?: boolean
}

// A literal in ASCII: a runtime reads long texts of one byte a character about twice as fast.
function writeModule({ file, type, from, name, value, isNested = false }: ModuleContent): GeneratedModule {
  const ascii = toAscii(value)
  const literal = isNested ? `JSON.parse('${ascii.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}')` : ascii
  const text = [
    "// Built from data/ by adapters/data-files/full-embed.ts; not edited, not committed.",
    ...(type === undefined ? [] : [`import type { ${type} } from "${from}"`]),
    `export const ${name}: ${type ?? "string"} = ${literal}`,
    "",
  ].join("\n")
  return { file, text }
}

function toAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** Writes the module that says how each language is loaded, so that a bundler makes a chunk of each. */
function writeLocaleModules(): GeneratedModule {
  const load = (language: string) =>
    `() => Promise.all([import("./catalogue-${language}.generated.ts"), import("./cities-${language}.generated.ts")])`
  const text = [
    "// Built from the list of languages.ts by adapters/data-files/full-embed.ts; not edited, not committed.",
    'import type { Language } from "./languages.ts"',
    'import type { Catalogue } from "./localise.ts"',
    "type LocaleModules = readonly [{ readonly catalogue: Catalogue }, { readonly cities: string }]",
    "export const LOCALE_MODULES: { readonly [Code in Language]: () => Promise<LocaleModules> } = {",
    ...LANGUAGES.map(language => `  ${language}: ${load(language)},`),
    "}",
    "",
  ].join("\n")
  return { file: "locale-modules.generated.ts", text }
}

/** Writes the modules of the full dataset as texts. */
export function buildFullModules(records: FullRecords): readonly GeneratedModule[] {
  const catalogues = LANGUAGES.map(language => {
    const texts = records.catalogues[language]
    const value = Object.fromEntries(Object.keys(listMessages()).map(key => [key, texts[key as keyof typeof texts]]))
    const file = `catalogue-${language}.generated.ts`
    return writeModule({ file, type: "Catalogue", from: "./localise.ts", name: "catalogue", value })
  })
  const cities = LANGUAGES.map(language =>
    writeModule({
      file: `cities-${language}.generated.ts`,
      name: "cities",
      value: compileCityNames(records, language),
    }),
  )
  return [
    writeModule({
      file: "facts.generated.ts",
      type: "FullParts",
      from: "./full-facts.ts",
      name: "factParts",
      value: compileFullFacts(records),
      isNested: true,
    }),
    writeModule({
      file: "missions.generated.ts",
      type: "MissionParts",
      from: "./missions.ts",
      name: "missionParts",
      value: compileMissions(records),
    }),
    writeModule({
      file: "history.generated.ts",
      type: "HistoryParts",
      from: "./history.ts",
      name: "historyParts",
      value: compileHistory(records),
    }),
    ...catalogues,
    ...cities,
    writeLocaleModules(),
  ]
}

/** Compiles a data folder into the modules of a source folder; fails with every mistake in the files. */
export function embedFull(folder: string, target: string): Result.Result<readonly GeneratedModule[], DataError> {
  return Result.map(readFullRecords(folder), records => {
    const modules = buildFullModules(records)
    for (const { file, text } of modules) writeWhereNew(join(target, file), text)
    return modules
  })
}

/** Writes the module that imports the texts of its folder in every language. */
function writeTextCatalogues(): string {
  return [
    "// Built from the list of languages.ts by adapters/data-files/full-embed.ts; not edited, not committed.",
    ...LANGUAGES.map(language => `import ${language} from "./locales/${language}.json" with { type: "json" }`),
    `export const catalogues = { ${LANGUAGES.join(", ")} }`,
    "",
  ].join("\n")
}

if (import.meta.main) {
  const embedded = embedFull("data", "src/record")
  if (Result.isFailure(embedded)) {
    process.stderr.write(`The full dataset was not built.\n${embedded.failure.message}\n`)
    process.exitCode = 1
  }
  for (const folder of ["adapters/mail", "adapters/http/routes/accounts/page"])
    writeWhereNew(join(folder, "catalogues.generated.ts"), writeTextCatalogues())
}
