/**
 * `landfall serve`, `worker`, `mcp` and `webhook listen`: what runs until it is told to stop.
 *
 * Each loads what it runs when it is called, because every other command starts faster without it. A script runner such as `npm start` puts a
 * shell between itself and the service; when the runner is stopped, the shell ends without passing the signal on. Under such a runner a
 * service therefore stops when its parent is gone.
 */

import { Console, Effect, Layer, type PlatformError, Stdio, Stream } from "effect"
import { verifyDelivery } from "../../src/index.ts"
import { makeExample } from "../answers/decision.ts"
import { Environment, readSetting } from "../settings/config.ts"
import { SETTINGS, settings } from "../settings/settings.ts"
import type { Service } from "../start/serve.ts"
import { findSampleDay } from "../time/utc-calendar.ts"
import { makeCommand, makePlainCommand, or, text, whole } from "./command.ts"
import { runEffect } from "./effects.ts"
import { failCommand, wrong } from "./failure.ts"
import { datasetFile, openDatasetFile } from "./inputs.ts"

const CHECK = "250 millis"

/** Ends when the process that a script runner has put above this one ends; without a runner it never does. */
export const untilOrphaned: Effect.Effect<void> = Effect.suspend(() => {
  if (process.env.npm_lifecycle_event === undefined) return Effect.never
  const parent = process.ppid
  const check: Effect.Effect<void> = Effect.suspend(() =>
    process.ppid === parent ? Effect.andThen(Effect.sleep(CHECK), check) : Effect.void,
  )
  return check
})

export const serve = makePlainCommand("serve", {
  about: // Not as a table: it would be wider than a terminal, and laying it out would cost every command milliseconds.
  `Serve the HTTP API.\n\nThe other settings are environment variables:\n${SETTINGS.map(
    ({ name, kind, shown, meaning }) => `\n  ${name} (${kind.unit}; default: ${shown})\n      ${meaning}`,
  ).join("")}`,
  examples: { "landfall serve": "Until it is told to stop" },
  takes: {
    host: text("HOST", "The host to listen on, in place of LANDFALL_HOST"),
    port: text("PORT", "The port, in place of LANDFALL_PORT; without either, PORT"),
    processes: text("N", "The number of processes, or auto, in place of LANDFALL_PROCESSES"),
  },
  async run(given, at) {
    // Loaded here, because every other command starts faster without it.
    const [{ serve: startService }, { watchLoop }] = await Promise.all([
      import("../start/serve.ts"),
      import("../start/watchdog.ts"),
    ])
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const serving = Effect.gen(function* () {
      const port = yield* readPort
      const service = yield* Effect.mapError(startService({ ...port, ...options }), error =>
        failCommand(error, nameFlags(error.message, Object.keys(options))),
      )
      yield* service.moveCheckpoints
      yield* watchLoop(service.thisProcess)
      // The process that started this one prints it.
      if (service.role !== "serving") yield* Console.log(welcome(service))
      yield* untilOrphaned
    })
    await runEffect(at, Effect.scoped(serving))
  },
})

/** The port in the platform's variable PORT, if no setting names one. */
const readPort = Effect.gen(function* () {
  const { port } = settings.rows
  const variables = yield* Environment
  const isSet = (name: string) => (variables[name] ?? "").trim() !== ""
  if (isSet(port.name) || !isSet("PORT")) return {}
  return { port: yield* readSetting({ ...port, name: "PORT" as typeof port.name }) }
})

// A message names the flag in place of the option.
const nameFlags = (message: string, options: readonly string[]): string =>
  message
    .split("\n")
    .map(line => {
      const name = options.find(option => line.startsWith(`${option}: `))
      return name === undefined ? line : `--${line}`
    })
    .join("\n")

/** The text for an operator at the start: the address, the demo keys once, and lines to copy. */
export function welcome({ url, datasetVersion, databaseLabel, demoAccounts, adminUrl, config }: Service): string {
  const lines = [`landfall listens on ${url} (${config.mode}, dataset ${datasetVersion}, database ${databaseLabel})`]
  if (adminUrl !== null) lines.push(`Operators: ${adminUrl}`)
  const key = demoAccounts.find(account => account.plan === "pro")?.key
  const testKey = demoAccounts.find(account => account.testKey !== null)?.testKey ?? null
  if (demoAccounts.length > 0) {
    lines.push(
      "",
      "Demo keys, shown this once:",
      ...demoAccounts.map(account => `  ${account.plan.padEnd(8)} ${account.key}`),
      ...(testKey === null ? [] : [`  ${"test".padEnd(8)} ${testKey}`]),
    )
  } else if (config.mode === "development") {
    lines.push(
      "",
      "Keys were shown at the first start. To have new ones:",
      "  landfall operate accounts",
      "  landfall key create ACCOUNT --replace",
    )
  } else {
    lines.push(
      "",
      "To make an account and its key:",
      "  landfall account create --name NAME --email ADDRESS --plan PLAN",
    )
  }
  lines.push("", "Try:")
  if (config.mode === "development") lines.push(`  curl '${url}/api/v1/visa/check?passport=FRA&destination=JPN'`)
  if (key !== undefined) {
    const itinerary = JSON.stringify(makeExample(findSampleDay(Date.now())))
    lines.push(
      `  curl -H 'x-api-key: ${key}' '${url}/api/v1/visa?passport=IND&destination=DEU'`,
      `  curl -H 'x-api-key: ${key}' '${url}/api/v1/visa/group?passports=FRA,IND'`,
      `  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' '${url}/api/v1/visa/decision' -d '${itinerary}'`,
      `  curl -H 'authorization: Bearer ${key}' '${url}/visa?passport=FRA&destination=JPN&locale=fr'`,
    )
  }
  lines.push(`  curl '${url}/api/v1/visa/score?passport=JPN'`)
  lines.push(
    `  curl '${url}/api/v1/spots?near=48.8584,2.2945&limit=3'`,
    "",
    `Reference: ${url}/docs${testKey === null ? "" : `#key=${testKey}`}`,
  )
  return lines.join("\n")
}

export const worker = makePlainCommand("worker", {
  examples: { "landfall worker": "Until it is told to stop" },
  takes: {},
  async run(_, at) {
    // Loaded here, because every other command starts faster without it.
    const [{ runWorkers }, { watchLoop }] = await Promise.all([
      import("../start/background-work.ts"),
      import("../start/watchdog.ts"),
    ])
    const working = Effect.gen(function* () {
      const { label, moveCheckpoints, workers, thisProcess } = yield* runWorkers
      yield* moveCheckpoints
      yield* watchLoop(thisProcess)
      yield* Console.log(`landfall delivers from the database ${label} (${workers} at a time)`)
      yield* untilOrphaned
    })
    await runEffect(at, Effect.scoped(working))
  },
})

export const mcp = makePlainCommand("mcp", {
  examples: { "landfall mcp": "Until the input ends" },
  takes: { dataset: datasetFile },
  async run({ dataset: file }, at) {
    const dataset = openDatasetFile(file, at)
    const [{ layerStdio }, { LocalisedFactsCache, makeTodayView }, { layer: nodeStdio }] = await Promise.all([
      import("../mcp/mcp-server.ts"),
      import("../answers/today.ts"),
      import("@effect/platform-node-shared/NodeStdio"),
    ])
    const localisedFacts = new LocalisedFactsCache()
    const viewOf = makeTodayView(() => dataset)
    const knowledge = {
      readDataset: () => viewOf(Date.now()),
      loadFacts: localisedFacts.load.bind(localisedFacts),
    }
    const stdin = Stream.fromAsyncIterable(at.input, cause => cause as PlatformError.PlatformError)
    const stdio = Layer.effect(
      Stdio.Stdio,
      Effect.map(Stdio.Stdio, own => ({ ...own, stdin })),
    )
    await runEffect(at, Layer.launch(layerStdio(knowledge).pipe(Layer.provide(stdio), Layer.provide(nodeStdio))))
  },
})

const LAST_PORT = 65_535

/** Reads a secret, if the verifier has no fault to find with it. */
function readSecret(secret: string, called: string): string {
  const tried = verifyDelivery({ scheme: "standard", headers: {}, body: "", secrets: [secret], nowSeconds: 0 })
  if (tried.ok || tried.error.tag !== "MalformedSecret") return secret
  throw wrong(`${called}: ${tried.error.message.replace("secrets[0]", "it")}`)
}

export const listen = makeCommand("webhook listen", {
  examples: { "landfall webhook listen --port 8788": "Until it is told to stop" },
  takes: {
    port: or(whole("PORT", "The port on 127.0.0.1; 0 for any free port, 8788 when absent", [0, LAST_PORT]), 8_788),
    secret: text(
      "SECRET",
      "The secret that was shown when the webhook was made; without it nothing can be verified",
      readSecret,
    ),
  },
  async run({ port, secret = null, json }, at) {
    // Loaded here, because every other command starts faster without it.
    const { startListener } = await import("../webhooks/listen.ts")
    const listening = Effect.gen(function* () {
      const { url, next } = yield* startListener({ port, secret })
      yield* json ? Console.error(url) : Console.log(welcomeWebhooks(url, secret !== null))
      const show = Effect.flatMap(next, ({ lines, record }) =>
        Console.log(json ? JSON.stringify(record) : lines.join("\n")),
      )
      yield* Effect.raceFirst(Effect.forever(show), untilOrphaned)
    })
    await runEffect(at, Effect.scoped(listening))
    return undefined
  },
})

/** The first lines: where it listens, and how to make a webhook that points here. */
function welcomeWebhooks(url: string, isVerified: boolean): string {
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
