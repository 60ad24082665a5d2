import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Signup } from "../../adapters/accounts/signup.ts"
import { Mails } from "../../adapters/mail/mails.ts"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { build, inProcess, makeDeployment } from "../storage/deployment.ts"

/** A storage that records the statements. */
function watch(storage: StorageShape, note: (statement: string) => void): StorageShape {
  const watchEach = (name: string, repository: object) => {
    const statements = Object.entries(repository).map(([statement, run]) => {
      const noting = (effect: unknown) =>
        Effect.andThen(
          Effect.sync(() => note(`${name}.${statement}`)),
          effect as Effect.Effect<unknown>,
        )
      if (Effect.isEffect(run)) return [statement, noting(run)]
      return [statement, (...given: unknown[]) => noting((run as (...given: unknown[]) => unknown)(...given))]
    })
    return Object.fromEntries(statements)
  }
  const watched = Object.entries(storage).map(([name, repository]) => {
    if (name === "transact") {
      const transact: StorageShape["transact"] = (effect, options) => {
        note(name)
        return storage.transact(effect, options)
      }
      return [name, transact]
    }
    if (name === "queuedWork") return [name, (kind: string) => watchEach(name, storage.queuedWork(kind))]
    if (typeof repository !== "object" || repository === null) return [name, repository]
    return [name, Effect.isEffect(repository) ? repository : watchEach(name, repository)]
  })
  return Object.fromEntries(watched) as StorageShape
}

describe("asking for a link, and registering", () => {
  it.live("run the same statements for an address that is known, disabled or unknown", () =>
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
            // The accounts look for changes by other processes every second.
            const note = (statement: string) => void (statement === "accounts.readRevision" || asked.push(statement))
            const signup = yield* Effect.provide(
              Effect.flatMap(
                build(Signup.layer({ revealsKey: false }).pipe(Layer.provide([Mails.layer("smtp"), Accounts.layer]))),
                services => Effect.provideContext(Signup, services),
              ),
              Layer.succeed(Storage, watch(yield* Storage, note)),
            )
            const work: string[][] = []
            for (const email of ["ana@example.org", "ANA@EXAMPLE.ORG", "off@example.org", "nobody@example.org"]) {
              asked.length = 0
              yield* signup.askForLink({ email, language: "en", client: "192.0.2.1" })
              work.push([...asked])
            }
            assert.deepStrictEqual(work[0], ["attempts.count", "attempts.count", "queuedWork.order"])
            for (const other of work) assert.deepStrictEqual(other, work[0])

            // Nobody's address is the first: each of the others has an account, confirmed, disabled or as it was just made.
            const registering: string[][] = []
            for (const email of ["new@example.org", "new@example.org", "ana@example.org", "off@example.org"]) {
              asked.length = 0
              yield* signup.register({ email, name: "Ana", language: "en", client: `192.0.2.${registering.length}` })
              registering.push([...asked])
            }
            assert.deepStrictEqual(registering[0], [
              "attempts.count",
              "transact",
              "accounts.find",
              "attempts.count",
              "transact",
              "accounts.nextAccountId",
              "accounts.insertUnique",
              "accounts.nextKeyId",
              "keys.insert",
              "keys.trimEnded",
              "audit.add",
              "keys.list",
              "attempts.count",
              "queuedWork.order",
            ])
            for (const other of registering) assert.deepStrictEqual(other, registering[0])

            // What was written for nobody's address in place of the others' is not kept.
            const listed = yield* (yield* Storage).accounts.list({}, { order: ["id"] })
            assert.deepStrictEqual(
              listed.map(({ id, email }) => [id, email]),
              [
                [1, "ana@example.org"],
                [2, "off@example.org"],
                [3, "new@example.org"],
              ],
            )
          }),
        ),
      ),
    ),
  )
})
