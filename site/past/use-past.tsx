/** How is the past loaded, once, when a part of the page asks for a past day? */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Arriving, Button, Section } from "../controls/controls.tsx"
import { laterPart, useLaterPart } from "../later-part.ts"
import { usePage } from "../page-context.ts"

/** The answers of past days, loaded later. */
export const PAST = laterPart(() => import("./past.ts"))

/** The answers of past days. */
export type Past = typeof import("./past.ts")

/** Returns the answers of past days: null until they are wanted and loaded, `failed` if they cannot be loaded. */
export const usePast = (isWanted: boolean): Past | "failed" | null => useLaterPart(PAST, isWanted)

/** A section over the years, which is loaded when the reader asks for it, or at once. */
export function YearsSection({
  isOpen = false,
  children,
}: {
  readonly isOpen?: boolean
  readonly children: (past: Past) => ComponentChildren
}) {
  const { words } = usePage()
  const [isAsked, setAsked] = useState(isOpen)
  const past = usePast(isAsked)
  const heading = words.say("ranking.years")
  return (
    <Section class="years" title={heading}>
      {!isAsked && <Button label={words.say("past.open")} onClick={() => setAsked(true)} />}
      {isAsked && (past === null || past === "failed") && <Arriving hasFailed={past === "failed"} />}
      {past !== null && past !== "failed" && children(past)}
    </Section>
  )
}
