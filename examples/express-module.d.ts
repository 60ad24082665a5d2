// Express includes no types; these are the parts that the example uses.
declare module "express" {
  import type { IncomingMessage, Server, ServerResponse } from "node:http"

  type Handler = (request: IncomingMessage, response: ServerResponse & { send(text: string): void }) => void

  interface App {
    (request: IncomingMessage, response: ServerResponse): void
    use(...handlers: readonly (Handler | readonly string[])[]): void
    get(path: string, handler: Handler): void
    listen(port: number, host: string, done: () => void): Server
  }

  interface Express {
    (): App
    json(options?: { readonly verify?: (request: IncomingMessage, response: unknown, bytes: Buffer) => void }): Handler
  }

  const express: Express
  export default express
}
