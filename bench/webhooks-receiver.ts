/**
 * The receiver of `npm run bench:webhooks`, in a process of its own: it reads every delivery whole, accepts it, and counts.
 *
 * It is the same for every case, does as little as a receiver can, and says on its standard output where it listens. Told `count` on its
 * standard input it says how many came, of how many different events to how many paths, and begins to count anew.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"

let requests = 0
let seen = new Set<string>()
let paths = new Set<string>()

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    requests++
    const path = request.url as string
    seen.add(`${path} ${request.headers["webhook-id"]}`)
    paths.add(path)
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})

const commands = createInterface({ input: process.stdin })
commands.on("line", () => {
  console.log(JSON.stringify({ requests, deliveries: seen.size, paths: paths.size }))
  requests = 0
  seen = new Set()
  paths = new Set()
})
// Whoever started it is gone.
commands.on("close", () => process.exit())
