/** Runs the command line as an operator does: a process of its own, its output and its exit code. */
import { spawnSync } from "node:child_process"

export const run = (...args: string[]) => runWith("", ...args)

/** Runs it with a text on the standard input. */
export const runWith = (input: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["adapters/cli/main.ts", ...args], {
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: "1" },
  })
  return { status, stdout, stderr }
}
