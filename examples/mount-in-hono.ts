/**
 * Landfall inside a Hono app, next to other paths: everything under `/api/v1/visa` belongs to Landfall, and so does the reference that its answers link to.
 *
 * The app's `fetch` runs on every platform that Hono supports. In another project the import is `from "landfall/http"`.
 */
import { Hono } from "hono"
import { createFetchService, type MountOptions } from "../adapters/start/mount.ts"

/** Builds the app. Close Landfall when the app has stopped. */
export async function makeHonoApp(options?: MountOptions) {
  const landfall = await createFetchService(options)
  const app = new Hono()
  app.get("/", context => context.text("This is the rest of the app."))
  for (const path of ["/api/v1/visa/*", "/docs", "/docs/*", "/openapi.json"]) {
    // The host's information about the client is in `env`.
    app.all(path, context => landfall.fetch(context.req.raw, context.env))
  }
  return { app, ...landfall }
}

if (import.meta.main) {
  // A separate database, so that the keys of `npm start` stay unchanged.
  const { app, close } = await makeHonoApp({ publicUrl: "http://localhost", databaseUrl: "file:./example.db" })
  const answer = await app.request("/api/v1/visa/check?passport=FRA&destination=JPN", {
    headers: { origin: "http://localhost" },
  })
  console.log(answer.status, await answer.text())
  await close()
}
