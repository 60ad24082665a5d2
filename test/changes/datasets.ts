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
  /** From when AAA needs a visa. */
  readonly visaFrom?: string
  /** What an e-visa of BBB costs at CCC, in dollars: with it the file has full facts, without it pairs only. */
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

/** Writes a small dataset into a folder; answers its path. */
export function writeWorld(folder: string, world: SmallWorld): string {
  const path = join(folder, `${world.version}.landfall`)
  writeFileSync(path, encodeWorld(world))
  return path
}
