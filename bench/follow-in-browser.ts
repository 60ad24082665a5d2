/**
 * What does a newer dataset cost a page: verifying its signature and hash, unpacking, opening, and comparing it with the current one?
 *
 * `npm run bench -- follow-in-browser`, over the sources. Each run is a new page, with no compiled code yet. The time is the CPU time of the page's main thread (`TaskDuration` of the DevTools protocol,
 * in thread ticks), without the network.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import type { followDataset } from "../adapters/client/client.ts"
import { readDataRecords, toFacts } from "../adapters/data-files/read-facts.ts"
import { signNextIndex } from "../adapters/feed/feed-index.ts"
import { compileFacts, encodeDataset } from "../src/compiler.ts"
import type { openDataset } from "../src/engine.ts"
import { bundleForBrowser } from "../test/architecture/bundle.ts"
import { serveFolder } from "../test/feed/serve-folder.ts"
import { describeRelease, makeKey } from "../test/feed/static-host.ts"
import { startChromium } from "../test/site/chromium.ts"
import { amount, describeRun, range, takeValue } from "./measure.ts"

const APP = `
export { openDataset } from "./src/engine.ts"
export { followDataset } from "./adapters/client/client.ts"`

interface App {
  readonly openDataset: typeof openDataset
  readonly followDataset: typeof followDataset
}

const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
/** The facts of ./data as a dataset of a given version, without the full facts. */
const compile = (version: string) => encodeDataset(takeValue(compileFacts({ ...facts, version })))

const folder = mkdtempSync(join(tmpdir(), "landfall-bench-follow-"))
const host = await serveFolder(folder)
const browser = await startChromium()
try {
  const key = makeKey()
  const [inUse, newer] = [compile("bench.1"), compile("bench.2")]
  const { release, packed } = describeRelease(newer)
  const { signed } = await signNextIndex({ before: null, release, nowMs: Date.now(), lastsDays: 30, keys: [key] })
  writeFileSync(join(folder, "embedded.landfall"), inUse)
  writeFileSync(join(folder, `${release.sha256}.landfall`), packed)
  writeFileSync(join(folder, "index.json"), JSON.stringify(signed))
  writeFileSync(join(folder, "app.js"), await bundleForBrowser(APP))
  writeFileSync(join(folder, "app.html"), '<!doctype html><title>app</title><script src="/app.js"></script>')

  const look = async (): Promise<number> => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      const client = await context.newCDPSession(page)
      await client.send("Performance.enable", { timeDomain: "threadTicks" })
      await page.goto(`${host.url}/app.html`)
      await page.evaluate(
        async ({ url, keyid }) => {
          const app = (globalThis as never as { landfall: App }).landfall
          const opened = app.openDataset(new Uint8Array(await (await fetch("/embedded.landfall")).arrayBuffer()))
          if (!opened.ok) throw new Error(opened.error.message)
          const follower = await app.followDataset({ url, keys: [keyid], embedded: opened.value, isManual: true })
          Object.assign(globalThis, { follower })
        },
        { url: `${host.url}/index.json`, keyid: key.keyid },
      )
      const readMs = async () => {
        const { metrics } = await client.send("Performance.getMetrics")
        return metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000
      }
      const before = await readMs()
      const found = await page.evaluate(async () => {
        const { follower } = globalThis as never as { follower: Awaited<ReturnType<typeof followDataset>> }
        const looked = await follower.look()
        return looked.ok ? follower.dataset.version : looked.message
      })
      const after = await readMs()
      if (found !== "bench.2") throw new Error(found)
      return after - before
    } finally {
      await context.close()
    }
  }
  console.log(describeRun(`${newer.length} bytes, ${packed.length} packed`).join("\n"))
  await look()
  const times: number[] = []
  for (let run = 0; run < amount(25, 2); run++) times.push(await look())
  console.log(
    `\nverify, unpack, open and compare in a new page: ms of the main thread, median and range: ${range(times, 1)}`,
  )
} finally {
  await browser.close()
  await host.close()
  rmSync(folder, { recursive: true, force: true })
}
