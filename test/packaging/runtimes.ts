/** Where are the runtimes that the package is tried in? All of them come from npm; the oldest Node is installed once, into the cache. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { PEER_MODULES } from "../../peers/install.ts"

/** The oldest version that the service and the command line run on. */
const OLDEST_NODE_OF_SERVICE = "22.20.0"
/** The oldest version that `engines` allows: the engine asks for no more. */
const OLDEST_NODE = "20.19.0"
/** A program is megabytes; what stands in its place before a package's own script has run is not. */
const SMALLEST_PROGRAM_BYTES = 1_000_000

const isProgram = (path: string): boolean => existsSync(path) && statSync(path).size > SMALLEST_PROGRAM_BYTES

function pick(name: string, candidates: readonly string[]): string {
  const found = candidates.find(isProgram)
  if (found === undefined) throw new Error(`${name} is not installed for ${process.platform} ${process.arch}.`)
  return found
}

function findPackage(specifier: string, from = join(PEER_MODULES, "x.js")): string | undefined {
  try {
    return dirname(createRequire(from).resolve(`${specifier}/package.json`))
  } catch {
    return undefined
  }
}

/** The file of a package for this machine; its name in the registry has the platform in it. */
function listPlatformFiles(names: readonly string[], file: string): readonly string[] {
  return names.flatMap(name => {
    const folder = findPackage(name)
    return folder === undefined ? [] : [join(folder, file)]
  })
}

const { platform, arch } = process
const cpu = arch === "arm64" ? "aarch64" : arch

function findNode(version: string): string {
  const folder = join(PEER_MODULES, ".cache", `node-${version}`)
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`
  const path = join(folder, "node_modules", name, "bin/node")
  if (!isProgram(path)) {
    // In a folder of its own, which then gets the name: another file of tests may look for the program at the same time.
    mkdirSync(dirname(folder), { recursive: true })
    const own = mkdtempSync(`${folder}-`)
    const quiet = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
    execFileSync("npm", ["install", ...quiet, "--prefix", own, `${name}@${version}`], { cwd: own })
    try {
      renameSync(own, folder)
    } catch (cause) {
      if (!isProgram(path)) throw cause
      rmSync(own, { recursive: true })
    }
  }
  return pick(`Node ${version}`, [path])
}

export const findOldestNode = (): string => findNode(OLDEST_NODE)

export const findOldestNodeOfService = (): string => findNode(OLDEST_NODE_OF_SERVICE)

/** Bun: its package moves the program when its script may run. */
export const findBun = (): string =>
  pick("Bun", [
    ...listPlatformFiles([`@oven/bun-${platform}-${cpu}`], "bin/bun"),
    join(PEER_MODULES, "bun/bin/bun.exe"),
  ])

/** What a test of the executable says where it cannot run; empty where it can. */
export function explainLackingBun(): string {
  try {
    findBun()
    return ""
  } catch {
    return " (skipped: Bun is not installed)"
  }
}

export const findDeno = (): string =>
  pick("Deno", listPlatformFiles([`@deno/${platform}-${arch}-glibc`, `@deno/${platform}-${arch}`], "deno"))

/** The program itself: the package's own starter script is for other things than a test. */
export function findWorkerd(): string {
  const name = `@cloudflare/workerd-${platform}-${arch === "x64" ? "64" : arch}`
  return pick("workerd", listPlatformFiles([name], "bin/workerd"))
}
