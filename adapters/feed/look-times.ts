/** When does a follower look at its feed again? Each hour, and after longer and longer waits while something is wrong. */

const HOUR_MS = 3_600_000
/** The wait after a good look, and after one, two … faults in a row; the last is repeated without end. */
const WAITS_MS = [HOUR_MS, 60_000, 300_000, 900_000, HOUR_MS, 6 * HOUR_MS]
/** The wait after a number of faults in a row. A `random` from 0 to 1 spreads it by a tenth to both sides, so that followers that failed together do not retry together. */
export const waitForLook = (faults: number, random: number): number =>
  Math.round((WAITS_MS[faults] ?? 6 * HOUR_MS) * (0.9 + 0.2 * random))
