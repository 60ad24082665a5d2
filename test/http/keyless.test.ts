import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { KeylessGate } from "../../adapters/http/pipeline/admission.ts"
import type { ServiceRequest } from "../../adapters/http/pipeline/http-message.ts"
import { makeVisaKeyRules } from "../../adapters/http/routes/visa/visa-key-rules.ts"
import { readPlans } from "../../adapters/plans/plans.ts"
import { RequestWindow } from "../../adapters/quota/meter.ts"
import { findClientAddress, makeClients, nameClient, nameNetworks } from "../../adapters/validation/addresses.ts"

const trustsTens = { trusts: (address: string) => address.startsWith("10.") }

const makeGate = (changes: { readonly trustsOwnMachine?: boolean } = {}) =>
  new KeylessGate({ origins: ["https://visa.example"], trustsOwnMachine: true, ...changes })

/** Refuses a check as the visa service does, or admits it and answers null. */
function limitChecks({ checksPerMinute }: { readonly checksPerMinute: number }) {
  const clients = makeClients(trustsTens)
  const plans = Effect.runSync(readPlans("seeds/plans.json"))
  const { keyless } = makeVisaKeyRules(
    { publicUrl: "https://visa.example", contact: "", pageSendsDataset: true },
    plans,
  )
  const window = new RequestWindow({ limit: checksPerMinute, windowMs: 60_000, maximumKeys: 100 })
  const refuse = (request: ServiceRequest, nowMs: number) => {
    const retryAfterSeconds = window.admit(clients.name(request), nowMs)
    if (retryAfterSeconds === 0) return null
    const of = { policy: "keyless", limit: checksPerMinute, remaining: 0, windowSeconds: 60, renewsAt: null } as const
    const why = { ok: false, reason: "keyless", retryAfterSeconds, destinationsCap: null } as const
    const refusal = { ...of, ...why, limits: [of] }
    return keyless?.answerRefusal(refusal, nowMs) ?? null
  }
  return { refuse }
}

const request = (headers: Record<string, string>, socketAddress: string | undefined): ServiceRequest => ({
  method: "GET",
  path: "/api/v1/visa/check",
  search: "",
  header: name => headers[name],
  socketAddress,
})

const from = (headers: Record<string, string> = {}, socketAddress = "203.0.113.5") => request(headers, socketAddress)

describe("KeylessGate", () => {
  it("accepts the service's own site", () => {
    assert.isTrue(makeGate().welcomes(from({ origin: "https://visa.example" })))
  })

  it("accepts pages on localhost on any port, for any address of the server", () => {
    const gate = makeGate({ trustsOwnMachine: false })
    for (const origin of [
      "http://localhost",
      "http://localhost:3000",
      "https://localhost:8443",
      "http://app.localhost:5173",
      "http://127.0.0.1:8080",
      "http://[::1]:9000",
    ])
      assert.isTrue(gate.welcomes(from({ origin })), origin)
  })

  it("accepts browser extensions", () => {
    for (const origin of [
      "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
      "moz-extension://0f0e0d0c-1111-2222-3333-444455556666",
      "safari-web-extension://0f0e0d0c-1111-2222-3333-444455556666",
    ])
      assert.isTrue(makeGate().welcomes(from({ origin })), origin)
  })

  it("refuses every other origin, similar ones too", () => {
    for (const origin of [
      "https://other.example",
      "https://visa.example.evil.example",
      "https://visa.example:444",
      "http://visa.example",
      "http://localhost.evil.example",
      "http://evil.example/http://localhost",
      "http://localhost:3000/path",
      "http://127.0.0.1.evil.example",
      "chrome-extension://",
      "file://",
      "null",
      "",
    ])
      assert.isFalse(makeGate().welcomes(from({ origin }, "127.0.0.1")), origin)
  })

  it("accepts a program on this machine without an origin if no other machine can reach the server", () => {
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
      assert.isTrue(makeGate().welcomes(from({}, address)), address)
  })

  it("refuses a request without an origin from another machine, through a proxy or to a public server", () => {
    assert.isFalse(makeGate().welcomes(from({}, "203.0.113.5")))
    assert.isFalse(makeGate().welcomes(request({}, undefined)))
    assert.isFalse(makeGate({ trustsOwnMachine: false }).welcomes(from({}, "127.0.0.1")))
    for (const name of ["x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-host", "x-forwarded-proto"])
      assert.isFalse(makeGate().welcomes(from({ [name]: "203.0.113.5" }, "127.0.0.1")), name)
  })

  it("limits the checks of one address in a minute, and says when the next is accepted", () => {
    const gate = limitChecks({ checksPerMinute: 2 })
    assert.isNull(gate.refuse(from(), 0))
    assert.isNull(gate.refuse(from(), 20_000))
    const refusal = gate.refuse(from(), 30_000)
    assert.strictEqual(refusal?.status, 429)
    assert.includeMembers([...(refusal?.headers ?? [])], ["retry-after", "30"])
    assert.isNull(gate.refuse(from({}, "203.0.113.6"), 30_000))
    assert.isNull(gate.refuse(from(), 60_001))
  })

  it("counts the client of a trusted proxy, not the proxy, and not an address that the client claims", () => {
    const gate = limitChecks({ checksPerMinute: 1 })
    assert.isNull(gate.refuse(from({ "x-forwarded-for": "198.51.100.1" }, "10.0.0.1"), 0))
    assert.isNull(gate.refuse(from({ "x-forwarded-for": "198.51.100.2" }, "10.0.0.1"), 0))
    const spoofed = from({ "x-forwarded-for": "192.0.2.99, 198.51.100.1" }, "10.0.0.1")
    assert.strictEqual(gate.refuse(spoofed, 0)?.status, 429)
  })

  it("counts a whole /48 of IPv6 as one client, so that changing the /64 gives nobody a second allowance", () => {
    const gate = limitChecks({ checksPerMinute: 1 })
    assert.isNull(gate.refuse(from({}, "2001:db8:1:2::1"), 0))
    for (const address of ["2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "2001:db8:1:ffff::1"])
      assert.strictEqual(gate.refuse(from({}, address), 0)?.status, 429)
    assert.isNull(gate.refuse(from({}, "2001:db8:2:2::1"), 0))
  })
})

describe("findClientAddress", () => {
  it("trusts only configured proxies", () => {
    assert.strictEqual(findClientAddress("203.0.113.5", "198.51.100.1", trustsTens), "203.0.113.5")
    assert.strictEqual(findClientAddress("10.0.0.1", "198.51.100.1", trustsTens), "198.51.100.1")
  })

  it("uses the last address that is not that of a trusted proxy", () => {
    assert.strictEqual(findClientAddress("10.0.0.1", "192.0.2.1, 198.51.100.1, 10.0.0.2", trustsTens), "198.51.100.1")
    assert.strictEqual(findClientAddress("10.0.0.1", "10.0.0.3, 10.0.0.2", trustsTens), "10.0.0.3")
  })

  it("reads ports and brackets, and stops at an invalid address", () => {
    assert.strictEqual(findClientAddress("10.0.0.1", "198.51.100.1:4711", trustsTens), "198.51.100.1")
    assert.strictEqual(findClientAddress("10.0.0.1", "[2001:db8::1]:4711", trustsTens), "2001:db8::1")
    assert.strictEqual(findClientAddress("10.0.0.1", "::FFFF:c633:6401", trustsTens), "198.51.100.1")
    assert.strictEqual(findClientAddress("10.0.0.1", "198.51.100.1, unknown", trustsTens), "10.0.0.1")
    assert.strictEqual(findClientAddress("10.0.0.1", "", trustsTens), "10.0.0.1")
  })

  it("knows no address where there is no socket", () => {
    assert.isNull(findClientAddress(undefined, "198.51.100.1", trustsTens))
  })
})

describe("nameNetworks", () => {
  it("names the /48 of an IPv6 address, which one holder may have, and the /24 of an IPv4 address", () => {
    assert.deepStrictEqual(nameNetworks("2001:db8:0:7::1"), ["2001:db8:0::/48", "2001:db8:0:7::/64"])
    assert.deepStrictEqual(nameNetworks("192.0.2.7"), ["192.0.2.0/24", "192.0.2.7"])
  })
})

describe("nameClient", () => {
  it("gives all spellings of a network the same name", () => {
    const written = ["2001:db8::1", "2001:0db8:0:0::9", "2001:db8:0:0:1:2:3:4", "2001:DB8::%eth0"]
    for (const address of written) assert.strictEqual(nameClient(address), "2001:db8:0::/48")
  })
})
