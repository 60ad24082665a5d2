/** A process that starts on a deployment, prints its secret's fingerprint and a key that it made, and stops. */
import { Effect } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { inProcess } from "../storage/deployment.ts"

const [folder = "", name = ""] = process.argv.slice(2)
const databasePath = `${folder}/landfall.db`

const program = Effect.gen(function* () {
  const secret = yield* DeploymentSecret
  const accounts = yield* Accounts
  const { key } = yield* accounts.createAccount({ name, email: `${name}@example.org`, plan: "free", isConfirmed: true })
  const fingerprint = Buffer.from(secret.deriveKey("fingerprint")).toString("hex")
  process.stdout.write(JSON.stringify({ fingerprint, key }))
}).pipe(inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }))

await Effect.runPromise(program)
