import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { BulkAnswer } from "../../adapters/http/routes/visa/visa-schemas.ts"
import { FIELDS_WITHOUT_STUB, LANGUAGES } from "../../src/full.ts"
import { embeddedDataset, lookup } from "../../src/index.ts"
import { PRO_FIELDS, STARTER_FIELDS } from "../../src/record/field-rows.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(() => startTestService({ env: { LANDFALL_PUBLIC_URL: "https://visa.localhost" } }))

const VISA = "/api/v1/visa"
const PAIR = `${VISA}?passport=IND&destination=DEU`

const isStub = (field: unknown) => typeof field === "object" && field !== null && "upgrade" in field

describe("GET /api/v1/visa", () => {
  it("returns the record in `data`, with `meta`", async () => {
    const reply = await running.askAs("pro", PAIR)
    assert.strictEqual(reply.status, 200)
    assert.sameMembers(Object.keys(reply.read() as object), ["data", "meta"])
    assert.include(reply.read("data"), { passport: "IND", destination: "DEU", requirement: "visa_required" })
    assert.include(reply.read("meta"), { lang: "en", api_version: "1.1.0", languages: LANGUAGES.length })
    assert.strictEqual(reply.headers["x-powered-by"], "Landfall")
    assert.strictEqual(reply.headers.vary, "Accept, Accept-Encoding")
  })

  it("shows upgrade notices on the plans free and hobby only for fields with a value", async () => {
    const whole = (await running.askAs("business", PAIR)).read("data") as Record<string, unknown>
    for (const plan of ["free", "hobby"] as const) {
      const gated = (await running.askAs(plan, PAIR)).read("data") as Record<string, unknown>
      const leftOut: readonly string[] = FIELDS_WITHOUT_STUB
      const shown = Object.keys(whole).filter(field => !leftOut.includes(field))
      assert.sameMembers(Object.keys(gated), shown)
      for (const field of [...STARTER_FIELDS, ...PRO_FIELDS])
        assert.strictEqual(isStub(gated[field]), shown.includes(field), field)
      assert.match(String((gated.safety as Record<string, string>).upgrade_url), /^https:\/\/visa\.localhost\//)
      assert.deepStrictEqual(gated.documents_required, whole.documents_required)
    }
  })

  it("shows everything except fields of pro on starter, and everything on pro and business", async () => {
    const starter = (await running.askAs("starter", PAIR)).read("data") as Record<string, unknown>
    const pro = (await running.askAs("pro", PAIR)).read("data") as Record<string, Record<string, unknown>>
    for (const field of PRO_FIELDS) assert.notProperty(starter, field)
    for (const field of Object.values(starter)) assert.isFalse(isStub(field))
    assert.sameMembers(Object.keys(starter.embassy as object), ["visa_application_embassy"])
    assert.containsAllKeys(pro.embassy, ["visa_application_embassy", "your_embassy_at_destination"])
    assert.deepStrictEqual((await running.askAs("business", PAIR)).read("data"), pro)
  })

  it("answers in every language on every plan", async () => {
    const descriptions = new Set<unknown>()
    for (const lang of LANGUAGES) {
      const reply = await running.askAs("free", `${PAIR}&lang=${lang}`)
      assert.strictEqual(reply.status, 200, lang)
      assert.strictEqual(reply.read("meta.lang"), lang)
      descriptions.add(reply.read("data.description"))
    }
    assert.strictEqual(descriptions.size, LANGUAGES.length)
  })

  it("refuses an unknown language, and names the field", async () => {
    for (const lang of ["nl", "EN", "en-GB", "", "fil"]) {
      const reply = await running.askAs("free", `${PAIR}&lang=${lang}`)
      assert.strictEqual(reply.status, 400, lang)
      assert.match(String(reply.read("error")), /^lang: /)
    }
  })

  it("is a page of Markdown on request, in the requested language", async () => {
    const reply = await running.askAs("pro", `${PAIR}&lang=fr`, { headers: { accept: "text/markdown" } })
    assert.match(String(reply.headers["content-type"]), /^text\/markdown/)
    assert.match(reply.text, /^# .*Allemagne/)
    assert.isAbove(Number(reply.headers["x-ratelimit-remaining"]), 0)
  })

  it("is compressed if it is long and the client accepts it", async () => {
    const reply = await running.askAs("pro", PAIR, { headers: { "accept-encoding": "gzip" } })
    assert.strictEqual(reply.headers["content-encoding"], "gzip")
    const short = await running.askAs("pro", `${VISA}/check?passport=FRA&destination=FRA`, {
      headers: { "accept-encoding": "gzip" },
    })
    assert.notProperty(short.headers, "content-encoding")
  })

  it("is null for an unknown source and an unknown date", async () => {
    const data = (await running.askAs("pro", `${VISA}?passport=FRA&destination=JPN`)).read("data") as object
    assert.include(data, { source_url: null, last_verified_at: null, verified: false })
  })

  it("is uncertain only if a treaty was left", async () => {
    const uncertain = await running.askAs("pro", `${VISA}?passport=MLI&destination=SEN`)
    assert.strictEqual(uncertain.read("data.requirement_status"), "uncertain")
    assert.notProperty((await running.askAs("pro", PAIR)).read("data"), "requirement_status")
  })
})

describe("GET /api/v1/visa/check", () => {
  it("announces exactly the contents of the full record", async () => {
    const preview = (await running.askAs("free", `${VISA}/check?passport=IND&destination=DEU`)).read("_upgrade_preview")
    const full = (await running.askAs("pro", PAIR)).read("data") as Record<string, unknown[]>
    assert.include(preview, {
      documents_required: full.documents_required?.length,
      process_steps: full.process?.length,
      embassy_info: "embassy" in full,
      transit_visa: "transit_visa" in full,
      languages: LANGUAGES.length,
    })
  })
})

describe("GET /api/v1/visa/bulk", () => {
  const BULK = `${VISA}/bulk`

  it("returns the existing records, names the missing ones, and charges one request for each record", async () => {
    const reply = await running.askAs("pro", `${BULK}?passport=IND&destination=DEU,ZZZ,JPN,DEU`)
    const records = reply.read("data") as Record<string, unknown>[]
    assert.deepStrictEqual(
      records.map(record => record.destination),
      ["DEU", "JPN"],
    )
    assert.deepStrictEqual(records[0], (await running.askAs("pro", PAIR)).read("data"))
    assert.include(reply.read("meta"), { count: 2, pairs_charged: 2 })
    assert.deepStrictEqual(reply.read("meta.missing"), ["ZZZ"])
  })

  it("returns every destination without a list, for one request", async () => {
    const before = Number((await running.askAs("pro", BULK)).headers["x-ratelimit-remaining"])
    const reply = await running.askAs("pro", `${BULK}?passport=FRA&fields=core`)
    const recorded = embeddedDataset().destinations.filter(code => lookup("FRA", code).kind === "found")
    assert.strictEqual((reply.read("data") as unknown[]).length, recorded.length)
    assert.strictEqual((reply.read("meta.missing") as unknown[]).length, 250 - recorded.length)
    assert.strictEqual(before - Number(reply.headers["x-ratelimit-remaining"]), 1)
    for (const record of reply.read("data") as Record<string, unknown>[])
      for (const field of [...STARTER_FIELDS, ...PRO_FIELDS]) assert.notProperty(record, field)
  })

  it("holds no field that the reference does not name, for any destination", async () => {
    const decode = Schema.decodeUnknownResult(BulkAnswer, { onExcessProperty: "error", errors: "all" })
    for (const [passport, lang, plan] of [
      ["IND", "en", "pro"],
      ["FRA", "ar", "business"],
      ["MLI", "fr", "business"],
      ["PSE", "ja", "pro"],
    ] as const) {
      const body = (await running.askAs(plan, `${BULK}?passport=${passport}&lang=${lang}`)).read()
      const result = decode(body)
      assert(Result.isSuccess(result), Result.isFailure(result) ? result.failure.message : "")
    }
  })

  it("accepts at most 25 destinations", async () => {
    const codes = embeddedDataset().destinations.slice(0, 26)
    const statusOf = async (count: number) =>
      (await running.askAs("pro", `${BULK}?passport=FRA&destination=${codes.slice(0, count)}`)).status
    assert.strictEqual(await statusOf(25), 200)
    assert.strictEqual(await statusOf(26), 400)
  })

  it("charges nothing if no destination has a record", async () => {
    const before = Number((await running.askAs("business", BULK)).headers["x-ratelimit-remaining"])
    const reply = await running.askAs("business", `${BULK}?passport=FRA&destination=ZZZ`)
    assert.strictEqual(reply.status, 200)
    assert.deepStrictEqual(reply.read("meta.missing"), ["ZZZ"])
    assert.strictEqual(Number(reply.headers["x-ratelimit-remaining"]), before)
  })
})
