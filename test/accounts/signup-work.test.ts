import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../adapters/customers/accounts/accounts.ts"
import { Signup } from "../../adapters/customers/accounts/signup.ts"
import { Mails } from "../../adapters/customers/mail/mails.ts"
import { Storage, type StorageShape } from "../../adapters/platform/storage/storage.ts"
import { build, inProcess, makeDeployment } from "../storage/deployment.ts"

/** A storage that writes down which statements are asked for. */
function watch(storage: StorageShape, asked: string[]): StorageShape {
  const watched = Object.entries(storage).map(([name, repository]) => {
    if (typeof repository !== "object" || repository === null) return [name, repository]
    const statements = Object.entries(repository).map(([statement, run]) => {
      const noting = (effect: unknown) =>
        Effect.andThen(
          Effect.sync(() => asked.push(`${name}.${statement}`)),
          effect as Effect.Effect<unknown>,
        )
      if (Effect.isEffect(run)) return [statement, noting(run)]
      return [statement, (...given: unknown[]) => noting((run as (...given: unknown[]) => unknown)(...given))]
    })
    return [name, Effect.isEffect(repository) ? repository : Object.fromEntries(statements)]
  })
  return Object.fromEntries(watched) as StorageShape
}

describe("asking for a link, and registering", () => {
  it.live("ask the database for the same, whether the address is known, disabled, or nobody's", () =>
    Effect.scoped(
      Effect.flatMap(makeDeployment, place =>
        inProcess(place)(
          Effect.gen(function* () {
            const accounts = yield* Accounts
            const person = { name: "Ana", plan: "free", isConfirmed: true } as const
            yield* accounts.createAccount({ ...person, email: "ana@example.org" })
            const { account } = yield* accounts.createAccount({ ...person, email: "off@example.org" })
            yield* accounts.setDisabled(account.id, true)
            const asked: string[] = []
            const signup = yield* Effect.provide(
              Effect.flatMap(
                build(Signup.layer({ revealsKey: false }).pipe(Layer.provide(Mails.layer("smtp")))),
                services => Effect.provideContext(Signup, services),
              ),
              Layer.succeed(Storage, watch(yield* Storage, asked)),
            )
            const work: string[][] = []
            for (const email of ["ana@example.org", "ANA@EXAMPLE.ORG", "off@example.org", "nobody@example.org"]) {
              asked.length = 0
              yield* signup.askForLink({ email, language: "en", client: "192.0.2.1" })
              work.push([...asked])
            }
            assert.deepStrictEqual(work[0], ["attempts.count", "attempts.count", "mails.nextId", "mails.insert"])
            for (const other of work) assert.deepStrictEqual(other, work[0])

            // Registering writes for a known address what it writes for a new one, but for the account itself.
            const registering: string[][] = []
            for (const email of ["ana@example.org", "new@example.org", "new@example.org"]) {
              asked.length = 0
              yield* signup.register({ email, name: "Ana", language: "en", client: "192.0.2.1" })
              registering.push([...asked])
            }
            const counts = ["attempts.count", "attempts.count", "attempts.count"]
            for (const one of registering) assert.deepStrictEqual(one, [...counts, "mails.nextId", "mails.insert"])
          }),
        ),
      ),
    ),
  )
})
