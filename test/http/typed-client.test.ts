import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { makeLandfallApi } from "../../adapters/http/openapi/api.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(startTestService)

describe("a typed client that is made from the table of endpoints", () => {
  it("calls endpoints by name and gets typed answers and errors", async () => {
    const program = Effect.gen(function* () {
      const client = yield* HttpApiClient.make(makeLandfallApi(), {
        baseUrl: running.url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-api-key", running.keys.pro)),
      })
      const score = yield* client.visaPublic.score({ query: { passport: "JPN" } })
      const group = yield* client.visa.group({ query: { passports: "FRA,IND" } })
      const refused = yield* Effect.flip(client.visaPublic.score({ query: { passport: "fr" } }))
      return { rank: score.rank satisfies number, count: group.data.count satisfies number, refused }
    })
    const { rank, count, refused } = await Effect.runPromise(Effect.provide(program, FetchHttpClient.layer))
    assert.isAtLeast(rank, 1)
    assert.isAbove(count, 50)
    assert.include(refused, {
      error:
        'passport: Expected an ISO 3166-1 alpha-3 code in capital letters, such as FRA, got "fr". The code of France is FRA.',
    })
  })
})
