/** How are parts of the page loaded at first use, each once? */
import { useEffect, useState } from "preact/hooks"

/** A part of the page that is loaded later. */
export interface LaterPart<Of> {
  /** Null until it is loaded. */
  loaded: Of | null
  /** Loads it; at once where it is loaded. */
  readonly load: () => Promise<Of>
}

export function laterPart<Of>(load: () => Promise<Of>): LaterPart<Of> {
  const part: LaterPart<Of> = {
    loaded: null,
    load: async () => {
      part.loaded ??= await load()
      return part.loaded
    },
  }
  return part
}

/** Waits for a task of its own, so that what follows does not make one long. */
export const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve))

/** Returns a part: null until it is wanted and loaded, and `failed` if it cannot be loaded. It is tried again when it is next wanted. */
export const useLaterPart = <Of>(part: LaterPart<Of>, isWanted = true): Of | "failed" | null =>
  useLoaded(part, isWanted ? part.loaded : null, isWanted ? part.load : null)

/**
 * Returns what is kept, or null until it is loaded, and `failed` if it cannot be; nothing is loaded where `load` is null. It is loaded again for
 * another key.
 */
export function useLoaded<Of>(
  key: unknown,
  kept: Of | null,
  load: (() => Promise<unknown>) | null,
): Of | "failed" | null {
  const [failed, setFailed] = useState<{ readonly key: unknown } | null>(null)
  const [, setArrived] = useState<unknown>(null)
  const isMissing = kept === null && load !== null
  useEffect(() => {
    if (!isMissing) return
    let isMounted = true
    setFailed(null)
    load().then(
      () => isMounted && setArrived({}),
      () => isMounted && setFailed({ key }),
    )
    return () => {
      isMounted = false
    }
  }, [key, isMissing])
  return kept ?? (isMissing && failed?.key === key ? "failed" : null)
}
