import type { LookupAddress } from "node:dns"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { guardLookup, isPublicAddress, type Resolve, readTarget } from "../../adapters/events/followers/target-guard.ts"
import {
  type AttemptOutcome,
  makeSender,
  type SenderOptions,
  type Shipment,
} from "../../adapters/webhooks/dispatcher.ts"

/** Sends one, and ends all connections. */
const sendOne = (options: SenderOptions, shipment: Shipment): Promise<AttemptOutcome> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeSender(options), send =>
        Effect.callback<AttemptOutcome>(resume => send(shipment, outcome => resume(Effect.succeed(outcome)))),
      ),
    ),
  )

describe("isPublicAddress", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.216.34",
    "64:ff9b::7f00:1",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "127.1",
    "0x7f.1",
    "localhost",
    "",
  ])("refuses %s", address => {
    assert.isFalse(isPublicAddress(address))
  })

  it.each(["93.184.216.34", "172.32.0.1", "192.0.1.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"])(
    "takes %s",
    address => {
      assert.isTrue(isPublicAddress(address))
    },
  )
})

describe("an address of a platform", () => {
  // What a virtual machine, a container or a function asks for its identity, its names, or its host.
  it.each<[string, string]>([
    ["the metadata of AWS, Azure, Google Cloud, Oracle, DigitalOcean, Hetzner and OpenStack", "169.254.169.254"],
    ["the metadata of AWS by IPv6", "fd00:ec2::254"],
    ["the time and the names of AWS", "169.254.169.123"],
    ["the resolver of AWS", "169.254.169.253"],
    ["the resolver of AWS by IPv6", "fd00:ec2::253"],
    ["the credentials of a task of Amazon ECS", "169.254.170.2"],
    ["the credentials of a pod of Amazon EKS", "169.254.170.23"],
    ["the same by IPv6", "fd00:ec2::23"],
    ["the metadata of Google Cloud by IPv6", "fd20:ce::254"],
    ["the host of a virtual machine on Azure", "168.63.129.16"],
    ["the metadata of Alibaba Cloud", "100.100.100.200"],
    ["the resolvers of Alibaba Cloud", "100.100.2.136"],
    ["the metadata of Oracle Cloud Classic", "192.0.0.192"],
    ["the metadata of Tencent Cloud", "169.254.0.23"],
    ["the metadata of Scaleway", "169.254.42.42"],
    ["the metadata of Scaleway by IPv6", "fd00:42::42"],
    ["the metadata of OpenStack by IPv6", "fe80::a9fe:a9fe"],
    ["the API of a Fly.io machine", "fdaa::3"],
    ["the API of a Kubernetes cluster", "10.96.0.1"],
    ["the host of a container", "172.17.0.1"],
  ])("is refused in a URL, and behind a name: %s", async (_, address) => {
    assert.isFalse(isPublicAddress(address))
    const isIpv6 = address.includes(":")
    const host = isIpv6 ? `[${address}]` : address
    const refused = { ok: false, message: "The host has no public address" } as const
    assert.deepStrictEqual(readTarget(`https://${host}/latest/meta-data/`, { allowsPrivate: false }), refused)
    const inHex = (text: string) =>
      `0x${text
        .split(".")
        .map(part => Number(part).toString(16).padStart(2, "0"))
        .join("")}`
    const spellings = isIpv6 ? [] : [`[::ffff:${address}]`, `[64:ff9b::${address}]`, inHex(address)]
    for (const spelling of spellings)
      assert.deepStrictEqual(readTarget(`https://${spelling}/`, { allowsPrivate: false }), refused, spelling)
    const resolve: Resolve = (_host, done) => done(null, [{ address, family: isIpv6 ? 6 : 4 }])
    const outcome = await sendOne(
      { allowsPrivate: false, resolve, timeoutMs: 1_000 },
      { url: "https://metadata.example/", headers: {}, body: "{}" },
    )
    assert.strictEqual(outcome.error, "the host has no public address")
  })

  it.each(["metadata.google.internal", "metadata.google.internal.", "instance-data.ec2.internal", "metadata"])(
    "is refused by its name: %s",
    host => {
      assert.isFalse(readTarget(`https://${host}/`, { allowsPrivate: false }).ok)
    },
  )
})

describe("readTarget", () => {
  const inProduction = { allowsPrivate: false }
  it.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://127.0.0.1./",
    "https://１２７.0.0.1/",
    "https://169.254.169.254/latest",
    "https://localhost/",
    "https://app.localhost/",
    "https://printer.local/",
    "https://intranet/",
    "http://example.com/",
    "ftp://example.com/",
    "https://user:secret@example.com/",
    "https://example.com/#part",
    "https://example.com:25/",
    "https://example.com:80/",
    "no url",
    "",
    null,
    `https://example.com/${"x".repeat(2_048)}`,
  ])("refuses %s", url => {
    assert.isFalse(readTarget(url, inProduction).ok)
  })

  it.each(["https://example.com/", "https://example.com:8443/hooks?a=1", "https://93.184.216.34/"])("takes %s", url => {
    assert.isTrue(readTarget(url, inProduction).ok)
  })

  it("takes http and private addresses in development", () => {
    assert.isTrue(readTarget("http://127.0.0.1:3000/", { allowsPrivate: true }).ok)
    assert.isFalse(readTarget("file:///etc/passwd", { allowsPrivate: true }).ok)
  })
})

describe("guardLookup", () => {
  type Answers = readonly (readonly string[])[]
  /** A resolver that answers differently each time. */
  const answering = (answers: Answers) => {
    let asked = 0
    const resolve = (_: string, done: (error: null, addresses: readonly LookupAddress[]) => void) => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] as readonly string[]
      done(
        null,
        addresses.map(address => ({ address, family: address.includes(":") ? 6 : 4 })),
      )
    }
    return { resolve, count: () => asked }
  }
  const look = (answers: Answers) =>
    new Promise<string>(resolve => {
      guardLookup({ allowsPrivate: false }, answering(answers).resolve)(
        "hooks.example",
        { all: true },
        (error, found) => resolve(error === null ? JSON.stringify(found) : error.message),
      )
    })

  it("returns the checked addresses, and refuses a name with an address that is not public", async () => {
    assert.strictEqual(await look([["93.184.216.34"]]), '[{"address":"93.184.216.34","family":4}]')
    assert.strictEqual(await look([["93.184.216.34", "::1"]]), "the host has no public address")
    assert.strictEqual(await look([[]]), "the host has no public address")
  })

  it("sends nothing to a name that has become a private address, and resolves it once for a connection", async () => {
    const arrived: string[] = []
    const server = createServer((request, response) => {
      arrived.push(String(request.headers.host))
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { resolve, count } = answering([["127.0.0.1"]])
    const shipment = { url: `https://hooks.example:${port}/`, headers: {}, body: "{}" }
    const outcome = await sendOne({ allowsPrivate: false, resolve }, shipment)
    assert.deepStrictEqual(outcome, {
      isAccepted: false,
      status: null,
      error: "the host has no public address",
      body: null,
    })
    assert.strictEqual(count(), 1)
    assert.deepStrictEqual(arrived, [])
    await new Promise(done => server.close(done))
  })

  it("gives up on a receiver that hangs, and on one that disconnects", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/reset") request.socket.destroy()
      else response.writeHead(200).write("…")
    })
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = (path: string, timeoutMs: number) =>
      sendOne({ allowsPrivate: true, timeoutMs }, { url: url + path, headers: {}, body: "{}" })
    assert.strictEqual((await send("/hang", 50)).error, "no answer within 0.05 seconds")
    assert.strictEqual((await send("/reset", 60_000)).error, "the connection failed: ECONNRESET")
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  })
})
