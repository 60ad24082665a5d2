/** Which pairs of the map are disputed? Loaded and looked up after the first view, because it takes a look at each pair by itself. */
import type { Dataset } from "landfall"
import { useEffect, useState } from "preact/hooks"
import { type MapAddress, writeAddress } from "../address.ts"

const NONE: ReadonlySet<string> = new Set()

/** Gives the disputed countries once they are known; none before, and where nothing is asked. */
export function useDisputed(dataset: Dataset, chosen: MapAddress, isWanted: boolean): ReadonlySet<string> {
  const [disputed, setDisputed] = useState(NONE)
  const asked = writeAddress({ ...chosen, at: null }, null)
  useEffect(() => {
    setDisputed(NONE)
    if (!isWanted) return
    let isMounted = true
    const look = async () => {
      const { listDisputed } = await import("../disputes.ts")
      if (isMounted) setDisputed(listDisputed(dataset, chosen))
    }
    // Without a network the marks stay away, as the record of a pair does.
    look().catch(() => undefined)
    return () => {
      isMounted = false
    }
  }, [dataset, asked, isWanted])
  return disputed
}
