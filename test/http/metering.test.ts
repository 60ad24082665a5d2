import { assert, describe, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { share } from "../share.ts"
import { startWithPersonas } from "./personas.ts"
import { startTestService } from "./service.ts"

const NOON = Date.parse("2026-11-21T12:00:00Z")
const CHECK = "/api/v1/visa/check"
const PAIR = `${CHECK}?passport=FRA&destination=JPN`

const running = share(() => startWithPersonas({ stoppedAt: NOON }))

describe("the monthly quota", () => {
  it("admits exactly the remaining number of a thousand simultaneous requests", async () => {
    const left = Number((await running.askAs("free", `${CHECK}?`)).headers["x-ratelimit-remaining"])
    assert.strictEqual(left, 100)
    const paths = [PAIR, `${CHECK}?destination=JPN&passport=%46RA`]
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => running.askAs("free", paths[at % 2] as string)),
    )
    const counts = Object.groupBy(replies, reply => reply.status)
    assert.strictEqual(counts[200]?.length, 100)
    assert.strictEqual(counts[429]?.length, 900)
    const seen = counts[200]?.map(reply => Number(reply.headers["x-ratelimit-remaining"])).toSorted((a, b) => a - b)
    assert.deepStrictEqual(
      seen,
      Array.from({ length: 100 }, (_, at) => at),
    )
  })

  it("says until when it is spent, and restarts on the 1st at midnight UTC", async () => {
    const refused = await running.askAs("spent", PAIR)
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers["x-ratelimit-remaining"], "0")
    assert.strictEqual(refused.headers["x-ratelimit-reset"], String(Date.parse("2026-12-01T00:00:00Z") / 1_000))
    assert.strictEqual(refused.headers["retry-after"], String((Date.parse("2026-12-01T00:00:00Z") - NOON) / 1_000))
    running.setTime(Date.parse("2026-11-30T23:59:59.999Z"))
    assert.strictEqual((await running.askAs("spent", PAIR)).status, 429)
    running.setTime(Date.parse("2026-12-01T00:00:00Z"))
    const answered = await running.askAs("spent", PAIR)
    assert.strictEqual(answered.status, 200)
    assert.strictEqual(answered.headers["x-ratelimit-remaining"], "999999")
  })

  it("gives an unconfirmed account five requests in all", async () => {
    const statuses = []
    for (let at = 0; at < 6; at++) statuses.push((await running.askAs("unconfirmed", PAIR)).status)
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
    assert.notProperty((await running.askAs("unconfirmed", PAIR)).headers, "x-ratelimit-reset")
  })
})

describe("what is left", () => {
  const QUOTA = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-plan", "ratelimit-policy", "ratelimit"]
  const DECISION = "/api/v1/visa/decision"

  it("is shown to a known caller on 405 and 413 too, and to nobody else", async () => {
    await using fresh = await startTestService({ stoppedAt: NOON })
    const body = "x".repeat(65_537)
    for (let asked = 0; asked < 2; asked++) {
      const wrong = await fresh.askAs("pro", PAIR, { method: "PUT" })
      const large = await fresh.askAs("pro", DECISION, { method: "POST", body })
      assert.deepStrictEqual([wrong.status, large.status], [405, 413])
      for (const reply of [wrong, large]) assert.containsAllKeys(reply.headers, QUOTA)
    }
    const stranger = { "x-api-key": "svc_visa_nobody" }
    for (const reply of [
      await fresh.ask(PAIR, { method: "PUT" }),
      await fresh.ask(PAIR, { method: "PUT", headers: stranger }),
      await fresh.ask(DECISION, { method: "POST", headers: stranger, body }),
      await fresh.askAs("pro", "/api/v1/visa/stats", { method: "PUT" }),
    ])
      assert.doesNotHaveAnyKeys(reply.headers, QUOTA)
  })

  it("is reduced by HEAD as by GET, and a HEAD is not sent to listeners", async () => {
    await using fresh = await startTestService({ stoppedAt: NOON })
    for (let asked = 0; asked < 3; asked++) {
      const reply = await fresh.askAs("free", PAIR, { method: "HEAD" })
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(reply.headers["x-ratelimit-remaining"], String(99 - asked))
    }
    assert.strictEqual((await fresh.askAs("free", PAIR)).headers["x-ratelimit-remaining"], "96")
    assert.strictEqual((await fresh.ask("/api/v1/visa/live/recent")).read("count"), 1)
  })
})

describe("the guard against harvesting", () => {
  it("counts HEAD too, because its headers distinguish answers", async () => {
    await using fresh = await startTestService({ stoppedAt: NOON })
    const statuses = []
    for (const destination of embeddedDataset().destinations.slice(0, 40)) {
      const path = `${CHECK}?passport=DEU&destination=${destination}`
      statuses.push((await fresh.askAs("free", path, { method: "HEAD" })).status)
    }
    assert.strictEqual(statuses.filter(status => status === 200).length, 25)
    assert.include(statuses, 429)
  })

  it("limits the destinations of one passport in a day, does not count repetitions, and says when the day ends", async () => {
    running.setTime(Date.parse("2027-01-02T06:00:00Z"))
    const destinations = embeddedDataset()
      .destinations.filter(code => code !== "ZZZ")
      .slice(0, 120)
    const ask = (passport: string, destination: string) =>
      running.askAs("hobby", `${CHECK}?passport=${passport}&destination=${destination}`)
    const answered = []
    for (const destination of destinations) {
      const reply = await ask("DEU", destination)
      if (reply.status === 200) answered.push(destination)
      if (reply.status === 429) {
        assert.strictEqual(reply.headers["retry-after"], String(18 * 3_600))
        assert.notProperty(reply.headers, "x-ratelimit-reset")
        break
      }
    }
    assert.strictEqual(answered.length, 60)
    assert.strictEqual((await ask("DEU", answered[0] as string)).status, 200)
    assert.strictEqual((await ask("FRA", destinations.at(-1) as string)).status, 200)
    running.setTime(Date.parse("2027-01-03T00:00:00Z"))
    assert.strictEqual((await ask("DEU", destinations.at(-1) as string)).status, 200)
  })

  it("counts an itinerary's stops for each of its passports", async () => {
    running.setTime(Date.parse("2027-01-05T06:00:00Z"))
    const decideOn = (place: number) =>
      running.ask("/api/v1/visa/decision", {
        method: "POST",
        headers: { "x-api-key": running.keys.hobby, "content-type": "application/json" },
        body: JSON.stringify({
          passports: [{ passport: "DEU" }, { passport: "IND" }],
          stops: embeddedDataset()
            .destinations.slice(12 * place, 12 * place + 12)
            .map((destination, at) => ({ destination, from: `2027-02-${10 + at}`, to: `2027-02-${10 + at}` })),
        }),
      })
    for (let place = 0; place < 5; place++) assert.strictEqual((await decideOn(place)).status, 200)
    const other = (passport: string) => running.askAs("hobby", `${CHECK}?passport=${passport}&destination=ZWE`)
    assert.deepStrictEqual(
      [(await other("DEU")).status, (await other("IND")).status, (await other("FRA")).status],
      [429, 429, 200],
    )
    assert.strictEqual((await decideOn(5)).status, 429)
    assert.strictEqual((await decideOn(4)).status, 200)
  })
})
