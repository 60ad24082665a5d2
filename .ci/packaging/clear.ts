/** Empties `dist`, so that no file of an earlier build is published. */
import { rmSync } from "node:fs"

rmSync("dist", { recursive: true, force: true })
