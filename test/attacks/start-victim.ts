/**
 * The attacked service: one process for all attacks, as an operator starts it, with a heap of {@link HEAP_MB}.
 *
 * It trusts the attacker as a proxy, so that requests can come from any number of addresses (`X-Forwarded-For`).
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { TestProject } from "vitest/node"

/** The heap of the process, in MB, as docs/operations.md tells an operator to set it for a container of 512 MB. */
export const HEAP_MB = 320

/** A running service. */
export interface Victim {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** The demo accounts' keys, by plan. */
  readonly keys: Readonly<Record<string, string>>
}

declare module "vitest" {
  export interface ProvidedContext {
    victim: Victim
  }
}

/** How a service is started: by default from the sources. */
export interface Start {
  /** Another file of the command line. */
  readonly landfall?: string
  readonly nodeFlags?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts the service with a new database. */
export async function startVictim({
  landfall = join(import.meta.dirname, "../../adapters/cli/bin.ts"),
  nodeFlags = [],
  env = {},
}: Start = {}): Promise<Victim & { readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "landfall-attacks-"))
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...nodeFlags, landfall, "serve"], {
    env: {
      ...process.env,
      ...env,
      LANDFALL_PORT: "0",
      LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}`,
      LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
      LANDFALL_LOG_LEVEL: "error",
      LANDFALL_DRAIN_SECONDS: "0",
      LANDFALL_X402_PAY_TO: "0x1111111111111111111111111111111111111111",
      LANDFALL_X402_FACILITATOR_URL: "http://127.0.0.1:1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise<void>(resolve => child.once("exit", () => resolve()))
  const keys: Record<string, string> = {}
  let url = ""
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /listens on (\S+)/.exec(line)?.[1] ?? ""
    const [, plan, key] = /^ {2}(\w+) +(svc_\S+)$/.exec(line) ?? []
    if (plan !== undefined && key !== undefined) keys[plan] = key
    if (line.startsWith("Reference:")) break
  }
  if (url === "") throw new Error("the service did not start")
  child.stdout.resume()
  const stop = async () => {
    child.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, port: Number(new URL(url).port), pid: child.pid as number, keys, stop }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...victim } = await startVictim()
  project.provide("victim", victim)
  return stop
}
