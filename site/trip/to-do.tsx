/** What has to be obtained or done for a trip: each task once, with its page, its fee and the latest day to apply, if they are recorded. */
import type { Decision, ToDo } from "landfall"
import { completeToDo } from "landfall/full"
import { useMemo } from "preact/hooks"
import { dayOf, readToday } from "../answers.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { useTables } from "../pair/facts.ts"
import { LinkedText } from "../pair/linked-text.tsx"
import { nameToDo } from "../verdict/verdict.tsx"
import { Months, styleOf } from "./day-line.tsx"

/** Returns a decision with the facts about tasks and extensions, what has to be done first in front; the given one until they are loaded, or if they cannot be. */
export function useCompleted(decision: Decision | null): Decision | null {
  const places = [...(decision?.toDo ?? []), ...(decision?.steps ?? [])].map(({ destination }) => destination)
  const tables = useTables([...new Set(places)])
  return useMemo(() => {
    if (decision === null || tables === null || tables === "failed") return decision
    const completed = completeToDo(tables.facts, decision)
    const dayOrLast = ({ applyBy }: ToDo) => applyBy ?? "9999"
    const toDo = [...completed.toDo].sort((one, other) => dayOrLast(one).localeCompare(dayOrLast(other)))
    return { ...completed, toDo }
  }, [decision, tables])
}

/** Names the countries in which the traveller changes, for which something has to be obtained. */
export const listTransits = (words: Words, { transit }: Decision, { transits = [] }: ToDo): readonly string[] =>
  [...new Set(transits.map(at => transit[at]?.country ?? ""))].map(country =>
    words.locale.label(words.say("trip.transit"), words.country(country)),
  )

export interface ToDoListProps {
  readonly decision: Decision
  readonly toDo: readonly ToDo[]
  readonly stopName: (step: number) => string
}

export function ToDoList({ decision, toDo, stopName }: ToDoListProps) {
  const { words } = usePage()
  if (toDo.length === 0) return null
  return (
    <>
      <h3>{words.say("todo.title")}</h3>
      <Applications {...{ decision, toDo }} />
      <ul class="to-do" aria-label={words.say("todo.title")}>
        {toDo.map(each => (
          <li key={`${each.code} ${each.step} ${each.destination} ${each.name}`}>
            <span class="where">
              {words.locale.list([...each.steps.map(stopName), ...listTransits(words, decision, each)])}
            </span>
            <strong>{nameToDo(words, decision, each)}</strong>
            {each.name !== null && <bdi>{each.name}</bdi>}
            <Terms {...each} />
          </li>
        ))}
      </ul>
      {toDo.some(({ backBy }) => backBy !== undefined) && <p class="note">{words.say("todo.assumed")}</p>}
    </>
  )
}

/** A bar for each application, from the last day to apply until the passport is back, and one for the journey; the list says the same, so screen readers are spared it. */
function Applications({ decision: { steps }, toDo }: Pick<ToDoListProps, "decision" | "toDo">) {
  const { words } = usePage()
  const applications = toDo.flatMap(({ destination, applyBy, backBy }) =>
    applyBy === null || backBy === undefined ? [] : [[{ destination, from: applyBy, to: backBy }]],
  )
  const [first] = applications.flat()
  const last = steps.at(-1)
  if (first === undefined || last === undefined) return null
  const range = { first: dayOf(first.from) - 1, last: dayOf(last.to ?? last.from) + 1 }
  return (
    <div class="line applications" aria-hidden="true">
      <Months range={range} />
      {[...applications, steps].map((lane, at) => (
        <div key={at} class="lane">
          {lane.map(({ destination, from, to }) => (
            <div
              key={from}
              class={`bar ${lane === steps ? "" : "application"}`}
              style={styleOf(range, { first: dayOf(from), last: dayOf(to ?? from) })}
            >
              <span class="name">{words.country(destination)}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

type TermsProps = Partial<Pick<ToDo, "applyBy" | "applyFrom" | "backBy" | "due" | "fee" | "url">>

/** Where, from when on and until when to apply, what it costs, and the page that says so, as far as they are recorded. */
export function Terms({ applyBy = null, applyFrom, backBy, due, fee = null, url = null }: TermsProps) {
  const { words } = usePage()
  return (
    <>
      {due === "on_arrival" && <p class="note">{words.say("todo.on_arrival")}</p>}
      {applyFrom !== undefined && <p class="note">{words.say("todo.apply_from", { date: { on: applyFrom } })}</p>}
      {applyBy !== null && <p>{words.say("todo.apply_by", { date: { on: applyBy } })}</p>}
      {applyBy !== null && applyBy < readToday() && <p class="bad-line">{words.say("todo.late")}</p>}
      {backBy !== undefined && <p class="note">{words.say("todo.back_by", { date: { on: backBy } })}</p>}
      {fee !== null && <p>{words.say("todo.fee", { fee: { money: fee } })}</p>}
      {url !== null && <LinkedText text={url} />}
    </>
  )
}
