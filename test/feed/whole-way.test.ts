/** From a new key to everyone who follows: a publisher, a static host, two services and a page. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { followDataset } from "../../adapters/client/client.ts"
import type { openDataset } from "../../src/engine.ts"
import { bundleForBrowser } from "../architecture/bundle.ts"
import { encodeHundred } from "../changes/datasets.ts"
import { runCli } from "../cli/run.ts"
import { LONG_MS } from "../eventually.ts"
import { makeFolder, startTestService } from "../http/service.ts"
import { takeReadings } from "../local-time.ts"
import { leaveChromium, shareChromium } from "../site/chromium.ts"
import { listAtomFaults, readCalendar } from "./readers.ts"
import { type ServedFolder, serveFolder } from "./serve-folder.ts"

const START = Date.now()
const LATER = 2 * 3_600_000
/** For how long a look is claimed. */
const LEASE_MS = 300_000
const folder = makeFolder()
const shared = join(folder, "public")
let host: ServedFolder
let browser: Browser

const APP = `
export { openDataset } from "./src/engine.ts"
export { followDataset } from "./adapters/client/client.ts"`

beforeAll(async () => {
  mkdirSync(shared)
  host = await serveFolder(shared)
  browser = await shareChromium()
  takeReadings()
  writeFileSync(join(shared, "app.js"), await bundleForBrowser(APP))
  writeFileSync(join(shared, "app.html"), '<!doctype html><title>app</title><script src="/app.js"></script>')
})
afterAll(async () => {
  await leaveChromium()
  await host.close()
  rmSync(folder, { recursive: true, force: true })
})

const dataset = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await runCli(["dataset", ...args], { cwd: folder })
  expect(status, stdout + stderr).toBe(0)
}
const publish = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(folder, name), bytes)
  return dataset("publish", "public", "--dataset", name, "--key", "feed.key")
}

describe("a feed of datasets", () => {
  it("reaches two services and a page from key to event, and no false one does", async () => {
    await dataset("keygen", "-o", "feed.key")
    const publicKey = readFileSync(join(folder, "feed.key.pub"), "utf8").trim()
    const embedded = encodeHundred({ version: "h.1", asOf: "2026-06-01", changed: 0 })
    await publish("h.1.landfall", embedded)
    writeFileSync(join(shared, "embedded.landfall"), embedded)

    const logged: string[] = []
    vi.spyOn(process.stderr, "write").mockImplementation(line => {
      const { reason, message } = JSON.parse(String(line)) as { reason?: string; message: string }
      logged.push(`${reason}: ${message}`)
      return true
    })
    /** Two deployments, the second with two nodes on one database. */
    const homes = [
      { home: join(folder, "one"), nodes: 1 },
      { home: join(folder, "two"), nodes: 2 },
    ]
    for (const { home } of homes) mkdirSync(home)
    /** How often a deployment has failed to follow the feed since it last could; null while it looks. */
    const countFailures = (home: string, nowMs: number) => {
      using database = new DatabaseSync(join(home, "landfall.db"), { readOnly: true })
      const look = database.prepare("SELECT due_at, failures FROM dataset_feed").get() as Record<string, number>
      return look.due_at! > nowMs && look.due_at !== nowMs + LEASE_MS ? look.failures : null
    }
    /** What each node answers after the one look of its deployment at an instant, with so many failures in a row. */
    const askServices = async (sinceStartMs: number, failures: number, ask: (running: Running) => Promise<void>) => {
      const nowMs = START + sinceStartMs
      const asked = host.asked.length
      await Promise.all(
        homes.map(async ({ home, nodes }) => {
          const env = {
            LANDFALL_DATASET: join(folder, "h.1.landfall"),
            LANDFALL_DATASET_FEED: `${host.url}/index.json`,
            LANDFALL_DATASET_KEYS: publicKey,
            LANDFALL_LOG_LEVEL: "warn",
          }
          await using stack = new AsyncDisposableStack()
          const running: Running[] = []
          for (let node = 0; node < nodes; node++) {
            running.push(stack.use(await startTestService({ env, folder: home, stoppedAt: nowMs })))
          }
          await expect.poll(() => countFailures(home, nowMs), { timeout: LONG_MS }).toBe(failures)
          for (const node of running) await ask(node)
        }),
      )
      expect(host.asked.slice(asked).filter(({ path }) => path === "/index.json")).toHaveLength(homes.length)
    }
    type Running = Awaited<ReturnType<typeof startTestService>>
    const waitForVersion = async ({ ask }: Running, version: string) => {
      await expect.poll(async () => (await ask("/readyz")).read("dataset_version"), { timeout: LONG_MS }).toBe(version)
    }
    const listChanges = async ({ ask }: Running) => {
      const [, ...entries] = (await ask("/changes.atom?passport=AAA")).text.split("<entry>")
      return entries
        .map(entry => [...entry.matchAll(/<category term="([^"]*)"/g)].map(([, tag]) => tag))
        .map(tags => tags.slice(0, 3).join(" "))
        .sort()
    }

    const page = await browser.newPage()
    const told: string[] = []
    await page.exposeFunction("tell", (said: string) => told.push(said))
    const openPage = async () => {
      await page.goto(`${host.url}/app.html`)
      return page.evaluate(
        async ({ url, key }) => {
          const app = (
            globalThis as never as {
              landfall: { openDataset: typeof openDataset; followDataset: typeof followDataset }
            }
          ).landfall
          const tell = (globalThis as never as { tell: (said: string) => void }).tell
          const opened = app.openDataset(new Uint8Array(await (await fetch("/embedded.landfall")).arrayBuffer()))
          if (!opened.ok) throw new Error(opened.error.message)
          const follower = await app.followDataset({
            url,
            keys: [key],
            embedded: opened.value,
            isManual: true,
            onDataset: ({ version }) => tell(version),
            onFault: ({ reason }) => tell(reason),
          })
          Object.assign(globalThis, { follower })
          return follower.dataset.version
        },
        { url: `${host.url}/index.json`, key: publicKey },
      )
    }
    const lookInPage = () =>
      page.evaluate(async () => {
        const { follower } = globalThis as never as { follower: Awaited<ReturnType<typeof followDataset>> }
        const looked = await follower.look()
        return [looked.ok ? "new" : looked.reason, follower.dataset.version]
      })

    await askServices(0, 0, async running => {
      await waitForVersion(running, "h.1")
      expect(await listChanges(running)).toEqual([])
    })
    expect(await openPage()).toBe("h.1")
    expect(await lookInPage()).toEqual(["not_modified", "h.1"])

    const first = readFileSync(join(shared, "index.json"))
    await publish(
      "h.2.landfall",
      encodeHundred({ version: "h.2", asOf: "2026-06-02", changed: 3, visaFrom: "2099-01-01" }),
    )
    const second = readFileSync(join(shared, "index.json"))
    const changed = ["AAA BBB policy_changed", "AAA CCC policy_changed", "AAA DDD policy_changed"]
    await askServices(LATER, 0, async running => {
      await waitForVersion(running, "h.2")
      const announced = (await listChanges(running)).filter(said => said.includes("announced"))
      expect((await listChanges(running)).filter(said => !said.includes("announced"))).toEqual(changed)
      expect(announced).toHaveLength(9)
      const atom = await running.ask("/changes.atom?passport=AAA&destination=CCC")
      expect(listAtomFaults(atom.text)).toEqual([])
      expect(atom.text).toContain("CCC for passports of AAA: no visa, 30 days (before: no visa, 90 days)")
      expect(atom.text.match(/<entry>/g)).toHaveLength(2)
      const { events } = await readCalendar((await running.ask("/changes.ics?passport=AAA&destination=CCC")).text)
      expect(events.map(({ start, summary }) => [start, summary])).toEqual([
        ["2099-01-01", "CCC for passports of AAA: a visa beforehand (before: no visa, 30 days)"],
      ])
    })
    expect(await lookInPage()).toEqual(["new", "h.2"])
    expect(await lookInPage()).toEqual(["not_modified", "h.2"])
    expect(told.splice(0)).toEqual(["h.2"])
    // The browser asks with the ETag of the index that it has.
    expect(host.asked.findLast(({ path }) => path === "/index.json")).toEqual({ path: "/index.json", status: 304 })

    const tampered = JSON.parse(second.toString())
    tampered.signatures[0].sig = JSON.parse(first.toString()).signatures[0].sig
    for (const [index, reason, message, failures] of [
      [JSON.stringify(tampered), "bad_signature", "No trusted key (of version 0) signed the index.", 1],
      [first, "rolled_back", "The index has version 1; another of version 2 was seen.", 3],
    ] as const) {
      writeFileSync(join(shared, "index.json"), index)
      for (const again of [0, 1]) {
        await askServices(LATER * 10 * (failures + again), failures + again, async running => {
          expect((await running.ask("/readyz")).read("dataset_version")).toBe("h.2")
          expect((await listChanges(running)).filter(said => !said.includes("announced"))).toEqual(changed)
        })
      }
      // Once by each deployment, though each looked twice.
      const said = `${reason}: LANDFALL_DATASET_FEED: nothing was installed: ${message}`
      expect(logged.splice(0)).toEqual(homes.map(() => said))
      expect([await lookInPage(), await lookInPage()]).toEqual([
        [reason, "h.2"],
        [reason, "h.2"],
      ])
      expect(told.splice(0)).toEqual([reason])
    }
    vi.restoreAllMocks()
    // The page answers from what it kept, also when it is opened again.
    expect(await openPage()).toBe("h.2")
    expect(told).toEqual(["h.2"])
  })

  it("limits how many feeds of changes are made for an address, and serves cached ones to everyone", async () => {
    await using running = await startTestService({ stoppedAt: START })
    const { FEEDS_A_MINUTE } = await import("../../adapters/http/routes/visa/changes-endpoints.ts")
    const { embeddedDataset } = await import("../../src/index.ts")
    const paths = embeddedDataset().destinations.slice(0, FEEDS_A_MINUTE + 1)
    const ask = (destination: string) => running.ask(`/changes.atom?passport=FRA&destination=${destination}`)
    const statuses = []
    for (const destination of paths) statuses.push((await ask(destination)).status)
    expect(statuses.slice(0, -1).every(status => status === 200)).toBe(true)
    const refused = await ask(paths.at(-1)!)
    expect([statuses.at(-1), refused.read("error"), refused.headers["retry-after"]]).toEqual([
      429,
      "At most 60 feeds a minute are made for one address.",
      "60",
    ])
    expect((await ask(paths[0]!)).status).toBe(200)
  })
})
