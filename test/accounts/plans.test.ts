import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { formatRecord } from "../../adapters/files/record-files.ts"
import { lowestPlanWith, PlansRecord, readPlans } from "../../adapters/plans/plans.ts"
import { PLAN_IDS } from "../../adapters/settings/feature-options.ts"
import { makeFolder } from "../storage/deployment.ts"

const seedFile = fileURLToPath(new URL("../../seeds/plans.json", import.meta.url))
const seedText = readFileSync(seedFile, "utf8")

describe("seeds/plans.json", () => {
  it.effect("holds the published table", () =>
    Effect.gen(function* () {
      const table = yield* readPlans(seedFile)
      const rows = PLAN_IDS.map(id => {
        const { requestsPerMonth, destinationsPerPassportAndDay, lookup, spotsPerMonth, ...others } = table.byId[id]
        const names = Object.entries(others).flatMap(([name, has]) => (has === true ? [name] : []))
        return [
          id,
          requestsPerMonth,
          destinationsPerPassportAndDay,
          ...Object.values(lookup),
          spotsPerMonth,
          names.join(),
        ]
      })
      assert.deepStrictEqual(rows, [
        ["free", 100, 25, "free", 10, 10_000, 1_000, ""],
        ["hobby", 10_000, 60, "free", 10, 10_000, 10_000, "group"],
        ["starter", 50_000, 120, "free", 10, 10_000, 10_000, "group"],
        ["pro", 200_000, null, "pro", 100, 1_000_000, 100_000, "bulk,group"],
        ["business", 1_000_000, null, "enterprise", 1_000, 10_000_000, 1_000_000, "bulk,group,webhooks,teamKeys"],
      ])
      assert.isTrue(PLAN_IDS.every(id => table.byId[id].languages === "all"))
      assert.strictEqual(table.unconfirmedRequests, 5)
      assert.strictEqual(table.keylessChecksPerMinute, 120)
      assert.deepStrictEqual(table.bulkCharge, { withDestinations: "pair", withoutDestinations: "call" })
    }),
  )

  it("does not change when it is written again", () => {
    assert.strictEqual(formatRecord(PlansRecord, JSON.parse(seedText)), seedText)
  })
})

describe("readPlans", () => {
  const readEdited = (edit: (text: string) => string) =>
    Effect.gen(function* () {
      const path = join(yield* makeFolder, "plans.json")
      writeFileSync(path, edit(seedText))
      return yield* readPlans(path)
    })
  const issuesOf = (edit: (text: string) => string) =>
    Effect.map(Effect.flip(readEdited(edit)), error => error.issues.map(issue => `${issue.field}: ${issue.message}`))

  it.effect("takes an operator's numbers", () =>
    Effect.gen(function* () {
      const table = yield* readEdited(text =>
        text.replace('"languages": "all"', '"languages": ["en"]').replace('"bulk": false', '"bulk": true'),
      )
      assert.deepStrictEqual(table.byId.free.languages, ["en"])
      assert.strictEqual(lowestPlanWith("bulk", table), "free")
    }),
  )

  it.effect("names the file and every field that is wrong", () =>
    Effect.gen(function* () {
      const edit = (text: string) =>
        text
          .replace('"requests_per_month": 100,', '"requests_per_month": -1,')
          .replace('"tier": "pro"', '"tier": "gold"')
          .replace('"spots_per_month": 1000000,', "")
          .replace('"unconfirmed_requests"', '"unconfirmed_request"')
      const issues = yield* issuesOf(edit)
      const fields = issues.map(issue => issue.split(":")[0])
      assert.includeMembers(fields, [
        "plans.free.requests_per_month",
        "plans.pro.lookup.tier",
        "plans.business.spots_per_month",
        "unconfirmed_requests",
        "unconfirmed_request",
      ])
      const error = yield* Effect.flip(readEdited(edit))
      assert.match(error.message, /plans\.json plans\.free\.requests_per_month: /)
    }),
  )

  it.effect("reports a file that is not valid JSON or does not exist", () =>
    Effect.gen(function* () {
      const [issue] = yield* issuesOf(text => text.slice(1))
      assert.match(issue ?? "", /^: is not JSON/)
      const error = yield* Effect.flip(readPlans("/nowhere/plans.json"))
      assert.strictEqual(error.message, "/nowhere/plans.json: does not exist.")
    }),
  )
})

describe("lowestPlanWith", () => {
  it.effect("names the plan that a caller has to buy", () =>
    Effect.gen(function* () {
      const table = yield* readPlans(seedFile)
      const lowest = (["group", "bulk", "webhooks", "teamKeys"] as const).map(feature => lowestPlanWith(feature, table))
      assert.deepStrictEqual(lowest, ["hobby", "pro", "business", "business"])
    }),
  )
})
