/** Which pairs of the map are disputed? Loaded and searched after the first view, because each pair is examined separately. */
import { useEffect, useState } from "preact/hooks"
import { type MapAddress, writeAddress } from "../address.ts"
import { laterPart, useLaterPart } from "../later-part.ts"

const NONE: ReadonlySet<string> = new Set()
const DISPUTES = laterPart(() => import("../disputes.ts"))

/** Returns the disputed countries once they are known; none before, and none without a choice. Without a network there are no marks. */
export function useDisputed(chosen: MapAddress, isWanted: boolean): ReadonlySet<string> {
  const [disputed, setDisputed] = useState(NONE)
  const disputes = useLaterPart(DISPUTES, isWanted)
  const asked = writeAddress({ ...chosen, at: null }, null)
  useEffect(() => {
    setDisputed(NONE)
    if (disputes === null || disputes === "failed") return
    const search = disputes.searchDisputed(chosen)
    // After the new colours are painted, a few pairs a task.
    const step = () => {
      const { done, value } = search.next()
      if (done) setDisputed(value)
      else later = setTimeout(step)
    }
    let later = setTimeout(step)
    return () => clearTimeout(later)
  }, [asked, disputes])
  return disputed
}
