/**
 * `landfall mcp`: the MCP server for a client on the same machine, over its standard input and output.
 *
 * The machine is the user's own: everything is shown and nothing is counted. Standard output belongs to the protocol, so that logs go to
 * standard error.
 */
import { Effect, Layer, Logger } from "effect"
import { McpServer } from "effect/ai"
import { Asker, type AskerShape } from "./calls.ts"
import { DESCRIPTION, layerRegistrations } from "./mcp-server.ts"
import type { Knowledge } from "./tool-answers.ts"

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
