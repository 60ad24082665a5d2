/** Which known name may a misspelt one have been meant to be? Compared without regard to case, underscores and hyphens. */

/**
 * Says which names are known where one is not, and which one of them it is close to.
 *
 * @example
 * ```ts
 * suggestName("validUntil", ["valid_from", "valid_until"]) // => "it is spelled valid_until."
 * suggestName("form", ["from", "to"]) // => "known are from, to. Perhaps from is meant."
 * ```
 */
export function suggestName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  if (near !== null && fold(near) === fold(name)) return `it is spelled ${near}.`
  return `known are ${known.join(", ")}.${near === null ? "" : ` Perhaps ${near} is meant.`}`
}

// The known name that differs least from one; null where none is close.
function nearestName(name: string, known: readonly string[]): string | null {
  const plain = fold(name)
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const each of known) {
    const other = fold(each)
    const distance = countEdits(plain, other)
    const most = Math.min(Math.max(2, other.length / 4), plain.length / 2, other.length / 2)
    if (distance >= least || distance > most) continue
    nearest = each
    least = distance
  }
  return nearest
}

// Bounded, because a name may be of any length.
const fold = (name: string) => name.slice(0, 40).toLowerCase().replace(/[_-]/g, "")

// The letters that have to be put in, left out or replaced.
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced))
    }
    row = next
  }
  return row[to.length]!
}
