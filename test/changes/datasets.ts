/** Two datasets of one world: the later one has changed one pair, and announces another change. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import { encodeWhole, smallSection } from "../dataset/small-facts-section.ts"

/** What AAA needs at CCC, and what is announced for it. */
export interface SmallWorld {
  readonly version: string
  readonly asOf?: string
  readonly days: number
  /** The day from which AAA needs a visa. */
  readonly visaFrom?: string
  /** The price of an e-visa of BBB for CCC, in dollars. With it the file has full facts, without it pairs only. */
  readonly fee?: number
}

/** The bytes of a small dataset. */
export function encodeWorld({ version, asOf = "2026-06-01", days, visaFrom, fee }: SmallWorld): Uint8Array {
  const free = rule(["AAA"], { requirement: "visa_free", days, until: visaFrom ?? null })
  const visa = visaFrom === undefined ? [] : [rule(["AAA"], { requirement: "visa_required", from: visaFrom })]
  const online = rule(["BBB"], { requirement: "e_visa" })
  const policies = [policy("CCC", { rules: [free, ...visa, online] })]
  const compiled = compileFacts(smallFacts({ version, asOf, policies }))
  if (!compiled.ok) throw new Error(compiled.error.message)
  if (fee === undefined) return encodeDataset(compiled.value)
  const { facts, ...section } = smallSection(fee)
  return encodeWhole(compiled.value, { ...section, facts: { ...facts, version, asOf } })
}

const CODES = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF", "GGG", "HHH", "III", "JJJ"]

/** A dataset of a hundred pairs, of which a given number allow fewer days than before: AAA at BBB, at CCC, and so on. */
export function encodeHundred({
  version,
  asOf,
  changed,
  visaFrom,
}: Omit<SmallWorld, "days" | "fee"> & { readonly changed: number }): Uint8Array {
  const foreign = CODES.flatMap(passport => CODES.filter(code => code !== passport).map(code => passport + code))
  const lowered = new Set(foreign.slice(0, changed))
  const policies = CODES.map(code => {
    const others = CODES.filter(passport => passport !== code)
    const free = (passports: readonly string[], days: number) =>
      passports.length === 0 ? [] : [rule(passports, { requirement: "visa_free", days, until: visaFrom ?? null })]
    const visa = visaFrom === undefined ? [] : [rule(others, { requirement: "visa_required", from: visaFrom })]
    const [low, high] = [true, false].map(isLow => others.filter(passport => lowered.has(passport + code) === isLow))
    return policy(code, { rules: [...free(low!, 30), ...free(high!, 90), ...visa] })
  })
  const destinations = CODES.map(code => ({ code, region: null, gdpUsd: 1e9 }))
  const compiled = compileFacts(
    smallFacts({ version, asOf: asOf ?? "2026-06-01", passports: CODES, destinations, blocs: [], policies }),
  )
  if (!compiled.ok) throw new Error(compiled.error.message)
  return encodeDataset(compiled.value)
}

/** Writes a small dataset into a folder; returns its path. */
export function writeWorld(folder: string, world: SmallWorld): string {
  const path = join(folder, `${world.version}.landfall`)
  writeFileSync(path, encodeWorld(world))
  return path
}
