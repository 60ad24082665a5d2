import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { chooseEncoding } from "../../adapters/http/pipeline/negotiation.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

describe("an encoding", () => {
  it.each([
    ["br;q=0.1, gzip;q=0.9", "gzip"],
    ["gzip;q=0.9, br;q=0.1", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, zstd", "zstd"],
    ["*", "br"],
    ["br;q=0, *;q=0.5", "zstd"],
    ["GZIP", "gzip"],
    ["gzip;q=0", null],
    ["identity, gzip;q=0.5", null],
    ["identity;q=0.2, gzip;q=0.5", "gzip"],
    ["deflate", null],
    ["", null],
    ["x;q=abc", null],
    [undefined, null],
  ])("for %s is %s", (accepted, expected) => {
    assert.strictEqual(chooseEncoding(accepted), expected)
  })

  it("is never one that the client has refused", () => {
    const range = fc.tuple(fc.constantFrom("br", "gzip", "zstd", "identity", "*"), fc.constantFrom("0", "0.3", "1"))
    fc.assert(
      fc.property(fc.uniqueArray(range, { selector: ([name]) => name }), ranges => {
        const chosen = chooseEncoding(ranges.map(([name, weight]) => `${name};q=${weight}`).join(", "))
        const weights = new Map<string, string>(ranges)
        if (chosen !== null) assert.notStrictEqual(weights.get(chosen) ?? weights.get("*") ?? "0", "0")
      }),
    )
  })
})

describe("a long answer", () => {
  const path = "/api/v1/visa/group?passports=FRA,IND"
  const running = share(startTestService)

  it.each([
    ["br", brotliDecompressSync],
    ["zstd", zstdDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("is sent as %s, the first time and when it is kept, and is the same", async (encoding, decompress) => {
    const plain = await running.askAs("pro", path)
    assert.notProperty(plain.headers, "content-encoding")
    for (let asked = 0; asked < 2; asked++) {
      const small = await running.askAs("pro", path, { headers: { "accept-encoding": encoding } })
      assert.strictEqual(small.headers["content-encoding"], encoding)
      assert.strictEqual(small.headers.vary, "Accept-Encoding")
      assert.strictEqual(Number(small.headers["content-length"]), small.bytes.length)
      assert.strictEqual(decompress(small.bytes).toString(), plain.text)
    }
  })

  it("has the same length for HEAD", async () => {
    const headers = { "accept-encoding": "gzip" }
    const got = await running.askAs("pro", path, { headers })
    const headed = await running.askAs("pro", path, { headers, method: "HEAD" })
    assert.strictEqual(headed.headers["content-length"], got.headers["content-length"])
    assert.strictEqual(headed.headers["content-encoding"], "gzip")
  })

  it("is not compressed if it is short", async () => {
    const reply = await running.askAs("pro", "/api/v1/visa/check?passport=FRA&destination=JPN", {
      headers: { "accept-encoding": "gzip" },
    })
    assert.notProperty(reply.headers, "content-encoding")
  })
})
