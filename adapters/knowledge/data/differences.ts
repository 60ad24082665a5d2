/**
 * How is the comparison with the second source shown in docs/data.md?
 *
 * As tables of Markdown that the data gives: how many pairs agree, and every difference, grouped by destination and by what the
 * two say. Differences that the second source decides are given by number and by some of their passports (the rules name all);
 * those that it does not decide name every passport and the reason.
 */
import type { DestinationCheck, Outcome, PairCheck } from "./corroborate.ts"

/** How many pairs the source mentions, and what became of them. */
export interface ComparisonCounts {
  readonly destinations: number
  /** Pairs of which the source says something. */
  readonly known: number
  readonly byOutcome: Readonly<Record<Outcome, number>>
  /** Pairs with the same requirement before the source decides anything, and after. */
  readonly sameBefore: number
  readonly sameAfter: number
  /** Pairs that the source leaves open or contradicts itself about. */
  readonly silent: number
}

/** Counts the pairs of a comparison. */
export function countComparison(checks: readonly DestinationCheck[]): ComparisonCounts {
  const byOutcome = { agrees: 0, adds: 0, days: 0, requirement: 0, kept: 0 }
  const pairs = checks.flatMap(check => check.checks)
  for (const { outcome } of pairs) byOutcome[outcome]++
  const same = pairs.filter(({ ours, theirs }) => ours?.requirement === theirs.requirement).length
  return {
    destinations: checks.length,
    known: pairs.length,
    byOutcome,
    sameBefore: same,
    sameAfter: same + byOutcome.requirement,
    silent: checks.reduce((sum, { source }) => sum + source.silent.size, 0),
  }
}

/** Passports that a row of decided differences names before it says how many more there are. */
const NAMED = 8

/** Writes the comparison as Markdown. */
export function formatDifferences(checks: readonly DestinationCheck[]): string {
  const counts = countComparison(checks)
  const { byOutcome } = counts
  const share = (count: number) => `${((count / counts.known) * 100).toFixed(1)} %`
  const lines = [
    "| pairs | count | share |",
    "|---|--:|--:|",
    `| of which the source says something (${counts.destinations} destinations) | ${counts.known} | 100.0 % |`,
    `| same requirement as our rules without it | ${counts.sameBefore} | ${share(counts.sameBefore)} |`,
    `| corrected by it: another requirement | ${byOutcome.requirement} | ${share(byOutcome.requirement)} |`,
    `| corrected by it: other days | ${byOutcome.days} | ${share(byOutcome.days)} |`,
    `| completed by it: days, an end or a condition | ${byOutcome.adds} | ${share(byOutcome.adds)} |`,
    `| kept against it, with a reason | ${byOutcome.kept} | ${share(byOutcome.kept)} |`,
    `| same requirement now | ${counts.sameAfter} | ${share(counts.sameAfter)} |`,
    "",
    `It says nothing of ${counts.silent} further pairs of these destinations, or contradicts itself about them.`,
    "",
    "Kept against it:",
    "",
    "| destination | passports | ours | theirs | why |",
    "|---|---|---|---|---|",
    ...formatRows(checks, ["kept"], Number.POSITIVE_INFINITY),
    "",
    "Left open, because the source contradicts itself or another one:",
    "",
    "| destination | passports | why |",
    "|---|---|---|",
    ...formatUnsettled(checks),
    "",
    "Corrected by it:",
    "",
    "| destination | pairs | passports | before | now |",
    "|---|--:|---|---|---|",
    ...formatRows(checks, ["requirement", "days"], NAMED),
  ]
  return `${lines.join("\n")}\n`
}

function formatRows(checks: readonly DestinationCheck[], outcomes: readonly Outcome[], named: number): string[] {
  const isKept = outcomes.includes("kept")
  return checks.flatMap(({ source, checks: pairs }) => {
    const rows = Map.groupBy(
      pairs.filter(({ outcome }) => outcomes.includes(outcome)),
      ({ ours, theirs, reason }) => [formatTerms(ours), formatTerms(theirs), reason ?? ""].join("\n"),
    )
    return [...rows.entries()].map(([key, group]) => {
      const [ours, theirs, reason] = key.split("\n") as [string, string, string]
      const passports = formatPassports(group, named)
      const { destination } = source.record
      return isKept
        ? `| ${destination} | ${passports} | ${ours} | ${theirs} | ${reason} |`
        : `| ${destination} | ${group.length} | ${passports} | ${ours} | ${theirs} |`
    })
  })
}

function formatUnsettled(checks: readonly DestinationCheck[]): string[] {
  return checks.flatMap(({ source: { record, silent } }) => {
    const reasons = Map.groupBy(
      [...silent].filter(([, reason]) => reason !== "unconfirmed" && reason !== record.incomplete),
      ([, reason]) => reason,
    )
    return [...reasons].map(
      ([reason, pairs]) => `| ${record.destination} | ${pairs.map(([passport]) => passport).join(" ")} | ${reason} |`,
    )
  })
}

function formatPassports(group: readonly PairCheck[], named: number): string {
  const codes = group.map(({ passport }) => passport)
  if (codes.length <= named + 1) return codes.join(" ")
  return `${codes.slice(0, named).join(" ")} and ${codes.length - named} more`
}

function formatTerms(terms: { readonly requirement: string; readonly days: number | null } | null): string {
  if (terms === null) return "no record"
  return terms.days === null ? `\`${terms.requirement}\`` : `\`${terms.requirement}\`, ${terms.days} days`
}
