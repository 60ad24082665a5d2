/**
 * Where are the files that ship with the program: seeds, facts, the built page?
 *
 * The same tree has three places: the repository (this file is a source), the package (this file is a part of `dist`), and the executable, whose bundler
 * puts every module and the tree's top into one folder of its own.
 */
import { fileURLToPath } from "node:url"

const ROOT = import.meta.url.endsWith(".ts") ? "../../" : import.meta.url.includes("/$bunfs/") ? "./" : "../"

/** The path of a file or folder that ships, from the top of the package: `seeds/plans.json`. */
export const findOwnFile = (path: string): string => fileURLToPath(new URL(`${ROOT}${path}`, import.meta.url))
