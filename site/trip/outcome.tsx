/** The verdict: the trip's blockers and their remedies, what has to be obtained, and what is unknown. */
import type { Blocker, Decision, Remedy, ToDo } from "landfall"
import { sayNotice } from "landfall/full"
import { dayOf } from "../answers.ts"
import { groupBy } from "../ask/question.ts"
import { Icon } from "../controls/controls.tsx"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { listDeciding, listFurther } from "../verdict/judge-visit.ts"
import { Gaps, nameToDo, OutcomeWord, sayChange, sayDeciding, sayOutcome, sayRemedy } from "../verdict/verdict.tsx"
import type { Judgement } from "./judge-trip.ts"
import { nameZone } from "./stop-list.tsx"
import { TakeAlong } from "./take-along.tsx"
import { Terms, ToDoList, type ToDoListProps, useCompleted } from "./to-do.tsx"

interface OutcomeProps {
  readonly judgement: Judgement
  /** Changes the trip as a remedy says. */
  readonly onRemedy: (remedy: Remedy) => void
  /** Judges the trip as a remedy would change it. */
  readonly tryRemedy: (remedy: Remedy) => Judgement
}

interface OutcomeLineProps {
  readonly decision: Decision
  /** Whether a list below names all that has to be obtained. */
  readonly isListed?: boolean
}

/** The outcome of a decision, with what decides it. */
export function OutcomeLine({ decision, isListed = false }: OutcomeLineProps) {
  const { words } = usePage()
  // One blocker of each cause is enough here.
  const blockers = groupBlockers(decision.blockers).map(([first]) => first)
  const first = decision.outcome === "obtain" && isListed ? decision.toDo.find(isBefore) : undefined
  const said = first === undefined ? sayDeciding(words, { ...decision, blockers }) : nameToDo(words, decision, first)
  return (
    <>
      <OutcomeWord verdict={decision} /> <span class="headline">{said}</span>
    </>
  )
}

const isBefore = ({ due }: ToDo): boolean => due === "before_departure"

// From the worst to the best.
const OUTCOMES: readonly Decision["outcome"][] = ["blocked", "obtain", "unknown", "clear"]

/** The decision whose verdict is the worst; null where there is none. */
export const findWorst = (decisions: readonly (Decision | null)[]): Decision | null =>
  OUTCOMES.flatMap(each => decisions.find(decision => decision?.outcome === each) ?? [])[0] ?? null

/** The verdict in one line, which stays in sight on a phone; the section below it says the same to everybody. */
export function VerdictBar({ decision }: { readonly decision: Decision | null }) {
  if (decision === null) return null
  return (
    <p class="verdict-bar" aria-hidden="true">
      <span>
        <OutcomeLine decision={decision} isListed />
      </span>
    </p>
  )
}

export function Outcome({ judgement, onRemedy, tryRemedy }: OutcomeProps) {
  const { words } = usePage()
  const { issues, isUnfinished } = judgement
  const decision = useCompleted(judgement.decision)
  const others = issues.filter(({ stop }) => stop === null)
  const toDo = decision?.toDo ?? []
  return (
    <section class="outcome card" aria-label={words.say("trip.verdict")}>
      <div aria-live="polite">
        {decision === null ? (
          <h2>{words.say(issues.length > 0 ? "trip.refused" : "trip.nothing_yet")}</h2>
        ) : (
          <h2 class="verdict-head">
            <OutcomeLine decision={decision} isListed />
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
      {decision !== null && <Findings {...{ decision, toDo, stopOf: judgement.stopOf, onRemedy, tryRemedy }} />}
      {decision !== null && <TakeAlong decision={decision} toDo={toDo} />}
    </section>
  )
}

/** The blockers of a passport that expires too soon; the engine reports each rule that it breaks. */
const OF_EXPIRY: readonly string[] = ["passport_expired", "passport_expires_before_exit", "passport_validity_short"]

/** Blockers of one cause together: one rule of a zone or one passport may block several stops. */
export const groupBlockers = (blockers: readonly Blocker[]) =>
  groupBy(
    blockers,
    ({ code, zone, params, step }) =>
      `${OF_EXPIRY.includes(code) ? "expiry" : code} ${zone ?? params.passport ?? step}`,
  )

/** Names the country of a change of planes that is blocked. */
export const nameTransit = (words: Words, decision: Decision, { transit }: Blocker): string =>
  words.country(decision.transit[transit ?? 0]?.country ?? "")

interface FindingsProps extends Omit<OutcomeProps, "judgement">, Omit<ToDoListProps, "stopName"> {
  readonly stopOf: readonly number[]
}

function Findings({ decision, toDo, stopOf, onRemedy, tryRemedy }: FindingsProps) {
  const { words } = usePage()
  const { blockers, changes } = decision
  const further = listFurther(decision)
  const stopName = (step: number) =>
    `${words.number((stopOf[step] ?? step) + 1)} ${words.country(decision.steps[step]?.destination ?? "")}`
  const placeName = (blocker: Blocker) =>
    blocker.step === null ? nameTransit(words, decision, blocker) : stopName(blocker.step)
  return (
    <>
      {blockers.length > 0 && (
        <ul class="blockers" aria-label={words.say("trip.blockers")}>
          {groupBlockers(blockers).map(([blocker, ...further]) => (
            <li key={`${blocker.step} ${blocker.code} ${blocker.message}`}>
              <span class="where">{words.locale.list([...new Set([blocker, ...further].map(placeName))])}</span>
              <span>{sayNotice(words.locale, blocker)}</span>
              <Remedies {...{ blocker, before: decision, stopName, onRemedy, tryRemedy }} />
            </li>
          ))}
        </ul>
      )}
      <ToDoList {...{ decision, toDo, stopName }} />
      <Conditions {...{ decision, toDo, stopName }} />
      {changes.length > 0 && (
        <>
          <h3>{words.say("trip.changes")}</h3>
          <ul class="bullets">
            {changes.map(change => (
              <li key={`${change.step} ${change.on} ${change.zone}`}>
                <span class="where">{stopName(change.step)}</span>
                {change.zone === null
                  ? sayChange(words, change)
                  : words.locale.label(
                      words.say("pair.announced", { date: { on: change.on } }),
                      nameZone(words, change.zone),
                    )}
              </li>
            ))}
          </ul>
        </>
      )}
      <Gaps gaps={listDeciding(decision)} stopName={stopName} />
      {further.length > 0 && (
        <details>
          <summary>{words.say("trip.unknowns", { count: further.length })}</summary>
          <Gaps gaps={further} stopName={stopName} />
        </details>
      )}
    </>
  )
}

/** Each condition once, with the stops that it is one of; tasks are not repeated. */
export function Conditions({ decision, toDo, stopName }: ToDoListProps) {
  const { words } = usePage()
  const checks = decision.conditions.filter(({ code }) => !toDo.some(each => each.code === code))
  const say = (condition: Decision["conditions"][number]) => sayNotice(words.locale, condition)
  if (checks.length === 0) return null
  return (
    <>
      <h3>{words.say("word.conditions")}</h3>
      <ul class="bullets">
        {groupBy(checks, say).map(([first, ...others]) => {
          const stops = [first, ...others].flatMap(({ step }) => (step === null ? [] : stopName(step)))
          return (
            <li key={say(first)}>
              {stops.length > 0 && <span class="where">{words.locale.list([...new Set(stops)])}</span>}
              <span>{say(first)}</span>
            </li>
          )
        })}
      </ul>
    </>
  )
}

interface RemediesProps extends Omit<OutcomeProps, "judgement">, Pick<ToDoListProps, "stopName"> {
  readonly blocker: Blocker
  readonly before: Decision
}

/** The remedies against a blocker; each is a button that changes the trip accordingly, but for an extension, which has to be granted. */
function Remedies({ blocker: { step, remedies = [] }, before, stopName, onRemedy, tryRemedy }: RemediesProps) {
  const { words } = usePage()
  if (remedies.length === 0) return null
  return (
    <ul class="remedies" aria-label={words.say("trip.remedies")}>
      {remedies.map(remedy => (
        <li key={JSON.stringify(remedy)}>
          {remedy.action === "extend" ? (
            <>
              <span>{sayRemedy(words, remedy)}</span> <Terms {...remedy} />
            </>
          ) : (
            <button type="button" class="quiet" onClick={() => onRemedy(remedy)}>
              <Icon name="ahead" />
              <span>
                {"step" in remedy && remedy.step !== null && remedy.step !== step && (
                  <span class="where">{stopName(remedy.step)}</span>
                )}
                <span>{sayRemedy(words, remedy)}</span>
                {listEffects(words, before, tryRemedy(remedy).decision).map(effect => (
                  <span key={effect} class="note">
                    {effect}
                  </span>
                ))}
              </span>
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The other effects of a remedy: the verdict afterwards, and days that are left without a stop. */
function listEffects(words: Words, before: Decision, after: Decision | null): readonly string[] {
  if (after === null) return []
  const gaps = after.steps.flatMap(({ destination }, at) => {
    const free = findFreeDays(after, at)
    return free > 0 && free > findFreeDays(before, at)
      ? [words.say("remedy.gap", { days: { days: free }, country: { country: destination } })]
      : []
  })
  return [words.locale.label(words.say("remedy.then"), sayOutcome(words, after)), ...gaps]
}

/** The days between a stop and the one before it, without both. */
function findFreeDays({ steps }: Decision, at: number): number {
  const [one, next] = [steps[at - 1], steps[at]]
  return one?.to == null || next === undefined ? 0 : dayOf(next.from) - dayOf(one.to) - 1
}
