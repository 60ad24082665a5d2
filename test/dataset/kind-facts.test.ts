/** Mistakes in the rules for kinds of passports are named by their place and field, before anything is compiled. */
import { describe, expect, it } from "vitest"
import { compileFacts, type ProvisionFact } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { smallFacts } from "./small-facts.ts"

const rule = (changes: object = {}): ProvisionFact<"kindRules"> => ({
  kinds: ["diplomatic"],
  requirement: "visa_free",
  days: 30,
  confidence: "high",
  destinations: ["AAA"],
  source: null,
  sourceUrl: null,
  verifiedOn: null,
  ...changes,
})
const linesOf = (...kindRules: readonly ProvisionFact<"kindRules">[]) => {
  const compiled = compileFacts(smallFacts({ kindRules }))
  if (compiled.ok) return []
  return compiled.error.issues.map(({ tag, record, field, message }) => `${tag} ${record} ${field}: ${message}`)
}

describe("rules for kinds of passports", () => {
  it.each([
    ["no kind", { kinds: [] }, /^ImpossibleRule passport-kinds \[0\]\.kinds: At least one kind is expected/],
    [
      "a kind that does not exist",
      { kinds: ["pilot"] },
      /\[0\]\.kinds\[0\]: "pilot" is not one of ordinary, diplomatic/,
    ],
    ["a kind twice", { kinds: ["alien", "alien"] }, /DuplicateRule .*\[0\]\.kinds\[1\]: alien is given twice/],
    ["ordinary passports", { kinds: ["ordinary"], passports: ["AAA"] }, /\[0\]\.passports: .*British nationals only/],
    ["ordinary passports of everybody", { kinds: ["ordinary"] }, /\[0\]\.passports: .*British nationals only/],
    ["a passport that does not exist", { passports: ["GBX"] }, /UnknownCode .*\[0\]\.passports\[0\]/],
    ["freedom of movement for some days", { basis: "freedom_of_movement" }, /\[0\]\.basis: .*has no days/],
    ["a requirement that does not exist", { requirement: "maybe" }, /\[0\]\.requirement/],
    ["days that nobody can stay", { days: 0 }, /\[0\]\.days/],
    ["a destination that does not exist", { destinations: ["QQQ"] }, /UnknownCode .*\[0\]\.destinations\[0\]/],
  ])("are refused with %s", (_, changes, line) => {
    expect(linesOf(rule(changes))).toEqual([expect.stringMatching(line)])
  })

  it("are refused only if two of the same rank are about the same document and day", () => {
    const disagree = /^RulesDisagree passport-kinds \[1\]\.kinds: For AAA from 1900-01-01 on, \[0\] has a rule/
    expect(linesOf(rule(), rule({ days: 90 }))).toEqual([expect.stringMatching(disagree)])
    expect(linesOf(rule(), rule({ kinds: ["service"] }))).toEqual([])
    expect(linesOf(rule(), rule({ passports: ["AAA"] }))).toEqual([])
    expect(linesOf(rule(), rule({ destinations: ["BBB"] }))).toEqual([])
    expect(linesOf(rule({ until: "2030-01-01" }), rule({ from: "2030-01-01" }))).toEqual([])
    expect(linesOf(rule({ requirements: ["eta"] }), rule({ requirements: ["visa_required"] }))).toEqual([])
    expect(linesOf(rule({ requirements: ["eta"] }), rule())).toHaveLength(1)
  })

  it("are read from a dataset as they were written; a file with malformed rules is refused", () => {
    const classes = rule({ kinds: ["ordinary"], passports: ["GBN", "GBD"], requirements: undefined })
    const compiled = compileFacts(smallFacts({ kindRules: [rule({ requirements: ["eta"] }), classes] }))
    if (!compiled.ok) throw new Error(compiled.error.message)
    const { terms } = compiled.value
    expect(openParts(compiled.value).ok).toBe(true)
    const { fields, rows } = terms!.lists.kindRules!
    const [row] = rows
    for (const [field, value] of [
      ["kinds", ["pilot"]],
      ["requirement", "maybe"],
      ["residents", 2],
      ["destinations:codes", "AA"],
    ] as const) {
      const broken = { fields, rows: [(row as readonly unknown[]).with(fields.split(" ").indexOf(field), value)] }
      const lists = { ...terms!.lists, kindRules: broken }
      const opened = openParts({ ...compiled.value, terms: { ...terms!, lists } })
      expect(opened.ok ? "" : opened.error.message).toBe(
        "The dataset contradicts itself: its kindRules have another shape.",
      )
    }
    const plain = compileFacts(smallFacts())
    expect(plain.ok && "kindRules" in plain.value.terms!.lists).toBe(false)
  })
})
