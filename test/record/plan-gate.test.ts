import { beforeAll, describe, expect, it } from "vitest"
import {
  FIELDS_WITHOUT_STUB,
  type FullRecord,
  type GatedRecord,
  gateRecord,
  type LocalisedFacts,
  type Plan,
} from "../../src/full.ts"
import { PRO_FIELDS, STARTER_FIELDS } from "../../src/record/field-rows.ts"
import { openFrozenFacts, recordOf } from "./localised-facts.ts"

const upgradeUrl = "https://visa.example/pricing"

describe("gateRecord", () => {
  let localised: LocalisedFacts
  let record: FullRecord
  const show = (plan: string, of = record): GatedRecord =>
    gateRecord(of, { plan: plan as Plan, locale: localised.locale, upgradeUrl })
  beforeAll(async () => {
    localised = await openFrozenFacts()
    record = recordOf(localised, "FRA", "THA")
  })

  it("tests with a record that has fields of every plan", () => {
    for (const field of ["safety", "embassy", "overstay_penalty", "remote_work_visa", "reciprocity_history"]) {
      expect(record).toHaveProperty(field)
    }
  })

  it.each(["pro", "business", "x402"])("shows everything on %s", plan => {
    expect(show(plan)).toEqual(record)
  })

  it.each(["free", "hobby"])(
    "shows the core fields whole on %s, and a stub for each further field that has a value and is an object to clients",
    plan => {
      const gated = show(plan)
      const stubs = new Set<string>([...STARTER_FIELDS, ...PRO_FIELDS])
      const leftOut: readonly string[] = FIELDS_WITHOUT_STUB
      expect(leftOut.some(field => field in record)).toBe(true)
      const shown = Object.keys(record).filter(field => !leftOut.includes(field))
      expect(Object.keys(gated).sort()).toEqual(shown.sort())
      for (const [field, value] of Object.entries(gated)) {
        if (field === "sources") continue
        if (!stubs.has(field)) expect(value, field).toEqual(record[field as keyof FullRecord])
        else if (field === "remote_work_visa") {
          expect(value, field).toEqual({ upgrade: "Available on the pro plan or above", upgrade_url: upgradeUrl })
        } else
          expect(value, field).toEqual({ upgrade: "Available on the starter plan or above", upgrade_url: upgradeUrl })
      }
    },
  )

  it("promises nothing that is not there", () => {
    const poor = recordOf(localised, "FRA", "DEU")
    expect(poor).not.toHaveProperty("visa_fee")
    expect(show("free", poor)).not.toHaveProperty("visa_fee")
  })

  it("leaves out the fields of pro on starter and shows of the missions those to apply to", () => {
    const gated = show("starter")
    expect(gated).not.toHaveProperty("remote_work_visa")
    expect(gated).not.toHaveProperty("reciprocity_history")
    expect(gated.safety).toEqual(record.safety)
    expect(gated.embassy).toEqual({ visa_application_embassy: record.embassy?.visa_application_embassy })
    expect(gated.embassies).toEqual({ to_apply: record.embassies?.to_apply })
    expect(record.embassies).toHaveProperty("at_destination")
  })

  it("leaves the missions out on starter where there is none to apply to, and offers them from pro on", () => {
    const { visa_application_embassy: _, ...embassy } = record.embassy ?? {}
    expect(show("starter", { ...record, embassy })).not.toHaveProperty("embassy")
    expect(show("free", { ...record, embassy }).embassy).toEqual({
      upgrade: "Available on the pro plan or above",
      upgrade_url: upgradeUrl,
    })
  })

  it("shows the country and the advice whole on every plan", () => {
    for (const plan of ["free", "hobby", "starter", "pro", "business", "x402"]) {
      expect(show(plan).tips).toEqual(record.tips)
      expect(show(plan).country_info).toEqual(record.country_info)
    }
    expect(record.tips?.length).toBeGreaterThan(1)
  })

  it("lists a source only for fields that the plan shows", () => {
    const hidden = new Set<string>([...STARTER_FIELDS, ...PRO_FIELDS])
    for (const source of show("free").sources ?? []) {
      expect(source.fields.filter(field => hidden.has(field))).toEqual([])
      expect(source.fields.length).toBeGreaterThan(0)
    }
    expect(record.sources?.some(source => source.fields.includes("safety"))).toBe(true)
  })

  it("lists no sources at all where none is left", () => {
    const sources = [{ name: "A", url: null, as_of: null, verified_on: null, fields: ["safety"] }]
    expect(show("free", { ...record, sources })).not.toHaveProperty("sources")
    expect(show("starter", { ...record, sources }).sources).toEqual(sources)
  })

  it("treats a plan that it does not know as free", () => {
    expect(show("platinum")).toEqual(show("free"))
  })

  it("writes the stub in the language of the record", async () => {
    const japanese = await openFrozenFacts("ja")
    const gated = gateRecord(recordOf(japanese, "FRA", "THA"), { plan: "free", locale: japanese.locale, upgradeUrl })
    expect(gated.safety).toEqual({ upgrade: "スタータープラン以上でご利用いただけます", upgrade_url: upgradeUrl })
  })

  it("never changes the record", () => {
    const before = structuredClone(record)
    show("free")
    show("starter")
    expect(record).toEqual(before)
  })
})
