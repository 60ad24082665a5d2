/** How do all tests of a file, or of a `describe`, share what takes long to start? */
import { afterAll, beforeAll } from "vitest"

/**
 * Starts something before the tests and disposes of it after them. What is returned stands for it, and may be used once the tests run; what
 * is shared first is started first, and disposed of last.
 */
export function share<Shared extends AsyncDisposable>(start: () => Promise<Shared>): Shared {
  let shared: Shared | undefined
  beforeAll(async () => {
    shared = await start()
  })
  afterAll(() => shared?.[Symbol.asyncDispose]())
  return new Proxy({} as Shared, {
    get: (_, name) => Reflect.get(shared as Shared, name),
    set: (_, name, value) => Reflect.set(shared as Shared, name, value),
  })
}
