/** The verdict: what blocks the trip and what would help, what has to be obtained, and what is not known. */
import type { Blocker, Decision, Remedy } from "landfall"
import { Icon } from "../controls/icon.tsx"
import { nameAnswer } from "../map/describe-paint.ts"
import { usePage } from "../page-context.ts"
import type { Judgement } from "./judge-trip.ts"
import { nameField, type Sentence, sayNoticed, sayReason, sayRemedy } from "./sentences.ts"
import { nameZone } from "./stop-list.tsx"

interface OutcomeProps {
  readonly judgement: Judgement
  /** Changes the trip as a remedy says. */
  readonly onRemedy: (remedy: Remedy) => void
}

const HEADINGS = {
  blocked: { text: "trip.blocked", tone: "bad" },
  obtain: { text: "trip.obtain", tone: "open" },
  unknown: { text: "trip.open", tone: "open" },
  clear: { text: "trip.no_blocker", tone: "good" },
} as const

export function Outcome({ judgement, onRemedy }: OutcomeProps) {
  const { words } = usePage()
  const { decision, issues, isUnfinished } = judgement
  const others = issues.filter(({ stop }) => stop === null)
  return (
    <section class="outcome card" aria-label={words.say("trip.verdict")}>
      <div aria-live="polite">
        {decision === null ? (
          <h2>{words.say(issues.length > 0 ? "trip.refused" : "trip.nothing_yet")}</h2>
        ) : (
          <h2 class={HEADINGS[decision.outcome].tone}>
            {words.say(HEADINGS[decision.outcome].text, { blockers: decision.blockers.length })}
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
      {decision !== null && <Findings {...{ decision, stopOf: judgement.stopOf, onRemedy }} />}
    </section>
  )
}

interface FindingsProps {
  readonly decision: Decision
  readonly stopOf: readonly number[]
  readonly onRemedy: (remedy: Remedy) => void
}

function Findings({ decision, stopOf, onRemedy }: FindingsProps) {
  const { words } = usePage()
  const { blockers, conditions, changes, unknowns } = decision
  const stopName = (step: number) =>
    `${words.number((stopOf[step] ?? step) + 1)} ${words.country(decision.steps[step]?.destination ?? "")}`
  return (
    <>
      {blockers.length > 0 && (
        <ul class="blockers" aria-label={words.say("trip.blockers")}>
          {blockers.map(blocker => (
            <li key={`${blocker.step} ${blocker.code} ${blocker.message}`}>
              <span class="where">{stopName(blocker.step)}</span>
              <Say sentence={sayNoticed(words, blocker)} />
              <Remedies {...{ blocker, stopName, onRemedy }} />
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
                <Say sentence={sayNoticed(words, condition)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {changes.length > 0 && (
        <>
          <h3>{words.say("trip.changes")}</h3>
          <ul class="bullets">
            {changes.map(({ step, on, after, zone }) => (
              <li key={`${step} ${on} ${zone}`}>
                <span class="where">{stopName(step)}</span>
                {words.locale.label(
                  words.say("pair.announced", { date: { on } }),
                  zone === null ? nameAnswer(words, after) : nameZone(words, zone),
                )}
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
                {gap.step !== null && <span class="where">{stopName(gap.step)}</span>}
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

interface RemediesProps {
  readonly blocker: Blocker
  readonly stopName: (step: number) => string
  readonly onRemedy: (remedy: Remedy) => void
}

/** The remedies against a blocker; each is a button that changes the trip accordingly. */
function Remedies({ blocker: { step, remedies = [] }, stopName, onRemedy }: RemediesProps) {
  const { words } = usePage()
  if (remedies.length === 0) return null
  return (
    <ul class="remedies" aria-label={words.say("trip.remedies")}>
      {remedies.map(remedy => (
        <li key={JSON.stringify(remedy)}>
          <button type="button" class="quiet" onClick={() => onRemedy(remedy)}>
            <Icon name="ahead" />
            <span>
              {remedy.step !== step && <span class="where">{stopName(remedy.step)}</span>}
              <Say sentence={sayRemedy(words, remedy)} />
            </span>
          </button>
        </li>
      ))}
    </ul>
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
