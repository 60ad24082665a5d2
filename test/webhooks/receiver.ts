/** A receiver of deliveries on a free port of this machine, which keeps what came and answers as it is told. Each event has the form of the reference. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Ajv2020 } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"
import { declareApi } from "../../adapters/http/openapi/openapi.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ ...OpenApi.fromApi(declareApi(SURFACES)), $id: "reference" } as object)

/** Says what is wrong with an event, by the schema that the reference has for its type. */
function findEventMistakes(event: { readonly type: string }): string {
  const place = `webhooks/${event.type}/post/requestBody/content/application~1json/schema`
  return ajv.validate(`reference#/${place}`, event) ? "" : `${event.type}: ${ajv.errorsText()}`
}

/** One delivery as it came. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }
}

/** Answers a delivery. */
export type Respond = (received: Received, response: ServerResponse) => void

/** A receiver. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Waits for something that has come to be so. */
  readonly until: (isThere: (received: readonly Received[]) => boolean) => Promise<void>
}

/** Starts a receiver; it accepts everything unless it is told otherwise. */
export async function startReceiver(
  respond: Respond = (_, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const one = { path: request.url ?? "", headers: request.headers, body, event: JSON.parse(body) }
      const mistakes = findEventMistakes(one.event)
      if (mistakes !== "") throw new Error(mistakes)
      received.push(one)
      respond(one, response)
      for (const wake of waiting.splice(0)) wake()
    })
  })
  server.on("connection", socket => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    until: async isThere => {
      while (!isThere(received)) await new Promise<void>(resolve => waiting.push(resolve))
    },
    [Symbol.asyncDispose]: async () => {
      waiting = []
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
