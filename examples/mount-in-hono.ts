/**
 * Landfall inside a Hono app, next to other paths: everything under `/api/v1/visa` is Landfall's, and the reference that its answers link to.
 *
 * The app's `fetch` runs wherever Hono does. In another project the import is `from "landfall/http"`.
 */
import { Hono } from "hono"
import { createFetchService, type MountOptions } from "../adapters/programs/run/mount.ts"

/** Builds the app; close Landfall when the app has stopped. */
export async function makeHonoApp(options?: MountOptions) {
  const landfall = await createFetchService(options)
  const app = new Hono()
  app.get("/", context => context.text("This is the rest of the app."))
  for (const path of ["/api/v1/visa/*", "/docs", "/docs/*", "/openapi.json"]) {
    // What the host says of the client comes with `env`.
    app.all(path, context => landfall.fetch(context.req.raw, context.env))
  }
  return { app, ...landfall }
}

if (import.meta.main) {
  // A database of its own: the keys of `npm start` stay as they are.
  const { app, close } = await makeHonoApp({ publicUrl: "http://localhost", databaseUrl: "file:./example.db" })
  const answer = await app.request("/api/v1/visa/check?passport=FRA&destination=JPN", {
    headers: { origin: "http://localhost" },
  })
  console.log(answer.status, await answer.text())
  await close()
}
