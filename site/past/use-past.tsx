/** How is the past loaded, once, when a part of the page asks for a past day? */
import { useEffect, useState } from "preact/hooks"
import { usePage } from "../page-context.ts"

/** What is known of past days. */
export type Past = typeof import("./past.ts")

let loaded: Past | null = null

/** Gives what is known of past days: null until it is wanted and arrives, `failed` where it cannot be loaded. */
export function usePast(isWanted: boolean): Past | "failed" | null {
  const [state, setState] = useState<"failed" | "loaded" | null>(null)
  useEffect(() => {
    if (!isWanted || loaded !== null) return
    let isMounted = true
    const arrive = (next: "failed" | "loaded") => {
      if (isMounted) setState(next)
    }
    import("./past.ts").then(
      past => {
        loaded = past
        arrive("loaded")
      },
      () => arrive("failed"),
    )
    return () => {
      isMounted = false
    }
  }, [isWanted])
  if (!isWanted) return null
  return loaded ?? (state === "failed" ? "failed" : null)
}

/** Says that the past is loading, or that it could not be loaded. */
export function PastArrives({ past }: { readonly past: "failed" | null }) {
  const { words } = usePage()
  return (
    <p class="note" role="status">
      {words.say(past === "failed" ? "view.not_loaded" : "view.loading")}
    </p>
  )
}
