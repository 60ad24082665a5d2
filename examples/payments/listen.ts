/** Starts the two local payment services; a port in use gives a message of one sentence. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Listens on a port of this machine, 0 for any free one, and returns the address. */
export async function listenHere(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const isInUse = cause.code === "EADDRINUSE"
      reject(isInUse ? new Error(`Port ${port} of 127.0.0.1 is in use. Give another as the first argument.`) : cause)
    })
    server.listen(port, "127.0.0.1", resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Waits for a service to start, or prints why it cannot and ends the process. */
export const startOrExit = <Started>(starting: Promise<Started>): Promise<Started> =>
  starting.catch((cause: Error) => {
    console.error(cause.message)
    process.exit(1)
  })
