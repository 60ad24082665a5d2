/** A program that follows a feed: the dataset in use, the notifications, and the stored state. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { afterEach, describe, expect, it, vi } from "vitest"
import { measureChangedShare } from "../../adapters/answers/changed-share.ts"
import {
  type DatasetFault,
  type DatasetStore,
  type FollowDatasetOptions,
  followDataset,
  keepInFile,
} from "../../adapters/client/client.ts"
import { type Dataset, diffDatasets, openDataset } from "../../src/engine.ts"
import { bundleForBrowser } from "../architecture/bundle.ts"
import { encodeWorld } from "../changes/datasets.ts"
import { DAY, makeKey, StaticHost } from "../feed/static-host.ts"

const signer = makeKey()
const openWorld = (bytes: Uint8Array): Dataset => {
  const opened = openDataset(bytes)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const one = encodeWorld({ version: "w.1", asOf: "2026-06-01", days: 90 })
const two = encodeWorld({ version: "w.2", asOf: "2026-06-02", days: 30 })
const three = encodeWorld({ version: "w.3", asOf: "2026-06-03", days: 60 })
const embedded = openWorld(one)

/** A store in memory. */
class MemoryStore implements DatasetStore {
  value: Uint8Array | null = null
  writes = 0
  readonly read = async () => this.value
  readonly write = async (value: Uint8Array) => {
    this.value = value
    this.writes++
  }
}

async function publish(host: StaticHost, bytes: Uint8Array | null, more: Parameters<StaticHost["publish"]>[2] = {}) {
  await host.publish(bytes, [signer], { nowMs: Date.now(), ...more })
}

async function start(more: Partial<FollowDatasetOptions> = {}, host = new StaticHost()) {
  if (host.signed === null) await publish(host, one)
  const told: string[] = []
  const follower = await followDataset({
    url: "https://feed.example/index.json",
    keys: [signer.keyid],
    embedded,
    store: null,
    isManual: true,
    fetch: host.fetch as typeof fetch,
    onDataset: ({ version }) => told.push(version),
    onFault: ({ reason }) => told.push(reason),
    ...more,
  })
  return { host, follower, told, find: async () => ((await follower.look()) as Partial<DatasetFault>).reason ?? "new" }
}

describe("a program that follows a feed", () => {
  it("uses the embedded dataset, then each newer one, and is notified once", async () => {
    const { find, follower, host, told } = await start()
    expect(follower.dataset).toBe(embedded)
    expect(await find()).toBe("not_modified")
    await publish(host, two)
    expect(await find()).toBe("new")
    expect(follower.dataset.version).toBe("w.2")
    expect(await find()).toBe("not_modified")
    await publish(host, three)
    expect(await Promise.all([find(), find()])).toEqual(["new", "new"])
    expect(told).toEqual(["w.2", "w.3"])
    expect(host.asked.map(({ path, status }) => [path.split(".").at(-1), status])).toEqual([
      ["json", 200],
      ["json", 200],
      ["landfall", 200],
      ["json", 304],
      ["json", 200],
      ["landfall", 200],
    ])
  })

  it("keeps its dataset while the host misbehaves, is notified once, and continues when the host is right again", async () => {
    const redirect = () => new Response(null, { status: 307, headers: { location: "https://other.example/" } })
    const garbage = () => new Response("<!doctype html>")
    const cut = (path: string, bytes: Uint8Array) => new Response(bytes.slice(0, path.endsWith("json") ? 300 : 40))
    const flip = (_: string, bytes: Uint8Array) => new Response(bytes.with(50, bytes[50]! ^ 1))
    const cases: [string, (host: StaticHost) => unknown, string][] = [
      ["is down", host => (host.interfere = () => new Response("", { status: 500 })), "offline"],
      ["redirects", host => (host.interfere = redirect), "redirected"],
      ["serves a page", host => (host.interfere = garbage), "wrong_format"],
      ["sends too much", host => (host.interfere = () => new Response("x".repeat(70_000))), "too_large"],
      ["cuts off the index", host => (host.interfere = serveAs(host, ".json", cut)), "truncated"],
      ["cuts off the dataset", host => (host.interfere = serveAs(host, ".landfall", cut)), "truncated"],
      ["tampers with the dataset", host => (host.interfere = serveAs(host, ".landfall", flip)), "wrong_hash"],
      ["serves an old index", host => publish(host, two, { nowMs: Date.now() - 32 * DAY }), "expired_index"],
      ["signs with another key", host => host.publish(two, [makeKey()], { nowMs: Date.now() }), "bad_signature"],
      [
        "offers an older dataset",
        host => publish(host, encodeWorld({ version: "w.0", asOf: "2026-05-01", days: 1 })),
        "rolled_back",
      ],
      [
        "offers no dataset",
        host => publish(host, new TextEncoder().encode('{"version":"x","asOf":"2026-07-01"}')),
        "wrong_format",
      ],
    ]
    for (const [name, spoil, reason] of cases) {
      const { find, follower, host, told } = await start()
      await find()
      await publish(host, two)
      await spoil(host)
      expect([await find(), follower.dataset], name).toEqual([reason, embedded])
      await find()
      expect(told, name).toEqual([reason])
      host.interfere = () => undefined
      await publish(host, three)
      await find()
      expect(told, name).toEqual([reason, "w.3"])
    }
    const { find, told, host } = await start()
    await publish(host, two)
    await find()
    const newer = host.signed
    host.signed = null
    await publish(host, three)
    expect(await find()).toBe("rolled_back")
    host.serve(newer)
    expect([await find(), told]).toEqual(["not_modified", ["w.2", "rolled_back"]])
  })

  it("refuses a dataset that changes more than allowed", async () => {
    const { find, follower, host, told } = await start({ maximumChangedShare: 0.01 })
    await publish(host, two)
    expect([await find(), await find(), follower.dataset]).toEqual(["too_many_changes", "not_modified", embedded])
    await publish(host, null)
    expect([await find(), told]).toEqual(["not_modified", ["too_many_changes"]])
  })

  it("looks at once, each hour, and a minute after a problem, until it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    vi.spyOn(Math, "random").mockReturnValue(0.5)
    try {
      const host = new StaticHost()
      const { follower, told } = await start({ isManual: false }, host)
      const looksAfter = async (milliseconds: number) => {
        await vi.advanceTimersByTimeAsync(milliseconds)
        while (vi.getTimerCount() !== 1) await setImmediate()
        return host.asked.length
      }
      expect(await looksAfter(0)).toBe(1)
      expect(await looksAfter(3_599_999)).toBe(1)
      expect(await looksAfter(1)).toBe(2)
      host.interfere = () => new Response("", { status: 500 })
      expect(await looksAfter(3_600_000)).toBe(3)
      expect(await looksAfter(60_000)).toBe(4)
      expect(await looksAfter(299_999)).toBe(4)
      host.interfere = () => undefined
      await publish(host, two)
      expect(await looksAfter(1)).toBe(6)
      expect(told).toEqual(["offline", "w.2"])
      follower.stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.restoreAllMocks()
      vi.useRealTimers()
    }
  })

  it("reports nothing about a stopped look", async () => {
    const asked = Promise.withResolvers<void>()
    const neverAnswers: typeof fetch = (_, init) => {
      asked.resolve()
      return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    }
    const { find, follower, told } = await start({ fetch: neverAnswers })
    const looking = find()
    await asked.promise
    follower.stop()
    expect([await looking, told]).toEqual(["offline", []])
  })
})

describe("the stored state of a feed", () => {
  const folder = mkdtempSync(join(tmpdir(), "landfall-follow-"))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it("is used at the next start, without the network", async () => {
    for (const store of [new MemoryStore(), keepInFile(join(mkdtempSync(`${folder}-`), "kept"))]) {
      const { find, host } = await start({ store })
      await publish(host, two)
      await find()
      host.interfere = () => new Response("", { status: 500 })
      const next = await start({ store }, host)
      expect([next.follower.dataset.version, next.told]).toEqual(["w.2", ["w.2"]])
      // A program that embeds something newer answers from that.
      const upgraded = await start({ store, embedded: openWorld(three) }, host)
      expect(upgraded.follower.dataset.version).toBe("w.3")
    }
  })

  it("detects a rollback after a restart, and is ignored for other keys", async () => {
    const store = new MemoryStore()
    const { find, host } = await start({ store })
    const old = host.signed
    await publish(host, two)
    await find()
    host.serve(old)
    const next = await start({ store }, host)
    expect(await next.find()).toBe("rolled_back")
    const other = await start({ store, keys: [signer.keyid, makeKey().keyid] }, host)
    expect([other.follower.dataset, await other.find()]).toEqual([embedded, "not_modified"])
  })

  it("is fetched again if it was damaged or truncated", async () => {
    const store = new MemoryStore()
    const { find, host } = await start({ store })
    await publish(host, two)
    await find()
    const whole = store.value!
    const damaged = [
      whole.slice(0, 20),
      whole.slice(0, -9),
      whole.with(whole.length - 9, whole.at(-9)! ^ 1),
      new Uint8Array(0),
    ]
    for (const value of damaged) {
      store.value = value
      const next = await start({ store }, host)
      expect(next.follower.dataset).toBe(embedded)
      expect([await next.find(), next.follower.dataset.version, next.told]).toEqual(["new", "w.2", ["w.2"]])
      expect(store.value).toEqual(whole)
    }
  })

  it("is shared: a page opens what another one fetched, without a download", async () => {
    const store = new MemoryStore()
    const [here, there] = [await start({ store }), await start({ store })]
    await publish(here.host, two)
    await here.find()
    there.host.interfere = () => new Response("", { status: 500 })
    expect([await there.find(), there.follower.dataset.version, there.told]).toEqual([
      "offline",
      "w.2",
      ["w.2", "offline"],
    ])
  })

  it("is not written again while nothing changes", async () => {
    const store = new MemoryStore()
    const { find, host } = await start({ store })
    await publish(host, two)
    for (let at = 0; at < 4; at++) await find()
    expect(store.writes).toBe(1)
  })

  it("is lost if the store fails, which is reported once", async () => {
    const fail = () => Promise.reject(new Error("the quota is used up"))
    const { find, follower, host, told } = await start({ store: { read: fail, write: fail } })
    await publish(host, two)
    expect([await find(), follower.dataset.version]).toEqual(["new", "w.2"])
    await find()
    expect(told).toEqual(["w.2", "not_kept"])
    const missing = keepInFile(join(folder, "no", "such", "folder"))
    expect(await missing.read()).toBeNull()
    await expect(missing.write(new Uint8Array(1))).rejects.toThrow("ENOENT")
  })

  it("replaces a file at once, and leaves nothing beside it", async () => {
    const place = mkdtempSync(`${folder}-`)
    writeFileSync(join(place, "kept"), "before")
    await keepInFile(join(place, "kept")).write(new TextEncoder().encode("after"))
    expect([readdirSync(place), readFileSync(join(place, "kept"), "utf8")]).toEqual([["kept"], "after"])
  })
})

describe("the share of pairs that a dataset changes", () => {
  it("agrees with the list of differences", () => {
    const fields = ["record", "requirement", "days"] as const
    const other = openWorld(encodeWorld({ version: "w.9", days: 1, visaFrom: "2026-01-01" }))
    for (const [older, newer] of [
      [embedded, openWorld(two)],
      [embedded, embedded],
      [openWorld(three), other],
    ] as const) {
      const expected = diffDatasets(older, newer, { fields }).length / older.pairs.length
      expect(measureChangedShare(older, newer)).toBe(expected)
    }
    expect(measureChangedShare(embedded, openWorld(two))).toBeGreaterThan(0)
  })
})

describe("an app that follows a feed", () => {
  it("has at most four kilobytes more code than an app that opens newer data, and nothing of Node", async () => {
    const opening = 'export { lookup, openDataset, lookupRequirement } from "./src/index.ts"'
    const following = `${opening}; export { followDataset } from "./adapters/client/client.ts"`
    // Without the data, which a bundler puts anywhere between the files: it is longer than the 32 KB in which gzip finds repetitions.
    const bundles = [opening, following].map(code => bundleForBrowser(code, { hasData: false }))
    const [before, after] = await Promise.all(bundles)
    expect(gzipSync(before!, { level: 9 }).length).toBeGreaterThan(8_192)
    expect(gzipSync(after!, { level: 9 }).length - gzipSync(before!, { level: 9 }).length).toBeLessThanOrEqual(3_840)
    expect(after).not.toContain("node:")
  })
})

function serveAs(host: StaticHost, ending: string, change: (path: string, bytes: Uint8Array) => Response) {
  return (url: string) => {
    const { pathname } = new URL(url)
    return pathname.endsWith(ending) ? change(pathname, host.files.get(pathname)!) : undefined
  }
}
