/** The service as it is, but making each answer anew: so `npm run bench:http` can say what keeping answers is worth. */
import { Effect, Scope } from "effect"
import { readConfig } from "../adapters/platform/settings/config.ts"
import { startService } from "../adapters/programs/run/serve.ts"

const start = readConfig().pipe(Effect.flatMap(config => startService(config, { keepsAnswers: false })))
const service = await Effect.runPromise(Effect.provideService(start, Scope.Scope, Scope.makeUnsafe()))
console.log(`listens on ${service.url}`)
