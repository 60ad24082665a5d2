/** `npm run bench -- engine`: compares the engine with its peers, in one run, on the output of `npm run build`. */

import { createHmac, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { Result } from "effect"
import {
  type Dataset,
  diffDatasets,
  embeddedDataset,
  openDataset,
  rankPassports,
  signDelivery,
  verifyDelivery,
} from "landfall"
import { compileFacts, encodeDataset } from "landfall/compiler"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { readDataRecords, toFacts } from "../adapters/data-files/read-facts.ts"
import {
  describeSize,
  measureBundle,
  measureColdOpen,
  measureEmbedded,
  measureImports,
  SIZED_IMPORTS,
} from "./bundles.ts"
import { decideCases, richDecideCases, zoneCases } from "./itinerary.ts"
import { byCodes, byIndices, groupCases, nestRows } from "./lookup.ts"
import { type Case, compare, consumed, describeRun, print, repeat, SECRET, takeValue } from "./measure.ts"

const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
const file = encodeDataset(takeValue(compileFacts(facts)))

const open = (bytes: Uint8Array): Dataset => takeValue(openDataset(bytes))

// All 199 scores. With a dataset that was just opened, no cached table of an earlier run helps.
const kept = open(file)
const rankAll = (dataset: Dataset) => {
  const ranking = rankPassports(dataset)
  return ranking.ok ? ranking.value.passports : []
}
const scoring = (name: string, dataset: () => Dataset): Case => ({
  name,
  run: repeat([0], () => rankAll(dataset())[0]?.score ?? 0),
  validate: () => JSON.stringify(rankAll(dataset())),
})

// The difference of two datasets thirteen months apart, compared with a comparison of nested objects.
const before = open(new Uint8Array(readFileSync("test/fixtures/passport-index-2025-01-12.landfall")))
const after = embeddedDataset()
const [older, newer] = [nestRows(before), nestRows(after)]

function diffNested(): string[] {
  const changes: string[] = []
  for (const [passport, row] of Object.entries(newer)) {
    for (const [destination, current] of Object.entries(row)) {
      const previous = older[passport]?.[destination]
      if (previous === undefined) continue
      if (previous.requirement !== current.requirement || previous.days !== current.days) {
        changes.push(passport + destination)
      }
    }
  }
  return changes
}

const diff = () => diffDatasets(before, after, { fields: ["requirement", "days"] })
const diffCases: readonly Case[] = [
  {
    name: "landfall diffDatasets",
    run: repeat([0], () => diff().length),
    validate: () => JSON.stringify(diff().map(({ passport, destination }) => passport + destination)),
  },
  {
    name: "nested objects, codes only",
    run: repeat([0], () => diffNested().length),
    validate: () => JSON.stringify(diffNested()),
  },
]

// Signing and verifying a delivery of 2 KB. Ours is synchronous JavaScript that runs anywhere; the native ones are expected to be faster.
const secret = `whsec_${SECRET}`
const id = "evt_1"
const body = JSON.stringify({ id, type: "visa.policy_changed", data: "x".repeat(2000) })
const nowSeconds = Math.floor(Date.now() / 1000)
const headers: Record<string, string> = {
  ...takeValue(signDelivery({ id, timestampSeconds: nowSeconds, body, secrets: [secret] })),
}
const standard = new Webhook(secret)
const stripe = new Stripe("sk_test_unused")
const svcHeader = headers["svc-signature"] as string

const verifying = (name: string, once: () => boolean): Case => ({
  name,
  run: repeat([0], () => (once() ? 1 : 0)),
  validate: () => String(once()),
})

const hmac = (text: string) => createHmac("sha256", secret).update(text).digest("hex")

const verifyCases: readonly Case[] = [
  verifying("landfall verifyDelivery", () => verifyDelivery({ headers, body, secrets: [secret], nowSeconds }).ok),
  verifying("standardwebhooks verify", () => standard.verify(body, headers) !== null),
  verifying(
    "stripe constructEvent (native HMAC, parses the body)",
    () => stripe.webhooks.constructEvent(body, svcHeader, secret) !== null,
  ),
  verifying("node:crypto by hand", () => {
    const [, v1 = ""] = svcHeader.split(",v1=")
    return timingSafeEqual(Buffer.from(hmac(`${nowSeconds}.${body}`), "hex"), Buffer.from(v1, "hex"))
  }),
]

// Ours makes three signatures in one call, so the peers make the same three.
const signCases: readonly Case[] = [
  {
    name: "landfall signDelivery, all three schemes",
    run: repeat([0], () => (signDelivery({ id, timestampSeconds: nowSeconds, body, secrets: [secret] }).ok ? 1 : 0)),
    validate: () =>
      JSON.stringify([headers["svc-signature"], headers["svc-body-signature"], headers["webhook-signature"]]),
  },
  ((): Case => {
    const key = Buffer.from(secret.slice(6), "base64")
    const sign = () => [
      `t=${nowSeconds},v1=${hmac(`${nowSeconds}.${body}`)}`,
      `sha256=${hmac(body)}`,
      `v1,${createHmac("sha256", key).update(`${id}.${nowSeconds}.${body}`).digest("base64")}`,
    ]
    return {
      name: "node:crypto by hand, the same three",
      run: repeat([0], () => sign().length),
      validate: () => JSON.stringify(sign()),
    }
  })(),
]

console.log(describeRun(`${facts.version}, ${file.length} bytes`).join("\n"))
compare("Lookup by codes", byCodes)
compare("Lookup by indices", byIndices)
compare("Open a dataset file (warm)", [
  {
    name: "openDataset(bytes)",
    run: repeat([0], () => open(file).pairs.length),
    validate: () => String(openDataset(file).ok),
  },
])
compare("A group of ten passports over every destination", groupCases)
compare("A decision of twelve stops and twelve transit countries", decideCases)
compare("A decision of twelve stops with every field of a traveller", richDecideCases)
compare("The first day over Schengen's allowance", zoneCases)
compare("Mobility scores of all passports", [
  scoring("199 scores, asked again", () => kept),
  scoring("199 scores, dataset just opened (opening included)", () => open(file)),
])
compare("The difference of two datasets", diffCases)
compare("Verify a delivery of 2 KB", verifyCases)
compare("Sign a delivery of 2 KB", signCases)
const cold = measureColdOpen()
print("First use in a fresh process", [
  `  open the embedded dataset   ${cold.openMs.toFixed(2)} ms`,
  `  memory kept for it          ${(cold.heapBytes / 1024).toFixed(0)} KB of heap and buffers, ${(cold.residentBytes / 1024).toFixed(0)} KB resident`,
])
// What a page loads for each part alone. Parts share code, so the sum is more than the whole.
const PARTS: Readonly<Record<string, string>> = {
  "lookup, openDataset": "lookupRequirement, openDataset",
  group: "intersectGroup, chooseBestPassports, listEntrants",
  "itinerary: decide": "decide",
  "itinerary: remedies, several travellers": "decideWithRemedies, decideGroup",
  "itinerary: stay days": "countStayDays, findEarliestEntry, findLastLegalDay, findLongestStay, measureBreach",
  mobility: "scorePassport, rankPassports, comparePassports",
  changes: "diffDatasets, listScheduledChanges",
  signing: "signDelivery, verifyDelivery",
}
const parts = Object.entries(PARTS).map(([name, names]) =>
  measureBundle(`  ${name}`, `export { ${names} } from "./src/engine.ts"`),
)
print("Bytes, minified", [
  ...(await measureEmbedded()).map(describeSize),
  describeSize(await measureBundle("the engine, everything, without data", 'export * from "./src/engine.ts"')),
  ...(await Promise.all(parts)).map(describeSize),
  ...(await Promise.all(SIZED_IMPORTS.map(measureImports))).map(describeSize),
  describeSize(await measureBundle("everything of landfall, with data", 'export * from "./src/index.ts"')),
])
console.log(`\n(${consumed() % 1000})`)
