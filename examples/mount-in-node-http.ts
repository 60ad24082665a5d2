/**
 * Landfall inside your own server, next to other paths: everything under `/api/v1/visa` belongs to Landfall, and so does the reference that its answers link to.
 *
 * Run it: `node examples/mount-in-node-http.ts`. In another project the import is `from "landfall/http"`.
 */
import { createServer } from "node:http"
import { createListener, type MountOptions } from "../adapters/start/mount.ts"

/** Builds the server. Close Landfall when the server has stopped. */
export async function makeServer(options?: MountOptions) {
  const landfall = await createListener(options)
  const server = createServer((request, response) => {
    if (/^\/(api\/v1\/visa|docs|openapi\.json)/.test(request.url ?? "")) return landfall.listener(request, response)
    response.end("This is the rest of the server.\n")
  })
  return { server, ...landfall }
}

if (import.meta.main) {
  // A separate database, so that the keys of `npm start` stay unchanged.
  const options = { host: "127.0.0.1", publicUrl: "http://127.0.0.1:3000", databaseUrl: "file:./example.db" }
  const { server } = await makeServer(options)
  server.listen(3000, "127.0.0.1", () =>
    console.log("http://127.0.0.1:3000/api/v1/visa/check?passport=FRA&destination=JPN"),
  )
}
