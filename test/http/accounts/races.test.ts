import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../../adapters/accounts/accounts.ts"
import { Affiliates } from "../../../adapters/billing/affiliates.ts"
import type { RowAnswer } from "../../../adapters/http/pipeline/endpoint.ts"
import type { Answer } from "../../../adapters/http/pipeline/http-message.ts"
import { answerRefusal } from "../../../adapters/http/routes/accounts/account-answers.ts"
import { eraseAccount, regenerateKey } from "../../../adapters/http/routes/accounts/account-endpoints.ts"
import { registerAffiliate } from "../../../adapters/http/routes/accounts/billing-endpoints.ts"
import { Storage } from "../../../adapters/storage/storage.ts"
import { ana } from "../../accounts/people.ts"
import { build, inProcess, makeDeployment } from "../../storage/deployment.ts"

const inDeployment = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(makeDeployment, place => inProcess(place)(work)))

/** What a row sees of a service that has only this. */
const contextOf = (services: object, session: object | null = null) =>
  ({
    request: { method: "POST", header: () => undefined },
    session,
    site: { publicUrl: "http://x" },
    clients: { name: () => "x" },
    run: (work: Effect.Effect<unknown>) => Effect.runPromise(work),
    ...services,
  }) as never

/** The answer of a row, or to what it fails with, as the service gives it. */
const settle = (answer: RowAnswer): Effect.Effect<Answer> =>
  answer instanceof Promise || "status" in answer
    ? Effect.promise(async () => answer)
    : Effect.catch(answer, failure =>
        failure._tag === "Unavailable" || failure._tag === "TriedTooOften"
          ? Effect.die(failure)
          : Effect.succeed(answerRefusal(failure, "visa", "")),
      )

const bodyOf = ({ body }: Answer) => JSON.parse(String(body)) as unknown

describe("an affiliate who is registered twice at the same moment", () => {
  it.live("is made once, and the second request is asked to retry", () =>
    inDeployment(
      Effect.gen(function* () {
        const storage = yield* Storage
        // Whoever looked before the first one was written has found nobody.
        const before = { ...storage.affiliates, find: () => Effect.succeed(undefined) }
        const affiliatesOf = (one: Storage["Service"]) =>
          Effect.provide(
            Effect.flatMap(build(Affiliates.layer), services => Effect.provideContext(Affiliates, services)),
            Layer.succeed(Storage, one),
          )
        const register = (affiliates: Affiliates["Service"]) =>
          settle(
            registerAffiliate.answer(
              { name: "Ira", email: "ira@example.org" },
              contextOf({ affiliates, signup: { limit: () => Effect.void } }),
            ),
          )
        const late = yield* affiliatesOf({ ...storage, affiliates: before })
        const first = yield* register(yield* affiliatesOf(storage))
        assert.strictEqual(first.status, 201)
        const second = yield* register(late)
        assert.strictEqual(second.status, 409)
        assert.deepStrictEqual(bodyOf(second), {
          error: "This address is being registered at this moment: ask again.",
        })
        const again = yield* register(yield* affiliatesOf(storage))
        assert.strictEqual(again.status, 200)
      }),
    ),
  )
})

describe("an account that is erased while its owner does something else", () => {
  it.live("does not exist any more: 404", () =>
    inDeployment(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { account } = yield* accounts.createAccount({ ...ana, plan: "free" })
        yield* accounts.erase(account.id)
        const context = contextOf({ accounts }, { account, token: "" })
        for (const later of [
          eraseAccount.answer({ email: account.email }, context),
          regenerateKey.answer({ endsTeamKeys: false }, context),
        ]) {
          const answer = yield* settle(later)
          assert.strictEqual(answer.status, 404)
          assert.deepStrictEqual(bodyOf(answer), { error: "There is no such account any more." })
        }
      }),
    ),
  )
})
