/**
 * The service in a process for `npm run bench -- http`.
 *
 * `anew`: the service without its cache of answers, to measure what the cache is worth. `fetch`: its fetch handler compared with Fastify's `inject`, both in this process and without a
 * socket: the cost of a request without the transport. Answers must be the same before and after; rounds alternate.
 */
import { isDeepStrictEqual } from "node:util"
import { Effect, Scope } from "effect"
import { collectSeldom, keepObjectsYoung, restartWithLimit } from "../adapters/cli/young-generation.ts"
import { pairs } from "./http-load.ts"
import { alternate, amount, describeRatio, median } from "./measure.ts"
import { makeFolder } from "./processes.ts"

async function serveAnew(): Promise<void> {
  // As `landfall serve` does: otherwise the two would be measured with different heaps.
  keepObjectsYoung()
  restartWithLimit()
  collectSeldom()
  const { readConfig } = await import("../adapters/settings/config.ts")
  const { startService } = await import("../adapters/start/serve.ts")
  const start = readConfig().pipe(Effect.flatMap(config => startService(config, { keepsAnswers: false })))
  const service = await Effect.runPromise(Effect.provideService(start, Scope.Scope, Scope.makeUnsafe()))
  console.log(`listens on ${service.url}`)
}

const PUBLIC_URL = "http://visa.example"
const ROUND_MS = amount(300, 20)

type AskOne = (path: string) => Promise<string>

/** How many requests are answered in a second, one after the other. */
async function measure(ask: AskOne, paths: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  let asked = 0
  while (performance.now() - startedAt < ROUND_MS) await ask(paths[asked++ % paths.length] as string)
  return (asked * 1_000) / (performance.now() - startedAt)
}

async function compareInProcess(): Promise<void> {
  const { createFetchService } = await import("landfall/http")
  const databaseUrl = `file:${makeFolder()}/landfall.db`
  const service = await createFetchService({ databaseUrl, publicUrl: PUBLIC_URL, logLevel: "error" })
  const { key } = await service.createAccount({ name: "Bench", email: "bench@example.org", plan: "business" })
  // The peer reads its key and the public URL from the command line, as when it runs as a process.
  process.argv.splice(2, process.argv.length, key, PUBLIC_URL, "--in-process")
  const { app } = await import("./http-fastify.ts")
  await app.ready()
  const paths = pairs.map(pair => `/api/v1/visa/check?${pair}`)
  const headers = { "x-api-key": key }
  const askService: AskOne = async path => (await service.fetch(new Request(PUBLIC_URL + path, { headers }))).text()
  const askPeer: AskOne = async path => (await app.inject({ url: path, headers })).body
  const prove = async () => {
    for (const path of paths.slice(0, 100)) {
      const [mine, theirs] = [JSON.parse(await askService(path)), JSON.parse(await askPeer(path))]
      if (!isDeepStrictEqual(mine, theirs)) throw new Error(`the two answers differ for ${path}`)
    }
  }
  await prove()
  const contestants = [askService, askPeer]
  for (const ask of contestants) await measure(ask, paths)
  const [mine, theirs]: [number[], number[]] = [[], []]
  await alternate(contestants, amount(15, 1), async (ask, at) =>
    (at === 0 ? mine : theirs).push(await measure(ask, paths)),
  )
  await prove()
  await service.close()
  await app.close()
  console.log("\nGET /api/v1/visa/check in one process, without a socket, one after the other")
  console.log(`  landfall fetch handler  ${Math.round(median(mine)).toLocaleString("en-US")} req/s`)
  console.log(`  Fastify 5 inject        ${Math.round(median(theirs)).toLocaleString("en-US")} req/s`)
  const ratios = mine.map((rate, round) => rate / (theirs[round] as number))
  console.log(describeRatio("throughput against Fastify 5", ratios))
}

if (process.argv[2] === "anew") await serveAnew()
else await compareInProcess()
