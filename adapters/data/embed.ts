/**
 * Compiles `data/` into the modules that the core embeds: the pairs, and the rest; and the notices of whose data it is. Run before anything that imports `src/index.ts`; the same facts give
 * the same bytes, and an unchanged module is not written again.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Result } from "effect"
import { compileFacts, encodeEmbedded, splitEmbedded } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { readNotices } from "./notices.ts"
import { nameFiles, readDataRecords, toFacts } from "./read-facts.ts"

const folder = "data"

function fail(message: string): never {
  process.stderr.write(`The embedded dataset was not built.\n${message}\n`)
  process.exit(1)
}

const records = readDataRecords(folder)
if (Result.isFailure(records)) fail(records.failure.message)
const compiled = compileFacts(toFacts(records.success))
if (!compiled.ok) fail(nameFiles(folder, compiled.error).message)
const opened = openParts(compiled.value)
if (!opened.ok) fail(opened.error.message)

function write(target: string, from: string, type: string, name: string, value: unknown): void {
  const text = [
    "// Built from data/ by adapters/data/embed.ts; not edited, not committed.",
    `import type { ${type} } from "./${from}"`,
    `export const ${name}: ${type} = ${JSON.stringify(value)}`,
    "",
  ].join("\n")
  if (!existsSync(target) || readFileSync(target, "utf8") !== text) writeFileSync(target, text)
}

const { pairs, rest } = splitEmbedded(encodeEmbedded(compiled.value))
const form = "embedded-form.ts"
write("src/dataset/embedded.generated.ts", form, "EmbeddedPairs", "embeddedPairs", pairs)
write("src/dataset/embedded-rest.generated.ts", form, "EmbeddedRest", "embeddedRest", rest)

const notices = readNotices(readFileSync(`${folder}/LICENSES.md`, "utf8"))
write("adapters/data/notices.generated.ts", "notices.ts", "Notices", "notices", notices)
