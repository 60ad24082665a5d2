/**
 * `/mcp`: the visa rules for language models, by the Model Context Protocol over streamable HTTP.
 *
 * The server uses JSON-RPC and is not one of the reference's endpoints. This file only gives it a row in the table, so that its requests
 * have the same limits, log and counts as all others. The server is made at the first request, because few deployments need it.
 */

import { Context } from "effect"
import type { McpReply, McpRequest } from "../../../mcp/web.ts"
import { findShownKey } from "../../pipeline/admission.ts"
import { Clients } from "../../pipeline/client-address.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { NOT_STORED } from "../../pipeline/http-answer.ts"

/** The headers of the protocol. */
const HEADERS = ["accept", "content-type", "mcp-method", "mcp-name", "mcp-protocol-version", "origin"] as const

const JSON_TYPE = "application/json"

/** Answers requests of the Model Context Protocol. */
export class Mcp extends Context.Service<Mcp, (request: McpRequest) => Promise<McpReply>>()("landfall/http/Mcp") {}

/** The row of `/mcp`, for a service that mounts it. `GET` and `DELETE` are refused: there are no streams and no sessions. */
export const mcpRows = [
  endpoint({
    name: "mcp",
    method: "POST",
    path: "/mcp",
    surface: "operations",
    access: { kind: "public" },
    needs: { clients: Clients, mcp: Mcp },
    parameters: {},
    takesBody: true,
    // A batch of calls may have a large answer.
    isLarge: true,
    read: ({ body }) => ({ ok: true, question: body }),
    answer: (body: string, context) => {
      const { request, clients, mcp } = context
      const headers: Record<string, string> = {}
      for (const name of HEADERS) {
        const value = request.header(name)
        if (value !== undefined) headers[name] = value
      }
      const [client, address, key] = [clients.name(request), clients.address(request), findShownKey(request)]
      const asked = { headers, body, client, address, key, giveWay: () => context.giveWay() }
      return mcp(asked).then(({ status, contentType, body: answered, retryAfterSeconds }) => ({
        status,
        contentType: contentType === "" ? JSON_TYPE : contentType,
        headers: [
          ...NOT_STORED,
          ...(retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)]),
        ],
        body: answered,
      }))
    },
  }),
] as const
