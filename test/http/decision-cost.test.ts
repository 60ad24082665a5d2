import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { decision } from "../../adapters/http/routes/visa/visa-endpoints.ts"
import { makeAnswers } from "../../adapters/mcp/tool-answers.ts"
import { Asker, ToolRefused } from "../../adapters/mcp/tools.ts"
import { loadLocalisedFacts } from "../../src/full.ts"
import { type Dataset, embeddedDataset } from "../../src/index.ts"

// A dataset that names its codes, and refuses to be judged by.
const NAMES = new Set(["passportIndices", "destinationIndices", "destinations", "passports", "version", "asOf"])
const unjudged = new Proxy(embeddedDataset(), {
  get: (dataset, name) => {
    if (typeof name === "string" && !NAMES.has(name)) throw new Error(`judged: ${name}`)
    return Reflect.get(dataset, name)
  },
}) as Dataset

// Blocked everywhere, so that each stop would be decided some hundred times for its remedies.
const stops = Array.from({ length: 12 }, (_, at) => ({
  destination: "PRK",
  from: `2027-${String(at + 1).padStart(2, "0")}-01`,
  to: `2027-${String(at + 1).padStart(2, "0")}-28`,
}))

describe("a caller whose quota is spent", () => {
  it("is refused at the endpoint before the itinerary is judged, because its cost is known when it is read", () => {
    const body = JSON.stringify({ passport: "USA", passport_expiry: "2026-01-01", stops })
    const {
      read: readBody,
      cost,
      answer,
    } = decision as never as {
      readonly read: (given: object, context: object) => { readonly ok: boolean; readonly question: never }
      readonly cost: (question: never) => object
      readonly answer: (question: never, context: object) => object
    }
    const { ok, question } = readBody({ body, query: {} }, { dataset: unjudged, request: { header: () => undefined } })
    assert.isTrue(ok)
    assert.deepStrictEqual(cost(question), {
      charge: 1,
      passport: ["USA"],
      destinations: stops.map(({ destination }) => destination),
    })
    assert.throws(() => answer(question, { dataset: unjudged, giveWay: () => undefined }), /judged: /)
  })

  it("is refused by the tools of language models before the itinerary is judged", async () => {
    const facts = await loadLocalisedFacts(embeddedDataset(), "en")
    const tools = makeAnswers({ readDataset: () => unjudged, loadFacts: () => Promise.resolve(facts) })
    const spent = {
      reader: { plan: "free", upgradeUrl: "" },
      giveWay: () => {},
      pay: () => Effect.fail(new ToolRefused({ message: "spent" })),
    }
    const called = tools
      .check_itinerary({ passports: [{ passport: "USA" }], stops })
      .pipe(Effect.provideService(Asker, spent as never))
    const refused = await Effect.runPromise(Effect.flip(called))
    assert.strictEqual(refused.message, "spent")
  })
})
