import { Schema } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { FullRecord as WireRecord } from "../../adapters/http/routes/visa/visa-schemas.ts"
import {
  assembleFullRecord,
  CORE_FIELDS,
  FIELD_NAMES,
  type FullRecord,
  gateRecord,
  type LocalisedFacts,
  PLANS,
  type Plan,
} from "../../src/full.ts"
import { PRO_FIELDS, STARTER_FIELDS } from "../../src/record/field-rows.ts"
import { findFaults, TIERS } from "../oracles/record-shape.ts"
import { IS_WHOLE, sampleOf } from "../sample.ts"
import { openFacts, recordOf } from "./localised-facts.ts"

const upgradeUrl = "https://visa.example/pricing"

const decode = Schema.decodeUnknownResult(WireRecord, { onExcessProperty: "error" })

function listRecords(localised: LocalisedFacts): readonly FullRecord[] {
  const { dataset } = localised
  const seen = new Set<string>()
  const records: FullRecord[] = []
  dataset.passports.forEach((passport, row) => {
    dataset.destinations.forEach((destination, column) => {
      const place = row * dataset.destinations.length + column
      const answer = `${dataset.pairs[place]} ${destination}`
      // One of each answer and destination, and every 23rd of the others.
      if (seen.has(answer) && !IS_WHOLE && place % 23 !== 0) return
      const record = assembleFullRecord(localised, passport, destination)
      if (record === null) return
      seen.add(answer)
      records.push(record)
    })
  })
  return records
}

describe("a full record on the wire", () => {
  let localised: LocalisedFacts
  let records: readonly FullRecord[]
  const show = (record: FullRecord, plan: Plan) => gateRecord(record, { plan, locale: localised.locale, upgradeUrl })
  beforeAll(async () => {
    localised = await openFacts()
    records = listRecords(localised)
  })

  it("is looked at for at least one pair of each answer and destination", () => {
    expect(records.length).toBeGreaterThan(IS_WHOLE ? 40_000 : 2_000)
  })

  it.each(PLANS)("can be parsed by published clients on %s, and shows no field above the plan", plan => {
    const faults = new Set(records.flatMap(record => findFaults(show(record, plan), plan)))
    expect([...faults]).toEqual([])
  })

  it("can be parsed by published clients for every pair of some passports, on one plan of each tier, and shows no field above the plan", () => {
    const faults = new Set<string>()
    for (const passport of sampleOf(localised.dataset.passports, 70)) {
      for (const destination of localised.dataset.destinations) {
        const record = assembleFullRecord(localised, passport, destination)
        if (record === null) continue
        for (const plan of ["free", "starter", "pro"] as const) {
          for (const fault of findFaults(show(record, plan), plan)) faults.add(`${plan} ${fault}`)
        }
      }
    }
    expect([...faults]).toEqual([])
  })

  it("shows the plans of one tier the same", () => {
    for (const record of records.slice(0, 300)) {
      expect(show(record, "hobby")).toEqual(show(record, "free"))
      expect(show(record, "business")).toEqual(show(record, "pro"))
      expect(show(record, "x402")).toEqual(show(record, "pro"))
    }
  })

  it.each(["free", "starter", "pro"] as const)("is what the schema of the reference says, on %s", plan => {
    const refused = sampleOf(records, 3).flatMap(record => {
      const read = decode(show(record, plan))
      return read._tag === "Success" ? [] : [`${record.passport} ${record.destination}: ${read.failure}`]
    })
    expect(refused.slice(0, 3)).toEqual([])
  })

  it("has exactly the fields of the specification, each on its plan", () => {
    expect([...CORE_FIELDS].sort()).toEqual(TIERS.core.toSorted())
    expect([...STARTER_FIELDS].sort()).toEqual(TIERS.starter.toSorted())
    expect([...PRO_FIELDS].sort()).toEqual(TIERS.pro.toSorted())
    expect(FIELD_NAMES).toHaveLength(CORE_FIELDS.length + STARTER_FIELDS.length + PRO_FIELDS.length)
  })

  it("stands in the order of its fields", () => {
    for (const record of records.slice(0, 500)) {
      const order = Object.keys(record)
      expect(order).toEqual(FIELD_NAMES.filter(name => order.includes(name)))
    }
  })

  it("is refused by the schema with a field too many, one too few, and a stub in the place of a core field", () => {
    const record = recordOf(localised, "FRA", "THA")
    const stub = { upgrade: "x", upgrade_url: "y" }
    expect(decode(record)._tag).toBe("Success")
    expect(decode({ ...record, safety: stub })._tag).toBe("Success")
    const { description: _, ...short } = record
    for (const wrong of [
      { ...record, other: 1 },
      short,
      { ...record, tips: stub },
      { ...record, country_info: stub },
    ]) {
      expect(decode(wrong)._tag).toBe("Failure")
    }
  })

  it("shows nothing that has no row, whatever its name and value, on any plan", () => {
    const record = recordOf(localised, "FRA", "THA")
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter(name => !(FIELD_NAMES as readonly string[]).includes(name)),
        fc.anything().filter(value => value !== undefined),
        fc.constantFrom(...PLANS),
        (name, value, plan) => {
          const gated = show({ ...record, [name]: value }, plan)
          expect(Object.hasOwn(gated, name)).toBe(false)
        },
      ),
    )
  })
})
