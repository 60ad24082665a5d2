/** The slow, obvious difference of policies: every pair's terms as one text, compared pair by pair. */
export interface WrittenPolicy {
  readonly passport: string
  readonly destination: string
  readonly terms: Readonly<Record<string, string | number | boolean | null>>
}

/** For each pair that differs, its name and the names of what differs, in the order of the pairs. */
export function diffPoliciesByText(before: readonly WrittenPolicy[], after: readonly WrittenPolicy[]): string[] {
  const table = (policies: readonly WrittenPolicy[]) =>
    new Map(policies.map(({ passport, destination, terms }) => [`${passport} ${destination}`, terms]))
  const [older, newer] = [table(before), table(after)]
  const found: string[] = []
  for (const pair of [...new Set([...older.keys(), ...newer.keys()])].sort()) {
    const [was, is] = [older.get(pair), newer.get(pair)]
    if (was === undefined || is === undefined) {
      found.push(`${pair} record`)
      continue
    }
    const names = Object.keys(was).filter(name => was[name] !== is[name])
    if (names.length > 0) found.push(`${pair} ${names.sort().join(",")}`)
  }
  return found
}
