/** Records are written from shared pieces; the text must not differ. */
import fc from "fast-check"
import { assert, beforeAll, describe, it } from "vitest"
import { describeMeta } from "../../adapters/answers/answer-outcome.ts"
import { describeBulk, weighBulk, writeBulk } from "../../adapters/answers/bulk.ts"
import { gateFullRecord, writeRecord } from "../../adapters/answers/pair.ts"
import { writeSharedList, writeSharedRecord } from "../../adapters/answers/shared-json.ts"
import { type Language, type LocalisedFacts, loadLocalisedFacts, PLANS } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"

const dataset = embeddedDataset()
const LANGUAGES: readonly Language[] = ["en", "ar", "ja"]
const localisedFacts = new Map<Language, LocalisedFacts>()
beforeAll(async () => {
  for (const language of LANGUAGES) localisedFacts.set(language, await loadLocalisedFacts(dataset, language))
})

const question = fc.record({
  passport: fc.constantFrom(...dataset.passports),
  destination: fc.constantFrom(...dataset.destinations),
  plan: fc.constantFrom(...PLANS),
  localised: fc.constantFrom(...LANGUAGES).map(language => localisedFacts.get(language) as LocalisedFacts),
})

/** A value of which any part may be frozen. */
const partlyFrozen = fc.letrec<{ value: unknown; leaf: unknown; list: unknown[]; record: object }>(tie => ({
  leaf: fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constantFrom(null, undefined)),
  list: fc.tuple(fc.boolean(), fc.array(tie("value"), { maxLength: 4 })).map(([f, list]) => (f ? freeze(list) : list)),
  record: fc
    .tuple(fc.boolean(), fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }))
    .map(([f, record]) => (f ? freeze(record) : record)),
  value: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("list"), tie("record")),
}))

/** Freezes a value deeply, like every shared value of the engine. */
function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}

describe("a text that is joined from shared pieces", () => {
  it("is the text that JSON.stringify makes of any value, the first time and later", () => {
    fc.assert(
      fc.property(partlyFrozen.record, partlyFrozen.list, (record, list) => {
        for (let time = 0; time < 2; time++) {
          assert.strictEqual(writeSharedRecord(record), JSON.stringify(record))
          assert.strictEqual(writeSharedList(list), JSON.stringify(list))
        }
      }),
    )
  })

  it("follows changes of values that are not frozen", () => {
    const notes = ["one"]
    const record = { notes }
    assert.strictEqual(writeSharedRecord(record), '{"notes":["one"]}')
    notes.push("two")
    assert.strictEqual(writeSharedRecord(record), '{"notes":["one","two"]}')
  })
})

describe("a record that is sent", () => {
  it("is the record of its plan and language", () => {
    fc.assert(
      fc.property(question, ({ localised, plan, ...pair }) => {
        const reader = { plan, upgradeUrl: "https://visa.example/pricing" }
        const data = gateFullRecord(localised, pair, reader)
        const written = writeRecord(localised, pair, reader)
        assert.strictEqual(written.kind, data === null ? "no_record" : "found")
        if (written.kind !== "found") return
        assert.strictEqual(
          written.body,
          JSON.stringify({ data, meta: describeMeta(dataset, localised.locale.language) }),
        )
      }),
      { numRuns: 150 },
    )
  })

  it("is the same in a list of many", () => {
    const units = { withDestinations: "pair", withoutDestinations: "call" } as const
    const fields = fc.constantFrom("all", "core", undefined)
    const destinations = fc.uniqueArray(fc.constantFrom(...dataset.destinations), { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(question, destinations, fields, ({ localised, plan, passport }, destinations, fields) => {
        const weighed = weighBulk(dataset, { passport, destinations, fields }, units)
        const reader = { plan, upgradeUrl: "https://visa.example/pricing" }
        const described = describeBulk(localised, weighed, reader)
        const written = writeBulk(localised, weighed, reader)
        assert.strictEqual(written.kind, described.kind)
        if (written.kind === "found" && described.kind === "found") {
          assert.strictEqual([...written.body].join(""), JSON.stringify(described.body))
        }
      }),
      { numRuns: 60 },
    )
  })
})
