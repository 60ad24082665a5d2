/** Listening of the two counterparts that run on your own machine: a port that is in use is named in one sentence. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Listens on a port of this machine, 0 for any that is free, and gives the address. */
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

/** Waits for a counterpart to start, or says why it cannot and ends the process. */
export const startOrExit = <Started>(starting: Promise<Started>): Promise<Started> =>
  starting.catch((cause: Error) => {
    console.error(cause.message)
    process.exit(1)
  })
