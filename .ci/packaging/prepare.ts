/**
 * Runs after an installation by npm, as `postprepare`: with a script `prepare`, npm warns everybody who installs the tarball, although it would not run there.
 *
 * In a clone it makes the data that the sources embed. For an app that depends on this repository by a git address, npm clones it, installs the dependencies of the build and packs the
 * folder, so the whole build runs. The folder in which npm was called tells the two apart.
 */
import { execFileSync } from "node:child_process"
import { realpathSync, rmSync } from "node:fs"

// The package `node` leaves what its program was taken from, with 67 MB of headers.
rmSync("node_modules/node/node_modules", { recursive: true, force: true })

const { INIT_CWD = process.cwd(), npm_execpath: npm = "" } = process.env
const isClone = realpathSync(INIT_CWD) === realpathSync(process.cwd())
execFileSync(process.execPath, [npm, "run", "--silent", isClone ? "embed" : "build"], { stdio: "inherit" })
