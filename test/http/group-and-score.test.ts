import { assert, describe, it } from "vitest"
import { embeddedDataset, intersectGroup, lookup, REQUIREMENTS } from "../../src/index.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(startTestService)

const GROUP = "/api/v1/visa/group"
const SCORE = "/api/v1/visa/score"

interface GroupRow {
  readonly destination: string
  readonly worst_requirement: string
  readonly group_visa_free_days: number | null
  readonly group_stay: string
  readonly passports: readonly Record<string, unknown>[]
}

describe("GET /api/v1/visa/group", () => {
  it("lists every destination that all members can enter, easiest first, with the answer for each member", async () => {
    const reply = await running.askAs("hobby", `${GROUP}?passports=FRA,IND`)
    assert.strictEqual(reply.status, 200)
    assert.deepStrictEqual(reply.read("data.passports"), ["FRA", "IND"])
    assert.deepStrictEqual(reply.read("data.allow"), ["visa_free", "eta", "visa_on_arrival", "e_visa"])
    const rows = reply.read("data.destinations") as GroupRow[]
    assert.strictEqual(reply.read("data.count"), rows.length)
    const ease = rows.map(row => REQUIREMENTS.indexOf(row.worst_requirement as (typeof REQUIREMENTS)[number]))
    assert.deepStrictEqual(ease, ease.toSorted())
    for (const { destination, passports } of rows)
      for (const { passport, requirement, visa_free_days } of passports) {
        const found = lookup(String(passport), destination)
        assert(found.kind === "found")
        assert.strictEqual(requirement, found.requirement)
        assert.strictEqual(visa_free_days, found.days)
      }
    const expected = intersectGroup(embeddedDataset(), ["FRA", "IND"])
    assert(expected.ok && expected.value.kind === "found")
    assert.strictEqual(rows.length, expected.value.count)
  })

  it("counts visas as permitted if the group allows them", async () => {
    const reply = await running.askAs("hobby", `${GROUP}?passports=FRA,IND&allow=visa_required,visa_free`)
    assert.deepStrictEqual(reply.read("data.allow"), ["visa_free", "visa_required"])
    const worst = (reply.read("data.destinations") as GroupRow[]).map(row => row.worst_requirement)
    assert.sameMembers([...new Set(worst)], ["visa_free", "visa_required"])
  })

  it("marks who is at home", async () => {
    const rows = (await running.askAs("pro", `${GROUP}?passports=FRA,DEU`)).read("data.destinations") as GroupRow[]
    const france = rows.find(row => row.destination === "FRA")
    assert.strictEqual(france?.passports.find(member => member.passport === "FRA")?.home, true)
    assert.notProperty(
      france?.passports.find(member => member.passport === "DEU"),
      "home",
    )
  })

  it("costs one request, and nothing without a record or for an invalid request", async () => {
    const left = async (query: string) =>
      Number((await running.askAs("starter", `${GROUP}?passports=${query}`)).headers["x-ratelimit-remaining"])
    const before = await left("FRA,DEU")
    assert.strictEqual(await left("FRA,ZZZ"), before)
    assert.strictEqual(await left("FRA"), before)
    assert.strictEqual(await left("FRA,DEU"), before - 1)
  })

  it("needs the plan hobby or above", async () => {
    const reply = await running.askAs("free", `${GROUP}?passports=x`)
    assert.strictEqual(reply.status, 403)
    assert.sameMembers(Object.keys(reply.read() as object), ["error", "message", "required_plan", "upgrade_url"])
    assert.strictEqual(reply.read("required_plan"), "hobby")
    assert.strictEqual(reply.headers["x-plan"], "free")
  })

  it("refuses an invalid group, with the field", async () => {
    const eleven = Array.from({ length: 11 }, (_, at) => `A${String.fromCharCode(65 + at)}A`).join(",")
    for (const query of [
      "",
      "passports=FRA",
      "passports=FRA,FRA",
      "passports=FRA,fr",
      `passports=${eleven}`,
      "passports=FRA,",
    ]) {
      const reply = await running.askAs("hobby", `${GROUP}?${query}`)
      assert.strictEqual(reply.status, 400, query)
      assert.match(String(reply.read("error")), /^passports: /, query)
    }
    const reply = await running.askAs("hobby", `${GROUP}?passports=FRA,DEU&allow=visa-free`)
    assert.match(String(reply.read("error")), /^allow: /)
  })

  it("answers 404 for a group with a passport that is not recorded", async () => {
    assert.strictEqual((await running.askAs("hobby", `${GROUP}?passports=FRA,ZZZ`)).status, 404)
  })
})

describe("GET /api/v1/visa/score", () => {
  it("returns score and rank at the top level and in `data`, for everybody", async () => {
    const reply = await running.ask(`${SCORE}?passport=JPN`, { headers: { origin: "https://other.example" } })
    assert.strictEqual(reply.status, 200)
    const { data, meta, ...flat } = reply.read() as Record<string, unknown>
    assert.deepStrictEqual(flat, data)
    assert.include(meta, { lang: "en" })
    assert.include(flat, { passport: "JPN", total_ranked: 199 })
    assert.isAtMost(flat.score as number, 1_000)
    const detail = reply.read("breakdown.access.detail") as Record<string, number>
    assert.sameMembers(Object.keys(detail), [...REQUIREMENTS])
    assert.strictEqual(flat.visa_free_count, detail.visa_free)
    assert.isNumber(reply.read("breakdown.economy.gdp_share"))
  })

  it("refuses an invalid code, and answers 404 for a passport that is not recorded", async () => {
    assert.strictEqual((await running.ask(`${SCORE}?passport=jp`)).status, 400)
    assert.strictEqual((await running.ask(SCORE)).status, 400)
    assert.strictEqual((await running.ask(`${SCORE}?passport=ZZZ`)).status, 404)
  })

  it("costs nothing", async () => {
    const before = (await running.askAs("pro", `${GROUP}?passports=FRA`)).headers["x-ratelimit-remaining"]
    const reply = await running.askAs("pro", `${SCORE}?passport=JPN`)
    assert.notProperty(reply.headers, "x-ratelimit-remaining")
    assert.strictEqual((await running.askAs("pro", `${GROUP}?passports=FRA`)).headers["x-ratelimit-remaining"], before)
  })
})

describe("GET /api/v1/visa/score/compare", () => {
  it("lists destinations that only one of the two can enter, and the score of both together", async () => {
    const reply = await running.ask(`${SCORE}/compare?passport1=DEU&passport2=IND`)
    assert.strictEqual(reply.status, 200)
    const { data, meta, ...flat } = reply.read() as Record<string, unknown>
    assert.deepStrictEqual(flat, data)
    assert.isObject(meta)
    assert.strictEqual((flat.only_passport1 as string[]).length, reply.read("combined.only_passport1_count"))
    assert.include(flat.only_passport1 as string[], "FRA")
    assert.isAtLeast(Number(reply.read("combined.score")), Number(reply.read("passport1.score")))
  })

  it("needs two recorded passports as codes", async () => {
    const expectations: readonly (readonly [string, number])[] = [
      ["passport1=DEU", 400],
      ["passport1=DEU&passport2=x", 400],
      ["passport1=ZZZ&passport2=DEU", 404],
      ["passport1=DEU&passport2=ZZZ", 404],
    ]
    for (const [query, status] of expectations)
      assert.strictEqual((await running.ask(`${SCORE}/compare?${query}`)).status, status, query)
  })
})
