import { assert, beforeAll, describe, it } from "vitest"
import { describeCheck, describeRecord } from "../../adapters/answers/visa-answers.ts"
import { type LocalisedFacts, PLANS, type Plan } from "../../src/full.ts"
import { openFacts } from "../record/localised-facts.ts"
import { share } from "../share.ts"
import { type Reply, startTestService } from "./service.ts"

/**
 * How the published clients of this API type a record: a name with `?` may be absent, and no other value may stand in its place. A
 * field that is an object may be a stub instead, which has the same type to them.
 */
const CLIENT_TYPES: Readonly<Record<string, string>> = {
  passport: "text",
  destination: "text",
  requirement: "text",
  visa_free_days: "number or null",
  visa_required: "truth",
  source_url: "text or null",
  last_verified_at: "text or null",
  requirement_status: "text?",
  description: "text",
  documents_required: "texts",
  process: "texts?",
  visa_types: "objects?",
  "visa_types.nom": "text",
  "visa_types.cout": "text",
  "visa_types.duree": "text?",
  "visa_types.description": "text",
  extension: "object?",
  "extension.possible": "truth",
  "extension.cout": "text?",
  "extension.duree": "text?",
  "extension.lieu": "text?",
  tips: "texts",
  country_info: "object?",
  "country_info.currency": "text?",
  "country_info.language": "text?",
  "country_info.timezone": "text?",
  "country_info.capital": "text?",
  passport_validity_months: "number?",
  visa_fee: "object?",
  processing_days: "object?",
  best_apply_period: "text?",
  photo_specs: "object?",
  "photo_specs.background": "text?",
  insurance_required: "object?",
  "insurance_required.currency": "text?",
  vaccinations_required: "texts?",
  health_requirements: "object?",
  "health_requirements.covid_test": "truth or null?",
  "health_requirements.vaccination_proof": "truth or null?",
  "health_requirements.health_declaration": "truth or null?",
  "health_requirements.quarantine_days": "number or null?",
  "health_requirements.ebola_screening": "truth or null?",
  safety: "object?",
  "safety.level": "number?",
  "safety.advisory": "text?",
  "safety.source": "text?",
  "safety.updated_at": "text?",
  transit_visa: "object?",
  "transit_visa.required_for": "texts?",
  "transit_visa.hubs": "texts?",
  "transit_visa.source_url": "text?",
  minor_rules: "object?",
  "minor_rules.solo_travel_min_age": "number or null?",
  "minor_rules.single_parent_letter_required": "truth or null?",
  "minor_rules.notarized_consent_required": "truth or null?",
  dual_nationality_warnings: "texts?",
  stamp_warnings: "texts or stub?",
  overstay_penalty: "object?",
  "overstay_penalty.details": "text?",
  entry_by_mode: "object?",
  extension_rules: "object?",
  "extension_rules.where": "text?",
  remote_work_visa: "object?",
  "remote_work_visa.requirements": "texts?",
  reciprocity_history: "objects?",
  "reciprocity_history.date": "text",
  "reciprocity_history.from": "text",
  "reciprocity_history.to": "text",
  "reciprocity_history.note": "text?",
  embassy: "object?",
  ...Object.fromEntries(
    ["your_embassy_at_destination", "visa_application_embassy"].flatMap(name => [
      [`embassy.${name}`, "object?"],
      ...["name", "address", "city", "country", "phone", "emergency_phone", "email", "website"].map(part => [
        `embassy.${name}.${part}`,
        "text?",
      ]),
    ]),
  ),
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isText = (value: unknown) => typeof value === "string"

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  number: value => typeof value === "number" && Number.isFinite(value),
  truth: value => typeof value === "boolean",
  null: value => value === null,
  texts: value => Array.isArray(value) && value.every(isText),
  object: isObject,
  objects: value => Array.isArray(value) && value.every(isObject),
  stub: value => isObject(value) && isText(value.upgrade),
}

/** What a path holds, once for each item of the lists that it leads through; nothing where its object is absent. */
function readPath(record: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  const items = Array.isArray(record) ? record : record === undefined ? [] : [record]
  return items.flatMap(item => {
    const held = (item as Record<string, unknown>)[name as string]
    return rest.length === 0 ? [held] : readPath(held, rest)
  })
}

/** Says in which fields a record is not what the clients read. */
function findFaults(record: unknown): readonly string[] {
  return Object.entries(CLIENT_TYPES).flatMap(([path, type]) => {
    const isOptional = type.endsWith("?")
    const kinds = type.replace("?", "").split(" or ")
    const inner = path.includes(".")
    return readPath(record, path.split(".")).flatMap(held => {
      if (held === undefined && (isOptional || (inner && isStubbed(record, path)))) return []
      return held !== undefined && kinds.some(kind => (KINDS[kind] as (value: unknown) => boolean)(held))
        ? []
        : [`${path}: ${JSON.stringify(held)} is no ${type}`]
    })
  })
}

const isStubbed = (record: unknown, path: string) =>
  readPath(record, path.split(".").slice(0, 1)).some(held => KINDS.stub?.(held))

const LEFT_OUT = [
  "reciprocity_history",
  "vaccinations_required",
  "dual_nationality_warnings",
  "best_apply_period",
  "passport_validity_months",
]

describe("a record in published clients", () => {
  let localised: LocalisedFacts
  let pairs: readonly { readonly passport: string; readonly destination: string }[]
  beforeAll(async () => {
    localised = await openFacts()
    const { passports, destinations } = localised.dataset
    pairs = Array.from({ length: 240 }, (_, at) => ({
      passport: passports[(at * 7) % passports.length] as string,
      destination: destinations[(at * 13) % destinations.length] as string,
    }))
  })

  const read = (pair: { readonly passport: string; readonly destination: string }, plan: Plan) => {
    const outcome = describeRecord(localised, pair, { plan, upgradeUrl: "https://visa.example/account" })
    return outcome.kind === "found" ? (JSON.parse(JSON.stringify(outcome.body.data)) as object) : null
  }

  it.each(PLANS)("has the types of each field for 200 pairs on %s", plan => {
    const faults = new Set<string>()
    let records = 0
    for (const pair of pairs) {
      const record = read(pair, plan)
      if (record === null) continue
      records++
      for (const fault of findFaults(record)) faults.add(`${pair.passport} ${pair.destination} ${fault}`)
    }
    assert.isAtLeast(records, 200)
    assert.deepStrictEqual([...faults].slice(0, 5), [])
  })

  it("omits fields on the plan free that they read as a list, a number or a text, and counts them in the preview", () => {
    const counted: Record<string, number> = {}
    for (const pair of pairs) {
      const [free, whole] = [read(pair, "free"), read(pair, "pro")] as Record<string, unknown>[]
      const check = describeCheck(localised, pair, { upgradeUrl: "/account" })
      if (free === undefined || whole === undefined || check.kind !== "found") continue
      const { _upgrade_preview: preview } = check.body.data
      for (const name of LEFT_OUT) {
        assert.notProperty(free, name)
        const held = whole[name]
        const said = name === "vaccinations_required" ? preview.vaccinations : preview[name as "best_apply_period"]
        assert.strictEqual(
          said,
          Array.isArray(held) ||
            name === "reciprocity_history" ||
            name.endsWith("_required") ||
            name.endsWith("_warnings")
            ? (((held as unknown[] | undefined)?.length ?? 0) as never)
            : held !== undefined,
          name,
        )
        if (held !== undefined) counted[name] = (counted[name] ?? 0) + 1
      }
    }
    for (const name of LEFT_OUT) assert.isAbove(counted[name] ?? 0, 0, name)
  })
})

describe("the calls of published clients", () => {
  const running = share(startTestService)

  const TRIP = {
    passport: "FRA",
    passport_expiry: "2030-01-01",
    stops: [{ destination: "THA", from: "2027-01-01", to: "2027-01-10" }],
  }

  it.each(["free", "hobby", "starter", "pro", "business"] as const)(
    "succeed on %s, or say which plan has them",
    async plan => {
      const V1 = "/api/v1/visa"
      const get = (path: string): Promise<Reply> => running.askAs(plan, V1 + path)
      for (const [passport, destination] of [
        ["FRA", "JPN"],
        ["IND", "DEU"],
        ["USA", "BRA"],
        ["FRA", "ITA"],
        ["JPN", "JPN"],
        ["AFG", "USA"],
        ["NGA", "KEN"],
        ["CHN", "AUS"],
      ]) {
        const record = await get(`?passport=${passport}&destination=${destination}`)
        assert.strictEqual(record.status, 200)
        assert.deepStrictEqual(findFaults(record.read("data")), [])
        const check = await get(`/check?passport=${passport}&destination=${destination}`)
        assert.strictEqual(check.status, 200)
        assert.isTrue(["text", "null"].some(kind => KINDS[kind]?.(check.read("last_verified"))))
      }
      const decided = await running.askAs(plan, `${V1}/decision`, { method: "POST", body: JSON.stringify(TRIP) })
      assert.strictEqual(decided.status, 200)
      const group = await get("/group?passports=FRA,IND")
      assert.strictEqual(group.status, plan === "free" ? 403 : 200)
      const bulk = await get("/bulk?passport=FRA&destination=JPN,THA,ITA")
      const hasBulk = plan === "pro" || plan === "business"
      assert.strictEqual(bulk.status, hasBulk ? 200 : 403)
      if (hasBulk) for (const record of bulk.read("data") as unknown[]) assert.deepStrictEqual(findFaults(record), [])
      for (const path of [
        "/score?passport=FRA",
        "/score/compare?passport1=FRA&passport2=IND",
        "/stats",
        "/live/recent",
      ])
        assert.strictEqual((await get(path)).status, 200)
    },
  )
})
