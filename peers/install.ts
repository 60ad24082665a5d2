/**
 * Installs other people's programs that the package is built, run, checked and compared with: runtimes, bundlers, compilers, clients and frameworks. `node peers/install.ts` does it, and
 * so does whatever needs one of them: the declarations of the build, the tests of the package, the benches and the documentation. `npm ci` in the root does not.
 *
 * A folder whose files import one of them gets a link to `peers/node_modules` as its own `node_modules`; every other package is found in the root's.
 */
import { execFileSync } from "node:child_process"
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join, relative, resolve } from "node:path"

const FOLDER = import.meta.dirname
const ROOT = resolve(FOLDER, "..")
/** Where the peers are. */
export const PEER_MODULES = join(FOLDER, "node_modules")
/** The lock file of what is installed: the last step of an installation, whoever asked for it, copies it there. */
const STAMP = join(PEER_MODULES, ".installed-lock.json")

/** The folders whose files import peers. */
const USERS = [".ci/packaging", "bench", "docs", "examples", "test/packaging", "test/peers"]

const isInstalled = (lock: string): boolean => existsSync(STAMP) && readFileSync(STAMP, "utf8") === lock

function link(user: string): void {
  const path = join(ROOT, user, "node_modules")
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    if (existsSync(path)) return
    rmSync(path)
  }
  // Windows allows everybody a junction, which needs a whole path.
  if (process.platform === "win32") symlinkSync(PEER_MODULES, path, "junction")
  else symlinkSync(relative(join(ROOT, user), PEER_MODULES), path)
}

/** Installs them, unless those of the lock file are there. */
export function installPeers(): void {
  const lock = readFileSync(join(FOLDER, "package-lock.json"), "utf8")
  if (!isInstalled(lock)) {
    console.error("Installing the peers of the package, about a gigabyte: npm ci --prefix peers")
    const isWindows = process.platform === "win32"
    execFileSync("npm", ["ci", "--prefer-offline"], {
      cwd: FOLDER,
      stdio: ["ignore", "ignore", "inherit"],
      shell: isWindows,
    })
  }
  for (const user of USERS) link(user)
}

export default installPeers

if (import.meta.main) installPeers()
