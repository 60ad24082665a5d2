/**
 * The programs that tests start as processes, as a bundle of the sources as they are: the command line, and those of the tests. A process that has to read and strip hundreds of files is
 * busy for a second before it begins. Made once a run, in the folder that its processes share (`test/run-folder.ts`); without one, in a folder that is deleted with the process.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { LONG_MS } from "../eventually.ts"

const CACHE = join(import.meta.dirname, "../../node_modules/.cache")
const ROOT = join(import.meta.dirname, "../..")

const PROGRAMS = {
  bin: "adapters/cli/bin.ts",
  // What runs in a thread is a file of its own.
  "batch-worker": "adapters/batch/threads/batch-thread.ts",
  checkpoints: "adapters/storage/checkpoint-thread.ts",
  watchdog: "adapters/start/watchdog-thread.ts",
  "counting-process": "test/quota/counting-process.ts",
  "dispatcher-process": "test/soak/dispatcher-process.ts",
  "fuzzed-service": "test/time/fuzzed-service.ts",
  "job-process": "test/jobs/job-process.ts",
  "killed-process": "test/changes/killed-process.ts",
  "making-secret": "test/accounts/making-secret.ts",
  "newer-bin": "test/soak/newer-bin.ts",
  "receiver-process": "test/soak/receiver-process.ts",
  "serving-process": "test/storage/serving-process.ts",
}

const AGAIN_MS = 50

const { NODE_COMPILE_CACHE } = process.env
/** For a program that has none of the variables of this process: where what was compiled once in a run is found. */
export const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

let bundles: string | undefined

/** The path of the executable. */
export const bundleCli = (): string => bundleProgram("bin")

/** The path of a program that tests start as a process of its own. */
export function bundleProgram(name: keyof typeof PROGRAMS): string {
  bundles ??= findFolder()
  return join(bundles, `dist/${name}.js`)
}

function findFolder(): string {
  const run = process.env.TEST_RUN_FOLDER
  mkdirSync(CACHE, { recursive: true })
  if (run === undefined) {
    const folder = mkdtempSync(join(CACHE, "landfall-cli-"))
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
    return bundleInto(folder, PROGRAMS)
  }
  const shared = join(run, "cli")
  if (existsSync(shared)) return shared
  // The first worker that needs them makes them, and the others wait.
  const maker = join(run, "cli-maker")
  try {
    mkdirSync(maker)
  } catch {
    const turn = new Int32Array(new SharedArrayBuffer(4))
    for (let asked = 0; existsSync(maker); asked++) {
      if (asked > LONG_MS / AGAIN_MS) throw new Error(`${maker}: its maker has ended`)
      Atomics.wait(turn, 0, 0, AGAIN_MS)
    }
    return findFolder()
  }
  try {
    if (!existsSync(shared)) renameSync(bundleInto(mkdtempSync(join(run, "cli-")), PROGRAMS), shared)
  } finally {
    rmSync(maker, { recursive: true })
  }
  return shared
}

/** The path of the executable of an earlier commit, in a folder that is deleted with this process. */
export function bundleCommit(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "landfall-commit-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, "sources")
  mkdirSync(root)
  const tar = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync("tar", ["-x", "-C", root], { input: tar })
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"))
  // An earlier commit has one more.
  for (const name of ["embed-messages", "embed", "full-embed"]) {
    const program = join(root, `adapters/data-files/${name}.ts`)
    if (existsSync(program)) execFileSync(process.execPath, [program], { cwd: root, stdio: "ignore" })
  }
  const { bin, "batch-worker": thread, checkpoints, watchdog } = PROGRAMS
  const programs = Object.entries({ bin, "batch-worker": thread, checkpoints, watchdog })
  // An earlier commit has fewer threads.
  const own = programs.filter(([, path]) => existsSync(join(root, path)))
  return join(bundleInto(folder, Object.fromEntries(own), root), "dist/bin.js")
}

/** Bundles programs into `dist` of a folder, each as a file with the name of its entry; returns the folder. */
export function bundleInto(folder: string, entryPoints: Readonly<Record<string, string>>, root = ROOT): string {
  // Without it Node reads each file once more, to see that it is a module.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  // Where the built package has the files that the sources find beside them.
  symlinkSync(join(root, "seeds"), join(folder, "seeds"))
  buildSync({
    absWorkingDir: root,
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
