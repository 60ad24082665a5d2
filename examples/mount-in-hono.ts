/**
 * Landfall inside a Hono app, next to other paths: everything under `/api/v1/visa` is Landfall's.
 *
 * The app's `fetch` runs wherever Hono does. In another project the import is `from "landfall/http"`.
 */
import { Hono } from "hono"
import { createFetchService, type MountOptions } from "../adapters/http/fetch-handler.ts"

/** Builds the app; close Landfall when the app has stopped. */
export async function makeHonoApp(options?: MountOptions) {
  const landfall = await createFetchService(options)
  const app = new Hono()
  app.get("/", context => context.text("This is the rest of the app."))
  app.all("/api/v1/visa/*", context => landfall.fetch(context.req.raw))
  return { app, close: landfall.close }
}

if (import.meta.main) {
  const { app, close } = await makeHonoApp({ publicUrl: "http://localhost" })
  const answer = await app.request("/api/v1/visa/check?passport=FRA&destination=JPN", {
    headers: { origin: "http://localhost" },
  })
  console.log(answer.status, await answer.text())
  await close()
}
