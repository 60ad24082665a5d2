/**
 * Builds the command line as one executable, with the page, the seeds and the facts in it: `npm run build:binary [-- TARGET…]`, into `binary/`.
 *
 * The executable holds what `npm pack` makes, compiled by Bun. The targets are TARGETS; the default is this machine. Bun downloads its own program for another machine from the package
 * registry.
 *
 * Node's single executables load one CommonJS script and no modules, and start more slowly.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { findBun } from "../../test/packaging/runtimes.ts"

const TARGETS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const
type Target = (typeof TARGETS)[number]

const HERE = `${process.platform}-${process.arch}`

const isTarget = (text: string): text is Target => (TARGETS as readonly string[]).includes(text)

/** Builds the executable of a target from the built package; returns its path. */
export function buildBinary(target: string = HERE, folder = "binary"): string {
  if (!isTarget(target)) throw new Error(`"${target}" is not a target. Targets: ${TARGETS.join(", ")}.`)
  const bun = findBun()
  const program = resolve(folder, `landfall-${target}`)
  const root = mkdtempSync(join(tmpdir(), "landfall-binary-"))
  const run = (command: string, ...given: readonly string[]) =>
    execFileSync(command, given, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  try {
    const [{ filename }] = JSON.parse(run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", root))
    run("tar", "-xzf", join(root, filename), "-C", root)
    const path = (...names: readonly string[]) => join(root, "package", ...names)
    // Bun puts an embedded folder beside the entries by its last name; of `dist`, only the page is read as a file.
    renameSync(path("dist"), path("entries"))
    mkdirSync(path("dist"))
    renameSync(path("entries/page.br"), path("dist/page.br"))
    const assets = ["dist", "seeds", "data"].map(name => `--asset=${path(name)}`)
    mkdirSync(folder, { recursive: true })
    run(
      bun,
      ...["build", "--compile", "--format=esm", "--splitting", "--bytecode"],
      // It reads no settings from its working directory but the documented ones.
      ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
      ...(target === HERE ? [`--compile-executable-path=${bun}`] : [`--target=bun-${target}`]),
      ...[
        ...assets,
        `--root=${path()}`,
        `--outfile=${program}`,
        path("entries/cli.js"),
        path("entries/batch-worker.js"),
        path("entries/checkpoints.js"),
        path("entries/watchdog.js"),
      ],
    )
    return program
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const asked = process.argv.slice(2)
  for (const target of asked.length === 0 ? [HERE] : asked) console.log(buildBinary(target))
}
