/** Which known name does a misspelt one probably mean? Case, underscores and hyphens do not count. */

/**
 * Describes an unknown name: the known names, and the closest of them.
 *
 * @example
 * ```ts
 * suggestName("validUntil", ["valid_from", "valid_until"]) // => "it is spelled valid_until."
 * suggestName("form", ["from", "to"]) // => "known: from, to. Did you mean from?"
 * ```
 */
export function suggestName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  if (near !== null && fold(near) === fold(name)) return `it is spelled ${near}.`
  return `known: ${known.join(", ")}.${near === null ? "" : ` Did you mean ${near}?`}`
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

// The number of letters to insert, delete or replace.
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
