/** Which country comes next when a reader goes from one to another by the arrow keys? */
import { PLACES, type Place } from "../places.ts"

/** The arrow keys, as steps on the map. */
export const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * Finds the nearest country in a direction, preferring one straight ahead to one at an angle; the country itself where there is
 * none.
 *
 * Every country is reached from every other by some keys: the widest angle is just short of a right one.
 */
export function findNeighbour(from: Place, [stepX, stepY]: readonly [number, number]): Place {
  let best = from
  let least = Number.POSITIVE_INFINITY
  for (const place of PLACES) {
    const ahead = (place.x - from.x) * stepX + (place.y - from.y) * stepY
    const aside = Math.abs((place.x - from.x) * stepY) + Math.abs((place.y - from.y) * stepX)
    if (ahead <= 0 || aside > 4 * ahead) continue
    const cost = ahead + 2 * aside
    if (cost < least) {
      best = place
      least = cost
    }
  }
  return best
}
