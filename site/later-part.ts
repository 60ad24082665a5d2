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

/** Returns a part: null until it is wanted and loaded, and `failed` if it cannot be loaded. It is tried again when it is next wanted. */
export function useLaterPart<Of>(part: LaterPart<Of>, isWanted = true): Of | "failed" | null {
  const [ended, setEnded] = useState<{ readonly part: LaterPart<Of>; readonly hasFailed: boolean } | null>(null)
  useEffect(() => {
    if (!isWanted || part.loaded !== null) return
    let isMounted = true
    const end = (hasFailed: boolean) => {
      if (isMounted) setEnded({ part, hasFailed })
    }
    setEnded(null)
    part.load().then(
      () => end(false),
      () => end(true),
    )
    return () => {
      isMounted = false
    }
  }, [part, isWanted])
  if (!isWanted) return null
  return part.loaded ?? (ended?.part === part && ended.hasFailed ? "failed" : null)
}
