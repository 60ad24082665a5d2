import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { endDemoAccounts, makeDemoAccounts } from "../../adapters/accounts/demo-accounts.ts"
import { PLAN_IDS } from "../../adapters/settings/feature-options.ts"
import { inProcess, makeDeployment } from "../storage/deployment.ts"
import { ana } from "./people.ts"

describe("demo accounts", () => {
  it.effect("are made at the first start of a development server, one for each plan, confirmed, and shown once", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const demos = yield* makeDemoAccounts("development").pipe(inProcess(deployment))
      assert.deepStrictEqual(
        demos.map(demo => demo.plan),
        [...PLAN_IDS],
      )
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* makeDemoAccounts("development"), [])
        const accounts = yield* Accounts
        for (const { plan, key } of demos) {
          const caller = yield* accounts.findCaller(key)
          assert.strictEqual(caller?.plan.id, plan)
          assert.isTrue(caller?.isConfirmed)
          assert.isFalse(caller?.isTest)
        }
        const tests = demos.flatMap(({ testKey }) => (testKey === null ? [] : [testKey]))
        assert.lengthOf(tests, 1)
        assert.deepInclude(yield* accounts.findCaller(tests[0] ?? ""), { isTest: true })
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("are never made by a production server, nor if there is an account already", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* makeDemoAccounts("production").pipe(inProcess(yield* makeDeployment)), [])
      const deployment = yield* makeDeployment
      yield* Effect.flatMap(Accounts, accounts => accounts.createAccount(ana)).pipe(inProcess(deployment))
      assert.deepStrictEqual(yield* makeDemoAccounts("development").pipe(inProcess(deployment)), [])
    }),
  )
})

describe("a production server", () => {
  it.effect("deactivates the demo accounts and their team keys only", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* endDemoAccounts
        const demos = yield* makeDemoAccounts("development")
        const business = yield* accounts.findAccountByEmail("business@demo.invalid")
        const team = yield* accounts.createTeamKey(business?.id ?? 0, "desk")
        const own = yield* accounts.createAccount(ana)
        yield* endDemoAccounts
        yield* endDemoAccounts
        for (const { testKey } of demos) if (testKey !== null) assert.isNull(yield* accounts.findCaller(testKey))
        for (const { key } of [...demos, team]) assert.isNull(yield* accounts.findCaller(key))
        assert.isNotNull(yield* accounts.findCaller(own.key))
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("disables the demo accounts, so that no session of development makes a new key", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* makeDemoAccounts("development")
        const own = yield* accounts.createAccount(ana)
        yield* endDemoAccounts
        yield* endDemoAccounts
        for (const plan of PLAN_IDS)
          assert.isTrue((yield* accounts.findAccountByEmail(`${plan}@demo.invalid`))?.isDisabled, plan)
        assert.isFalse((yield* accounts.findAccount(own.account.id))?.isDisabled)
      }).pipe(inProcess(yield* makeDeployment))
    }),
  )
})
