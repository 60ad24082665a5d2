/**
 * Which SQLite file does a URL name?
 *
 * `file:./landfall.db` is relative to the working directory, `file:/var/lib/landfall.db` and `file:///var/lib/landfall.db` are
 * absolute.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { DatabaseLocation, StorageEngine } from "./database-engine.ts"
import { openSqlite } from "./sqlite-client.ts"

const locateFile = (path: string): DatabaseLocation => ({ engine: "sqlite", label: path, path, open: openSqlite(path) })

function locate(url: string): DatabaseLocation | string {
  const path = url.slice("file:".length)
  if (path === "" || path.endsWith("/")) return "no file is named"
  if (/[?#\0]/.test(path)) return '"?", "#" and NUL are not allowed in it'
  if (!path.startsWith("//")) return locateFile(resolve(path))
  try {
    return locateFile(fileURLToPath(url))
  } catch {
    return "the path cannot be read"
  }
}

/** SQLite in a file, for one machine. */
export const sqliteEngine: StorageEngine = {
  schemes: ["file"],
  form: "file:PATH",
  example: "file:./landfall.db",
  locate,
}
