/**
 * Where does a program that follows a feed store its dataset?
 *
 * A store keeps one value. In browsers, workers and Deno it is an entry of the Cache, in Node, Bun and Deno a file. Neither is trusted: the stored dataset is checked against the signed
 * SHA-256.
 */

/** Keeps one value. An own store may use any database; it has to replace the value at once or not at all. */
export interface DatasetStore {
  /** Returns the last written value; null if there is none. */
  readonly read: () => Promise<Uint8Array | null>
  readonly write: (value: Uint8Array) => Promise<void>
}

/**
 * Keeps it in the Cache of a browser, a worker or Deno. A page needs HTTPS or localhost for it.
 *
 * @example
 * ```ts
 * const store = keepInCache("visa-data")
 * typeof store.write // => "function"
 * ```
 */
export function keepInCache(name = "landfall-dataset"): DatasetStore {
  // The key of an entry has to be an address. Nothing is fetched from it.
  const key = "https://landfall.invalid/dataset"
  return {
    read: async () => {
      const found = await (await caches.open(name)).match(key)
      return found ? new Uint8Array(await found.arrayBuffer()) : null
    },
    write: async value => (await caches.open(name)).put(key, new Response(value as BodyInit)),
  }
}

/**
 * Keeps it in a file, in Node, Bun or Deno. The folder has to exist.
 *
 * @example
 * ```ts
 * const store = keepInFile("/tmp/no such folder/landfall.state")
 * await store.read() // => null
 * ```
 */
export function keepInFile(path: string): DatasetStore {
  // Asked for when it is needed, and not imported: a bundler for browsers would look for it.
  const load = () => process.getBuiltinModule("node:fs/promises")
  return {
    read: async () => {
      try {
        return new Uint8Array(await load().readFile(path))
      } catch (cause) {
        if ((cause as { code?: unknown }).code === "ENOENT") return null
        throw cause
      }
    },
    write: async value => {
      const written = `${path}.${crypto.randomUUID()}`
      await load().writeFile(written, value)
      await load().rename(written, path)
    },
  }
}
