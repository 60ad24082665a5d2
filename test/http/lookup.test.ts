/** The lookup over HTTP, as a client would hold it against its specification. */
import { join } from "node:path"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import {
  describeLookup,
  LOOKUP_VERSIONS,
  REQUIREMENT_NAMES,
  writeLookup,
} from "../../adapters/answers/lookup-answer.ts"
import { datasetOn, formatCivilDate } from "../../src/engine.ts"
import { type LocalisedFacts, loadLocalisedFacts, scoreTrust } from "../../src/full.ts"
import { embeddedDataset, lookupRequirement } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { IS_WHOLE } from "../sample.ts"
import { share } from "../share.ts"
import { inProcess } from "../storage/deployment.ts"
import { type Ask, startTestService } from "./service.ts"

const NOON = Date.UTC(2026, 10, 21, 12)
const DAY = Math.floor(NOON / 86_400_000)
const dataset = embeddedDataset()

const running = share(() => startTestService({ stoppedAt: NOON }))
let english: LocalisedFacts
beforeAll(async () => {
  english = await loadLocalisedFacts(dataset, "en")
})

const ask = (path: string, headers: Record<string, string> = {}, rest: Ask = {}) =>
  running.ask(path, { ...rest, headers: { authorization: `Bearer ${running.keys.business}`, ...headers } })

const NO_KEY = { authorization: "" }

describe("GET /visa", () => {
  it("returns exactly twelve fields, with codes in capital letters", async () => {
    const reply = await ask("/visa?passport=fra&destination=jpn")
    assert.strictEqual(reply.status, 200)
    assert.deepStrictEqual(Object.keys(reply.read() as object), [
      "passport",
      "destination",
      "requirement",
      "stay_days",
      "fee_usd",
      "processing_days",
      "evisa_url",
      "notes",
      "documents_required",
      "updated_at",
      "sources",
      "trust",
    ])
    assert.containsSubset(reply.read() as object, { passport: "FRA", destination: "JPN", fee_usd: null })
    assert.match(String(reply.read("updated_at")), /^\d{4}-\d\d-\d\dT00:00:00Z$/)
    assert.strictEqual(reply.headers["svc-version"], "2026-10-01")
  })

  it("writes sentences in the language of a tag, and in English for other languages", async () => {
    const notes = async (locale: string) =>
      (await ask(`/visa?passport=FRA&destination=JPN&locale=${locale}`)).read("notes")
    assert.strictEqual(await notes("fr-CA"), await notes("fr"))
    assert.notStrictEqual(await notes("fr"), await notes("en"))
    assert.strictEqual(await notes("fil"), await notes("tl"))
    assert.strictEqual(await notes("cy"), await notes("en"))
    assert.strictEqual(await notes("zh-Hant-TW"), await notes("zh"))
  })

  it("refuses each mistake with its own code, its parameter and the request id", async () => {
    const rows = [
      ["/visa?destination=JPN", 400, "invalid_passport", "passport"],
      ["/visa?passport=FR&destination=JPN", 400, "invalid_passport", "passport"],
      ["/visa?passport=ZZZ&destination=JPN", 400, "invalid_passport", "passport"],
      ["/visa?passport=FRA&destination=JP", 400, "invalid_destination", "destination"],
      ["/visa?passport=FRA&destination=ZZZ", 400, "invalid_destination", "destination"],
      ["/visa?passport=FRA&passport=DEU&destination=JPN", 400, "invalid_passport", "passport"],
      ["/visa?passport=FRA&destination=JPN&purpose=work", 400, "invalid_parameter", "purpose"],
      ["/visa?passport=FRA&destination=JPN&stay_days=0", 400, "invalid_parameter", "stay_days"],
      ["/visa?passport=FRA&destination=JPN&stay_days=1e3", 400, "invalid_parameter", "stay_days"],
      ["/visa?passport=FRA&destination=JPN&locale=%F0%9F%87%AB", 400, "invalid_parameter", "locale"],
      ["/visa?passport=IND&destination=ATF", 404, "not_found", undefined],
    ] as const
    for (const [path, status, code, param] of rows) {
      const reply = await ask(path, { "x-request-id": "asked-by-me" })
      assert.strictEqual(reply.status, status, path)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.isString(reply.read("error.message"))
      assert.deepStrictEqual(
        [reply.read("error.code"), reply.read("error.param"), reply.read("error.request_id")],
        [code, param, "asked-by-me"],
        path,
      )
    }
  })

  it("distinguishes a missing key from an unknown one", async () => {
    const missing = [NO_KEY, { authorization: "Bearer" }, { authorization: "   " }]
    for (const headers of missing) {
      const reply = await ask("/visa?passport=FRA&destination=JPN", headers)
      assert.strictEqual(reply.status, 401)
      assert.strictEqual(reply.read("error.code"), "missing_api_key")
      assert.strictEqual(reply.headers["www-authenticate"], "Bearer")
    }
    for (const authorization of ["Bearer nobody", "Basic abc", `Basic ${running.keys.business}`]) {
      const reply = await ask("/visa?passport=FRA&destination=JPN", { authorization })
      assert.strictEqual(reply.status, 401)
      assert.strictEqual(reply.read("error.code"), "invalid_api_key")
      assert.match(String(reply.headers["www-authenticate"]), /^Bearer error=/)
    }
    const bearer = await ask("/visa?passport=FRA&destination=JPN", {
      authorization: `bearer  ${running.keys.business}`,
    })
    assert.strictEqual(bearer.status, 200)
  })

  it("uses its own form of errors for other methods and too large bodies", async () => {
    const posted = await ask("/visa", {}, { method: "POST", body: "{}" })
    assert.strictEqual(posted.status, 405)
    assert.strictEqual(posted.headers.allow, "GET, HEAD, OPTIONS")
    assert.strictEqual(posted.read("error.code"), "method_not_allowed")
    const large = await ask("/visa", { "content-length": "70000" }, { method: "POST", body: "x".repeat(70_000) })
    assert.strictEqual(large.status, 413)
    assert.strictEqual(large.read("error.code"), "body_too_large")
  })
})

describe("a version", () => {
  const path = "/visa?passport=IND&destination=JPN"

  it("of March 2026 has no trust, and sources that are addresses", async () => {
    const reply = await ask(path, { "svc-version": "2026-03-01" })
    assert.strictEqual(reply.headers["svc-version"], "2026-03-01")
    assert.notProperty(reply.read(), "trust")
    for (const source of reply.read("sources") as unknown[]) assert.match(String(source), /^https?:/)
    assert.notStrictEqual(reply.headers.etag, (await ask(path)).headers.etag)
  })

  it("that is unknown is refused with the name of its header", async () => {
    for (const version of ["2025-01-01", "latest", ""]) {
      const reply = await ask(path, { "svc-version": version })
      assert.strictEqual(reply.status, 400)
      assert.strictEqual(reply.read("error.code"), "invalid_version")
      assert.strictEqual(reply.read("error.param"), "Svc-Version")
      assert.match(String(reply.read("error.message")), /one of 2026-10-01, 2026-03-01/)
    }
  })

  it("that an account has pinned is used if a request names none", async () => {
    const own = await startTestService({ stoppedAt: NOON })
    const { folder } = own
    await own.stop()
    const databasePath = join(folder, "landfall.db")
    const pin = Effect.gen(function* () {
      const accounts = yield* Accounts
      const business = yield* accounts.findCaller(own.keys.business)
      yield* accounts.setApiVersion(business?.accountId ?? 0, "2026-03-01")
    })
    await Effect.runPromise(
      Effect.scoped(pin.pipe(inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }))),
    )
    const later = await startTestService({ folder, stoppedAt: NOON })
    try {
      const headers = { authorization: `Bearer ${own.keys.business}` }
      const pinned = await later.ask(path, { headers })
      assert.strictEqual(pinned.headers["svc-version"], "2026-03-01")
      const named = await later.ask(path, { headers: { ...headers, "svc-version": "2026-10-01" } })
      assert.strictEqual(named.headers["svc-version"], "2026-10-01")
      const other = await later.ask(path, { headers: { authorization: `Bearer ${own.keys.pro}` } })
      assert.strictEqual(other.headers["svc-version"], "2026-10-01")
    } finally {
      await later[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    }
  })

  it("of either date can write every recorded pair", async () => {
    // Facts of one day, so that a corrected pair touches no test.
    const localised = await loadLocalisedFacts(frozenDataset(), "en")
    let answered = 0
    // Each night every passport.
    const { passports } = localised.dataset
    for (const passport of passports.filter((_, at) => IS_WHOLE || at % 24 === 0))
      for (const destination of localised.dataset.destinations) {
        const outcome = describeLookup(localised, { passport, destination, purpose: "tourism", stayDays: null }, DAY)
        const rule = lookupRequirement(localised.dataset, passport, destination)
        assert.strictEqual(outcome.kind === "found", rule.kind === "found")
        if (outcome.kind !== "found" || rule.kind !== "found") continue
        answered++
        const { body } = outcome
        if (body.requirement !== REQUIREMENT_NAMES[rule.requirement] || body.stay_days !== rule.days) {
          assert.fail(`${passport} ${destination}: ${body.requirement} ${body.stay_days}`)
        }
        const [present, before] = LOOKUP_VERSIONS.map(version => Object.keys(writeLookup(body, version)))
        assert.strictEqual(present?.length, 12)
        assert.strictEqual(before?.length, 11)
      }
    assert(answered > (IS_WHOLE ? 45_000 : 1_800))
  })
})

describe("a stay and a purpose", () => {
  const read = (passport: string, destination: string, rest: { purpose?: "study"; stayDays?: number } = {}) => {
    const question = {
      passport,
      destination,
      purpose: rest.purpose ?? ("tourism" as const),
      stayDays: rest.stayDays ?? null,
    }
    const outcome = describeLookup(english, question, DAY)
    assert(outcome.kind === "found")
    return outcome.body
  }

  it("longer than the longest known stay needs a visa, and the notes say why", () => {
    const known = read("USA", "FRA")
    assert.strictEqual(known.stay_days, 90)
    assert.strictEqual(read("USA", "FRA", { stayDays: 90 }).requirement, known.requirement)
    const longer = read("USA", "FRA", { stayDays: 91 })
    assert.containsSubset(longer, { requirement: "visa_required", stay_days: null, evisa_url: null })
    assert.include(longer.notes, "The stay asked for is longer than the 90 days allowed; a visa is needed.")
    assert.include(longer.documents_required, "visa")
    assert.deepStrictEqual(longer.sources, known.sources)
  })

  it("at home, or under freedom of movement, has no limit", () => {
    assert.strictEqual(read("FRA", "FRA", { stayDays: 3_650 }).requirement, "visa_free")
    assert.strictEqual(read("FRA", "DEU", { stayDays: 3_650 }).requirement, "visa_free")
  })

  it("longer than days that rest on the imported table alone has to be checked, and is not refused", () => {
    const pairs = dataset.passports.flatMap(passport =>
      dataset.destinations.map(destination => ({ passport, destination })),
    )
    const fromTable = pairs.find(({ passport, destination }) => {
      const found = lookupRequirement(dataset, passport, destination)
      if (found.kind !== "found" || found.days === null || found.requirement !== "visa_on_arrival") return false
      return read(passport, destination).notes.includes("comes from a general table")
    })
    assert(fromTable !== undefined)
    const { passport, destination } = fromTable
    assert.deepStrictEqual(read(passport, destination, { stayDays: 3_650 }), read(passport, destination))
  })

  it("other than tourism gets the rule of tourists with a note, and half of the trust score", () => {
    const [tourism, study] = [read("USA", "FRA"), read("USA", "FRA", { purpose: "study" })]
    assert.strictEqual(study.requirement, tourism.requirement)
    assert.include(study.notes, "This is the rule for tourism")
    assert.closeTo(study.trust.score, tourism.trust.score / 2, 0.001)
    assert.deepStrictEqual(read("FRA", "DEU", { purpose: "study" }), read("FRA", "DEU"))
  })
})

describe("the facts of an answer", () => {
  const answers = () =>
    dataset.passports.flatMap(passport =>
      ["JPN", "IND", "LKA", "GBR", "USA", "KEN", "VNM"].flatMap(destination => {
        const outcome = describeLookup(english, { passport, destination, purpose: "tourism", stayDays: null }, DAY)
        return outcome.kind === "found" ? [outcome.body] : []
      }),
    )

  it("name a review on no later day than the data, on whichever day they are asked for", async () => {
    const view = datasetOn(dataset, "2027-06-01")
    assert(view.ok)
    const later = await loadLocalisedFacts(view.value, "en")
    const days = dataset.destinations.flatMap(destination => {
      const question = { passport: "ISR", destination, purpose: "tourism", stayDays: null } as const
      const outcome = describeLookup(later, question, view.value.asOfDay)
      return outcome.kind === "found" ? [outcome.body.updated_at] : []
    })
    const own = `${dataset.asOf}T00:00:00Z`
    assert.include(days, own)
    assert.isEmpty(days.filter(day => day > own))
  })

  it("name a fee only if it is due and stated in US dollars, and a portal only for an online application", () => {
    for (const { requirement, fee_usd, evisa_url, processing_days } of answers()) {
      if (requirement === "visa_free" || requirement === "not_admitted") {
        assert.deepStrictEqual([fee_usd, evisa_url, processing_days], [null, null, null])
      }
      if (requirement === "visa_required") assert.isNull(evisa_url)
      if (evisa_url !== null) assert.match(evisa_url, /^https?:\/\//)
    }
  })

  it("have the trust score of the documented function, with the day of the confirmation", () => {
    for (const { passport, destination, trust, sources } of answers()) {
      const found = lookupRequirement(dataset, passport, destination)
      assert(found.kind === "found")
      assert(trust.score >= 0.3 && trust.score <= 0.95)
      if (trust.last_verified_at === null) assert(trust.score <= 0.7)
      else assert.strictEqual(trust.last_verified_at, `${found.verifiedOn}T00:00:00Z`)
      assert(trust.score <= Math.max(0.5, scoreTrust(found, DAY) + 0.2))
      assert.strictEqual(new Set(sources.map(source => JSON.stringify(source))).size, sources.length)
    }
  })
})

describe("limits", () => {
  it("allow ten lookups a second on the free plan, and say when the next is possible", async () => {
    const fresh = await startTestService({ stoppedAt: NOON })
    try {
      const headers = { authorization: `Bearer ${fresh.keys.free}` }
      const path = "/visa?passport=FRA&destination=JPN"
      const replies = await Promise.all(Array.from({ length: 14 }, () => fresh.ask(path, { headers })))
      const refused = replies.filter(({ status }) => status === 429)
      assert.strictEqual(refused.length, 4)
      for (const reply of refused) {
        assert.strictEqual(reply.read("error.code"), "rate_limited")
        assert.strictEqual(reply.headers["retry-after"], "1")
        assert.strictEqual(reply.headers["x-ratelimit-remaining"], "0")
        assert.strictEqual(reply.headers["x-ratelimit-limit"], "10")
        assert.strictEqual(reply.headers["x-ratelimit-reset"], String(NOON / 1_000 + 1))
      }
      for (const helper of [
        "/passports",
        "/destinations",
        "/zones",
        "/policies/history?passport=FRA&destination=JPN",
      ]) {
        assert.strictEqual((await fresh.ask(helper, { headers })).status, 429, helper)
      }
      fresh.setTime(NOON + 100)
      assert.strictEqual((await fresh.ask(path, { headers })).status, 200)
      // The other surface has a pool of its own.
      const other = await fresh.askAs("free", "/api/v1/visa/check?passport=FRA&destination=JPN")
      assert.strictEqual(other.headers["x-ratelimit-remaining"], "99")
    } finally {
      await fresh[Symbol.asyncDispose]()
    }
  })
})

describe("an answer that a client has", () => {
  const path = "/visa?passport=IND&destination=LKA"

  it("is not sent again, for any encoding", async () => {
    const first = await ask(path, { "accept-encoding": "gzip" })
    const etag = String(first.headers.etag)
    assert.match(etag, /^W\/"[\w-]{22}"$/)
    for (const validators of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await ask(path, { "if-none-match": validators })
      assert.strictEqual(again.status, 304)
      assert.strictEqual(again.text, "")
      assert.strictEqual(again.headers.etag, etag)
      assert.isUndefined(again.headers["content-length"])
    }
    assert.strictEqual((await ask(path, { "if-none-match": '"other"' })).status, 200)
    assert.match(String(first.headers.vary), /^Authorization, X-Api-Key, Svc-Version, Accept-Encoding$/)
  })

  it("is compressed as the client accepts", async () => {
    for (const encoding of ["br", "gzip", "zstd"]) {
      const reply = await ask("/destinations", { "accept-encoding": encoding })
      assert.strictEqual(reply.headers["content-encoding"], encoding)
    }
  })
})

describe("the helpers", () => {
  it("name every passport and destination in the requested language, with the number of recorded pairs", async () => {
    const passports = (await ask("/passports?locale=fr")).read("passports") as {
      code: string
      name: string
      pairs: number
    }[]
    assert.strictEqual(passports.length, 199)
    assert.containsSubset(passports, [{ code: "DEU", name: "Allemagne" }])
    const recorded = dataset.destinations.filter(code => lookupRequirement(dataset, "DEU", code).kind === "found")
    assert.strictEqual(passports.find(({ code }) => code === "DEU")?.pairs, recorded.length)
    const destinations = (await ask("/destinations")).read("destinations") as { code: string; pairs: number }[]
    assert.strictEqual(destinations.length, 250)
    const entrants = dataset.passports.filter(code => lookupRequirement(dataset, code, "JPN").kind === "found")
    assert.strictEqual(destinations.find(({ code }) => code === "JPN")?.pairs, entrants.length)
  })

  it("name the zones with the law and the days of their members", async () => {
    const zones = (await ask("/zones")).read("zones") as Record<string, unknown>[]
    const schengen = zones.find(({ id }) => id === "schengen")
    assert.deepStrictEqual(schengen?.rule, { kind: "rolling", allowance_days: 90, window_days: 180 })
    assert.containsSubset(schengen?.members as object[], [{ code: "HRV", from: "2023-01-01", until: null }])
  })

  it("list the changes of a pair, with the field names of this surface", async () => {
    const reply = await ask("/policies/history?passport=ind&destination=tha")
    assert.strictEqual(reply.status, 200)
    const changes = reply.read("changes") as { date: string; from: string; to: string }[]
    assert.strictEqual(reply.read("count"), changes.length)
    const names: readonly string[] = Object.values(REQUIREMENT_NAMES)
    for (const { date, from, to } of changes) {
      assert.match(date, /^\d{4}-\d\d-\d\d$/)
      assert.includeMembers([...names], [from, to])
    }
    const days = changes.map(({ date }) => date)
    assert.deepStrictEqual(days, days.toSorted())
    assert(days.every(day => day <= formatCivilDate(DAY)))
  })

  it("show a change that an authority published by its day and source, and one of tables by two days", async () => {
    const [published, seen] = await Promise.all([
      ask("/policies/history?passport=jor&destination=gbr"),
      ask("/policies/history?passport=fra&destination=chn"),
    ])
    const changes = published.read("changes") as { date: string; sources: { url: string }[] }[]
    assert.deepStrictEqual(
      changes.map(({ date, sources }) => [date, sources.map(({ url }) => url)]),
      ["2024-02-22", "2024-09-10"].map(date => [date, ["https://github.com/alphagov/smart-answers"]]),
    )
    assert(changes.every(change => !("seen_after" in change)))
    assert.isNull(published.read("source"))
    assert.deepInclude(seen.read("changes.0") as object, { date: "2023-12-03", seen_after: "2023-11-06" })
    assert.isString(seen.read("source.name"))
  })
})
