import { describe, expect, it } from "vitest"
import { DAY, describeRelease, encodeText, Follower, makeKey, NOW, StaticHost } from "./static-host.ts"

const signer = makeKey()
const one = encodeText("v1", "2026-11-01")
const two = encodeText("v2", "2026-11-20")

async function start(bytes = one) {
  const host = new StaticHost()
  await host.publish(bytes, [signer])
  return { host, follower: new Follower(host, [signer.keyid]) }
}

describe("a feed that is followed", () => {
  it("returns each new dataset once, and nothing after a 304", async () => {
    const { host, follower } = await start()
    expect(await follower.find()).toBe("v1")
    expect(await follower.find()).toBe("not_modified")
    await host.publish(two, [signer])
    const found = await follower.look()
    expect(found.ok && new TextDecoder().decode(found.bytes)).toBe(new TextDecoder().decode(two))
    expect(await follower.find()).toBe("not_modified")
    expect(host.asked.map(({ status }) => status)).toEqual([200, 200, 304, 200, 200, 304])
  })

  it("returns nothing if the dataset in use is the newest", async () => {
    const { follower, host } = await start()
    follower.inUse = { version: "v1", asOf: "2026-11-01" }
    expect(await follower.find()).toBe("not_modified")
    expect(host.asked).toHaveLength(1)
  })

  it("asks again without a condition if another dataset is in use than at the last look", async () => {
    const { follower } = await start()
    expect(await follower.find()).toBe("v1")
    follower.inUse = { version: "embedded", asOf: "2026-01-01" }
    expect(await follower.find()).toBe("v1")
  })

  it("fetches a dataset that was not saved again", async () => {
    const { follower } = await start()
    const lost = follower.look({
      save: async (state, found) => {
        if (found !== undefined) throw new Error("the disk is full")
        follower.state = state
      },
    })
    await expect(lost).rejects.toThrow("the disk is full")
    expect(await follower.find()).toBe("v1")
  })

  it("takes the newest release that the program can read", async () => {
    const { follower, host } = await start()
    await host.publish(two, [signer], { release: { oldest_reader: 3, format: 3 } })
    expect(await follower.find()).toBe("v1")
    expect(await follower.find({ readerFormat: 3 })).toBe("v2")
  })
})

describe("what a host can do wrong", () => {
  const said = async (follower: Follower, more = {}) => {
    const looked = await follower.look(more)
    return looked.ok ? looked.release.version : `${looked.reason}: ${looked.message}`
  }

  it("is down, or answers with something else", async () => {
    const { follower, host } = await start()
    host.interfere = () => new Response("busy", { status: 503 })
    expect(await said(follower)).toBe("offline: https://feed.example/index.json answers 503.")
    const broken = async () => {
      throw new TypeError("fetch failed")
    }
    expect(await said(follower, { fetch: broken })).toBe(
      "offline: feed.example cannot be reached: TypeError: fetch failed",
    )
    expect(await said(follower, { url: "feed" })).toBe('offline: "feed" is not a URL.')
    host.interfere = () => new Response(null, { status: 304 })
    expect(await said(follower)).toBe("offline: https://feed.example/index.json answers 304.")
    host.interfere = () => new Response("<!doctype html>", {})
    expect(await said(follower)).toBe("wrong_format: The index is not valid JSON: 15 bytes.")
  })

  it("does not answer in time", async () => {
    const { follower } = await start()
    const never = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    expect(await said(follower, { fetch: never, timeoutMs: 1 })).toMatch(
      /^offline: feed\.example cannot be reached: TimeoutError/,
    )
  })

  it("redirects, which is never followed", async () => {
    const { follower, host } = await start()
    for (const location of ["http://169.254.169.254/latest", "/moved/index.json", "http://[bad"]) {
      host.interfere = () => new Response(null, { status: 302, headers: { location } })
      expect(await said(follower)).toBe(
        `redirected: https://feed.example/index.json redirects to ${location}. Give that address.`,
      )
    }
    expect(host.asked).toHaveLength(3)
  })

  it("cuts off the index or the dataset", async () => {
    const { follower, host } = await start()
    const whole = host.files.get("/index.json")!
    host.files.set("/index.json", whole.slice(0, 200))
    expect(await said(follower)).toBe("truncated: The index is not valid JSON: 200 bytes.")
    host.files.set("/index.json", whole)
    const { release, packed } = describeRelease(one)
    host.files.set(`/${release.sha256}.landfall`, packed.subarray(0, 40))
    expect(await said(follower)).toBe(`truncated: The dataset has 40 of ${packed.length} bytes.`)
    host.interfere = () => new Response(new ReadableStream({ pull: stream => stream.error(new Error("reset")) }))
    expect(await said(follower)).toBe("truncated: https://feed.example/index.json broke off: Error: reset")
  })

  it("sends too much, and is cut off while it sends", async () => {
    const { follower, host } = await start()
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull(stream) {
          sent += 16_384
          stream.enqueue(new Uint8Array(16_384))
        },
      })
    host.interfere = () => new Response(endless())
    expect(await said(follower)).toBe("too_large: https://feed.example/index.json has more than 65536 bytes.")
    host.interfere = url => (url.endsWith(".landfall") ? new Response(endless()) : undefined)
    expect(await follower.find()).toBe("too_large")
    expect(sent).toBeLessThan(400_000)
    await host.publish(two, [signer], { release: { bytes: 5_000_000 } })
    expect(await said(follower)).toMatch(/^too_large: The dataset has 5000000 bytes, and \d+ unpacked\.$/)
    for (const unpacked_bytes of [40_000_000, Number.NaN]) {
      await host.publish(two, [signer], { release: { unpacked_bytes } })
      expect(await follower.find()).toBe("too_large")
    }
  })

  it("serves another dataset, or one that unpacks to more or to less than was signed", async () => {
    const { follower, host } = await start()
    const { release, packed } = describeRelease(one)
    const changed = Uint8Array.from(packed)
    changed[30]! ^= 1
    host.files.set(`/${release.sha256}.landfall`, changed)
    expect(await said(follower)).toBe("wrong_hash: The dataset is not the one that was signed.")
    for (const unpacked_bytes of [one.length - 1, one.length + 1]) {
      await host.publish(one, [signer], { release: { unpacked_bytes } })
      expect(await said(follower)).toBe(`wrong_format: The dataset does not unpack to ${unpacked_bytes} bytes.`)
    }
  })

  it("serves an old index, also by answering 304 for ever", async () => {
    const { follower, host } = await start()
    expect(await follower.find()).toBe("v1")
    const late = { nowMs: NOW + 31 * DAY + 1 }
    expect(host.asked.length).toBe(2)
    expect(await said(follower, late)).toBe(
      "expired_index: The index expired at 2026-12-23T12:00:00.000Z. The host serves an old one, or this clock is ahead.",
    )
    expect(host.asked.at(-1)?.status).toBe(304)
    const fresh = new Follower(host, [signer.keyid])
    expect(await fresh.find(late)).toBe("expired_index")
    await host.publish(null, [signer], { nowMs: late.nowMs })
    expect(await follower.find(late)).toBe("not_modified")
  })

  it("is accepted by a clock that is a day ahead, or a year behind", async () => {
    const { host } = await start()
    const find = (nowMs: number) => new Follower(host, [signer.keyid]).find({ nowMs })
    expect(await find(NOW + 31 * DAY)).toBe("v1")
    expect(await find(NOW - 365 * DAY)).toBe("v1")
  })

  it("rolls back to an older index, or serves two of one version", async () => {
    const { follower, host } = await start()
    const old = host.signed
    await host.publish(two, [signer])
    expect(await follower.find()).toBe("v2")
    host.serve(old)
    expect(await said(follower)).toBe("rolled_back: The index has version 1; another of version 2 was seen.")
    host.signed = old
    await host.publish(encodeText("v2b", "2026-11-21"), [signer])
    expect(await said(follower)).toBe("rolled_back: The index has version 2; another of version 2 was seen.")
  })

  it("offers a dataset older than the one in use, which only force takes", async () => {
    const { follower } = await start()
    follower.inUse = { version: "own", asOf: "2026-11-02" }
    expect(await said(follower)).toBe(
      "rolled_back: The dataset of 2026-11-01 is older than the one in use, of 2026-11-02.",
    )
    expect(await follower.find()).toBe("not_modified")
    expect(await follower.find({ isForced: true })).toBe("v1")
  })

  it("offers a dataset that changes too much: it is fetched and refused once, and taken by force", async () => {
    const { follower, host } = await start(encodeText("v1", "2026-11-01", 0.101))
    const message = "too_many_changes: Dataset v1 changes 11 % of pairs; 10 % are allowed at once."
    expect(await said(follower)).toBe(message)
    expect(await follower.find()).toBe("not_modified")
    await host.publish(null, [signer])
    expect(await said(follower)).toBe("not_modified: Dataset v1 was refused before.")
    expect(host.asked.filter(({ path }) => path.endsWith(".landfall"))).toHaveLength(1)
    expect(await follower.find({ isForced: true })).toBe("v1")
    expect(await new Follower(host, [signer.keyid]).find({ maximumChangedShare: 0.2 })).toBe("v1")
  })

  it("offers another dataset than it names, or one that cannot be opened", async () => {
    const { follower, host } = await start(encodeText("broken", "2026-11-01"))
    expect(await said(follower)).toBe("wrong_format: The dataset is cut off.")
    await host.publish(two, [signer], { release: { version: "v3" } })
    expect(await said(follower)).toBe("wrong_format: The file is dataset v2, not v3.")
    await host.publish(two, [signer], { release: { as_of: "soon" } })
    expect(await follower.find()).toBe("wrong_format")
    await host.publish(two, [signer], { release: { sha256: "../../etc/passwd" } })
    expect(await said(follower)).toBe("wrong_format: The newest release has no SHA-256.")
    await host.publish(two, [signer], { release: { oldest_reader: 4 } })
    host.signed = null
    await host.publish(two, [signer], { release: { oldest_reader: 4 }, nowMs: NOW })
    expect(await said(new Follower(host, [signer.keyid]))).toBe("wrong_format: Each release needs a format above 2.")
  })
})
