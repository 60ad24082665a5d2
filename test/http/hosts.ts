/** The service in each of the servers that it runs in, behind one way to ask. */
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createFetchService, type MountOptions } from "../../adapters/start/mount.ts"
import { makeServer } from "../../examples/mount-in-node-http.ts"
import { type Ask, makeReply, type Reply, send, startTestService } from "./service.ts"

/** A service that was started in some server. */
export interface Host {
  readonly ask: (path: string, ask?: Ask) => Promise<Reply>
  readonly close: () => Promise<void>
}

/** Starts a service on the database of a folder. */
export type StartHost = (folder: string) => Promise<Host>

const mountOptions = (folder: string): MountOptions => ({
  databaseUrl: `file:${join(folder, "landfall.db")}`,
  publicUrl: "https://visa.example",
  logLevel: "error",
  // Nothing is sent to the addresses that the rows subscribe.
  workers: 0,
  smtpUrl: "smtp://127.0.0.1:1",
  stripeSecretKey: "sk_test_1",
  x402PayTo: "0x1111111111111111111111111111111111111111",
  x402FacilitatorUrl: "http://127.0.0.1:1",
  stripeWebhookSecret: "whsec_1",
})

/** Asks a fetch handler, as a server would that has read the request from a socket. */
async function askFetch(fetch: (request: Request) => Response | Promise<Response>, path: string, given: Ask = {}) {
  const { method = "GET", headers = {}, body } = given
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const response = await fetch(new Request(`https://visa.example${path}`, init))
  return makeReply(response.status, Object.fromEntries(response.headers), await response.bytes())
}

const startOwnServer: StartHost = async folder => {
  const { ask, stop } = await startTestService({
    folder,
    env: {
      LANDFALL_PUBLIC_URL: "https://visa.example",
      LANDFALL_MODE: "production",
      LANDFALL_WORKERS: "0",
      LANDFALL_SMTP_URL: "smtp://127.0.0.1:1",
      LANDFALL_STRIPE_SECRET_KEY: "sk_test_1",
      LANDFALL_X402_PAY_TO: "0x1111111111111111111111111111111111111111",
      LANDFALL_X402_FACILITATOR_URL: "http://127.0.0.1:1",
      LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_1",
    },
  })
  return { ask, close: stop }
}

const startFetchHandler: StartHost = async folder => {
  const { fetch, close } = await createFetchService(mountOptions(folder))
  return { ask: (path, ask) => askFetch(request => fetch(request), path, ask), close }
}

const startInNodeHttp: StartHost = async folder => {
  const { server, close } = await makeServer(mountOptions(folder))
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    await new Promise(resolve => server.close(resolve))
    await close()
  }
  return { ask: (path, ask) => send(url, path, ask), close: stop }
}

export const OWN_SERVER = "its own server"

/** Every host, by name; `paths` is where the host has the service mounted. */
export const HOSTS: Readonly<Record<string, { readonly start: StartHost; readonly mountedAt: string }>> = {
  [OWN_SERVER]: { start: startOwnServer, mountedAt: "/" },
  "a fetch handler": { start: startFetchHandler, mountedAt: "/" },
  "a plain node:http server": { start: startInNodeHttp, mountedAt: "/api/v1/visa" },
}
