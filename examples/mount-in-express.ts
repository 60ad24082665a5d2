/**
 * Landfall inside an Express app, next to other paths, and behind `express.json()`.
 *
 * Landfall accepts a body that was parsed before. Stripe signs the raw bytes, so an app that parses JSON itself and sells plans keeps them, as here. Run it: `node
 * examples/mount-in-express.ts`. In another project the import is `from "landfall/http"`.
 */

import express from "express"
import { createListener, type MountOptions } from "../adapters/start/mount.ts"

/** Builds the app. Close Landfall when the app has stopped. */
export async function makeExpressApp(options?: MountOptions) {
  const landfall = await createListener(options)
  const app = express()
  app.use(
    express.json({
      verify: (request, _, bytes) => {
        Object.assign(request, { rawBody: bytes })
      },
    }),
  )
  const { listener } = landfall
  app.use(["/api/v1/visa", "/docs", "/openapi.json"], (request, response) => listener(request, response))
  app.get("/", (_, response) => {
    response.send("This is the rest of the app.")
  })
  return { app, ...landfall }
}

if (import.meta.main) {
  // A separate database, so that the keys of `npm start` stay unchanged.
  const options = { host: "127.0.0.1", publicUrl: "http://127.0.0.1:3000", databaseUrl: "file:./example.db" }
  const { app } = await makeExpressApp(options)
  app.listen(3000, "127.0.0.1", () =>
    console.log("http://127.0.0.1:3000/api/v1/visa/check?passport=FRA&destination=JPN"),
  )
}
