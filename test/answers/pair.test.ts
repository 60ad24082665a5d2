import fc from "fast-check"
import { assert, beforeAll, describe, it } from "vitest"
import { describeMeta, describeRecord, weighBulk, writeBulk } from "../../adapters/answers/visa-answers.ts"
import { type Language, type LocalisedFacts, loadLocalisedFacts, PLANS } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { PRO_FIELDS, STARTER_FIELDS } from "../../src/record/field-rows.ts"

const dataset = embeddedDataset()
const LANGUAGES: readonly Language[] = ["en", "ar", "ja"]
const localisedFacts = new Map<Language, LocalisedFacts>()
beforeAll(async () => {
  for (const language of LANGUAGES) localisedFacts.set(language, await loadLocalisedFacts(dataset, language))
})

type Fields = Readonly<Record<string, unknown>> & { readonly sources?: readonly { readonly fields: string[] }[] }
const EXTENDED = [...STARTER_FIELDS, ...PRO_FIELDS]

/** The core fields of a record, in the slow way. */
function pickCore(record: Fields): Fields {
  const core = { ...record }
  for (const name of EXTENDED) delete (core as Record<string, unknown>)[name]
  const cited = record.sources?.map(source => ({
    ...source,
    fields: source.fields.filter(name => !(EXTENDED as readonly string[]).includes(name)),
  }))
  return cited === undefined ? core : { ...core, sources: cited.filter(source => source.fields.length > 0) }
}

describe("the records of one passport", () => {
  it("are the single records of the plan and the language, all of them or their core, with what is missing", () => {
    const units = { withDestinations: "pair", withoutDestinations: "call" } as const
    const question = fc.record({
      passport: fc.constantFrom(...dataset.passports),
      destinations: fc.uniqueArray(fc.constantFrom(...dataset.destinations), { minLength: 1, maxLength: 25 }),
      fields: fc.constantFrom("all" as const, "core" as const, undefined),
      plan: fc.constantFrom(...PLANS),
      localised: fc.constantFrom(...LANGUAGES).map(language => localisedFacts.get(language) as LocalisedFacts),
    })
    fc.assert(
      fc.property(question, ({ localised, plan, passport, destinations, fields }) => {
        const reader = { plan, upgradeUrl: "https://visa.example/pricing" }
        const weighed = weighBulk(dataset, { passport, destinations, fields }, units)
        const single = destinations.map(destination => describeRecord(localised, { passport, destination }, reader))
        const data = single.flatMap(one => (one.kind === "found" ? [one.body.data as unknown as Fields] : []))
        const missing = destinations.filter((_, at) => single[at]?.kind !== "found")
        const written = writeBulk(localised, weighed, reader)
        assert.deepStrictEqual(written.kind === "found" && JSON.parse([...written.body].join("")), {
          data: JSON.parse(JSON.stringify(fields === "core" ? data.map(pickCore) : data)),
          meta: {
            count: data.length,
            missing,
            pairs_charged: data.length,
            ...describeMeta(dataset, localised.locale.language),
          },
        })
      }),
      { numRuns: 60 },
    )
  })
})
