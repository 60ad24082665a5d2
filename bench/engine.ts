/**
 * `npm run bench`: the engine against its peers, in one run, on what `npm run build` made.
 */

import { Result } from "effect"
import { openDataset } from "landfall"
import { compileFacts, encodeDataset } from "landfall/compiler"
import { readDataRecords, toFacts } from "../adapters/knowledge/data/read-facts.ts"
import { diffCases } from "./changes.ts"
import { describeSize, measureBundle, measureColdOpen, measureEmbedded } from "./footprint.ts"
import { groupCases } from "./group.ts"
import { decideCases, richDecideCases, zoneCases } from "./itinerary.ts"
import { byCodes, byIndices } from "./lookup.ts"
import { type Case, compareCases, consumed, describeComparison, describeRun } from "./measure.ts"
import { scoreCases } from "./mobility.ts"
import { signCases, verifyCases } from "./signing.ts"

const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
const compiled = compileFacts(facts)
if (!compiled.ok) throw new Error(compiled.error.message)
const file = encodeDataset(compiled.value)

const print = (title: string, lines: readonly string[]) => console.log(`\n${title}\n${lines.join("\n")}`)
const compare = (title: string, cases: readonly Case[], options?: { rounds?: number; roundMs?: number }) =>
  print(title, describeComparison(compareCases(cases, options)))

console.log(describeRun(`${facts.version}, ${file.length} bytes`).join("\n"))
compare("Lookup by codes", byCodes)
compare("Lookup by indices", byIndices)
compare("Open a dataset file (warm)", [
  {
    name: "openDataset(bytes)",
    run: count => {
      let sum = 0
      for (let i = 0; i < count; i++) {
        const opened = openDataset(file)
        if (opened.ok) sum += opened.value.pairs.length
      }
      return sum
    },
    validate: () => String(openDataset(file).ok),
  },
])
compare("A group of ten passports over every destination", groupCases)
compare("A decision of twelve stops and twelve transit countries", decideCases)
compare("A decision of twelve stops with all that a traveller may have", richDecideCases)
compare("The first day over Schengen's allowance", zoneCases)
compare("Mobility scores of all passports", scoreCases(file))
compare("The difference of two datasets", diffCases)
compare("Verify a delivery of 2 KB", verifyCases)
compare("Sign a delivery of 2 KB", signCases)
const cold = measureColdOpen()
print("First use in a fresh process", [
  `  open the embedded dataset   ${cold.openMs.toFixed(2)} ms`,
  `  memory kept for it          ${(cold.heapBytes / 1024).toFixed(0)} KB of heap and buffers, ${(cold.residentBytes / 1024).toFixed(0)} KB resident`,
])
// What a page loads for each part by itself: parts share code, so that the sum is more than the whole.
const PARTS: Readonly<Record<string, string>> = {
  "lookup, openDataset": "lookupRequirement, openDataset",
  group: "intersectGroup, chooseBestPassports, listEntrants",
  "itinerary: decide": "decide",
  "itinerary: remedies, several travellers": "decideWithRemedies, decideGroup",
  "itinerary: stay days":
    "countStayDays, findEarliestEntry, findFirstBreachDay, findLastLegalDay, findLongestStay, measureBreach",
  mobility: "scorePassport, rankPassports, comparePassports",
  changes: "diffDatasets, listScheduledChanges",
  signing: "signDelivery, verifyDelivery",
}
const parts = []
for (const [name, names] of Object.entries(PARTS)) {
  parts.push(await measureBundle(`  ${name}`, `export { ${names} } from "./src/engine.ts"`))
}
print("Bytes, minified", [
  ...(await measureEmbedded()).map(describeSize),
  describeSize(await measureBundle("import { lookup } from landfall", 'export { lookup } from "./src/index.ts"')),
  describeSize(await measureBundle("the engine, everything, without data", 'export * from "./src/engine.ts"')),
  ...parts.map(describeSize),
  describeSize(await measureBundle("everything of landfall, with data", 'export * from "./src/index.ts"')),
])
console.log(`\n(${consumed() % 1000})`)
