/**
 * Compiles `data/` into the module that the core embeds. Run before anything that imports `src/index.ts`; the same facts give
 * the same bytes, and an unchanged module is not written again.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Result } from "effect"
import { compileFacts, encodeEmbedded } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { nameFiles, readDataRecords, toFacts } from "./read-facts.ts"

const folder = "data"
const target = "src/dataset/embedded.generated.ts"

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

const text = [
  "// Built from data/ by adapters/data/embed.ts; not edited, not committed.",
  'import type { EmbeddedDataset } from "./format.ts"',
  `export const embedded: EmbeddedDataset = ${JSON.stringify(encodeEmbedded(compiled.value))}`,
  "",
].join("\n")
if (!existsSync(target) || readFileSync(target, "utf8") !== text) writeFileSync(target, text)
