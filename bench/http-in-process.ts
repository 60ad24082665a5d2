/**
 * The fetch handler of the service against Fastify's `inject`, both in this process and without a socket: what a request costs beside the
 * transport. Run by `npm run bench:http`. Answers are proved to be the same before and after; rounds alternate.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { createFetchService } from "landfall/http"
import { pairs } from "./http-scenarios.ts"
import { amount, describeRatio, median } from "./measure.ts"

const PUBLIC_URL = "http://visa.example"
const ROUNDS = amount(15, 1)
const ROUND_MS = amount(300, 20)

const folder = mkdtempSync(join(tmpdir(), "landfall-bench-"))
const service = await createFetchService({
  databaseUrl: `file:${join(folder, "landfall.db")}`,
  publicUrl: PUBLIC_URL,
  logLevel: "error",
})
const { key } = await service.createAccount({ name: "Bench", email: "bench@example.org", plan: "business" })
// The peer reads its key and the public URL from the command line, as when it is a process of its own.
process.argv.splice(2, process.argv.length, key, PUBLIC_URL, "--in-process")
const { app } = await import("./http-fastify.ts")
await app.ready()

const paths = pairs.map(pair => `/api/v1/visa/check?${pair}`)

type AskOne = (path: string) => Promise<string>
const headers = { "x-api-key": key }
const askService: AskOne = async path => (await service.fetch(new Request(PUBLIC_URL + path, { headers }))).text()
const askPeer: AskOne = async path => (await app.inject({ url: path, headers })).body

async function prove(): Promise<void> {
  for (const path of paths.slice(0, 100)) {
    const [mine, theirs] = [JSON.parse(await askService(path)), JSON.parse(await askPeer(path))]
    if (!isDeepStrictEqual(mine, theirs)) throw new Error(`the two answer otherwise for ${path}`)
  }
}

/** How many requests are answered in a second, one after the other. */
async function measure(ask: AskOne): Promise<number> {
  const startedAt = performance.now()
  let asked = 0
  while (performance.now() - startedAt < ROUND_MS) await ask(paths[asked++ % paths.length] as string)
  return (asked * 1_000) / (performance.now() - startedAt)
}

await prove()
for (const ask of [askService, askPeer]) await measure(ask)
const rates: { readonly mine: number; readonly theirs: number }[] = []
for (let round = 0; round < ROUNDS; round++) {
  const [first, second] = round % 2 === 0 ? [askService, askPeer] : [askPeer, askService]
  const [one, other] = [await measure(first as AskOne), await measure(second as AskOne)]
  rates.push(round % 2 === 0 ? { mine: one, theirs: other } : { mine: other, theirs: one })
}
await prove()
await service.close()
await app.close()
rmSync(folder, { recursive: true })

console.log("\nGET /api/v1/visa/check in one process, without a socket, one after the other")
console.log(
  `  landfall fetch handler  ${Math.round(median(rates.map(({ mine }) => mine))).toLocaleString("en-US")} req/s`,
)
console.log(
  `  Fastify 5 inject        ${Math.round(median(rates.map(({ theirs }) => theirs))).toLocaleString("en-US")} req/s`,
)
console.log(
  describeRatio(
    "throughput against Fastify 5",
    rates.map(({ mine, theirs }) => mine / theirs),
  ),
)
