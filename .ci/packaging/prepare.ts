/**
 * What does npm have to make after an installation?
 *
 * In a clone the data that the sources embed. For an app that names this repository by a git address npm clones it, installs what the build needs and
 * packs what lies there: that has to be the whole build. npm tells the two apart by the folder in which it was called.
 */
import { execFileSync } from "node:child_process"
import { realpathSync } from "node:fs"

const { INIT_CWD = process.cwd(), npm_execpath: npm = "" } = process.env
const isClone = realpathSync(INIT_CWD) === realpathSync(process.cwd())
execFileSync(process.execPath, [npm, "run", "--silent", isClone ? "embed" : "build"], { stdio: "inherit" })
