/** Mistakes in the rules of borders are named by their place and field, before anything is compiled. */
import { describe, expect, it } from "vitest"
import { compileFacts, type ProvisionFact } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { smallFacts } from "./small-facts.ts"

type BorderRule = ProvisionFact<"borderRules">
const rule = (terms: object, changes: Partial<BorderRule> = {}): BorderRule => ({
  ...(terms as BorderRule),
  confidence: "high",
  destinations: ["AAA"],
  source: null,
  sourceUrl: null,
  verifiedOn: null,
  ...changes,
})
const linesOf = (borderRules: readonly BorderRule[]) => {
  const compiled = compileFacts(smallFacts({ borderRules }))
  if (compiled.ok) return []
  return compiled.error.issues.map(({ tag, record, field, message }) => `${tag} ${record} ${field}: ${message}`)
}

describe("rules of borders", () => {
  it.each([
    [
      "a kind that does not exist",
      { kind: "wall" },
      /^ImpossibleRule border-rules \[0\]\.kind: "wall" is not one of open_border/,
    ],
    ["no neighbours", { kind: "open_border" }, /\[0\]\.neighbours: It is missing/],
    ["neighbours that are none", { kind: "open_border", neighbours: ["QQQ"] }, /UnknownCode .*\[0\]\.neighbours\[0\]/],
    ["citizens of nowhere", { kind: "own_passport", citizensOf: "QQQ" }, /UnknownCode .*\[0\]\.citizens_of/],
    ["a bar that bars nobody", { kind: "bar" }, /\[0\]\.present: It is missing/],
    ["presence without a day", { kind: "bar", present: ["BBB"] }, /\[0\]\.since: Presence is given with the day/],
    ["a day without presence", { kind: "bar", nationals: ["BBB"], since: "2011-03-01" }, /\[0\]\.since/],
    [
      "a parameter of another kind",
      { kind: "open_border", neighbours: ["BBB"], since: "2011-03-01" },
      /\[0\]\.since: A rule of kind open_border has no such field/,
    ],
  ])("are refused with %s", (_, terms, line) => {
    expect(linesOf([rule(terms)])).toEqual([expect.stringMatching(line)])
  })

  it("are refused if a bar names passports, or if a destination does not exist", () => {
    const bar = { kind: "bar", nationals: ["BBB"] }
    expect(linesOf([rule(bar, { passports: ["AAA"] })])).toEqual([expect.stringMatching(/A bar names no passports/)])
    expect(linesOf([rule(bar, { destinations: ["QQQ"] })])).toEqual([
      expect.stringMatching(/UnknownCode .*destinations\[0\]/),
    ])
  })

  it("are read from a dataset as they were written; a file with malformed rules is refused", () => {
    const compiled = compileFacts(smallFacts({ borderRules: [rule({ kind: "bar", nationals: ["BBB"] })] }))
    if (!compiled.ok) throw new Error(compiled.error.message)
    const { terms } = compiled.value
    expect(openParts(compiled.value).ok).toBe(true)
    const { fields, rows } = terms!.lists.borderRules!
    const broken = { fields, rows: [(rows[0] as readonly unknown[]).with(0, "wall")] }
    const opened = openParts({ ...compiled.value, terms: { ...terms!, lists: { borderRules: broken } } })
    expect(opened.ok ? "" : opened.error.message).toBe(
      "The dataset contradicts itself: its borderRules have another shape.",
    )
  })
})
