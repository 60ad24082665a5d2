/** Starts workerd with one module, as Cloudflare's runtime would run it, on a port that it chooses. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { findWorkerd } from "./runtimes.ts"

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-10-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

/** A server that runs until it is stopped. */
export interface RunningWorkerd {
  readonly url: string
  readonly stop: () => void
}

/** Starts `worker.js` of a folder; fails where workerd ends without having listened. */
export async function startWorkerd(folder: string): Promise<RunningWorkerd> {
  writeFileSync(join(folder, "config.capnp"), CONFIG)
  const running = spawn(findWorkerd(), ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  })
  for await (const line of createInterface({ input: running.stdio[3] as NodeJS.ReadableStream })) {
    const told = JSON.parse(line) as { readonly event: string; readonly port: number }
    if (told.event !== "listen") continue
    return { url: `http://127.0.0.1:${told.port}`, stop: () => running.kill("SIGKILL") }
  }
  throw new Error("workerd has ended without listening")
}
