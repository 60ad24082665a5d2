import { rmSync } from "node:fs"
import { join } from "node:path"
import { createFetchService, type FetchService, type MountOptions } from "../../adapters/start/mount.ts"
import { makeFolder } from "./service.ts"

/** Starts a service of one's own in some way, on a new database; it ends with the test. */
export async function startMounted<Mounted extends { readonly close: () => Promise<void> } = FetchService>(
  options: MountOptions,
  start: (options: MountOptions) => Promise<Mounted> = createFetchService as never,
): Promise<Mounted & AsyncDisposable> {
  const home = makeFolder()
  const started = await start({
    databaseUrl: `file:${join(home, "landfall.db")}`,
    publicUrl: "https://visa.localhost",
    logLevel: "error",
    workers: 0,
    ...options,
  })
  const dispose = async () => {
    await started.close()
    rmSync(home, { recursive: true })
  }
  return { ...started, [Symbol.asyncDispose]: dispose }
}
