import { expect, it } from "vitest"
import { findPair, layOutCheck } from "../../adapters/cli/check-commands.ts"
import { embeddedDataset } from "../../src/index.ts"

const check = async (daysLater: number) => {
  const dataset = embeddedDataset()
  const nowMs = Date.parse(dataset.asOf) + daysLater * 86_400_000
  const asked = { passport: "DEU", destination: "KEN", options: { on: "2027-11-21" }, language: null, nowMs }
  const pair = findPair(dataset, asked)
  if (pair.kind !== "found") throw new Error(pair.message)
  return layOutCheck(dataset, pair, asked)
}

it("landfall check shows the days since the last check of an answer, and warns of a dataset older than 90 days", async () => {
  expect(await check(90)).not.toContain("warning")
  expect(await check(90)).toMatch(/stale: nobody has looked for \d+ days; check it before you travel/)
  expect(await check(91)).toContain("is 91 days old. `landfall dataset fetch` brings a newer one.")
})
