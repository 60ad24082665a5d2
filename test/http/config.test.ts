import { Effect, Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { describeUnknown, Environment, readConfig, readSetting } from "../../adapters/settings/config.ts"
import { SETTINGS, settings } from "../../adapters/settings/settings.ts"
import { isLoopbackHost } from "../../adapters/validation/addresses.ts"

const read = (env: Record<string, string>, ...given: Parameters<typeof readConfig>) =>
  Effect.runSync(Effect.result(Effect.provideService(readConfig(...given), Environment, env)))

const readGood = (...question: Parameters<typeof read>) => Result.getOrThrow(read(...question))

function readRefused(env: Record<string, string>): string {
  const result = read(env)
  assert(Result.isFailure(result))
  return result.failure.message
}

/** A host that others can reach, with its address. */
const REACHED = { LANDFALL_HOST: "0.0.0.0", LANDFALL_PUBLIC_URL: "https://visa.example" }

describe("readConfig", () => {
  it("is valid for development without any settings", () => {
    const config = readGood({})
    assert.strictEqual(config.host, "127.0.0.1")
    assert.strictEqual(config.port, 8787)
    assert.strictEqual(config.databaseUrl, "file:./landfall.db")
    assert.strictEqual(config.publicUrl, "http://127.0.0.1:8787")
    assert.strictEqual(config.mode, "development")
    assert.deepStrictEqual(config.surfaces, ["visa", "lookup", "spots", "mcp"])
    assert.isUndefined(config.secret)
  })

  it("is that of a production server on a public host, unless set otherwise", () => {
    assert.strictEqual(readGood(REACHED).mode, "production")
    assert.strictEqual(readGood({ LANDFALL_HOST: "::1" }).mode, "development")
    const container = { LANDFALL_HOST: "0.0.0.0", LANDFALL_PUBLIC_URL: "http://localhost:8080" }
    assert.strictEqual(readGood(container).mode, "production")
    assert.strictEqual(readGood({ ...container, LANDFALL_MODE: "development" }).mode, "development")
  })

  it("is that of a production server wherever something says production, unless set otherwise", () => {
    const modeOf = (env: Record<string, string>) => readGood(env).mode
    for (const name of ["production", "Production", "PRODUCTION", " production "]) {
      assert.strictEqual(modeOf({ NODE_ENV: name }), "production")
    }
    assert.strictEqual(modeOf({ NODE_ENV: "production", LANDFALL_MODE: " " }), "production")
    assert.strictEqual(readGood({ NODE_ENV: "production" }, {}, { host: "127.0.0.1" }).mode, "production")
    assert.strictEqual(readGood({ NODE_ENV: "production" }).drainSeconds, 5)
    for (const publicUrl of ["https://visa.example", "http://10.0.0.7:8787", "http://localhost.example"])
      assert.strictEqual(modeOf({ LANDFALL_PUBLIC_URL: publicUrl }), "production", publicUrl)
    for (const publicUrl of ["http://localhost:8787", "http://127.0.0.1:80/visa", "http://[::1]:1"])
      assert.strictEqual(modeOf({ LANDFALL_PUBLIC_URL: publicUrl }), "development", publicUrl)
    for (const name of ["development", "test", ""]) assert.strictEqual(modeOf({ NODE_ENV: name }), "development")
    assert.strictEqual(modeOf({ NODE_ENV: "production", LANDFALL_MODE: "development" }), "development")
  })

  it("refuses development with a public address of another machine", () => {
    const message =
      "LANDFALL_MODE: it has to be production, or left out, with the public address https://visa.example, because development makes demo keys and logs mailed links."
    assert.strictEqual(readRefused({ ...REACHED, LANDFALL_MODE: "development" }), message)
    assert.strictEqual(
      readRefused({ LANDFALL_PUBLIC_URL: "https://visa.example", LANDFALL_MODE: "development" }),
      message,
    )
  })

  it("prefers options to variables, also for defaults that depend on them", () => {
    const env = { LANDFALL_HOST: "127.0.0.1", LANDFALL_PUBLIC_URL: "https://other.example" }
    const config = readGood(env, { host: "0.0.0.0", publicUrl: "https://visa.example" })
    assert.strictEqual(config.mode, "production")
    assert.strictEqual(config.contact, "https://visa.example/docs")
    assert.strictEqual(
      readGood({ LANDFALL_CONTACT: "desk 7" }, { publicUrl: "https://visa.example" }).contact,
      "desk 7",
    )
    assert.strictEqual(readGood({}, {}, { host: "0.0.0.0" }).mode, "production")
  })

  it("reads options like variables, and reports the invalid option", () => {
    const good = readGood(
      {},
      { trustedProxies: ["10.0.0.0/8", "::1"], siteOrigins: ["https://a.example"], secret: "s" },
    )
    assert.isTrue(good.trustedProxies.trusts("10.1.2.3"))
    assert.deepStrictEqual(good.siteOrigins, ["https://a.example"])
    assert.strictEqual(good.secret === undefined ? "" : Redacted.value(good.secret), "s")
    const refused = (options: object) => {
      const result = read({}, options)
      assert(Result.isFailure(result), JSON.stringify(options))
      return result.failure.message
    }
    assert.strictEqual(
      refused({ publicUrl: "visa.example" }),
      'publicUrl: "visa.example" was given; allowed is an http or https URL without user, query and fragment.',
    )
    assert.strictEqual(
      refused({ trustedProxies: ["10.0.0.0/8", "proxy"] }),
      'trustedProxies: "10.0.0.0/8,proxy" was given; allowed is IP addresses or CIDR blocks no larger than 10.0.0.0/8 or fc00::/7, separated by commas.',
    )
    assert.match(refused({ trustedProxies: { trusts: () => true } }), /^trustedProxies: .+ was given; allowed is IP/)
    assert.match(refused({ publicURL: "https://x.example" }), /^publicURL: there is no such option; known: host, port/)
    assert.match(refused({ publicURL: "https://x.example" }), /otlpSample; publicUrl is the nearest\.$/)
    assert.notMatch(refused({ colourOfTheSea: "green" }), /nearest/)
    assert.isTrue(readGood({}, { webhookAllowsPrivate: true }).webhookAllowsPrivate)
    assert.strictEqual(
      refused({ webhookAllowsPrivate: "yes" }),
      'webhookAllowsPrivate: "yes" was given; allowed is true or false.',
    )
    assert.strictEqual(
      refused({ secret: { value: "hush" } }),
      "secret: a value that is not a text was given; allowed is the text of a secret.",
    )
    assert.strictEqual(refused({ port: 70_000 }), 'port: "70000" was given; allowed is a whole number from 0 to 65535.')
    assert.match(refused([]), /^options: an object of settings is expected/)
  })

  it("treats an empty variable as not set", () => {
    assert.strictEqual(readGood({ LANDFALL_PORT: "" }).port, 8787)
    assert.strictEqual(readGood({ LANDFALL_PORT: "  " }).port, 8787)
  })

  it("drops the slash at the end of the public address", () => {
    assert.strictEqual(
      readGood({ LANDFALL_PUBLIC_URL: "https://visa.example/api/" }).publicUrl,
      "https://visa.example/api",
    )
    assert.strictEqual(readGood({ LANDFALL_PUBLIC_URL: "https://visa.example/" }).publicUrl, "https://visa.example")
  })

  it("trusts the proxies that are named, by address or by block, and no others", () => {
    const { trustedProxies } = readGood({ LANDFALL_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,2001:db8::/32" })
    for (const address of ["10.1.2.3", "192.0.2.1", "2001:db8::7"]) assert.isTrue(trustedProxies.trusts(address))
    for (const address of ["11.0.0.1", "192.0.2.2", "2001:db9::1", "proxy"])
      assert.isFalse(trustedProxies.trusts(address))
    assert.isFalse(readGood({}).trustedProxies.trusts("127.0.0.1"))
  })

  it("refuses a public host without a public address", () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "visa.example"])
      for (const publicUrl of [{}, { LANDFALL_PUBLIC_URL: "" }])
        assert.strictEqual(
          readRefused({ LANDFALL_HOST: host, ...publicUrl }),
          `LANDFALL_PUBLIC_URL: it has to be set, because others can reach the host ${host}, and mailed links lead to the public address.`,
        )
    assert.strictEqual(readGood(REACHED).publicUrl, "https://visa.example")
    assert.strictEqual(readGood({ LANDFALL_HOST: "0.0.0.0" }, { publicUrl: "https://visa.example" }).host, "0.0.0.0")
  })

  it("refuses to trust all addresses as proxies", () => {
    const mapped = ["::ffff:0:0/96", "::/8", "::ffff:0.0.0.0/97,::ffff:128.0.0.0/97", "::ffff:10.0.0.0/103"]
    for (const block of ["0.0.0.0/0", "::/0", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "2000::/3", ...mapped])
      assert.strictEqual(
        readRefused({ LANDFALL_TRUSTED_PROXIES: block }),
        `LANDFALL_TRUSTED_PROXIES: "${block}" was given; allowed is IP addresses or CIDR blocks no larger than 10.0.0.0/8 or fc00::/7, separated by commas.`,
      )
    assert.isTrue(readGood({ LANDFALL_TRUSTED_PROXIES: "fc00::/7" }).trustedProxies.trusts("fd00::1"))
    const { trustedProxies } = readGood({ LANDFALL_TRUSTED_PROXIES: "::ffff:10.0.0.0/104" })
    assert.deepStrictEqual(["10.1.2.3", "11.1.2.3"].map(trustedProxies.trusts), [true, false])
  })

  it("refuses a Stripe key without the webhook secret", () => {
    assert.strictEqual(
      readRefused({ LANDFALL_STRIPE_SECRET_KEY: "sk_live_1" }),
      "LANDFALL_STRIPE_WEBHOOK_SECRET: it has to be set, because with a key of Stripe alone a plan is paid for and never given.",
    )
    assert.isNotNull(
      readGood({ LANDFALL_STRIPE_SECRET_KEY: "sk_live_1", LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_1" }).stripe,
    )
  })

  it("refuses an operators' address without tokens or on the service's port, and short or repeated tokens", () => {
    const admin = { LANDFALL_ADMIN_LISTEN: "127.0.0.1:8788" }
    assert.strictEqual(
      readRefused(admin),
      "LANDFALL_ADMIN_TOKENS: it has to be set, because without tokens everybody who reaches the operators' address could do everything.",
    )
    const tokens = { LANDFALL_ADMIN_TOKENS: `ana:${"a".repeat(32)}, bo:${"b".repeat(32)}` }
    assert.strictEqual(
      readRefused({ ...tokens, LANDFALL_ADMIN_LISTEN: "[::1]:8787" }),
      "LANDFALL_ADMIN_LISTEN: it has to be another port than the service's, 8787.",
    )
    const { adminListen, adminTokens } = readGood({ ...tokens, LANDFALL_ADMIN_LISTEN: "[::1]:8788" })
    assert.deepStrictEqual(adminListen, { host: "::1", port: 8788 })
    assert.deepStrictEqual(
      adminTokens.map(({ name }) => name),
      ["ana", "bo"],
    )
    for (const wrong of ["ana", "ana:short", `ana:${"a".repeat(32)},ana:${"b".repeat(32)}`, `:${"a".repeat(32)}`]) {
      const message = readRefused({ ...admin, LANDFALL_ADMIN_TOKENS: wrong })
      assert.match(message, /^LANDFALL_ADMIN_TOKENS: /)
      assert.notInclude(message, "short")
      assert.notInclude(message, "aaaa")
    }
    for (const wrong of ["8788", "127.0.0.1", "127.0.0.1:99999", "a b:1"])
      assert.match(readRefused({ ...tokens, LANDFALL_ADMIN_LISTEN: wrong }), /^LANDFALL_ADMIN_LISTEN: /)
  })

  it("reads headers for a collector without printing them, and a share from 0 to 1", () => {
    const read = readGood({ LANDFALL_OTLP_HEADERS: "Authorization=Bearer a=b, x-tenant=1", LANDFALL_OTLP_SAMPLE: ".5" })
    assert.deepStrictEqual(read.otlpHeaders, { authorization: "Bearer a=b", "x-tenant": "1" })
    assert.strictEqual(read.otlpSample, 0.5)
    assert.deepStrictEqual(readGood({}).otlpHeaders, {})
    for (const wrong of ["hidden", "=hidden", "x=hidden,", "x=hid\nden", "a b=hidden"]) {
      const message = readRefused({ LANDFALL_OTLP_HEADERS: wrong })
      assert.match(message, /^LANDFALL_OTLP_HEADERS: /)
      assert.notInclude(message, "hid")
    }
    for (const wrong of ["-1", "1.1", "2", "1e-3", "0,1", "."])
      assert.match(readRefused({ LANDFALL_OTLP_SAMPLE: wrong }), /^LANDFALL_OTLP_SAMPLE: /)
  })

  it("refuses a feed of datasets without keys, and an invalid key", () => {
    const feed = { LANDFALL_DATASET_FEED: "https://feed.example/index.json" }
    assert.strictEqual(
      readRefused(feed),
      "LANDFALL_DATASET_KEYS: it has to be set, because a feed is verified by its keys alone.",
    )
    assert.strictEqual(
      readRefused({ ...feed, LANDFALL_DATASET_KEYS: "abc" }),
      'LANDFALL_DATASET_KEYS: "abc" was given; allowed is public keys that landfall dataset keygen made, separated by commas.',
    )
    const keys = `${"A".repeat(43)}, ${"A".repeat(42)}E`
    assert.deepStrictEqual(readGood({ ...feed, LANDFALL_DATASET_KEYS: keys }).datasetKeys, keys.split(", "))
  })

  it("reports the variable, the given value and the allowed ones", () => {
    assert.strictEqual(
      readRefused({ LANDFALL_PORT: "80x" }),
      'LANDFALL_PORT: "80x" was given; allowed is a whole number from 0 to 65535.',
    )
    assert.strictEqual(
      readRefused({ LANDFALL_MODE: "prod" }),
      'LANDFALL_MODE: "prod" was given; allowed is development or production.',
    )
  })

  it("accepts the address of a host with brackets or without", () => {
    assert.strictEqual(readGood({ LANDFALL_HOST: "[::1]" }).host, "::1")
    assert.strictEqual(readGood({ LANDFALL_HOST: "[::1]" }).publicUrl, "http://[::1]:8787")
  })

  it("refuses a host that is not valid in a URL, and a URL instead of a host", () => {
    for (const host of ["999.1.1.1", "127.0.0.1:80", "http://127.0.0.1", "fe80::1%eth0", "a\tb", "user@visa.example"]) {
      const message = readRefused({ LANDFALL_HOST: host })
      assert.strictEqual(message, `LANDFALL_HOST: "${host}" was given; allowed is a host name or an IP address.`)
    }
  })

  it("refuses a public address with a password, because answers contain the address", () => {
    for (const url of ["https://user:secret@visa.example", "https://user@visa.example/api"])
      assert.match(
        readRefused({ LANDFALL_PUBLIC_URL: url }),
        /^LANDFALL_PUBLIC_URL: .* without user, query and fragment/,
      )
  })

  it("refuses every variable that is wrong, all at once", () => {
    const bad = {
      LANDFALL_HOST: "two words",
      LANDFALL_PORT: "65536",
      LANDFALL_PUBLIC_URL: "ftp://visa.example",
      LANDFALL_SITE_ORIGINS: "https://a.example,https://b.example/path",
      LANDFALL_TRUSTED_PROXIES: "10.0.0.0/33",
      LANDFALL_SURFACES: "visa,payments",
      LANDFALL_MODE: "Production",
      LANDFALL_LOG_LEVEL: "verbose",
      LANDFALL_ACCESS_LOG: "yes",
      LANDFALL_DRAIN_SECONDS: "-1",
    }
    const lines = readRefused(bad).split("\n")
    assert.sameMembers(
      lines.map(line => line.split(":")[0]),
      Object.keys(bad),
    )
  })

  it("drains for five seconds in production, not in development, and for the set time otherwise", () => {
    assert.strictEqual(readGood(REACHED).drainSeconds, 5)
    assert.strictEqual(readGood({}).drainSeconds, 0)
    assert.strictEqual(readGood({ LANDFALL_DRAIN_SECONDS: "12.5" }).drainSeconds, 12.5)
    assert.strictEqual(
      readRefused({ LANDFALL_DRAIN_SECONDS: "301" }),
      'LANDFALL_DRAIN_SECONDS: "301" was given; allowed is a number from 0 to 300.',
    )
    assert.strictEqual(
      readRefused({ LANDFALL_ACCESS_LOG: "yes" }),
      'LANDFALL_ACCESS_LOG: "yes" was given; allowed is off, stdout, stderr.',
    )
  })

  it("shortens a long value in its message", () => {
    assert.isBelow(readRefused({ LANDFALL_PORT: "9".repeat(10_000) }).length, 200)
  })
})

describe("SETTINGS", () => {
  it("lists every variable with its unit, default and meaning", () => {
    assert.isAtLeast(SETTINGS.length, 12)
    for (const { name, kind, shown, meaning } of SETTINGS) {
      assert.match(name, /^LANDFALL_[A-Z0-9_]+$/)
      for (const column of [kind.unit, shown, meaning]) assert.isNotEmpty(column)
    }
    // The default in words is the default that holds.
    const config = readGood({}) as unknown as Record<string, unknown>
    for (const [name, { shown }] of Object.entries(settings.rows)) {
      const value = config[name]
      if (typeof value !== "boolean" && typeof value !== "number") continue
      assert.isTrue(shown === String(value) || shown.includes("else"), name)
    }
    assert.strictEqual(new Set(SETTINGS.map(setting => setting.name)).size, SETTINGS.length)
  })
})

describe("readSetting", () => {
  const readOne = (env: Record<string, string>) =>
    Effect.runSync(Effect.result(Effect.provideService(readSetting(settings.rows.port), Environment, env)))
  it("reads one setting like the service, with any values of the others", () => {
    assert.strictEqual(Result.getOrThrow(readOne({ LANDFALL_MODE: "prod" })), 8787)
    assert.strictEqual(Result.getOrThrow(readOne({ LANDFALL_PORT: " 80 " })), 80)
    const refused = readOne({ LANDFALL_PORT: "80x" })
    assert(Result.isFailure(refused))
    assert.match(refused.failure.message, /^LANDFALL_PORT: "80x" was given; allowed is/)
  })
})

describe("a variable that is not a setting", () => {
  it("is reported with the nearest setting, if one is near", () => {
    assert.include(describeUnknown("LANDFALL_DATABSE_URL"), "; LANDFALL_DATABASE_URL is the nearest.")
    assert.include(describeUnknown("LANDFALL_TRUSTED_PROXY"), "; LANDFALL_TRUSTED_PROXIES is the nearest.")
    assert.strictEqual(
      describeUnknown("LANDFALL_SERVICE_PORT_HTTP"),
      "LANDFALL_SERVICE_PORT_HTTP is not a setting and changes nothing.",
    )
  })
})

describe("isLoopbackHost", () => {
  it("accepts the names and addresses of this machine", () => {
    for (const host of [
      "localhost",
      "LOCALHOST",
      "app.localhost",
      "127.0.0.1",
      "127.8.8.8",
      "::1",
      "[::1]",
      "::ffff:127.0.0.1",
      "[::ffff:7f00:1]",
      "0:0:0:0:0:0:0:1",
    ])
      assert.isTrue(isLoopbackHost(host), host)
  })

  it("accepts no other names for this machine", () => {
    for (const host of [
      "0.0.0.0",
      "::",
      "127.0.0.1.evil.example",
      "::ffff:10.0.0.1",
      "::127.0.0.1",
      "localhost.evil.example",
      "10.0.0.1",
      "",
    ])
      assert.isFalse(isLoopbackHost(host), host)
  })
})
