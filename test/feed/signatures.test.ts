import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode64, digest, type Envelope, encode64, FeedRefusal, signValue } from "../../adapters/feed/envelope.ts"
import { isPublicKey, judgeIndex, signTrust, type Trust } from "../../adapters/feed/feed-index.ts"
import { judgeIndexSlowly } from "../oracles/feed.ts"
import { DAY, encodeText, Follower, makeKey, NOW, StaticHost } from "./static-host.ts"

const [owner, signer, other, fourth] = [makeKey(), makeKey(), makeKey(), makeKey()]
const one = encodeText("v1", "2026-11-01")
const two = encodeText("v2", "2026-11-20")

const roles = (
  version: number,
  owners: readonly { keyid: string }[],
  signers: readonly { keyid: string }[],
  threshold = 1,
): Trust => ({
  version,
  owners: { keys: owners.map(({ keyid }) => keyid), threshold },
  signers: { keys: signers.map(({ keyid }) => keyid), threshold: 1 },
})

async function start(bytes = one) {
  const host = new StaticHost()
  await host.publish(bytes, [signer])
  return { host, follower: new Follower(host, [signer.keyid]) }
}

describe("signatures", () => {
  it("of a key that is not trusted, and of another kind of payload, do not count", async () => {
    const { host } = await start()
    expect(await new Follower(host, [other.keyid]).find()).toBe("bad_signature")
    expect(await new Follower(host, [other.keyid, signer.keyid]).find()).toBe("v1")
    const index = JSON.parse(new TextDecoder().decode(decode64(host.signed!.payload)))
    host.serve(await signValue("trust", index, [signer]))
    expect(await new Follower(host, [signer.keyid]).find()).toBe("bad_signature")
  })

  it("fail for any changed byte of the payload or of the signature", async () => {
    const { host } = await start()
    const { payload, signatures } = host.signed!
    const flip = (text: string, at: number) => {
      const bytes = decode64(text)
      bytes[at % bytes.length]! ^= 1 << (at % 8)
      return encode64(bytes)
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.boolean(), async (at, isPayload) => {
        const [sig] = signatures
        host.serve(
          isPayload
            ? { ...host.signed, payload: flip(payload, at) }
            : { ...host.signed, signatures: [{ ...sig, sig: flip(sig!.sig, at) }] },
        )
        return (await new Follower(host, [signer.keyid]).find()) === "bad_signature"
      }),
      { numRuns: 60 },
    )
  })

  it("are refused as malformed if they are anything else", async () => {
    const { host } = await start()
    const index = host.signed!
    const strange = [
      null,
      7,
      [],
      {},
      { ...index, signatures: null },
      { ...index, signatures: [null] },
      { ...index, payload: 7 },
      { ...index, payload: "é" },
      { ...index, rotations: {} },
      { ...index, rotations: [null] },
      { ...index, rotations: [{ payload: encode64(new TextEncoder().encode("null")), signatures: [] }, 1] },
      { ...index, signatures: [{ keyid: signer.keyid, sig: "!" }] },
    ]
    for (const given of strange) {
      host.serve(given)
      expect(await new Follower(host, [signer.keyid]).find(), JSON.stringify(given)).toBe("bad_signature")
    }
    const payloads = [
      null,
      [],
      {},
      { version: 1, trust: 0 },
      { version: 1, trust: 0, expires_at: "soon", releases: [] },
      { version: 1, trust: 0, expires_at: "soonZ", releases: [] },
    ]
    const noReleases = { version: 1, trust: 0, expires_at: "2027-01-01T00:00:00Z" }
    for (const said of [...payloads, noReleases, { ...noReleases, releases: [null, 1] }]) {
      host.serve(await signValue("index", said, [signer]))
      expect(await new Follower(host, [signer.keyid]).find(), JSON.stringify(said)).toBe("wrong_format")
    }
  })

  it("are refused with a message by a runtime without Ed25519", async () => {
    const { follower } = await start()
    const verify = () => {
      throw new FeedRefusal("unsupported", "This runtime cannot verify Ed25519.")
    }
    expect(await follower.find({ verify })).toBe("unsupported")
  })

  it("are verified with valid keys only", async () => {
    const { host } = await start()
    expect(await new Follower(host, ["abc"]).find()).toBe("bad_signature")
    expect(await new Follower(host, []).find()).toBe("bad_signature")
    // The last letter has four spare bits: another spelling of one key must not count as a second one.
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const spelling = signer.keyid.slice(0, 42) + letters[letters.indexOf(signer.keyid[42]!) ^ 1]
    expect([isPublicKey(signer.keyid), isPublicKey(spelling)]).toEqual([true, false])
  })
})

describe("a change of keys", () => {
  it("is followed if the old and the new owners signed it, and revokes the keys that it leaves out", async () => {
    const host = new StaticHost()
    const pinned = roles(0, [owner], [signer])
    const follower = new Follower(host, pinned)
    await host.publish(one, [signer])
    expect(await follower.find()).toBe("v1")
    const stolen = host.signed!
    const rotation = await signTrust(roles(1, [owner, other], [fourth]), [owner])
    await host.publish(two, [fourth], { rotation })
    expect(await follower.find()).toBe("v2")
    // What the revoked key signs is refused, with the rotations and without them.
    host.signed = { ...stolen, rotations: [rotation] }
    await host.publish(encodeText("v9", "2026-11-22"), [signer])
    expect(await follower.find()).toBe("bad_signature")
    host.serve({ ...stolen })
    expect(await follower.find()).toBe("bad_signature")
  })

  it("overcomes a stolen key that signed the highest version", async () => {
    const host = new StaticHost()
    const follower = new Follower(host, roles(0, [owner], [signer]))
    await host.publish(one, [signer])
    const honest = host.signed!
    const evil = { version: Number.MAX_SAFE_INTEGER, trust: 0, expires_at: "2099-01-01T00:00:00Z", releases: [] }
    host.serve(await signValue("index", evil, [signer]))
    expect(await follower.find()).toBe("wrong_format")
    host.signed = honest
    await host.publish(two, [fourth], { rotation: await signTrust(roles(1, [owner], [fourth]), [owner]) })
    expect(await follower.find()).toBe("v2")
  })

  it("is refused without the signatures of the old owners, or of the new ones", async () => {
    const host = new StaticHost()
    const pinned = roles(0, [owner], [signer])
    const refused = "The keys of version 1 are not signed by their owners."
    for (const signers of [[other], [signer], []]) {
      await host.publish(one, [fourth], { rotation: await signTrust(roles(1, [other], [fourth]), signers) })
      expect(await new Follower(host, pinned).look()).toEqual({ ok: false, reason: "bad_signature", message: refused })
      host.signed = null
    }
    await host.publish(one, [fourth], { rotation: await signTrust(roles(1, [other], [fourth]), [owner]) })
    expect(await new Follower(host, pinned).find()).toBe("bad_signature")
    host.signed = null
    await host.publish(one, [fourth], { rotation: await signTrust(roles(1, [other], [fourth]), [owner, other]) })
    expect(await new Follower(host, pinned).find()).toBe("v1")
  })

  it("needs as many different keys as the threshold says", async () => {
    const host = new StaticHost()
    const pinned = roles(0, [owner, other], [signer], 2)
    const rotation = await signTrust(roles(1, [owner], [fourth]), [owner])
    const twice: Envelope = { ...rotation, signatures: [...rotation.signatures, ...rotation.signatures] }
    await host.publish(one, [fourth], { rotation: twice })
    expect(await new Follower(host, pinned).find()).toBe("bad_signature")
    for (const owners of [[owner], [owner, owner], [{ keyid: "abc" }, owner], []]) {
      expect(() => signTrust(roles(1, owners, [signer], 2), [owner])).toThrow("and a threshold that they reach")
    }
  })

  it("starts again for other pinned keys", async () => {
    const { follower, host } = await start()
    await host.publish(two, [signer])
    expect(await follower.find()).toBe("v2")
    const moved = new StaticHost()
    await moved.publish(encodeText("v3", "2026-11-22"), [other])
    const next = new Follower(moved, [other.keyid])
    next.state = follower.state
    next.inUse = follower.inUse
    expect(await next.find()).toBe("v3")
  })
})

describe("the judge of an index", () => {
  it("agrees with a simple implementation over mixed keys, thresholds, rotations, versions and days", async () => {
    const all = [owner, signer, other, fourth]
    const some = fc.subarray(all, { minLength: 1 })
    const role = fc.tuple(some, fc.nat(1)).map(([keys, at]) => ({
      keys: keys.map(({ keyid }) => keyid),
      threshold: Math.min(at + 1, keys.length),
    }))
    const drawn = fc.record({
      trust: fc.record({ version: fc.constant(0), owners: role, signers: role }),
      rotations: fc.array(
        fc.record({ version: fc.constantFrom(1, 1, 2, 3), owners: role, signers: role, by: fc.subarray(all) }),
        { maxLength: 2 },
      ),
      by: fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, fc.subarray(all)),
      version: fc.integer({ min: 1, max: 3 }),
      says: fc.constantFrom(0, 0, 0, 1, 2),
      ageDays: fc.constantFrom(0, 29, 30, 31, 32),
      seen: fc.option(
        fc.record({ trust: fc.constantFrom(0, 0, 1), version: fc.integer({ min: 1, max: 3 }), isSame: fc.boolean() }),
      ),
    })
    const counts = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(drawn, async ({ trust, rotations, by, version, says, ageDays, seen }) => {
        const expires_at = new Date(NOW + (30 - ageDays) * DAY).toISOString()
        const said = { version, trust: says, issued_at: "", expires_at, releases: [] }
        const index = {
          ...(await signValue("index", said, by)),
          rotations: await Promise.all(rotations.map(({ by, ...next }) => signTrust(next, by))),
        }
        const digested = await digest(decode64(index.payload))
        const known = seen && { ...seen, digest: seen.isSame ? digested : "00", expiresAt: expires_at }
        const slow = judgeIndexSlowly(index, trust, known, NOW)
        const bytes = new TextEncoder().encode(JSON.stringify(index))
        const fast = await judgeIndex(bytes, { trust, index: known }, NOW).then(
          () => "believed",
          (refusal: FeedRefusal) => refusal.reason,
        )
        counts.set(slow, (counts.get(slow) ?? 0) + 1)
        expect(fast).toBe(slow)
      }),
      { numRuns: 300 },
    )
    for (const kind of ["believed", "bad_signature", "rolled_back", "expired_index"]) {
      expect(counts.get(kind), kind).toBeGreaterThan(9)
    }
  })
})
