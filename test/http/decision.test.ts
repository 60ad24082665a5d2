import { connect } from "node:net"
import { assert, describe, it } from "vitest"
import { describeDecision } from "../../adapters/answers/write-decision.ts"
import { makeLineJudge } from "../../adapters/batch/lines/judge-lines.ts"
import { MOST_ISSUES } from "../../src/errors.ts"
import { decideWithRemedies, embeddedDataset, lookupAt } from "../../src/index.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(startTestService)

const PATH = "/api/v1/visa/decision"

const ask = (body: unknown, headers: Readonly<Record<string, string>> = { "content-type": "application/json" }) =>
  running.askAs("pro", PATH, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

const trip = {
  passport: "FRA",
  passport_expiry: "2027-03-01",
  stops: [
    { destination: "THA", from: "2026-12-01", to: "2026-12-20" },
    { destination: "USA", from: "2026-12-20", to: "2027-03-30" },
  ],
  transit: ["ARG", "GBR", "USA"],
  residence: "FRA",
  purpose: "tourism",
}

/** A pair that stands in the imported table alone, whichever that is today. */
function findImportedPair(): { readonly passport: string; readonly destination: string } {
  const dataset = embeddedDataset()
  for (const [p, passport] of dataset.passports.entries()) {
    for (const [d, destination] of dataset.destinations.entries()) {
      const answer = lookupAt(dataset, p, d)
      if (answer.kind === "found" && answer.source?.imported === true) return { passport, destination }
    }
  }
  throw new Error("no pair rests on the imported table")
}

/** A journey over the day on which Chinese rules changed for French passports, which no table shows. */
const pastTrip = {
  passport: "FRA",
  passport_expiry: "2027-03-01",
  stops: [
    { destination: "CHN", from: "2023-11-20", to: "2023-11-25" },
    { destination: "CHN", from: "2024-03-01", to: "2024-03-25" },
  ],
}

describe("POST /api/v1/visa/decision", () => {
  it("judges a past journey by the answers of its days, over HTTP as in a batch", async () => {
    const reply = await ask(pastTrip)
    assert.strictEqual(reply.status, 200)
    const data = reply.read("data") as { blockers: { code: string }[]; unknowns: { field: string; code: string }[] }
    assert.deepStrictEqual(
      data.blockers.map(({ code }) => code),
      ["stay_exceeded"],
    )
    assert.deepInclude(reply.read("data.steps.0.requirement") as object, {
      status: "unknown",
      code: "rule_seen_between",
      params: { earlier: "visa_required", later: "visa_free", after: "2023-11-06", by: "2023-12-03" },
    })
    assert.isTrue(data.unknowns.some(({ code }) => code === "imported_past"))
    assert.strictEqual(reply.read("data.steps.1.requirement.last_verified"), null)
    const outcome = makeLineJudge(embeddedDataset(), { kind: "whole" }).judgeBody(pastTrip, 1).outcome
    assert(outcome.ok)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(describeDecision(embeddedDataset(), outcome.decision).data)), data)
  })

  it("answers like the engine, with the field names of the API", async () => {
    const result = decideWithRemedies(embeddedDataset(), {
      passport: "FRA",
      passportExpiry: "2027-03-01",
      stops: trip.stops,
      transit: trip.transit,
      residence: "FRA",
      purpose: "tourism",
    })
    assert(result.ok && result.value.kind === "decided")
    const reply = await ask(trip)
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.read("data.verdict"), "blocked")
    assert.deepStrictEqual(reply.read("data.blockers"), JSON.parse(JSON.stringify(result.value.blockers)))
    const steps = reply.read("data.steps") as Record<string, unknown>[]
    assert.deepInclude(steps[0], { index: 0, destination: "THA", from: "2026-12-01", to: "2026-12-20", days: 20 })
    assert.include(steps[0]?.requirement as object, { granularity: "pair", status: "known", value: "visa_free" })
    assert.deepStrictEqual(steps[0]?.max_stay, result.value.steps[0]?.maxStay)
    assert.deepStrictEqual(steps[1]?.days_accumulated, { granularity: "pair", status: "known", value: 101 })
    assert.notProperty(steps[0]?.requirement, "answer")
  })

  it("names a source only for a requirement that was read there itself, and not for an imported table", async () => {
    const requirementOf = async (passport: string, destination: string) => {
      const reply = await ask({ passport, stops: [{ destination, from: "2026-12-01", to: "2026-12-02" }] })
      return reply.read("data.steps.0.requirement") as Record<string, unknown>
    }
    const read = await requirementOf("LCA", "GBR")
    assert.match(String(read.source_url), /^https:\/\/www\.gov\.uk\//)
    assert.strictEqual(read.last_verified, "2026-08-21")
    const imported = findImportedPair()
    assert.include(await requirementOf(imported.passport, imported.destination), {
      status: "known",
      source_url: null,
      last_verified: null,
    })
  })

  it("gives every field of a step a granularity, and either a value or a reason", async () => {
    const steps = (await ask(trip)).read("data.steps") as Record<string, Record<string, unknown>>[]
    for (const step of steps)
      for (const field of ["requirement", "max_stay", "days_accumulated", "passport_validity"]) {
        assert.include(["pair", "destination"], step[field]?.granularity, field)
        assert.strictEqual(
          step[field]?.status === "known" ? "value" in step[field] : "reason" in (step[field] ?? {}),
          true,
        )
      }
  })

  it("lists everything unknown with its field and its reason, also accepted fields that are not modelled", async () => {
    // No rule of validity binds a citizen of the Union there.
    const stops = [...trip.stops, { destination: "DEU", from: "2027-04-01", to: "2027-04-02" }]
    const unknowns = (await ask({ ...trip, stops })).read("data.unknowns") as Record<string, unknown>[]
    const fields = unknowns.map(gap => gap.field)
    assert.includeMembers(fields, [
      "passport_validity",
      "transit[0].rule",
      "transit[1].permitted",
      "residence",
      "purpose",
    ])
    for (const gap of unknowns) {
      assert.isString(gap.reason)
      assert.strictEqual(gap.message, gap.reason)
    }
  })

  it("says what each thing to do is, with the parameters of its condition, for one traveller and for several", async () => {
    interface Told {
      readonly to_do: { code: string; what: string; message: string; params: object }[]
      readonly conditions: { code: string; message: string; params: object }[]
    }
    const { passport, passport_expiry, stops, transit } = trip
    const alone = (await ask(trip)).read("data") as Told
    const several = { stops, transit, travellers: [{ passport, passport_expiry }, { passport: "IND" }] }
    const group = (await ask(several)).read("data.travellers") as Told[]
    for (const { to_do, conditions } of [alone, ...group]) {
      assert.isNotEmpty(to_do)
      for (const { code, what, message, params } of to_do) {
        assert.strictEqual(what, message)
        assert.deepInclude(
          conditions.map(each => [each.code, each.message, each.params]),
          [code, message, params],
        )
      }
    }
  })

  it("costs one request for each distinct country, stops and transit together", async () => {
    const left = async () => Number((await ask({})).headers["x-ratelimit-remaining"])
    const before = await left()
    const reply = await ask(trip)
    assert.strictEqual(reply.read("meta.pairs_charged"), 4)
    assert.strictEqual(before - (await left()), 4)
  })

  it("lists every mistake with its path, and shows a whole valid request", async () => {
    const reply = await ask({
      passport: "fr",
      passport_expiry: "2027-02-30",
      stops: [
        { destination: "TH", from: "2026-12-05", to: "2026-12-01" },
        { destination: "JPN", from: "2026-11-01", to: "2026-11-05" },
      ],
      transit: ["are"],
    })
    assert.strictEqual(reply.status, 400)
    const paths = (reply.read("issues") as { path: string }[]).map(issue => issue.path)
    assert.includeMembers(paths, ["passport", "passport_expiry", "stops[0].destination", "transit[0].country"])
    const example = reply.read("example")
    assert.strictEqual((await ask(example)).status, 200)
  })

  it("refuses unknown fields, because a misspelt date would otherwise be ignored", async () => {
    const misspelt = { ...trip, passport_expirey: "2027-03-01", stops: [{ ...trip.stops[0], too: "2026-12-20" }] }
    const paths = ((await ask(misspelt)).read("issues") as { path: string }[]).map(issue => issue.path)
    assert.deepStrictEqual(paths, ["passport_expirey", "stops[0].too"])
  })

  it("reports an unknown field as it was sent, also another spelling of a known one", async () => {
    const reply = await ask({ ...trip, passport: "fr", passportExpiry: "2027-03-01" })
    assert.strictEqual(reply.status, 400)
    const paths = (reply.read("issues") as { path: string }[]).map(issue => issue.path)
    assert.deepStrictEqual(paths, ["passportExpiry", "passport"])
  })

  it("lists at most fifty mistakes, so that no answer is many times as long as its request", async () => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at])))
    const reply = await ask(body)
    assert.strictEqual(reply.status, 400)
    assert.lengthOf(reply.read("issues") as unknown[], MOST_ISSUES)
    assert.isBelow(reply.text.length, body.length)
  })

  it.each([
    ["nothing", ""],
    ["text", "FRA to THA"],
    ["half of it", '{"passport": "FRA"'],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["a prototype", '{"__proto__": {"passport": "FRA"}, "stops": []}'],
    ["thirteen stops", JSON.stringify({ ...trip, stops: Array.from({ length: 13 }, () => trip.stops[0]) })],
    ["thirteen transit countries", JSON.stringify({ ...trip, transit: Array.from({ length: 13 }, () => "ARE") })],
    ["10,000 brackets", "[".repeat(10_000)],
    ["stops that overlap", JSON.stringify({ ...trip, stops: [trip.stops[1], trip.stops[0]] })],
    ["a form", "passport=FRA"],
  ])("refuses a body that is %s", async (_, body) => {
    const reply = await ask(body)
    assert.strictEqual(reply.status, 400, reply.text)
    assert.sameMembers(Object.keys(reply.read() as object), ["error", "issues", "example"])
    assert.isNotEmpty(reply.read("issues"))
  })

  it("reads JSON with any content type", async () => {
    assert.strictEqual((await ask(trip, {})).status, 200)
    assert.strictEqual((await ask(trip, { "content-type": "text/plain" })).status, 200)
  })

  it("chooses among several passports of one traveller", async () => {
    const { passport: _, passport_expiry: __, ...rest } = trip
    const reply = await ask({ ...rest, passports: ["IND", { passport: "USA", passport_expiry: "2036-01-01" }] })
    assert.strictEqual(reply.status, 200)
    const steps = reply.read("data.steps") as { passport: string }[]
    assert.strictEqual(steps[1]?.passport, "USA")
    assert.strictEqual((reply.read("data.passports") as unknown[]).length, 2)
  })

  it("accepts documents, residence and earlier stays, and states their effect", async () => {
    const indian = { passport: "IND", passport_expiry: "2034-01-01", passport_issued: "2024-01-01" }
    const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
    const held = [
      { kind: "visa", issuer: "FRA", type: "C", valid_until: "2026-12-10", duration_of_stay_days: 15, entries: 1 },
    ]
    const reply = await ask({
      ...indian,
      stops,
      held,
      earlier_stays: [{ destination: "DEU", from: "2026-11-01", to: "2026-11-05" }],
    })
    assert.strictEqual(reply.status, 200, reply.text)
    assert.deepStrictEqual(reply.read("data.steps.0.requirement.because"), [
      { document: 0, kind: "visa", issuer: "FRA", rule: null },
    ])
    assert.deepStrictEqual(reply.read("data.held"), [{ ...held[0], steps: [0] }])
    assert.deepInclude(reply.read("data.steps.0.zone_stay") as object, { value: 25, zone: "schengen" })
    const blockers = reply.read("data.blockers") as { code: string; basis: string; remedies: object[] }[]
    assert.deepStrictEqual(
      blockers.map(({ code, basis }) => [code, basis]),
      [
        ["stay_exceeded", "held_document"],
        ["stay_exceeded", "held_document"],
      ],
    )
    assert.notProperty((await ask({ ...indian, stops })).read("data") as object, "held")
  })

  it("lists an earlier stay with an unrecorded code, under its field name of the API", async () => {
    const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
    const earlier_stays = [
      { destination: "DEU", from: "2026-09-01", to: "2026-09-05" },
      { destination: "GER", from: "2026-10-01", to: "2026-10-05" },
    ]
    const gapsOf = async (body: object, ...more: string[]) => {
      const unknowns = (await ask(body)).read("data.unknowns") as Record<string, unknown>[]
      return unknowns
        .filter(({ field }) => String(field).startsWith("earlier"))
        .map(gap => ["field", "step", ...more].map(name => gap[name]))
    }
    assert.deepStrictEqual(await gapsOf({ passport: "USA", stops, earlier_stays }), [["earlier_stays[1]", null]])
    const travellers = [{ passport: "USA" }, { passport: "JPN", earlier_stays }]
    assert.deepStrictEqual(await gapsOf({ travellers, stops }, "traveller"), [["earlier_stays[1]", null, 1]])
  })

  it("gives each blocker its remedies, with the field names of the API", async () => {
    const stops = [{ destination: "FRA", from: "2026-12-01", to: "2027-04-01" }]
    const reply = await ask({ passport: "GBR", passport_expiry: "2034-01-01", passport_issued: "2024-01-01", stops })
    const blockers = reply.read("data.blockers") as { code: string; remedies: object[] }[]
    // What helps against both is given with the first.
    assert.deepStrictEqual(
      blockers.map(({ code, remedies }) => [code, remedies]),
      [
        [
          "stay_exceeded",
          [
            { action: "leave_by", step: 0, value: "2027-02-28" },
            { action: "obtain", step: 0, value: { kind: "visa", issuer: "FRA", type: "D" } },
          ],
        ],
        ["zone_stay_exceeded", []],
      ],
    )
  })

  it("decides on several travellers of one journey, separately and together", async () => {
    const stops = [{ destination: "FRA", from: "2026-12-01", to: "2027-04-01" }]
    const travellers = [
      { passport: "DEU", passport_expiry: "2034-01-01" },
      { passports: ["KOR"], held: [{ kind: "visa", issuer: "JPN", valid_from: "2026-01-01" }] },
    ]
    const reply = await ask({ travellers, stops, transit: ["GBR"] })
    assert.strictEqual(reply.status, 200, reply.text)
    assert.strictEqual(reply.read("data.verdict"), "blocked")
    const each = reply.read("data.travellers") as { verdict: string; steps: unknown[] }[]
    assert.deepStrictEqual(
      each.map(({ verdict }) => verdict),
      ["no_blocker_found", "blocked"],
    )
    const blockers = reply.read("data.blockers") as { traveller: number }[]
    assert.deepStrictEqual([...new Set(blockers.map(({ traveller }) => traveller))], [1])
    assert.strictEqual(reply.read("meta.pairs_charged"), 4)
  })

  it.each<[string, object, string[]]>([
    [
      "a visa that ends before it begins",
      { held: [{ kind: "visa", issuer: "FRA", valid_from: "2026-12-02", valid_until: "2026-12-01" }] },
      ["held[0].valid_until"],
    ],
    ["a visa without entries", { held: [{ kind: "visa", issuer: "FRA", entries: 0 }] }, ["held[0].entries"]],
    [
      "a misspelt field of a document",
      { held: [{ kind: "visa", issuer: "FRA", validUntil: "2026-12-01" }] },
      ["held[0].validUntil"],
    ],
    [
      "an earlier stay that is not earlier",
      { earlier_stays: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-02" }] },
      ["earlier_stays[0].to"],
    ],
    ["one traveller and several", { travellers: [{ passport: "FRA" }] }, ["passport", "passport_expiry", "residence"]],
    [
      "a misspelt field of a traveller",
      {
        passport: undefined,
        passport_expiry: undefined,
        residence: undefined,
        travellers: [{ passport: "FRA", expiry: "2027-01-01" }],
      },
      ["travellers[0].expiry"],
    ],
    [
      "mistakes of a traveller",
      {
        passport: undefined,
        passport_expiry: undefined,
        residence: undefined,
        travellers: [{ passport: "FR", earlier_stays: 5 }],
      },
      ["travellers[0].passport", "travellers[0].earlier_stays"],
    ],
  ])("refuses %s with its path", async (_, fields, paths) => {
    const reply = await ask({ ...trip, ...fields })
    assert.strictEqual(reply.status, 400)
    assert.sameMembers(
      (reply.read("issues") as { path: string }[]).map(issue => issue.path),
      paths,
    )
  })

  it("stops reading a body without a given length when it becomes too large", async () => {
    const socket = connect(running.service.port, "127.0.0.1")
    const received: Buffer[] = []
    const closed = new Promise(resolve => socket.on("close", resolve))
    socket.on("data", chunk => received.push(chunk))
    socket.on("error", () => {})
    const head = [`POST ${PATH} HTTP/1.1`, "Host: x", `X-Api-Key: ${running.keys.pro}`, "Transfer-Encoding: chunked"]
    const chunk = `1000\r\n${" ".repeat(4_096)}\r\n`
    socket.write(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`)
    await closed
    assert.match(Buffer.concat(received).toString(), /^HTTP\/1\.1 413 [\s\S]*\r\n\r\n\{"error":/)
  })
})
