/**
 * A process that serves requests and makes accounts as fast as it can until it is killed. It tells, line by line: how
 * many requests it has counted so far, and every key once its account is made.
 */
import { writeSync } from "node:fs"
import { Effect } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Meter } from "../../adapters/quota/meter.ts"
import { inProcess } from "../storage/deployment.ts"

const [folder = ""] = process.argv.slice(2)
const databasePath = `${folder}/landfall.db`
// Written at once and not through a stream, so that a killed process has said everything that it had done.
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

const program = Effect.gen(function* () {
  const accounts = yield* Accounts
  const meter = yield* Meter
  const { account, key } = yield* accounts.createAccount({
    name: "Ana",
    email: "ana@example.org",
    plan: "business",
    isConfirmed: true,
  })
  const caller = (yield* accounts.findCaller(key))!
  say({ accountId: account.id, key })
  for (let counted = 0; ; ) {
    for (let i = 0; i < 10; i++) {
      const reservation = yield* meter.reserveLoaded(caller, { charge: 1 })
      if (reservation.ok) {
        reservation.commit()
        counted++
      }
    }
    say({ counted })
    const made = yield* accounts.createAccount({
      name: "Bo",
      email: `bo${counted}@example.org`,
      plan: "free",
      isConfirmed: true,
    })
    say({ key: made.key })
    yield* Effect.sleep(2)
  }
}).pipe(inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }))

await Effect.runPromise(program)
