/** `landfall webhook listen`: a receiver on the terminal, for the first minute with webhooks. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { verifyDelivery } from "../../src/index.ts"
import { makeCommand } from "./command.ts"
import { CalledWrongly, CommandFailed } from "./command-outcome.ts"
import { untilOrphaned } from "./parent.ts"

const LAST_PORT = 65_535

/** The verifier's error about a secret; null if there is none. */
function findFault(secret: string): string | null {
  const tried = verifyDelivery({ scheme: "standard", headers: {}, body: "", secrets: [secret], nowSeconds: 0 })
  return !tried.ok && tried.error.tag === "MalformedSecret" ? tried.error.message : null
}

const listen = makeCommand("listen", {
  about: "Show and verify the webhooks that come to this machine",
  usage: "landfall webhook listen [--port PORT] [--secret SECRET] [--json]",
  examples: { "landfall webhook listen --port 8788": "Until it is told to stop" },
  takes: {
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port on 127.0.0.1; 0 for any free port, 8788 when absent"),
      Flag.withDefault(8_788),
    ),
    secret: Flag.String("secret").pipe(
      Flag.withDescription("The secret that was shown when the webhook was made; without it nothing can be verified"),
      Flag.optional,
    ),
  },
  *run({ port, secret: given, json }) {
    const refuse = (message: string) => new CalledWrongly({ message })
    if (port < 0 || port > LAST_PORT)
      return yield* refuse(`--port: a number from 0 to ${LAST_PORT} is expected, not ${port}.`)
    const secret = Option.getOrNull(given)
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
    return yield* Effect.raceFirst(Effect.forever(show), untilOrphaned)
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

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Look at webhooks"),
  Command.withSubcommands([listen]),
)
