/**
 * A program that a test waits for without looking up (`spawnSync`, `execFileSync`) keeps Vitest's own limit of a test from being seen: what never ends would hold its worker for ever. It is
 * killed nearly when the test would end.
 */
import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import { LONG_MS } from "./eventually.ts"

type Run = (file: string, ...rest: readonly unknown[]) => unknown

const installed = Symbol.for("landfall/test/ended-processes")
const programs = childProcess as unknown as Record<string | symbol, Run>

if (programs[installed] === undefined) {
  for (const name of ["spawnSync", "execFileSync"]) {
    const run = programs[name] as Run
    programs[name] = (file, ...rest) => {
      const args = Array.isArray(rest[0]) ? rest[0] : []
      const options = rest[Array.isArray(rest[0]) ? 1 : 0] as object | undefined
      return run(file, args, { timeout: LONG_MS, killSignal: "SIGKILL", ...options })
    }
  }
  programs[installed] = programs.spawnSync as Run
  syncBuiltinESMExports()
}
