/** `landfall serve`: every surface on one port, on PostgreSQL or on a database file that is made at the first start. */
import { Config, Console, Effect, Option } from "effect"
import { DECISION_EXAMPLE } from "../answers/decision.ts"
import { readSetting } from "../settings/config.ts"
import { SETTINGS, settings } from "../settings/settings.ts"
import type { Service } from "../start/serve.ts"
import { makePlainCommand, text } from "./command.ts"
import { failCommand } from "./failure.ts"
import { untilOrphaned } from "./parent.ts"

export const serve = makePlainCommand("serve", {
  about: // Not as a table: it would be wider than a terminal, and laying it out would cost every command milliseconds.
  `Serve the HTTP API.\n\nThe other settings are environment variables:\n${SETTINGS.map(
    setting => `\n  ${setting.name} (${setting.unit}; default: ${setting.default})\n      ${setting.meaning}`,
  ).join("")}`,
  short: "Serve the HTTP API",
  examples: { "landfall serve": "Until it is told to stop" },
  takes: {
    host: text("HOST", "The host to listen on, in place of LANDFALL_HOST"),
    port: text("PORT", "The port, in place of LANDFALL_PORT; without either, PORT"),
    database: text("URL", "The database, in place of LANDFALL_DATABASE_URL"),
    processes: text("N", "The number of processes, or auto, in place of LANDFALL_PROCESSES"),
  },
  *run(given) {
    // Loaded here, because every other command starts faster without it.
    const { serve: startService } = yield* Effect.promise(() => import("../start/serve.ts"))
    const { watchLoop } = yield* Effect.promise(() => import("../start/watchdog.ts"))
    const named = Object.entries({ ...given, databaseUrl: given.database, database: undefined })
    const options = Object.fromEntries(named.filter(([, value]) => value !== undefined))
    const service = yield* Effect.andThen(readPort, port => startService({ ...port, ...options })).pipe(
      Effect.mapError(error => failCommand(error, nameFlags(error.message, Object.keys(options)))),
    )
    yield* service.moveCheckpoints
    yield* watchLoop(service.thisProcess)
    // The process that started this one prints it.
    if (service.role !== "serving") yield* Console.log(welcome(service))
    return yield* untilOrphaned
  },
})

/** The port in the platform's variable PORT, if no setting names one. */
const readPort = Effect.gen(function* () {
  const { port } = settings.rows
  const own = yield* Effect.orDie(Config.option(Config.String(port.name)))
  const isSet = (text: Option.Option<string>) => Option.isSome(text) && text.value.trim() !== ""
  if (isSet(own) || !isSet(yield* Effect.orDie(Config.option(Config.String("PORT"))))) return {}
  return { port: yield* readSetting({ ...port, name: "PORT" as typeof port.name }) }
})

const FLAGS: Readonly<Record<string, string>> = { databaseUrl: "--database" }

// A message names the flag in place of the option.
const nameFlags = (message: string, options: readonly string[]): string =>
  message
    .split("\n")
    .map(line => {
      const name = options.find(option => line.startsWith(`${option}: `))
      return name === undefined ? line : (FLAGS[name] ?? `--${name}`) + line.slice(name.length)
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
      "  landfall account list",
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
    const itinerary = JSON.stringify(DECISION_EXAMPLE)
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
