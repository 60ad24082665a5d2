/**
 * The command line as one bundle of the sources as they are: a process that has to read and strip hundreds of files is busy for a second before it begins. Made once a run, in the folder
 * that its processes share (`test/run-folder.ts`); without one, in a folder that is deleted with the process.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { buildSync } from "esbuild"

const CACHE = join(import.meta.dirname, "../../node_modules/.cache")
const ROOT = join(import.meta.dirname, "../..")

// The threads of a batch are a file of their own.
const COMMAND_LINE = { bin: "adapters/programs/cli/bin.ts", "batch-worker": "adapters/batch/threads/worker.ts" }

let bundle: string | undefined

/** The path of the executable. */
export function bundleCli(): string {
  bundle ??= join(findFolder(), "dist/bin.js")
  return bundle
}

function findFolder(): string {
  const run = process.env.TEST_RUN_FOLDER
  mkdirSync(CACHE, { recursive: true })
  if (run === undefined) {
    const folder = mkdtempSync(join(CACHE, "landfall-cli-"))
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
    return bundleInto(folder, COMMAND_LINE)
  }
  const shared = join(run, "cli")
  if (existsSync(shared)) return shared
  const own = bundleInto(mkdtempSync(join(run, "cli-")), COMMAND_LINE)
  try {
    renameSync(own, shared)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(shared)) throw error
  }
  return shared
}

/** Bundles programs into `dist` of a folder, each as a file with the name of its entry; returns the folder. */
export function bundleInto(folder: string, entryPoints: Readonly<Record<string, string>>): string {
  // Where the built package has the files that the sources find beside them.
  symlinkSync(join(ROOT, "seeds"), join(folder, "seeds"))
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: { ...entryPoints },
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "error",
    // Parts of packages that nothing here reaches.
    external: ["./internal/httpApiSwagger.js", "./internal/httpApiScalar.js", "./Undici.js", "./internal/upgrade.js"],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return folder
}
