/** A coin on a chain of this machine, and a facilitator in front of it: the published facilitator, over a signer that keeps used nonces and balances in memory. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { x402Facilitator } from "@x402/core/facilitator"
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, recoverTypedDataAddress } from "viem"

export const NETWORK = "eip155:8453"
export const ASSET = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
export const PAY_TO = "0x1111111111111111111111111111111111111111"
const SUBMITTER = "0x2222222222222222222222222222222222222222"

const transferEvent = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])

/** A transfer that has happened. */
interface Transfer {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
}

/** What the facilitator does with a request to settle. */
export type Mood = "honest" | "loses the answer" | "away"

export interface Chain extends AsyncDisposable {
  readonly url: string
  readonly transfers: Transfer[]
  /** How many requests of each kind came. */
  readonly asked: { verify: number; settle: number }
  mood: Mood
  /** Whether payers have nothing any more when it comes to paying. */
  isPoor: boolean
}

/** Starts a chain and its facilitator on a free port. */
export async function startChain(): Promise<Chain> {
  const transfers: Transfer[] = []
  const used = new Set<string>()
  const receipts = new Map<Hex, Transfer>()
  const asked = { verify: 0, settle: 0 }
  const state: { mood: Mood; isPoor: boolean } = { mood: "honest", isPoor: false }

  const check = (args: readonly unknown[]) => {
    const [from, to, value, , , nonce] = args as [Hex, Hex, bigint, bigint, bigint, Hex]
    if (used.has(`${from} ${nonce}`.toLowerCase())) throw new Error("FiatTokenV2: authorization is used or canceled")
    return { from, to, value, nonce }
  }
  const signer = {
    getAddresses: () => [SUBMITTER] as const,
    getCode: async ({ address }: { address: Hex }): Promise<Hex> =>
      address.toLowerCase() === ASSET.toLowerCase() ? "0x60" : "0x",
    readContract: async ({ functionName, args = [] }: { functionName: string; args?: readonly unknown[] }) => {
      if (functionName !== "transferWithAuthorization") throw new Error(`the chain knows no ${functionName}`)
      check(args)
    },
    verifyTypedData: async ({ address, signature, ...typed }: { address: Hex; signature: Hex }) =>
      (await recoverTypedDataAddress({ ...typed, signature } as never)).toLowerCase() === address.toLowerCase(),
    writeContract: async ({ args }: { args: readonly unknown[] }): Promise<Hex> => {
      const { from, to, value, nonce } = check(args)
      if (state.isPoor) throw new Error("ERC20: transfer amount exceeds balance")
      used.add(`${from} ${nonce}`.toLowerCase())
      transfers.push({ from, to, value })
      const hash: Hex = `0x${transfers.length.toString(16).padStart(64, "0")}`
      receipts.set(hash, { from, to, value })
      return hash
    },
    sendTransaction: async (): Promise<Hex> => {
      throw new Error("nothing else is sent")
    },
    waitForTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const { from, to, value } = receipts.get(hash) as Transfer
      const topics = encodeEventTopics({ abi: transferEvent, eventName: "Transfer", args: { from, to } })
      const data = encodeAbiParameters([{ type: "uint256" }], [value])
      return { status: "success", logs: [{ address: ASSET, topics, data }] as never }
    },
  }
  const facilitator = new x402Facilitator().register(NETWORK, new ExactEvmScheme(signer as never))

  const server = createServer((request, response) => {
    let body = ""
    request.on("data", piece => {
      body += piece
    })
    request.on("end", async () => {
      if (state.mood === "away") {
        response.destroy()
        return
      }
      const { paymentPayload, paymentRequirements } = JSON.parse(body) as {
        paymentPayload: PaymentPayload
        paymentRequirements: PaymentRequirements
      }
      const isSettle = request.url === "/settle"
      asked[isSettle ? "settle" : "verify"]++
      const answer = await (isSettle
        ? facilitator.settle(paymentPayload, paymentRequirements)
        : facilitator.verify(paymentPayload, paymentRequirements))
      if (isSettle && state.mood === "loses the answer") {
        response.destroy()
        return
      }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(answer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transfers,
    asked,
    get mood() {
      return state.mood
    },
    set mood(to) {
      state.mood = to
    },
    get isPoor() {
      return state.isPoor
    },
    set isPoor(to) {
      state.isPoor = to
    },
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
