/** `landfall webhook listen`: a receiver on the terminal, for the first minute with webhooks. */
import { Console, Effect } from "effect"
import { verifyDelivery } from "../../src/index.ts"
import { makeCommand, makeGroup, or, text, whole } from "./command.ts"
import { CalledWrongly, CommandFailed } from "./failure.ts"
import { untilOrphaned } from "./parent.ts"

const LAST_PORT = 65_535

/** The verifier's error about a secret; null if there is none. */
function findFault(secret: string): string | null {
  const tried = verifyDelivery({ scheme: "standard", headers: {}, body: "", secrets: [secret], nowSeconds: 0 })
  return !tried.ok && tried.error.tag === "MalformedSecret" ? tried.error.message : null
}

const listen = makeCommand("webhook listen", {
  about: "Show and verify the webhooks that come to this machine",
  examples: { "landfall webhook listen --port 8788": "Until it is told to stop" },
  takes: {
    port: or(whole("PORT", "The port on 127.0.0.1; 0 for any free port, 8788 when absent"), 8_788),
    secret: text("SECRET", "The secret that was shown when the webhook was made; without it nothing can be verified"),
  },
  *run({ port, secret = null, json }) {
    const refuse = (message: string) => new CalledWrongly({ message })
    if (port < 0 || port > LAST_PORT)
      return yield* refuse(`--port: a number from 0 to ${LAST_PORT} is expected, not ${port}.`)
    const fault = secret === null ? null : findFault(secret)
    if (fault !== null) return yield* refuse(`--secret: ${fault.replace("secrets[0]", "it")}`)
    // Loaded here, because every other command starts faster without it.
    const { startListener } = yield* Effect.promise(() => import("../webhooks/listen.ts"))
    const { url, next } = yield* startListener({ port, secret }).pipe(
      Effect.mapError(({ message }) => new CommandFailed({ message })),
    )
    yield* json ? Console.error(url) : Console.log(welcome(url, secret !== null))
    const show = Effect.flatMap(next, ({ lines, record }) =>
      Console.log(json ? JSON.stringify(record) : lines.join("\n")),
    )
    yield* Effect.raceFirst(Effect.forever(show), untilOrphaned)
    return undefined
  },
})

/** The first lines: where it listens, and how to make a webhook that points here. */
function welcome(url: string, isVerified: boolean): string {
  const start = `landfall listens for webhooks on ${url}`
  if (isVerified) return `${start} and verifies them`
  return [
    `${start}; without --secret it verifies nothing`,
    "",
    "A service on this machine with LANDFALL_WEBHOOK_ALLOW_PRIVATE=true sends here:",
    `  curl -H "authorization: Bearer $KEY" -H 'content-type: application/json' http://127.0.0.1:8787/webhooks -d '{"url": "${url}/"}'`,
    "Then start this again with the secret that it shows.",
    "",
  ].join("\n")
}

export const webhook = makeGroup("webhook", "Look at webhooks", [listen])
