/** The slow, obvious difference: write every pair of both datasets down as text, and compare the texts. */
interface Pair {
  readonly passport: string
  readonly destination: string
  readonly requirement: string
  readonly days: number | null
}

export function diffByText(before: readonly Pair[], after: readonly Pair[], daysOf: readonly string[]): string[] {
  const write = ({ requirement, days }: Pair) => `${requirement} ${daysOf.includes(requirement) ? days : "-"}`
  const key = ({ passport, destination }: Pair) => `${passport} ${destination}`
  const older = new Map(before.map(pair => [key(pair), write(pair)]))
  const newer = new Map(after.map(pair => [key(pair), write(pair)]))
  return [...new Set([...older.keys(), ...newer.keys()])].filter(pair => older.get(pair) !== newer.get(pair)).sort()
}
