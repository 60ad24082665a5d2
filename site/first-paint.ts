/** Was anything painted yet? Everything below the first view is drawn only then, so that the map has its colours sooner. */
import { useEffect, useState } from "preact/hooks"

let isPainted = false

/** Says whether the first view was painted. */
export function useFirstPaint(): boolean {
  const [isKnown, setKnown] = useState(isPainted)
  useEffect(() => {
    if (isPainted) return
    // Changes in a frame are painted at its end, so the next task comes after the paint.
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
