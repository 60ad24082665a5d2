import { assert, describe, it } from "vitest"
import { LongWork } from "../../adapters/http/pipeline/turns.ts"
import { share } from "../share.ts"
import { type Persona, startWithPersonas } from "./personas.ts"

const NOON = Date.parse("2026-11-21T12:00:00Z")
const PLACES = ["FRA", "GBR", "USA", "CAN", "DEU", "JPN", "AUS", "CHN", "THA", "ZAF", "ITA", "ESP"]
const dayAt = (days: number) => new Date(Date.UTC(2026, 11, 1 + days)).toISOString().slice(0, 10)
/** Three passports and five visas at twelve stops, all too long. */
const LONG = JSON.stringify({
  passports: ["IND", "NGA", "PAK"],
  held: PLACES.slice(0, 5).map(issuer => ({ kind: "visa", issuer, entries: 1, duration_of_stay_days: 9 })),
  stops: PLACES.map((destination, at) => ({ destination, from: dayAt(at * 25), to: dayAt(at * 25 + 25) })),
})
const SHORT = JSON.stringify({
  passport: "FRA",
  stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-02" }],
})

const running = share(() => startWithPersonas({ stoppedAt: NOON }))

const decide = (persona: Persona, body: string) =>
  running.askAs(persona, "/api/v1/visa/decision", { method: "POST", body })

describe("questions that take long", () => {
  it("are answered between other questions, whoever asks many of them at once", async () => {
    // Known callers do not wait for the database.
    for (const persona of ["pro", "business"] as const) assert.strictEqual((await decide(persona, SHORT)).status, 200)
    let answered = 0
    const first = Promise.withResolvers<void>()
    const long = Array.from({ length: 40 }, async () => {
      const { status } = await decide("business", LONG)
      answered++
      first.resolve()
      return status
    })
    await first.promise
    const before = answered
    for (const body of [SHORT, LONG]) assert.strictEqual((await decide("pro", body)).status, 200)
    assert.isBelow(answered, 20, `${before} of 40 were answered when another account asked`)
    assert.deepStrictEqual(new Set(await Promise.all(long)), new Set([200]))
  })

  it("wait for the accounts before them, a hundred of each at most, and of all four hundred", async () => {
    const work = new LongWork()
    const order: string[] = []
    const ask = (account: string) => work.wait(account)?.then(() => order.push(account))
    const asked = [..."aaabc"].map(ask)
    await Promise.all(asked)
    assert.strictEqual(order.join(""), "aabca")

    const many = Array.from({ length: 102 }, () => work.wait("a"))
    assert.strictEqual(many.filter(turn => turn === null).length, 2)
    const others = ["b", "c", "d", "e"].flatMap(account => Array.from({ length: 100 }, () => work.wait(account)))
    assert.strictEqual(others.filter(turn => turn !== null).length, 300)
    await Promise.all([...many, ...others])
    await work.wait("a")
  })
})
