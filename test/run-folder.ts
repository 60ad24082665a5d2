/**
 * A folder for what the processes of a run share, removed at its end: the bundle of the command line (`test/cli/bundle.ts`), and what Node has compiled.
 * A process that starts from the sources reads and strips hundreds of files; one that finds them compiled starts in half the time.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"

const CACHE = join(import.meta.dirname, "../node_modules/.cache")

export default function setup(): () => void {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, "test-run-"))
  // The workers have these from the process that starts them, and so has whatever they start.
  process.env.TEST_RUN_FOLDER = folder
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
  return () => rmSync(folder, { recursive: true, force: true })
}
