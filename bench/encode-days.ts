/** A dataset of sixty real codes in which a given number of pairs have a given number of days: two of them with other days differ in just those pairs. */
import { compileFacts, encodeDataset } from "../src/compiler.ts"
import { embeddedDataset } from "../src/index.ts"
import { policy, rule, smallFacts } from "../test/dataset/small-facts.ts"
import { takeValue } from "./measure.ts"

/** Its codes, each a passport and a destination. */
export const CODES: readonly string[] = embeddedDataset().passports.slice(0, 60)

export function encodeDays(version: string, days: number, pairs: number): Uint8Array {
  let left = pairs
  const policies = CODES.map(destination => {
    const holders = CODES.filter(code => code !== destination).slice(0, left)
    left -= holders.length
    const rules = holders.length === 0 ? [] : [rule(holders, { requirement: "visa_free", days, source: "law" })]
    return policy(destination, { rules })
  })
  const facts = smallFacts({
    version,
    asOf: "2026-11-21",
    passports: CODES,
    destinations: CODES.map(code => ({ code, region: "Somewhere", gdpUsd: 5e9 })),
    blocs: [],
    policies,
  })
  return encodeDataset(takeValue(compileFacts(facts)))
}
