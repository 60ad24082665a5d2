/** The requirement of a pair on a past day, from tables or an authority's own lists: imported, with the days between which it was seen. */

import { sayPast } from "landfall/full"
import type { PastFound, PastPeriod, PastValue } from "landfall/history"
import { dayOf } from "../answers.ts"
import { Arriving, Section, Stretched } from "../controls/controls.tsx"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { usePast, YearsSection } from "../past/use-past.tsx"
import { Source } from "./linked-text.tsx"

export interface PastPairProps {
  readonly address: { readonly passport: string; readonly destination: string; readonly on: string }
}

export function PastPair({ address }: PastPairProps) {
  const { words } = usePage()
  const { passport, destination, on } = address
  const past = usePast(true)
  if (past === null || past === "failed") return <Arriving hasFailed={past === "failed"} />
  const answer = past.lookUp(passport, destination, on)
  const periods = past.listPeriods(passport, destination)
  const heading = words.say("label.history")
  return (
    <>
      {answer.kind === "found" ? (
        <PastVerdict answer={answer} />
      ) : (
        <section class="verdict" aria-label={words.say("category.unknown")}>
          <p class="headline">
            <Swatch category="unknown" />
            <strong>{words.say("category.unknown")}</strong>
          </p>
          <p>
            {answer.kind === "no_record" && answer.reason === "before_history"
              ? words.say("past.none", { date: { on: answer.firstOn } })
              : words.say("category.unknown_why")}
          </p>
        </section>
      )}
      {periods.length > 0 && (
        <Section title={heading}>
          <Periods periods={periods} />
        </Section>
      )}
    </>
  )
}

/** The tables' answers for a pair over the years, shown on request. */
export function PairYears({ passport, destination }: Omit<PastPairProps["address"], "on">) {
  return <YearsSection>{past => <PairPeriods periods={past.listPeriods(passport, destination)} />}</YearsSection>
}

function PairPeriods({ periods }: { readonly periods: readonly PastPeriod[] }) {
  const { words } = usePage()
  const last = periods.at(-1)
  if (last === undefined) return <p class="note">{words.say("category.unknown_why")}</p>
  return (
    <>
      <Periods periods={periods} />
      <p class="note">{words.say("past.note", { date: { on: last.lastSeen } })}</p>
    </>
  )
}

/** In units of the drawing. */
const STRIP_HEIGHT = 10

/** Periods as a strip of colours, each as long as it was seen and without colour between, and as a list that says the same. */
function Periods({ periods }: { readonly periods: readonly PastPeriod[] }) {
  const { words } = usePage()
  const begin = dayOf(periods[0]?.firstSeen.by ?? "")
  const span = Math.max(1, dayOf(periods.at(-1)?.lastSeen ?? "") - begin)
  return (
    <>
      <div class="plot still strip">
        <Stretched width={span} height={STRIP_HEIGHT}>
          {periods.map(({ firstSeen, lastSeen, value }) => (
            <rect
              key={firstSeen.by}
              class={`tint ${value.requirement ?? "unknown"}`}
              x={dayOf(firstSeen.by) - begin}
              width={Math.max(span / 200, dayOf(lastSeen) - dayOf(firstSeen.by))}
              height={STRIP_HEIGHT}
            />
          ))}
        </Stretched>
      </div>
      <ol class="history">
        {periods.map(({ firstSeen, value }) => (
          <li key={firstSeen.by}>
            <DaySpan {...firstSeen} />
            <span>
              <Swatch category={value.requirement ?? "unknown"} /> {sayPast(words.locale, value)}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}

function PastVerdict({ answer }: { readonly answer: PastFound }) {
  const { words } = usePage()
  const { value, firstSeen, lastSeen, or, source } = answer
  const seen = { from: { on: firstSeen.by }, to: { on: lastSeen } }
  return (
    <section class="verdict" aria-label={words.say("label.requirement")}>
      {or !== null && <p class="warning">{words.say("past.between")}</p>}
      <Headline value={value} when={words.say("past.seen", seen)} />
      {or !== null && (
        <Headline value={or.value} when={words.say("past.first_seen", { date: { on: or.firstSeen.by } })} />
      )}
      <p class="note">
        {words.say("label.not_verified")} <Source name={source.name} url={source.url} day={null} />
      </p>
    </section>
  )
}

function Headline({ value, when }: { readonly value: PastValue; readonly when: string }) {
  const { words } = usePage()
  return (
    <>
      <p class="headline">
        <Swatch category={value.requirement ?? "unknown"} />
        <strong>{sayPast(words.locale, value)}</strong>
      </p>
      <p class="note">{when}</p>
    </>
  )
}

/** The two days between which something was first seen, or the one on which it began. */
export function DaySpan({ after, by }: { readonly after: string | null; readonly by: string }) {
  const { words } = usePage()
  const isSpan = after !== null && Date.parse(by) - Date.parse(after) > 86_400_000
  return (
    <span>
      {isSpan && (
        <>
          <time dateTime={after}>{words.shortDate(after)}</time> –{" "}
        </>
      )}
      <time dateTime={by}>{words.shortDate(by)}</time>
    </span>
  )
}
