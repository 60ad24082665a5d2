/**
 * How is the comparison with the second source shown in docs/data.md?
 *
 * As Markdown tables made from the data: how many pairs agree, and every difference, grouped by destination and by the two answers.
 * Differences that the second source decides are given by number and by some of their passports (the rules name all); those that it does
 * not decide name every passport and the reason.
 */
import type { DestinationCheck, Outcome, PairCheck } from "./corroborate.ts"

/** Counts the pairs that the source mentions, by outcome. */
export function countComparison(checks: readonly DestinationCheck[]) {
  const byOutcome = { agrees: 0, adds: 0, days: 0, requirement: 0, way: 0, kept: 0, open: 0 }
  const pairs = checks.flatMap(check => check.checks)
  for (const { outcome } of pairs) byOutcome[outcome]++
  const silent = checks.flatMap(({ source }) =>
    [...source.silent].map(([, reason]) => reason === source.record.incomplete),
  )
  return {
    destinations: checks.length,
    /** Pairs of which the source says something. */
    known: pairs.length,
    byOutcome,
    /** Pairs whose answer is taken from the source, so that agreement with it says nothing. */
    taken: byOutcome.requirement + byOutcome.days + byOutcome.adds,
    /** Pairs of which it says nothing, though their rows were read. */
    silent: silent.filter(isUnread => !isUnread).length,
    /** Pairs whose rows were not read. */
    unread: silent.filter(isUnread => isUnread).length,
  }
}

/** Passports that a row of decided differences names before it says how many more there are. */
const NAMED = 8

/** Writes the comparison as Markdown. */
export function formatDifferences(checks: readonly DestinationCheck[]): string {
  const counts = countComparison(checks)
  const { byOutcome } = counts
  const share = (count: number, of = counts.known) => `${((count / of) * 100).toFixed(1)} %`
  const independent = byOutcome.agrees + byOutcome.way + byOutcome.kept
  const lines = [
    "| pairs | count | share |",
    "|---|--:|--:|",
    `| of which the source says something (${counts.destinations} destinations) | ${counts.known} | 100.0 % |`,
    `| our answer is taken from it, so that agreement says nothing | ${counts.taken} | ${share(counts.taken)} |`,
    `| corrected by it: another requirement | ${byOutcome.requirement} | ${share(byOutcome.requirement)} |`,
    `| corrected by it: other days | ${byOutcome.days} | ${share(byOutcome.days)} |`,
    `| completed by it: days, an end or a condition | ${byOutcome.adds} | ${share(byOutcome.adds)} |`,
    `| our answer is not taken from it | ${independent} | ${share(independent)} |`,
    `| nothing decides between the two, shown as disputed | ${byOutcome.open} | ${share(byOutcome.open)} |`,
    "",
    "Of the answers that are not taken from it:",
    "",
    "| agreement | count | share |",
    "|---|--:|--:|",
    `| strict: the same requirement | ${byOutcome.agrees} | ${share(byOutcome.agrees, independent)} |`,
    `| with any of the ways that it or we name | ${byOutcome.agrees + byOutcome.way} | ${share(byOutcome.agrees + byOutcome.way, independent)} |`,
    `| kept against it, each with its reason | ${byOutcome.kept} | ${share(byOutcome.kept, independent)} |`,
    "",
    `It says nothing of ${counts.silent} further pairs of these destinations whose rows were read; the rows of ${counts.unread} pairs were not read.`,
    "",
    "Kept against it:",
    "",
    "| destination | passports | ours | theirs | why |",
    "|---|---|---|---|---|",
    ...formatRows(checks, ["kept"], Number.POSITIVE_INFINITY),
    "",
    "Disputed, because the source contradicts itself or another one and nothing decides:",
    "",
    "| destination | passports | ours | theirs | why |",
    "|---|---|---|---|---|",
    ...formatRows(checks, ["open"], Number.POSITIVE_INFINITY),
    "",
    "Left out, because the source itself says no more than that it is contradicted:",
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
  const isKept = outcomes.includes("kept") || outcomes.includes("open")
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
