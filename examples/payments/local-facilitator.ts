/**
 * A facilitator of x402 on this machine: the published one, with a coin that exists in memory only.
 *
 * It checks signatures, amounts and times as every facilitator does, and accepts an authorisation once; there is no blockchain behind it. Every payer has enough money. Its state is lost
 * when it ends.
 *
 * Run it: `npx node examples/payments/local-facilitator.ts` (or `node examples/payments/local-facilitator.ts PORT`); it prints the settings for the service.
 */
import { createServer } from "node:http"
import { x402Facilitator } from "@x402/core/facilitator"
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, recoverTypedDataAddress } from "viem"
import { listenHere, startOrExit } from "./listen.ts"

/** Base and its USDC: the service's defaults. */
export const NETWORK = "eip155:8453"
export const ASSET = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
export const PAY_TO = "0x1111111111111111111111111111111111111111"
const SUBMITTER = "0x2222222222222222222222222222222222222222"

const transferEvent = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])

/** A completed transfer. */
export interface Transfer {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
}

/** Failures to simulate. */
export interface Trouble {
  /** Answers nothing. */
  isAway: boolean
  /** Settles, but does not answer. */
  losesAnswers: boolean
  /** Payers have no money left when they pay. */
  isPoor: boolean
}

/** A running facilitator. */
export interface LocalFacilitator extends AsyncDisposable {
  readonly url: string
  /** The settings of the service, as environment variables. */
  readonly settings: Readonly<Record<string, string>>
  readonly transfers: readonly Transfer[]
  /** How many requests of each kind came. */
  readonly asked: { verify: number; settle: number }
  readonly trouble: Trouble
}

/** A coin that is kept in memory, with the interface that the facilitator calls. */
function makeCoin(transfers: Transfer[], trouble: Trouble) {
  const used = new Set<string>()
  const receipts = new Map<Hex, Transfer>()
  const check = (args: readonly unknown[]) => {
    const [from, to, value, , , nonce] = args as [Hex, Hex, bigint, bigint, bigint, Hex]
    if (used.has(`${from} ${nonce}`.toLowerCase())) throw new Error("FiatTokenV2: authorization is used or canceled")
    return { from, to, value, nonce }
  }
  return {
    getAddresses: () => [SUBMITTER] as const,
    getCode: async ({ address }: { address: Hex }): Promise<Hex> =>
      address.toLowerCase() === ASSET.toLowerCase() ? "0x60" : "0x",
    readContract: async ({ functionName, args = [] }: { functionName: string; args?: readonly unknown[] }) => {
      if (functionName !== "transferWithAuthorization") throw new Error(`the coin knows no ${functionName}`)
      check(args)
    },
    verifyTypedData: async ({ address, signature, ...typed }: { address: Hex; signature: Hex }) =>
      (await recoverTypedDataAddress({ ...typed, signature } as never)).toLowerCase() === address.toLowerCase(),
    writeContract: async ({ args }: { args: readonly unknown[] }): Promise<Hex> => {
      const { from, to, value, nonce } = check(args)
      if (trouble.isPoor) throw new Error("ERC20: transfer amount exceeds balance")
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
}

/** Starts it; port 0 takes a free one. */
export async function startLocalFacilitator(port = 0): Promise<LocalFacilitator> {
  const transfers: Transfer[] = []
  const asked = { verify: 0, settle: 0 }
  const trouble: Trouble = { isAway: false, losesAnswers: false, isPoor: false }
  const coin = makeCoin(transfers, trouble)
  const facilitator = new x402Facilitator().register(NETWORK, new ExactEvmScheme(coin as never))
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const piece of request.setEncoding("utf8")) body += piece
    const kind = request.url === "/settle" ? "settle" : request.url === "/verify" ? "verify" : null
    if (trouble.isAway) return void response.destroy()
    if (kind === null || request.method !== "POST") return void response.writeHead(404).end()
    asked[kind]++
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as {
      paymentPayload: PaymentPayload
      paymentRequirements: PaymentRequirements
    }
    const answer = await facilitator[kind](paymentPayload, paymentRequirements)
    if (kind === "settle" && trouble.losesAnswers) return void response.destroy()
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  })
  const url = await listenHere(server, port)
  return {
    url,
    settings: { LANDFALL_X402_PAY_TO: PAY_TO, LANDFALL_X402_FACILITATOR_URL: url },
    transfers,
    asked,
    trouble,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

if (import.meta.main) {
  const { url, settings } = await startOrExit(startLocalFacilitator(Number(process.argv[2] ?? 4_020)))
  console.log(`A facilitator listens on ${url}. For the service, in its shell:\n`)
  for (const [name, value] of Object.entries(settings)) console.log(`export ${name}='${value}'`)
}
