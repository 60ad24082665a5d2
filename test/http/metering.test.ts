import { assert, describe, it } from "vitest"
import { lookupRequirement } from "../../src/engine.ts"
import { embeddedDataset } from "../../src/index.ts"
import { connectHttp } from "../mcp/clients.ts"
import { share } from "../share.ts"
import { startWithPersonas } from "./personas.ts"
import { startTestService } from "./service.ts"

const NOON = Date.parse("2026-11-21T12:00:00Z")
const CHECK = "/api/v1/visa/check"
const PAIR = `${CHECK}?passport=FRA&destination=JPN`

const running = share(() => startWithPersonas({ stoppedAt: NOON }))

describe("the monthly quota", () => {
  it("admits exactly the remaining number of many simultaneous requests", async () => {
    const left = Number((await running.askAs("free", `${CHECK}?`)).headers["x-ratelimit-remaining"])
    assert.strictEqual(left, 100)
    const paths = [PAIR, `${CHECK}?destination=JPN&passport=%46RA`]
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, at) => running.askAs("free", paths[at % 2] as string)),
    )
    const counts = Object.groupBy(replies, reply => reply.status)
    assert.strictEqual(counts[200]?.length, 100)
    assert.strictEqual(counts[429]?.length, 200)
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

describe("every way to ask for pairs", () => {
  const dataset = embeddedDataset()
  const destinations = dataset.destinations.filter(code => lookupRequirement(dataset, "BEL", code).kind !== "no_record")
  type Way = (key: string, passport: string, some: readonly string[]) => Promise<number>

  const one =
    (path: string): Way =>
    async (key, passport, some) => {
      let answered = 0
      for (const code of some) {
        const headers = { "x-api-key": key }
        const reply = await running.ask(`${path}?passport=${passport}&destination=${code}`, { headers })
        if (reply.status === 200) answered++
      }
      return answered
    }
  const check = one(CHECK)
  const compare: Way = async (key, passport, some) => {
    await using client = await connectHttp(running.url, { "x-api-key": key })
    const { isError } = await client.call("compare_destinations", { passport, destinations: some })
    return isError ? 0 : some.length
  }
  /** With the key of an account; each answers for how many destinations of a passport it was told something. */
  const ways: Readonly<Record<string, Way>> = {
    check,
    record: one("/api/v1/visa"),
    itinerary: async (key, passport, some) => {
      let answered = 0
      // An itinerary has at most a dozen stops.
      for (let from = 0; from < some.length; from += 12) {
        const stops = some.slice(from, from + 12).map((destination, at) => {
          const day = `2029-02-${10 + at}`
          return { destination, from: day, to: day }
        })
        const reply = await running.ask("/api/v1/visa/decision", {
          method: "POST",
          headers: { "x-api-key": key },
          body: JSON.stringify({ passport, stops }),
        })
        if (reply.status === 200) answered += stops.length
      }
      return answered
    },
    "tool that compares": compare,
    "tool for transit": async (key, passport, some) => {
      await using client = await connectHttp(running.url, { "x-api-key": key })
      let answered = 0
      for (const transit_country of some)
        if (!(await client.call("check_transit_visa", { passport, transit_country })).isError) answered++
      return answered
    },
  }

  it.each(Object.keys(ways))(
    "is counted by the guard in one list for all keys of an account, test keys among them: %s",
    async name => {
      // Each way in a month of its own, with its 100 requests.
      running.setTime(Date.parse(`2028-0${Object.keys(ways).indexOf(name) + 1}-05T06:00:00Z`))
      const ask = ways[name] as Way
      const own = running.keys.free
      const make = async (mode: string) => {
        const made = await running.ask("/api/v1/visa/keys", {
          method: "POST",
          headers: { "x-api-key": own },
          body: JSON.stringify({ name, mode, scopes: ["visa"] }),
        })
        assert.strictEqual(made.status, 201, made.text)
        return made.read("key.key") as string
      }
      const [named, test] = [await make("live"), await make("test")]
      assert.strictEqual(await ask(named, "BEL", destinations.slice(0, 12)), 12)
      assert.strictEqual(await ask(test, "BEL", destinations.slice(12, 25)), 13)
      // 25 are told on a day: the next is refused to every key, and those of before are not.
      for (const key of [test, named, own]) {
        assert.strictEqual(await ask(key, "BEL", destinations.slice(25, 26)), 0)
        assert.strictEqual(await check(key, "BEL", destinations.slice(24, 25)), 1)
      }
      const refused = await running.ask(`${CHECK}?passport=BEL&destination=${destinations[25]}`, {
        headers: { "x-api-key": test },
      })
      assert.deepStrictEqual(
        [refused.status, refused.read("error"), refused.headers["retry-after"]],
        [
          429,
          "More than 25 destinations for one passport on one day are not answered on this plan.",
          String(18 * 3_600),
        ],
      )
    },
  )

  it("is counted for each passport of a group by the tool for groups, with a test key too", async () => {
    running.setTime(Date.parse("2028-08-05T06:00:00Z"))
    await using client = await connectHttp(running.url, { "x-api-key": running.keys.test })
    const group = (...passports: string[]) => client.call("check_group", { passports, limit: 100 })
    // The plan of the test key's account has no guard.
    assert.isFalse((await group("BEL", "LUX")).isError)
    await using other = await connectHttp(running.url, { "x-api-key": running.keys.free })
    assert.isTrue((await other.call("check_group", { passports: ["BEL", "LUX"], limit: 26 })).isError)
    assert.isFalse((await other.call("check_group", { passports: ["BEL", "LUX"], limit: 25 })).isError)
    const listed = await other.call("check_group", { passports: ["BEL", "LUX"], limit: 25 })
    const codes = ((listed.content?.destinations ?? []) as { destination: string }[]).map(
      ({ destination }) => destination,
    )
    const further = destinations.filter(code => !codes.includes(code)).slice(0, 1)
    for (const passport of ["BEL", "LUX"]) assert.strictEqual(await check(running.keys.free, passport, further), 0)
  })

  it("costs a lookup on the lookup's surface, which has no guard; a history costs one too", async () => {
    running.setTime(Date.parse("2028-09-05T06:00:00Z"))
    const bearer = { authorization: `Bearer ${running.keys.starter}` }
    const spend = async (path: string) => {
      const reply = await running.ask(path, { headers: bearer })
      assert.strictEqual(reply.status, 200, path)
      return Number(/"rolling";r=(\d+)/.exec(String(reply.headers.ratelimit))?.[1])
    }
    const PAIR_OF_LOOKUP = "passport=FRA&destination=JPN"
    const first = await spend(`/visa?${PAIR_OF_LOOKUP}`)
    assert.strictEqual(await spend(`/policies/history?${PAIR_OF_LOOKUP}`), first - 1)
    for (const path of ["/passports", "/destinations", "/zones"]) assert.strictEqual(await spend(path), first - 1)
  })

  it("is not in a plan with a guard if it tells of many at once and is not counted, except groups from hobby on", async () => {
    for (const path of ["/bulk?passport=FRA", "/group?passports=FRA,DEU"])
      assert.strictEqual((await running.askAs("free", `/api/v1/visa${path}`)).status, 403, path)
    for (const plan of ["free", "hobby", "starter"] as const) {
      assert.strictEqual((await running.askAs(plan, "/api/v1/visa/bulk?passport=FRA")).status, 403, plan)
      assert.strictEqual((await running.askAs(plan, "/api/v1/visa/jobs", { method: "POST", body: "{}" })).status, 403)
    }
    // What others ask for is shown without what they were told.
    const { events } = (await running.ask("/api/v1/visa/live/recent")).read() as { events: object[] }
    assert.isNotEmpty(events)
    for (const event of events) assert.sameMembers(Object.keys(event), ["destination", "passport", "timestamp"])
  })
})
