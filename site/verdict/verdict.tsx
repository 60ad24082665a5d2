/**
 * A verdict as every view shows it: a mark and a word for the outcome, how the deciding rule is known and since when, and the reason.
 *
 * Outcomes differ by silhouette and word, not only by colour; the one dashed edge is that of what is not known.
 */
import type { Evidence, Outcome } from "landfall"
import { usePage } from "../page-context.ts"
import { readToday } from "../today.ts"
import type { Verdict } from "./judge-visit.ts"
import { findOldAge, sayEvidence, sayOutcome } from "./say-verdict.ts"

const MARKS: Readonly<Record<Outcome, readonly [outline: string, sign: string]>> = {
  clear: ["M12 1a11 11 0 1 0 0 22a11 11 0 1 0 0-22z", "M7 12.5l3.5 3.5L17 9"],
  obtain: ["M4 2h16a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z", "M12 6v8m-4-3.5l4 4l4-4M7 18h10"],
  blocked: ["M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z", "M6.5 12h11"],
  unknown: ["M12 1.5L22.5 12L12 22.5L1.5 12z", "M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.5"],
}

/** The mark of an outcome, with its word. */
export function OutcomeWord({ verdict }: { readonly verdict: Pick<Verdict, "outcome"> }) {
  const { words } = usePage()
  const [outline, sign] = MARKS[verdict.outcome]
  return (
    <strong class={`word ${verdict.outcome}`} data-outcome={verdict.outcome}>
      <svg class="outcome-mark" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
        <path class="shape" d={outline} />
        <path class="sign" d={sign} />
      </svg>{" "}
      {sayOutcome(words, verdict)}
    </strong>
  )
}

const STEPS = { read: 3, cited: 2, table: 1 } as const

/** How the deciding rule is known, and the day on which it was last read. */
export function EvidenceMark({ evidence }: { readonly evidence: Evidence | null }) {
  const { words } = usePage()
  const level = evidence === null ? 0 : STEPS[evidence.level]
  return (
    <span class="evidence-mark">
      <svg class="ladder" width="38" height="11" viewBox="0 0 38 11" aria-hidden="true">
        {[1, 2, 3].map(step => (
          <circle key={step} class={step <= level ? "reached" : undefined} cx={step * 13 - 7} cy="5.5" r="4.5" />
        ))}
      </svg>{" "}
      {sayEvidence(words, evidence)}
    </span>
  )
}

/** Says how old the deciding rule is, where that is too old to be relied on. */
export function OldEvidence({ evidence }: { readonly evidence: Evidence | null }) {
  const { words } = usePage()
  const ageDays = findOldAge(evidence, readToday())
  return ageDays === null ? null : <p class="warning">{words.say("answer.old", { days: { days: ageDays } })}</p>
}
