/** The verdict: what blocks the trip and what would help, what has to be obtained, and what nobody told the engine. */
import type { Decision } from "landfall"
import { usePage } from "../page-context.ts"
import type { Judgement } from "./judge-trip.ts"
import { nameField, remediesOf, type Sentence, sayBlocker, sayCondition, sayReason, sayRemedy } from "./sentences.ts"

export function Outcome({ judgement }: { readonly judgement: Judgement }) {
  const { words } = usePage()
  const { decision, issues, isUnfinished } = judgement
  const others = issues.filter(({ stop }) => stop === null)
  return (
    <section class="outcome card" aria-label={words.say("trip.verdict")}>
      <div aria-live="polite">
        {decision === null ? (
          <h2>{words.say(issues.length > 0 ? "trip.refused" : "trip.nothing_yet")}</h2>
        ) : (
          <h2 class={decision.verdict === "blocked" ? "bad" : "good"}>
            {decision.verdict === "blocked"
              ? words.say("trip.blocked", { blockers: decision.blockers.length })
              : words.say("trip.no_blocker")}
          </h2>
        )}
        {isUnfinished && <p class="note">{words.say("trip.unfinished")}</p>}
        {decision?.verdict === "no_blocker_found" && <p class="note">{words.say("trip.no_permission")}</p>}
      </div>
      {others.map(({ path, message }) => (
        <p key={path} class="mistake" role="alert" lang="en">
          {path}: {message}
        </p>
      ))}
      {decision !== null && <Findings decision={decision} stopOf={judgement.stopOf} />}
    </section>
  )
}

interface FindingsProps {
  readonly decision: Decision
  readonly stopOf: readonly number[]
}

function Findings({ decision, stopOf }: FindingsProps) {
  const { words } = usePage()
  const { blockers, conditions, unknowns } = decision
  const stopName = (step: number | null) =>
    step === null
      ? null
      : `${words.number((stopOf[step] ?? step) + 1)} ${words.country(decision.steps[step]?.destination ?? "")}`
  return (
    <>
      {blockers.length > 0 && (
        <ul class="blockers" aria-label={words.say("trip.blockers")}>
          {blockers.map(blocker => (
            <li key={`${blocker.step} ${blocker.code} ${blocker.message}`}>
              <span class="where">{stopName(blocker.step)}</span>
              <Say sentence={sayBlocker(words, blocker, decision)} />
              {remediesOf(blocker).length > 0 && (
                <ul class="remedies" aria-label={words.say("trip.remedies")}>
                  {remediesOf(blocker).map(remedy => (
                    <li key={JSON.stringify(remedy)}>
                      <Say sentence={sayRemedy(words, remedy)} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
      {conditions.length > 0 && (
        <>
          <h3>{words.say("trip.conditions")}</h3>
          <ul class="bullets">
            {conditions.map(condition => (
              <li key={`${condition.step} ${condition.code}`}>
                <Say sentence={sayCondition(words, condition, decision)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {unknowns.length > 0 && (
        <details>
          <summary>{words.say("trip.unknowns", { count: unknowns.length })}</summary>
          <ul class="gaps">
            {unknowns.map((gap, at) => (
              <li key={at}>
                <span class="where">{stopName(gap.step)}</span>
                <span class="note">{nameField(words, gap)}</span>
                <Say sentence={sayReason(words, gap)} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Say({ sentence: { text, isEnglish } }: { readonly sentence: Sentence }) {
  return isEnglish ? (
    <span lang="en" dir="ltr">
      {text}
    </span>
  ) : (
    <span>{text}</span>
  )
}
