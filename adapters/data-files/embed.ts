/**
 * Compiles `data/` into the modules that the core embeds: the pairs, and the rest; the notices of the data's owners; and the words for
 * finding countries. It must run before anything that imports `src/index.ts`. The same facts give the same bytes, and an unchanged module
 * is not written again.
 */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { compileFacts, layOutHistory, splitEmbedded } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { writeWhereNew } from "../files/replace-file.ts"
import { readNotices } from "./data-notices.ts"
import { listPast } from "./past-claims.ts"
import { nameFiles, readDataRecords, toFacts } from "./read-facts.ts"
import { readPlaceWords } from "./write-place-words.ts"

const folder = "data"

function fail(message: string): never {
  process.stderr.write(`The embedded dataset was not built.\n${message}\n`)
  process.exit(1)
}

const records = readDataRecords(folder)
if (Result.isFailure(records)) fail(records.failure.message)
const compiled = compileFacts(toFacts(records.success))
if (!compiled.ok) fail(nameFiles(folder, compiled.error, records.success).message)
const opened = openParts(compiled.value)
if (!opened.ok) fail(opened.error.message)

function write(target: string, from: string, type: string, name: string, value: unknown, more = ""): void {
  writeLines(target, [
    "// Built from data/ by adapters/data-files/embed.ts; not edited, not committed.",
    `import type { ${type.replace(/\[.*/, "")} } from "./${from}"`,
    `export const ${name}: ${type} = ${JSON.stringify(value)}`,
    more,
  ])
}

function writeLines(target: string, lines: readonly string[]): void {
  writeWhereNew(target, `${lines.join("\n")}\n`)
}

const { pairs, places, rules, retrievedDays, remarks } = splitEmbedded(compiled.value)
const form = "embedded-lists.ts"
write("src/dataset/embedded.generated.ts", form, 'EmbeddedPairs["header"]', "embeddedHeader", pairs.header)
write("src/dataset/embedded-table.generated.ts", form, "EmbeddedColumns", "embeddedColumns", pairs.columns)
write("src/dataset/embedded-places.generated.ts", form, "EmbeddedPlaces", "embeddedPlaces", places)
const days = `export const embeddedRetrievedDays: readonly (number | null)[] = ${JSON.stringify(retrievedDays)}`
write("src/dataset/embedded-rules.generated.ts", form, "EmbeddedLists", "embeddedRulesPart", rules, days)
write("src/dataset/embedded-remarks.generated.ts", form, "EmbeddedRemarks", "embeddedRemarks", remarks)

const history = layOutHistory(listPast(records.success))
if (!history.ok) fail(nameFiles(folder, history.error).message)
writeLines("src/history/embedded-history.generated.ts", [
  "// Built from data/claims/ by adapters/data-files/embed.ts; not edited, not committed.",
  `export const embeddedHistoryText: string = ${JSON.stringify(Buffer.from(history.value).toString("latin1"))}`,
])

const notices = readNotices(readFileSync(`${folder}/LICENSES.md`, "utf8"))
write("adapters/data-files/notices.generated.ts", "data-notices.ts", "Notices", "notices", notices)
writeLines("src/attributions.generated.ts", [
  "// Built from data/LICENSES.md by adapters/data-files/embed.ts; not edited, not committed.",
  `export const attributionLines: readonly string[] = ${JSON.stringify(notices.attributions)}`,
])

const placeWords = readPlaceWords(folder, records.success.countries)
if (Result.isFailure(placeWords)) fail(placeWords.failure.message)
write("src/language/place-words.generated.ts", "find-country.ts", "PlaceWords", "placeWords", placeWords.success)

const english = new Intl.DisplayNames(["en"], { type: "region" })
const { countries } = records.success
const constants = [
  [
    "The three and the two letters of every country, run together",
    "countryLetters",
    countries.map(({ code, alpha2 }) => code + alpha2).join(""),
  ],
  [
    "Their English names in the same order, joined by bars, as the runtime of the build has them: asking a runtime for its first one takes 15 ms",
    "englishNames",
    countries.map(({ alpha2 }) => english.of(alpha2) ?? alpha2).join("|"),
  ],
] as const
writeLines("adapters/answers/country-words.generated.ts", [
  "// Built from data/ by adapters/data-files/embed.ts; not edited, not committed.",
  ...constants.map(([what, name, value]) => `/** ${what}. */\nexport const ${name}: string = ${JSON.stringify(value)}`),
])
