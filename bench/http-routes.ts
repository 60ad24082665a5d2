/** The service with every request on its routes and none in the fast lane, so that `npm run bench:http` can say what the lane is worth. */
import { Effect, Scope } from "effect"
import { readConfig } from "../adapters/http/config.ts"
import { startService } from "../adapters/http/serve.ts"

const start = readConfig().pipe(Effect.flatMap(config => startService(config, { withoutFastLane: true })))
const service = await Effect.runPromise(Effect.provideService(start, Scope.Scope, Scope.makeUnsafe()))
console.log(`listens on ${service.url}`)
