/** The dataset as the imported table has it: what people reviewed since is left out, so that a correction changes no test. */
import { Result } from "effect"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { compileFacts, type Facts } from "../../src/compiler.ts"
import { type Dataset, openParts } from "../../src/index.ts"

/** The facts of `data/` without reviewed rules. */
const importedFacts = (): Facts => {
  const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
  return { ...facts, policies: facts.policies.map(policy => ({ ...policy, reviewed: [] })), waivers: [] }
}

/** They compiled and opened. */
export const importedDataset = (): Dataset => {
  const compiled = compileFacts(importedFacts())
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
