import { join } from "node:path"
import { x402Client, x402HTTPClient } from "@x402/core/client"
import type { PaymentRequired } from "@x402/core/types"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { decodePaymentResponseHeader, wrapFetchWithPayment } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"
import { assert, beforeEach, describe, it } from "vitest"
import { runCli } from "../cli/run.ts"
import { startTestService, type TestService } from "../http/service.ts"
import { share } from "../share.ts"
import { ASSET, NETWORK, PAY_TO, startChain } from "./chain.ts"

const PATH = "/api/x402/visa?passport=IND&destination=DEU"
const account = privateKeyToAccount(`0x${"7".repeat(64)}`)
const client = new x402Client().register(NETWORK, new ExactEvmScheme(account))

const chain = share(startChain)
const env = () => ({ LANDFALL_X402_PAY_TO: PAY_TO, LANDFALL_X402_FACILITATOR_URL: chain.url })
const running = share(() => startTestService({ env: env() }))
beforeEach(() => {
  chain.mood = "honest"
  chain.isPoor = false
})

const decode = (header: unknown) =>
  JSON.parse(Buffer.from(String(header), "base64").toString("utf8")) as Record<string, never>

/** Signs a payment as the published client does. */
async function sign(path = PATH): Promise<string> {
  const required = (await running.ask(path)).read() as PaymentRequired
  const payload = await client.createPaymentPayload(required)
  const headers = new x402HTTPClient(client).encodePaymentSignatureHeader(payload)
  return Object.values(headers)[0] as string
}

const pay = (signature: string, path = PATH, at: TestService = running) =>
  at.ask(path, { headers: { "payment-signature": signature } })

describe("a program without an account", () => {
  it("gets the price of a call", async () => {
    const reply = await running.ask(PATH)
    assert.strictEqual(reply.status, 402)
    assert.deepStrictEqual(decode(reply.headers["payment-required"]), reply.read())
    assert.deepStrictEqual(reply.read("accepts"), [
      {
        scheme: "exact",
        network: NETWORK,
        asset: ASSET,
        amount: "30000",
        payTo: PAY_TO,
        maxTimeoutSeconds: 120,
        extra: { name: "USD Coin", version: "2" },
      },
    ])
    assert.strictEqual(reply.read("resource.url"), running.url + PATH)
  })

  it("pays with the published client, and gets the record of a pro plan and the settlement", async () => {
    const before = chain.transfers.length
    const response = await wrapFetchWithPayment(fetch, client)(running.url + PATH)
    assert.strictEqual(response.status, 200)
    const asPro = await running.askAs("pro", "/api/v1/visa?passport=IND&destination=DEU")
    assert.deepStrictEqual(await response.json(), asPro.read())
    const settled = decodePaymentResponseHeader(String(response.headers.get("payment-response")))
    assert.include(settled, { success: true, network: NETWORK, payer: account.address })
    assert.deepStrictEqual(chain.transfers.slice(before), [{ from: account.address, to: PAY_TO, value: 30_000n }])
  })

  it("can use an authorisation once only: not again, not at the same time, and not on another node", async () => {
    await using node = await startTestService({ folder: running.folder, env: env() })
    const signature = await sign()
    const before = chain.transfers.length
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => pay(signature)),
      pay(signature, PATH, node),
      pay(signature, PATH, node),
    ])
    assert.deepStrictEqual(replies.map(({ status }) => status).sort(), [200, 402, 402, 402, 402, 402])
    assert.strictEqual((await pay(signature, "/api/x402/visa?passport=FRA&destination=JPN")).status, 402)
    assert.strictEqual(chain.transfers.length, before + 1)
  })

  it("is in the ledger, without data that could be submitted again", async () => {
    const env = { LANDFALL_DATABASE_URL: `file:${join(running.folder, "landfall.db")}` }
    const before = chain.transfers.length
    const signature = await sign()
    assert.strictEqual((await pay(signature)).status, 200)
    const listed = await runCli(["operate", "payments", "limit=1", "--json"], { env })
    assert.strictEqual(listed.status, 0, listed.stderr)
    const { rows } = JSON.parse(listed.stdout) as { readonly rows: readonly Record<string, unknown>[] }
    const [payment, ...others] = rows
    assert.isEmpty(others)
    assert.include(payment, {
      state: "settled",
      usd: 0.03,
      question: "IND DEU en",
      payer: account.address.toLowerCase(),
      transaction: `0x${(before + 1).toString(16).padStart(64, "0")}`,
      error: null,
    })
    assert.doesNotHaveAnyKeys(payment, ["sealed_payment", "settlement"])
    assert.notInclude(
      listed.stdout,
      String((decode(signature) as { payload?: { signature?: string } }).payload?.signature),
    )
    const table = await runCli(["operate", "payments"], { env })
    assert.match(table.stdout, /^payment +at +state +usd +question +payer +transaction/)
    assert.match(table.stdout, /settled +0\.03 +IND DEU en +0x[\da-f]{40} +0x0+[\da-f]+/)
    assert.deepStrictEqual(await runCli(["operate", "payments", "limit=many"], { env }).then(({ status }) => status), 2)
    const empty = await runCli(["operate", "payments"], {
      env: { LANDFALL_DATABASE_URL: `file:${running.folder}/none.db` },
    })
    assert.strictEqual(empty.status, 1)
    assert.match(empty.stderr, /there is no database file/)
  })

  it("is never charged for a pair without a record, and may use the payment for another", async () => {
    const nothing = "/api/x402/visa?passport=FRA&destination=ZZZ"
    const signature = await sign(nothing)
    const settlements = chain.asked.settle
    const reply = await pay(signature, nothing)
    assert.strictEqual(reply.status, 404)
    assert.isUndefined(reply.headers["payment-response"])
    assert.strictEqual(chain.asked.settle, settlements)
    assert.strictEqual((await pay(signature)).status, 200)
  })

  it("gets 402 and no record if the payment is not settled, and may try again with the same payment", async () => {
    const signature = await sign()
    // It has enough when it is verified, and nothing when it is settled.
    const settlements = chain.asked.settle
    chain.isPoor = true
    const refused = await pay(signature)
    assert.strictEqual(refused.status, 402)
    assert.isUndefined((refused.read() as { data?: unknown }).data)
    assert.strictEqual(chain.asked.settle, settlements + 1)
    assert.include(decode(refused.headers["payment-response"]) as object, { success: false })
    chain.isPoor = false
    assert.strictEqual((await pay(signature)).status, 200)
  })

  it("gets 402 for a payment that was changed, or pays for something else, and 400 for an invalid one", async () => {
    const payload = decode(await sign()) as unknown as {
      payload: { signature: string; authorization: Record<string, string> }
      accepted: object
    }
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64")
    const { authorization } = payload.payload
    const withAuthorization = (change: object) =>
      encode({ ...payload, payload: { ...payload.payload, authorization: { ...authorization, ...change } } })
    const forged = await pay(withAuthorization({ nonce: `0x${"9".repeat(64)}` }))
    assert.strictEqual(forged.status, 402)
    assert.match(String(forged.read("error")), /signature/)
    for (const other of [
      withAuthorization({ value: "1" }),
      withAuthorization({ to: account.address }),
      encode({ ...payload, accepted: { ...payload.accepted, amount: "1" } }),
      encode({ ...payload, x402Version: 1 }),
      Buffer.from(
        JSON.stringify({ ...payload, accepted: { scheme: "NESTED" } }).replace(
          '"NESTED"',
          "[".repeat(5_000) + "]".repeat(5_000),
        ),
      ).toString("base64"),
    ]) {
      const reply = await pay(other)
      assert.strictEqual(reply.status, 402)
      assert.match(String(reply.read("error")), /^This (pays for something else|is another version of the protocol)\.$/)
    }
    for (const none of [
      "nonsense",
      encode([]),
      encode({}),
      encode({ ...payload, payload: {} }),
      withAuthorization({ nonce: "0x1" }),
    ]) {
      assert.strictEqual((await pay(none)).status, 400, none.slice(0, 20))
    }
  })

  it("gets an error and pays nothing while the facilitator is unavailable", async () => {
    const signature = await sign()
    const before = chain.transfers.length
    chain.mood = "away"
    const reply = await pay(signature)
    assert.strictEqual(reply.status, 503)
    assert.strictEqual(reply.headers["retry-after"], "5")
    assert.strictEqual(chain.transfers.length, before)
    chain.mood = "honest"
    assert.strictEqual((await pay(signature)).status, 200)
  })

  it("gets its record and pays once if the answer of the settlement was lost", async () => {
    const signature = await sign()
    const before = chain.transfers.length
    chain.mood = "loses the answer"
    assert.strictEqual((await pay(signature)).status, 503)
    assert.strictEqual(chain.transfers.length, before + 1)
    chain.mood = "honest"
    const again = await pay(signature)
    assert.strictEqual(again.status, 200)
    assert.include(decode(again.headers["payment-response"]) as object, { success: true })
    assert.strictEqual((await pay(signature)).status, 402)
    assert.strictEqual(chain.transfers.length, before + 1)
  })

  it("pays nothing with HEAD, and gets mistakes reported before the price", async () => {
    const signature = await sign()
    const before = chain.transfers.length
    const head = await running.ask(PATH, { method: "HEAD", headers: { "payment-signature": signature } })
    assert.strictEqual(head.status, 402)
    assert.strictEqual(chain.transfers.length, before)
    for (const query of [
      "?passport=IND",
      "?passport=in&destination=DEU",
      "?passport=IND&passport=FRA&destination=DEU",
      "?passport=IND&destination=DEU&lang=xx",
    ])
      assert.strictEqual((await running.ask(`/api/x402/visa${query}`)).status, 400, query)
  })
})

describe("a deployment without payment by the call", () => {
  it("says so", async () => {
    await using other = await startTestService()
    const reply = await other.ask(PATH)
    assert.strictEqual(reply.status, 503)
    assert.deepStrictEqual(reply.read(), { error: "Payment by the call is not set up on this deployment." })
  })
})
