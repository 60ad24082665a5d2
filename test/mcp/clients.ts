/** The official client on both transports, and what it was answered. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { bundleCli } from "../cli/bundle.ts"

/** What a tool answered: its structured content, or the words that refuse. */
export interface Called {
  readonly isError: boolean
  readonly text: string
  readonly content: Readonly<Record<string, unknown>> | undefined
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Called>
}

async function connect(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1.0.0" })
  await client.connect(transport)
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Called> => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
    const [first] = content as readonly { readonly text: string }[]
    return {
      isError: isError === true,
      text: first?.text ?? "",
      content: structuredContent as Called["content"],
    }
  }
  return { client, call, [Symbol.asyncDispose]: () => client.close() }
}

/** A client of a service. */
export const connectHttp = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<McpClient> =>
  connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers: { ...headers } } }) as Transport,
  )

/** A client of a process of its own. */
export const connectStdio = (...args: readonly string[]): Promise<McpClient> =>
  connect(
    new StdioClientTransport({ command: process.execPath, args: [bundleCli(), "mcp", ...args], stderr: "ignore" }),
  )
