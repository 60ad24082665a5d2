/** Was anything painted yet? What stands below the first view is drawn only then, so that the world has its colours sooner. */
import { useEffect, useState } from "preact/hooks"

let isPainted = false

/** Says whether the first view was painted. */
export function useFirstPaint(): boolean {
  const [isKnown, setKnown] = useState(isPainted)
  useEffect(() => {
    if (isPainted) return
    // What is set in a frame is painted at its end, so that the next turn comes after it.
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        isPainted = true
        setKnown(true)
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [])
  return isKnown
}
