import { assert, describe, it } from "vitest"
import { KeptAnswers } from "../../adapters/http/pipeline/pipeline.ts"
import { embeddedDataset } from "../../src/index.ts"

const dataset = embeddedDataset()
const answer = (body: string) => ({ status: 200, contentType: "application/json", headers: [], body })

describe("kept answers", () => {
  it("of all endpoints are dropped where they take too much together", () => {
    const kept = new KeptAnswers(8_000)
    const [score, pair] = [{}, {}]
    kept.keep(score, dataset, "FRA", answer("x".repeat(1_500)))
    kept.keep(pair, dataset, "FRAJPN", answer("x".repeat(1_500)))
    assert.isDefined(kept.find(score, dataset, "FRA"))
    kept.keep(pair, dataset, "FRAKOR", answer("x".repeat(1_500)))
    assert.isUndefined(kept.find(score, dataset, "FRA"))
    assert.isUndefined(kept.find(pair, dataset, "FRAJPN"))
    assert.isDefined(kept.find(pair, dataset, "FRAKOR"))
  })

  it("count with their compressed bytes, and with their objects where bodies are short", () => {
    const kept = new KeptAnswers(10_000)
    const endpoint = {}
    const first = kept.keep(endpoint, dataset, "0", answer(""))
    kept.keepBytes(first, "br", new Uint8Array(3_000))
    for (let at = 1; at <= 6; at++) kept.keep(endpoint, dataset, String(at), answer(""))
    assert.isDefined(kept.find(endpoint, dataset, "0"))
    kept.keep(endpoint, dataset, "7", answer(""))
    assert.isUndefined(kept.find(endpoint, dataset, "0"))
  })
})
