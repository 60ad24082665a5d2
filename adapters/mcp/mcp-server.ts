/**
 * What does an MCP server of the visa rules offer?
 *
 * Tools, resources and prompts, the same over a pipe and over HTTP, in the versions of the protocol that clients in use speak.
 * The program that mounts it finds out who calls.
 */
import { Effect, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import type { Dataset } from "../../src/engine.ts"
import { listLanguages } from "../answers/answer-languages.ts"
import { API_VERSION } from "../answers/visa-answers.ts"
import { type Knowledge, makeAnswers } from "./tool-answers.ts"
import { Asker, type AskerShape, Tools } from "./tools.ts"

/** The versions of the protocol, the newest first: clients begin with theirs and agree on one. */
const PROTOCOLS = [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26] as const

/** The instructions that a client reads first. */
const INSTRUCTIONS =
  "Visa rules from a dated dataset, offline. Give countries as ISO 3166-1 alpha-3 codes or by name. `unknown` means that nobody recorded an answer: never present it as permission. State the dataset's day with every answer, and that it is data, not legal advice."

/** Of the dataset of the day, because a list takes milliseconds. */
const listsOfCodes = new WeakMap<Dataset, string>()

/** Lists the country codes as a model reads them. */
const listCodes = ({ readDataset, loadFacts }: Knowledge) =>
  Effect.gen(function* () {
    const dataset = readDataset()
    const known = listsOfCodes.get(dataset)
    if (known !== undefined) return known
    const { locale } = yield* Effect.promise(() => loadFacts(dataset, "en"))
    const passports = new Set(dataset.passports)
    const countries = dataset.destinations.map(code => ({
      code,
      name: locale.nameCountry(code),
      is_passport: passports.has(code),
    }))
    const list = JSON.stringify({ dataset_version: dataset.version, countries })
    listsOfCodes.set(dataset, list)
    return list
  })

const text = (what: string) => Schema.String.annotate({ description: what })

/** Everything that is registered, over what is known. */
export const layerRegistrations = (knowledge: Knowledge) => {
  const json = { mimeType: "application/json", audience: ["assistant"] } as const
  return Layer.mergeAll(
    McpServer.toolkit(Tools).pipe(Layer.provide(Tools.toLayer(makeAnswers(knowledge)))),
    McpServer.resource({
      uri: "visa://supported-languages",
      name: "supported-languages",
      description: "The languages of names and sentences.",
      content: Effect.sync(() => JSON.stringify({ languages: listLanguages() })),
      ...json,
    }),
    McpServer.resource({
      uri: "visa://country-codes",
      name: "country-codes",
      description:
        "Every destination's ISO 3166-1 alpha-3 code with its English name, and which of them issue passports.",
      content: listCodes(knowledge),
      ...json,
    }),
    McpServer.prompt({
      name: "plan_a_trip",
      title: "Plan a trip",
      description: "Finds where a passport goes easily, and what each place asks.",
      parameters: {
        passport: text("The traveller's passport: a country"),
        wish: text("What kind of journey, where to and when, in the traveller's words"),
      },
      content: ({ passport, wish }) =>
        Effect.succeed(
          `Plan a trip for the holder of a passport of ${passport}: ${wish}\n\nCompare suitable destinations with compare_destinations, then read check_visa_requirement for those that remain, and judge the whole journey with check_itinerary. Say for each place what is needed, since when that is known and what is unknown; unknown does not mean permitted.`,
        ),
    }),
    McpServer.prompt({
      name: "check_my_itinerary",
      title: "Check my itinerary",
      description: "Judges a journey stop by stop, with remedies for what blocks it.",
      parameters: {
        passports: text("All passports of the traveller, with their days of expiry"),
        itinerary: text("The stops in order, each with its first and last day, and where flights are changed"),
      },
      content: ({ passports, itinerary }) =>
        Effect.succeed(
          `Check this journey with check_itinerary.\nPassports: ${passports}\nItinerary: ${itinerary}\n\nAsk for what is missing before you call it: days of every stop, days of expiry, visas in hand, earlier stays in Schengen within the last 180 days. Then explain each blocker with its remedy, and list what is unknown.`,
        ),
    }),
  )
}

/** The description of the server, for a pipe and for HTTP. */
export const DESCRIPTION = {
  name: "landfall",
  version: API_VERSION,
  instructions: INSTRUCTIONS,
  protocols: PROTOCOLS,
} as const

// `landfall mcp`: the server for a client on the same machine, over its standard input and output.
// The machine is the user's own: everything is shown and nothing is counted. Standard output belongs to the protocol, so that logs go to
// standard error.

const OWNER: AskerShape = {
  reader: { plan: "business", upgradeUrl: "" },
  giveWay: () => {},
  pay: (_, answer) => Effect.sync(answer),
}

const asOwner = McpServer.middleware<{ provides: Asker }>()(effect => Effect.provideService(effect, Asker, OWNER))

/** Serves until the standard input ends. */
export const layerStdio = (knowledge: Knowledge) =>
  McpServer.layerStdio({
    ...DESCRIPTION,
    registrations: layerRegistrations(knowledge).pipe(Layer.provide(asOwner.layer)),
  }).pipe(Layer.provide(Logger.layer([Logger.withConsoleError(Logger.formatSimple)])))
